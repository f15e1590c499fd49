"""What became of games that have ended, worked out in processes of their own.

``analyses`` has those that are asked for wait and keeps what was found, ``child`` starts a process
for one of them and sees to its end, ``worker`` is what runs there.
"""
