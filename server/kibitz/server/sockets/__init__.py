"""The way through the library's WebSocket that thousands of messages a second take.

The library speaks the protocol: handshakes, control frames, fragments, errors, closing. What is
plain goes past it: whole masked text and binary frames in (:mod:`.socket`), whole frames out that
are made once for everybody (:mod:`.frames`, :mod:`.turn`); one sweep sees who is gone
(:mod:`.keepalive`). Never: rooms, requests, who somebody is.
"""
