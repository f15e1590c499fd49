"""A whole bot: foundations first, then what turns a card up, then the waste, then the stock."""

from kibitz.clients.bot import play
from kibitz.protocol.views import BoardView

ORDER = "tf", "wf", "tt", "wt", "sw"


def choose(view: BoardView, legal: list[str]) -> str | None:
    """Choose one of the legal moves; ``None`` gives the game up."""
    covering = {n for n in "1234567" if view.piles[f"COLUMN-{n}"][-2:-1] == ["??"]}
    good = [move for move in legal if move[:2] != "tt" or move[3] in covering]
    best = min(good, key=lambda move: ORDER.index(move[:2]), default=None)
    return best if view.moves < 250 else None


if __name__ == "__main__":
    print(play("ws://127.0.0.1:8765/ws", "klondike-single", choose))  # noqa: T201
