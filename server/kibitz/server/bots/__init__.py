"""Bots of the server's own: they sit down by request, and play in processes of their own.

``house`` has those that play now and says who may have one, ``tickets`` gives each the identity of
its seat and no more, ``seats`` decides what becomes of a seat, ``child`` starts a process and sees
to its end. What runs there is a client like any other. ``thoughts`` shows
what any bot thinks.
"""
