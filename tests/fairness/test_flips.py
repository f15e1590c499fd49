"""Not one bit of a replay can be turned without a verifier saying so.

Here every bit of a short game of each kind, and a sample of long ones; all bits of all of them,
with the whole verifier: ``PYTHONPATH=tests python -m fairness.test_flips`` (it takes long).
"""

from collections.abc import Iterator
from random import Random

import pytest

from kibitz.clients.verifying.file import check_seal
from kibitz.clients.verifying.replay import verdict_on_file
from kibitz.clients.verifying.texts import verdict_on_text
from kibitz.clients.verifying.verdict import Unfit
from kibitz.engine.games import GAMES
from kibitz.engine.seals import Seal, seal_of
from kibitz.protocol.requests import Resign, Say
from kibitz.server.room.room import Room

from .honest import ANN, Desk

SAMPLE = 150
"""Bits of a long game that are turned."""


async def texts_of(desk: Desk, room: Room) -> tuple[bytes, bytes]:
    """Both downloads of a room."""
    text = await desk.past.replay_text(room, room.people.stage(None), 0)
    return (await desk.text(room)).encode(), text


async def game_of(game: str, steps: int, *, ended: bool) -> tuple[bytes, bytes]:
    """A game by chance, as JSON and as text."""
    desk = Desk()
    try:
        room = await desk.create(game=game, nonce="N-1_x")
        await desk.by_chance(room, steps, shuffles=True)
        await desk.do(room, ANN, Say(room=room.id, text='"fair":{ -'))
        if ended:
            await desk.do(room, ANN, Resign(room=room.id))
        return await texts_of(desk, room)
    finally:
        desk.close()


def flips(data: bytes) -> Iterator[bytes]:
    """The text with each of its bits turned."""
    for at in range(len(data)):
        for bit in range(8):
            yield data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


def is_caught_in_json(data: bytes) -> bool:
    """Whether the seal shows it; what the seal says is what the verifier says of the file."""
    try:
        return not check_seal(data) and verdict_on_file(data).failed
    except Unfit:
        return True


def is_caught_in_text(data: bytes) -> bool:
    """The same of a text."""
    seal = seal_of(data)
    return seal is not Seal.RIGHT and (seal is not Seal.NONE or verdict_on_text(data).failed)


@pytest.mark.parametrize("game", GAMES)
async def test_every_bit_of_a_short_game(game: str) -> None:
    as_json, as_text = await game_of(game, 2, ended=True)
    assert not verdict_on_file(as_json).failed and not verdict_on_text(as_text).failed
    missed = [bad for bad in flips(as_json) if not is_caught_in_json(bad)]
    missed += [bad for bad in flips(as_text) if not is_caught_in_text(bad)]
    assert missed == []


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("game", GAMES)
async def test_a_sample_of_the_bits_of_a_long_game(game: str, ended: bool) -> None:
    rng = Random(f"{game} {ended}")
    for data, verdict_on in zip(
        await game_of(game, 60, ended=ended), (verdict_on_file, verdict_on_text), strict=True
    ):
        assert not verdict_on(data).failed
        for _ in range(SAMPLE):
            at, bit = rng.randrange(len(data)), rng.randrange(8)
            bad = data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
            assert verdict_on(bad).failed, (at, bit)
        assert verdict_on(data[:-1]).failed and verdict_on(data + b" ").failed


async def main() -> None:
    """Turn every bit of a game of each kind and ask the whole verifier; print the count."""
    turned = missed = 0
    for game in GAMES:
        as_json, as_text = await game_of(game, 2, ended=True)
        for data, verdict_on in ((as_json, verdict_on_file), (as_text, verdict_on_text)):
            for bad in flips(data):
                turned += 1
                missed += not verdict_on(bad).failed
            print(game, turned, "bits turned,", missed, "missed", flush=True)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
