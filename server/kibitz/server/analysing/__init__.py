"""What is worked out in processes of their own: what became of games, and what players ask.

``analyses`` has games that have ended wait and keeps what was found, ``advisers`` does so for what
players want to be told while they play (``questions``); ``child`` starts a process for one of them
and sees to its end, ``worker`` and ``adviser`` are what runs there, within ``bounds``.
"""
