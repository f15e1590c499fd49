"""How a game ends: the events after the last one that was played, which open the deal.

Pure, like :mod:`.decide`, which asks for them. Of a race the end comes when its last board is
done; the event then lays every board out for those who have not seen it, and carries the table.
"""

from msgspec.structs import replace

from kibitz.engine.deals import deck_of
from kibitz.engine.game import BadOption
from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.table import Fact, Set, Table, lay
from kibitz.protocol.course import standings
from kibitz.protocol.views import Event, Opened, Status

from .audience import NOTHING
from .state import RoomState


def closed(state: RoomState, events: list[Event]) -> list[Event]:
    """Events that close a board, and what follows if that was the last one."""
    after = state.copy()
    for event in events:
        after.apply_event(event)
    statuses = {line.status for line in after.course.lines}
    if "open" in statuses:
        return events
    ended = Event(
        seq=after.seq + 1,
        at=after.at,
        kind="ended",
        result=_result(statuses),
        opened=Opened(
            start=write_piles(state.start),
            counters=dict(state.start.counters),
            seed=state.secret.seed,
            deal=true_deal(state),
            secret=state.secret.secret,
        ),
    )
    tables = [position.board.table for position in after.positions]
    if state.mode != "race":
        return [*events, replace(ended, fx=[write_fact(fact) for fact in named(tables[0])])]
    view = after.view(NOTHING)  # the table needs no cards
    laid = [[write_fact(fact) for fact in lay(table)] for table in tables]
    return [*events, replace(ended, boards=laid, results=standings(view.boards, view.seats))]


def _result(statuses: set[Status]) -> Status:
    """How a room ended whose boards ended so."""
    best: tuple[Status, ...] = ("won", "timeout", "resigned")
    return next(status for status in best if status in statuses)


def named(table: Table) -> list[Fact]:
    """The facts that name every card still face down, once a game has ended."""
    piles = table.piles.items()
    return [Set(name, cells) for name, cells in piles if not all(cell.up for cell in cells)]


def true_deal(state: RoomState) -> str | None:
    """The deal number, if the game really started from it: a save may say what it likes."""
    deal = state.secret.deal
    if deal is None:
        return None
    try:
        dealt = state.game.deal(deck_of(deal))
    except BadOption:
        return None
    return deal if dealt.piles == state.start.piles else None
