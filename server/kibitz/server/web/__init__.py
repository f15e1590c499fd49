"""Plain HTTP beside the socket: the page, health, downloads."""
