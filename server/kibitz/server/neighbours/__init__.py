"""What servers on the same log tell each other: which rooms changed, and who is in them."""
