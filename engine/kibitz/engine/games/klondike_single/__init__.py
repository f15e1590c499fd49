"""Klondike, one card at a time."""
