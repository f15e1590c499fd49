"""Playing and watching in a terminal, or through a pipe.

``paint`` gives boards their colours and their width, ``screen`` puts them out, ``keyboard`` reads
lines without holding up the event loop, ``words`` says what they mean; ``play``, ``watch`` and
``replay`` are the commands made of these.
"""
