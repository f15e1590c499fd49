"""Check ``openings``: the cards that were shown are those the room had committed itself to."""

from kibitz.engine.cards import CARDS
from kibitz.engine.games import GAMES
from kibitz.engine.table import Cell
from kibitz.protocol.fairness import is_opened, named_in, size_of

from .recording import Recording
from .start import cells
from .verdict import Finding, Unfit


def check(recording: Recording) -> Finding:
    """Check every opening, and that none is missing while the game runs."""
    fair = recording.fair
    if fair is None and recording.openings:
        return Finding("openings", "failed", "cards are opened of a room that promised none")
    if fair is None:
        return Finding("openings", "open", "this room has committed itself to nothing")
    try:
        _check(recording, fair.root)
    except Unfit as unfit:
        return unfit.of("openings")
    if recording.laid_open:
        return Finding("openings", "ok", "the end has opened everything")
    count = len(recording.openings)
    return Finding("openings", "ok", f"{count} card{'s' * (count != 1)}, root {fair.root}")


def _check(recording: Recording, root: str) -> None:
    start, game = recording.start, GAMES[recording.created.game or ""]
    there = dict(enumerate(cells(game, start))) if start else {}
    size = size_of(game, start) if start else 0
    positions, cards = set[int](), set[str]()
    for opening in recording.openings:
        position, item, *_ = opening
        if not is_opened(opening, size, root):
            raise Unfit(f"the opening of {item:.20} does not lead to the root")
        if position in positions or item in cards:
            raise Unfit(f"{item:.20} or its place is opened twice")
        positions.add(position)
        cards.add(item)
        _check_card(position, item, there.get(position))
    if not recording.laid_open:
        for event in recording.events:
            for card in sorted(named_in([event]) - cards):
                raise Unfit(f"{card} is named and has no opening", event.seq)


def _check_card(position: int, item: str, cell: Cell | None) -> None:
    if cell is None:
        return  # the seed of a shuffle
    if item not in CARDS:
        raise Unfit(f"position {position} is opened, and is no card")
    if cell.card and cell.card.code != item:
        raise Unfit(f"position {position} is opened as {item}, and {cell.card} lies there", 1)


def known(recording: Recording) -> dict[int, str]:
    """The cards that were opened, by their positions."""
    return {position: item for position, item, *_ in recording.openings}
