"""One room: what is decided in it, what is so, who is told."""
