"""``kibitz convert``: a position in one format, read from any other; offline.

Promises: the same position, or a reason. Never: a file, a guess at what a format cannot say.
"""

from kibitz.engine import formats, saves
from kibitz.engine.formats import Unfit

SAVE = "save"
"""What our own format is called here."""


def convert(text: str, to: str, game: str | None = None) -> str:
    """The same position in another format.

    Args:
        text: A save, or what another program wrote.
        to: ``save``, or one of the formats.
        game: The game's name, where the text does not say it.

    Raises:
        LineError: The text is none of those.
        Unfit: There is no such format, or it cannot say this position.

    """
    if to != SAVE and to not in formats.FORMATS:
        raise Unfit(f"no format {to[:32]!r} (there are {', '.join([SAVE, *formats.FORMATS])})")
    read = formats.read_any(text, game)
    if to == SAVE:
        return saves.write(read.game, read.table, read.deal)
    written = formats.write(to, read.game, read.table)
    return written if written.endswith("\n") else f"{written}\n"
