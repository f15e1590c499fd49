"""Playing and watching in a terminal, or through a pipe.

``paint`` gives boards their colours and their width, ``screen`` puts them out, ``keyboard`` reads
lines and ``keys`` single keys without holding up the event loop; ``words`` says what lines mean,
``controls`` what keys do to a replay; ``waiting`` waits for whichever comes first. The commands
made of these: ``play`` (``seating``: the ways to a seat, ``table``: what is seen there, ``news``:
what is told, ``typed``: what is done), ``watch`` (``live``: a room that goes on, ``follow``: a
replay room, which ``present`` makes, ``remark``: what is said meanwhile), ``replay`` (``reels``:
where films come from, and ``verify``), ``lobby`` (rooms, the day's table), ``arena`` (bots),
``convert``; ``tokens`` and ``files`` are what is kept.
"""
