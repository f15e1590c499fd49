"""Several processes on one port: whoever looks after them, and their line to it."""
