"""``kibitz solve``: can this be won, and where was it lost; one game, or many deals at once.

``asking`` sets a search up, ``deals`` does it for many, ``telling`` says what was found. The
search itself is the engine's.
"""
