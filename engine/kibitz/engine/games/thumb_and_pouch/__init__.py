"""Thumb and Pouch."""
