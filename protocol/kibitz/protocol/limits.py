"""Limits of the protocol: every one a named constant with its unit."""

PROTOCOL = 1
"""Version of the wire protocol."""

MSGPACK_SUBPROTOCOL = "kibitz.v1.msgpack"
JSON_SUBPROTOCOL = "kibitz.v1.json"

MAX_FRAME = 8 * 1024
"""Largest request, in bytes; only ``replay`` and a ``create`` with a save may be larger."""
MAX_SAVE = 64 * 1024
"""Longest save text, and longest replay text in a request, in bytes."""
MAX_MESSAGE = 3 * MAX_SAVE + MAX_FRAME
"""Largest frame read at all, in bytes: a text with every letter that is not ASCII escaped."""
MAX_NESTING = 8
"""Deepest list or map inside a request, levels."""
MAX_INTEGER = 2**53 - 1
"""Largest integer, so that every client can hold it exactly."""

MAX_ID = 32
"""Longest string ``i``, in characters."""
MAX_ROOM = 40
"""Longest room id, in characters."""
MAX_NAME = 32
"""Longest display name, in characters."""
MAX_TOKEN = 4096
"""Longest identity token, in characters."""
MAX_INVITE = 64
"""Longest invite, in characters."""
MAX_PASSWORD = 128
"""Longest room password, in characters."""
MAX_NONCE = 64
"""Longest nonce of a player, in characters."""
MAX_DRAWS = 500
"""Most deals that are drawn for one that is known to be winnable."""
MAX_MOVE = 64
"""Longest move text, in characters."""
MAX_THOUGHTS = 16
"""Most moves of which is told what was thought."""
MAX_VALUE = 1e6
"""The most that a move may be thought to be worth, and its negative the least."""
MAX_PILE = 32
"""Longest name of a pile, in characters."""
MAX_CARDS = 52
"""Most cards in one drag."""
MAX_SAY = 500
"""Longest comment, in characters."""
MAX_OPTIONS = 8
"""Most options of one game."""
MAX_SEATS = 8
"""Most seats round one board."""
MAX_RACERS = 100
"""Most seats of a race, each with a board of its own."""
MIN_RACERS = 2
MAX_PACE = 60_000
"""The slowest pace of a bot, in milliseconds from one move to the next."""
MAX_COUNTDOWN = 60
"""Longest countdown, in seconds."""
MIN_LIMIT = 5
"""Shortest time limit of a race, in seconds."""
MAX_LIMIT = 86_400
"""Longest time limit of a race, in seconds."""
MAX_DELAY = 86_400
"""Longest delay of a room for those without a seat, in seconds."""
MAX_AHEAD_MS = 30 * 86_400_000
"""How far ahead a race may be arranged, in milliseconds."""
MIN_SPEED, MAX_SPEED = 10, 1600
"""How fast a replay room may play, in percent of how it happened."""
MIN_BEAT, MAX_BEAT = 50, 60_000
"""The beat of a replay room, in milliseconds."""
MAX_LIST = 100
"""Most rooms in one list."""
MAX_EVENTS = 500
"""Most events in one answer to ``history``."""

MIN_KEY, MAX_KEY = 16, 256
"""Shortest and longest key of an operator, in characters."""
MAX_SUBJECT = 64
"""Longest identity or address in an order of an operator, in characters."""
MAX_AFTER = 192
"""Longest name of a place in a list of an operator, in characters."""
MAX_REASON = 100
"""Longest reason that an operator gives, in characters."""
MAX_TERM = 10 * 366 * 86_400
"""Longest time for which somebody is banned, in seconds; else it is for good."""

MAX_STEPS = 5000
"""Most commands and comments of a replay text that are played for a ``replay``."""

HELLO_TIMEOUT = 5.0
"""Seconds a connection has for its ``hello``."""
