"""All rooms: made, found, listed, followed by others."""
