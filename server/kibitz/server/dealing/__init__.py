"""Deals that are known to be winnable, looked for in processes beside the server.

``drawing`` says which deals are drawn and how much is looked at, ``worker`` does that in a process
of its own, ``winnable`` has those who ask wait their turn.
"""
