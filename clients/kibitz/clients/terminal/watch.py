"""``kibitz watch``: looking on.

Promises: a board for every event that moves cards, in order, live or from the start.
"""

import asyncio

from kibitz.protocol.replies import Error, Position, Presence
from kibitz.protocol.views import Event

from ..pushes import Link, Push
from ..scene import Scene
from ..session import Client, Refused
from .screen import Screen

MAX_GAP = 2.0
"""The longest pause between two events of the past, in seconds."""


async def watch(
    client: Client,
    room: str,
    screen: Screen,
    *,
    from_start: bool = False,
    speed: float = 1.0,
) -> None:
    """Look on until the game has ended.

    Args:
        client: The connection.
        room: The room's id.
        screen: Where boards go.
        from_start: Whether to see the past first.
        speed: How many times faster than it happened.

    Raises:
        Refused: There is no such room, or it is not for us.

    """
    pushes = client.events()
    mirror = await client.join(room)
    scene = Scene.of(mirror)
    if from_start:
        scene = Scene(room, scene.game)
        at = 0
        async for event in client.history(room, to=mirror.seq):
            await asyncio.sleep(pause(event.at - at, speed))
            at = event.at
            show(screen, scene, event)
    else:
        screen.draw(scene)
    while not scene.over:
        show(screen, scene, await anext(pushes))


def pause(ms: int, speed: float) -> float:
    """The seconds between two events that were ``ms`` milliseconds apart."""
    return min(ms / 1000 / speed, MAX_GAP)


def show(screen: Screen, scene: Scene, push: Push) -> None:
    """Let one thing happen on the board and show it.

    Raises:
        Refused: The room cannot be followed any longer.

    """
    match push:
        case Event(room=scene.room):
            changed = scene.apply(push)
            if told := scene.told(push):
                screen.remark(told)
            if changed or (told and screen.in_place):
                screen.draw(scene)
        case Position(room=scene.room):
            scene.reset(push.view, push.seq)
            screen.draw(scene)
        case Presence(room=scene.room) if screen.in_place:
            scene.spectators = push.spectators
            screen.draw(scene)
        case Link(up):
            screen.link(up)
            if screen.in_place:
                screen.draw(scene)
        case Error(room=scene.room):
            raise Refused(push.code, push.message, room=push.room)
