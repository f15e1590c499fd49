"""What a player at the table may be told: a hint, his chances, that his game plays itself.

Promises: the end is offered only after the server has played it; it is played by ordinary moves,
and stops where one is refused.
"""

from kibitz.engine.games import GAMES
from kibitz.engine.text import InputError
from kibitz.protocol.asking import Advised
from kibitz.protocol.codes import Refused

from .. import racing
from ..advised import may_finish, told
from ..telling import number_of
from .table import Table

NO_ADVICE = "this room gives no advice (one that is made with --hints bot does)"
NO_CHANCES = (
    "whether it can still be won is told in casual rooms only; "
    "`kibitz play GAME --casual` makes one"
)
NO_CHANCES_IN_A_RACE = "in a race nobody is told whether it can still be won"
NONE_HERE = "this server gives no advice"
INSTEAD = "; `moves` lists the legal moves"
"""What is added to these where it is so."""
NOT_YET = "it does not play itself from here"


async def advise(table: Table) -> None:
    """Say what a bot would play.

    Raises:
        InputError: The room does not allow it, or the server has none.
        Refused: The server says no.

    """
    await _tell(table, "move", table.mirror.view.policy.advice is True, NO_ADVICE)


async def chances(table: Table) -> None:
    """Say whether it can still be won.

    Raises:
        InputError: The room does not allow it, or the server does not know.
        Refused: The server says no.

    """
    refusal = NO_CHANCES_IN_A_RACE if table.mirror.view.mode == "race" else NO_CHANCES
    await _tell(table, "chances", table.mirror.view.policy.casual is True, refusal)


async def _tell(table: Table, what: Advised, allowed: bool, refusal: str) -> None:
    instead = INSTEAD if table.mirror.view.policy.hints else ""
    if not table.client.welcome.limits.get("advice"):
        raise InputError(NONE_HERE + instead)
    if not allowed:
        raise InputError(refusal + (instead if what == "move" else ""))
    table.screen.note(told(await table.client.advise(table.mirror.room, what)))


async def finish(table: Table) -> None:
    """Play the moves that win without a thought.

    Raises:
        InputError: There are none.
        Refused: Somebody else moved meanwhile; what was played is played.

    """
    moves = await table.client.finish(table.mirror.room)
    if not moves:
        raise InputError(NOT_YET)
    for move in moves:
        await table.client.move(table.mirror.room, move)


async def offer(table: Table) -> None:
    """Say that the game plays itself from here on, once it does and as long as it is new."""
    scene, own = table.scene, table.mirror.own
    offers = bool(table.client.welcome.limits.get("advice"))
    if not offers or scene.over or racing.is_waiting(scene) or own >= len(scene.boards):
        return
    at = scene.boards[own]
    if at.table == table.looked_at or not may_finish(GAMES[scene.game], at.table):
        return
    table.looked_at = at.table
    try:
        moves = await table.client.finish(table.mirror.room)
    except Refused:  # it has ended meanwhile, or so it will say to what is typed next
        return
    if moves and not table.offered:
        table.screen.note(f"`finish` plays the rest: {number_of(len(moves), 'move')} to the win")
    table.offered = bool(moves)
