"""Makes ``vectors/*.json``: replays of honest and of cheating servers, and what a verifier finds.

Each file is ``{"name", "replay", "checks"}``: the text of a ``replay.json``, and for each of the
five checks ``ok``, ``failed`` or ``open``. Every verifier in any language must agree with all of
them. Time and chance are fixed, so ``PYTHONPATH=tests python -m fairness.making`` writes the same
files again until the server says something else.
"""

import asyncio
import json
from pathlib import Path

from .cheats import CHEATS
from .honest import HONEST, Desk, Play, Told
from .lies import LIES
from .tampers import TAMPERED

FOLDER = Path(__file__).parent / "vectors"


async def played(play: Play) -> Told:
    """What comes of a game on a desk of its own."""
    desk = Desk()
    try:
        return await play(desk)
    finally:
        desk.close()


async def make() -> dict[str, Told]:
    """Every vector by its name."""
    plays = HONEST | CHEATS | TAMPERED | LIES
    return {name: await played(play) for name, play in plays.items()}


def text_of(name: str, told: Told) -> str:
    """The text of a file."""
    vector = {"name": name, "replay": told.text, "checks": told.checks}
    return json.dumps(vector, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    made = asyncio.run(make())
    for name, told in made.items():
        (FOLDER / f"{name}.json").write_text(text_of(name, told), encoding="utf-8")
    for path in FOLDER.glob("*.json"):
        if path.stem not in made:
            path.unlink()


if __name__ == "__main__":
    main()
