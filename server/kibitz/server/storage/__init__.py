"""The file that keeps every room: its form, and what an operator does with it."""
