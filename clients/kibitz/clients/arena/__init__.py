"""``kibitz arena``: strategies on the same deals, offline, and what the difference is worth.

``contest`` plays, ``figures`` is the arithmetic, ``report`` what came of it, ``printing`` and
``page`` show that.
"""
