"""Programs that talk to a kibitz server: a Python client, a terminal, bots."""
