"""``kibitz watch``: looking on, at one room or at whatever is most worth watching.

Promises: a game that is played, a race and a replay room are watched by the same command.
"""

import asyncio

from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.mirror import Mirror
from kibitz.protocol.replies import Notice, TvRoom

from ..film import frame_of
from ..pushes import Pushes
from ..scene import Scene
from ..session import Client, Refused
from ..telling import noticed
from .controls import STOPS
from .follow import Follow
from .keys import Keys
from .live import Live
from .screen import Screen
from .waiting import first_of

MAX_GAP = 2.0
"""The longest pause between two events of the past, in seconds."""
LINGER = 4.0
"""Seconds that the end of a game stays before the next room."""
MAX_WAIT = 60.0
"""Seconds until a room in which everything comes late is asked for again."""


async def watch(
    client: Client,
    room: str,
    screen: Screen,
    keys: Keys,
    *,
    from_start: bool = False,
    speed: float = 1.0,
    board: int | None = None,
) -> None:
    """Look on until the game has ended.

    Args:
        client: The connection.
        room: The room's id.
        screen: Where boards go.
        keys: What is pressed.
        from_start: Whether to see the past first.
        speed: How many times faster than it happened.
        board: Which board of a race; ``None``: the leader's.

    Raises:
        Refused: There is no such room, or it is not for us.

    """
    pushes = client.events()
    mirror = await enter(client, room, screen)
    scene = None
    if from_start and mirror.view.mode != "replay":
        scene = await _see_past(client, mirror, screen, speed, board)
    await _look(client, mirror, screen, keys, pushes, board, scene)


async def tv(client: Client, screen: Screen, keys: Keys) -> None:
    """Look at the room most worth watching, and go on to the next, until a key says so.

    Raises:
        Refused: The server has no such thing.

    """
    pushes = client.events()
    await client.tv()
    room = await _next(pushes, screen, keys)
    while room is not None:
        mirror = await enter(client, room, screen)
        screen.remarks_are([])
        if not screen.in_place:
            screen.say(f"now watching {room}")
        following = await _look(client, mirror, screen, keys, pushes)
        if following is None:
            return
        if mirror.status != "open" and screen.in_place:
            await first_of(keys.ready(), seconds=LINGER)
        await client.leave(room)
        room = following or await _next(pushes, screen, keys)


async def _next(pushes: Pushes, screen: Screen, keys: Keys) -> str | None:
    """The room that we are told to watch; ``None``: a key says that it is enough."""
    told = False
    while not any(key in STOPS for key in keys.waiting()):
        for push in pushes.waiting():
            if isinstance(push, TvRoom) and push.room is not None:
                return push.room.id
            if isinstance(push, Notice):
                screen.say(noticed(push.text))
            if isinstance(push, TvRoom) and not told:
                screen.say("Nothing is being played; this goes on as soon as something is.")
                told = True
        await first_of(pushes.ready(), keys.ready())
    return None


async def _look(
    client: Client,
    mirror: Mirror,
    screen: Screen,
    keys: Keys,
    pushes: Pushes,
    board: int | None = None,
    scene: Scene | None = None,
) -> str | None:
    """Look at a room: the room to look at next, ``""`` if that is not known; ``None``: enough."""
    if mirror.view.mode == "replay":
        return await Follow(client, mirror, screen, keys).run(pushes, board)
    if board is not None and board >= len(mirror.tables):
        raise Refused(ErrorCode.BAD_OPTION, f"there is no seat {board + 1}", room=mirror.room)
    live = Live(client, mirror, screen, keys, board=board, scene=scene)
    return (live.next or "") if await live.run(pushes) else None


async def enter(client: Client, room: str, screen: Screen) -> Mirror:
    """Join a room as a spectator; where everything comes late, wait for the first of it.

    Raises:
        Refused: There is no such room, or it is not for us.

    """
    told = False
    while True:
        try:
            return await client.join(room)
        except Refused as refused:
            if refused.code is not ErrorCode.FORBIDDEN or not refused.retry_ms:
                raise
            if not told:
                screen.say(refused.message)
            told = True
            await asyncio.sleep(min(refused.retry_ms / 1000, MAX_WAIT))


async def _see_past(
    client: Client, mirror: Mirror, screen: Screen, speed: float, board: int | None
) -> Scene:
    """See what has happened so far, at some speed."""
    scene, at = Scene(mirror.room, mirror.view.game, board or 0), 0
    async for event in client.history(mirror.room, to=mirror.seq):
        await asyncio.sleep(pause(event.at - at, speed))
        at = event.at
        frame = frame_of(event, scene)
        if frame.board not in (None, scene.board):
            continue
        if frame.said:
            screen.remark(frame.said)
        if frame.scene and not scene.dark:
            screen.draw(scene)
    return scene


def pause(ms: int, speed: float) -> float:
    """The seconds between two events that were ``ms`` milliseconds apart."""
    return min(ms / 1000 / speed, MAX_GAP)
