"""A room's log as a download: JSON of the public events, or the replay text.

While the game runs both say what everybody may see; a finished game is written whole.
"""

import json

import msgspec
from msgspec import UNSET

from kibitz.engine.replays import Replay, Step, write
from kibitz.engine.table import Table, redact_table
from kibitz.protocol.views import Event

from .room import Room
from .state import RoomState

FORMAT = "kibitz-replay-json-1"


async def replay_json(room: Room) -> bytes:
    """The public events with the room's hash: enough for a client to replay by facts."""
    events = await room.events(0, room.seq)
    said = {
        "format": FORMAT,
        "room": room.id,
        "game": room.state.game.name,
        "seq": room.seq,
        "hash": room.hash_at(room.seq),
        "events": [msgspec.to_builtins(event) for event in events],
    }
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()


async def replay_text(room: Room) -> str:
    """The replay text; cards that nobody may know yet stand as ``??``."""
    first, *rest = await room.records()
    over = room.state.over
    state = RoomState(first)
    start = state.positions[0].board.start
    steps: list[Step] = []
    for event in [event for record in rest for event in record.events]:
        state.apply_event(event)
        steps += _step(event, state.positions[0].board.table)
    headers = {"room": room.id, "result": room.state.status}
    if over and state.secret.deal:
        headers["deal"] = state.secret.deal
    return write(Replay(state.game, start if over else redact_table(start), tuple(steps), headers))


def _step(event: Event, after: Table) -> list[Step]:
    """What an event is in the replay text, if anything."""
    match event.kind:
        case "move":
            chance = event.fx is not UNSET and any(fact[0] == "set" for fact in event.fx)
            return [Step(event.move or "", after=after if chance else None)]
        case "undo" | "redo" | "restart":
            return [Step(event.kind)]
        case "resigned":
            return [Step("resign")]
        case "say":
            return [Step(comment=f"{event.name}: {event.text}")]
        case "saved" | "cheated":
            return [Step(comment=f"({event.kind})")]
        case _:
            return []
