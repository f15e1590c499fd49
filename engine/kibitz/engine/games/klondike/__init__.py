"""Klondike with runs of any suit and three-card discards."""
