"""Playing and watching in a terminal, or through a pipe.

``paint`` gives boards their colours and their width, ``screen`` puts them out, ``keyboard`` reads
lines without holding up the event loop, ``words`` says what they mean. ``play`` (``table``: what is
seen there, ``typed``: what is done), ``watch``, ``lobby``, ``replay`` (``pace``: how fast) and
``arena`` are the commands made of these; ``tokens`` and ``files`` are what is kept.
"""
