"""How the server is run: what it says of itself, what is measured of it, how it goes away."""
