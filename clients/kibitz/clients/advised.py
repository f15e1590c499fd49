"""What a player is told of his own game, in words; and when it is worth asking how it finishes.

Pure. Promises: that a game is lost is said only where it is proved, or where the server says that
nothing changes anything any more (``stuck``). Never: a rule.
"""

from kibitz.engine.game import Game
from kibitz.engine.table import Table
from kibitz.protocol.replies import Advice

NOTHING_NEW = "the bot sees no move that leads anywhere new"


def told(advice: Advice) -> str:
    """What was found, in a sentence."""
    if advice.what == "move":
        return NOTHING_NEW if advice.move is None else f"a strong bot would play: {advice.move}"
    worlds, winnable, lost = advice.worlds or 0, advice.winnable or 0, advice.lost or 0
    however = ", however the hidden cards lie" if worlds > 1 else ""
    match advice.proved:
        case "win":
            return f"it can still be won{however}"
        case "lost":
            return f"proved lost{however}: no line of play wins from here"
        case _ if worlds == 1:
            return "whether it can still be won was not found out"
        case _:
            guesses = f"of {worlds} guesses at the hidden cards {winnable} can be won"
            unknown = worlds - winnable - lost
            return f"{guesses}, {lost} cannot" + (f", {unknown} are not known" if unknown else "")


def may_finish(game: Game, table: Table) -> bool:
    """Whether it is worth asking: nothing unknown lies in a column."""
    fans = [place.pile for place in game.layout if place.kind == "fan"]
    return all(cell.card is not None for fan in fans for cell in table.piles.get(fan, ()))
