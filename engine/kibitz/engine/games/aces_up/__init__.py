"""Aces Up: keep only the aces."""
