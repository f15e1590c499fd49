"""What an operator does: on the file of a server, and to one that runs."""
