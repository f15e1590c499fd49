"""``kibitz bench``: what a server on this machine can carry.

``run`` puts it together: a server of its own (``hosting``), processes that are the load
(``crew`` here, ``worker``, ``loads`` and ``line`` there), what they report (``jobs``) as rows
(``rows``), and how those are printed (``printing``). Never: the server's code.
"""
