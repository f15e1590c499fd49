"""An opening proves its card and says nothing of another; a tree is what RFC 6962 says."""

import hashlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plays import legal
from servers import running_server
from talk import Plain, Talk, talking

from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.engine.notation import write_piles
from kibitz.protocol.fairness import Tree, is_opened, items_of, leaf_of
from kibitz.protocol.requests import Undo

from .honest import ANN, Desk

SECRET = bytes(range(32))


def root_of(leaves: list[bytes]) -> bytes:
    """As RFC 6962 has it: split at the largest power of two below the number of leaves."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    both = root_of(leaves[:half]) + root_of(leaves[half:])
    return hashlib.sha256(b"\x01" + both).digest()


@given(size=st.integers(1, 151), nonce=st.text("abcXYZ019_-", max_size=64))
@settings(deadline=None, max_examples=25)
def test_a_tree_and_its_openings(size: int, nonce: str) -> None:
    items = [f"item {n}" for n in range(size)]
    tree = Tree(items, SECRET, nonce)
    openings = [tree.opening(at) for at in range(size)]
    leaves = [leaf_of(bytes.fromhex(salt), at, item) for at, item, salt, _ in openings]
    assert tree.root == root_of(leaves).hex()
    assert all(is_opened(opening, size, tree.root) for opening in openings)
    assert len({salt for _, _, salt, _ in openings}) == size
    at, item, salt, path = openings[size // 2]
    for bad in (
        (at + 1, item, salt, path),
        (-1, item, salt, path),
        (at, "other", salt, path),
        (at, item, "0" * 32, path),
        (at, item, salt[:-1], path),
        (at, item, "zz" + salt[2:], path),
        (at, item, salt, [*path, "0" * 64]),
        (at, item, salt, path[:-1] if path else ["0" * 64]),
    ):
        assert not is_opened(bad, size, tree.root)


def cells_named(events: list[Plain]) -> set[str]:
    """Every card that stands anywhere in the facts of some events."""
    said = str([[event.get("fx"), event.get("boards"), event.get("opened")] for event in events])
    return {code for code in (f"{r}{s}" for r in "A23456789TJQK" for s in "cdhs") if code in said}


async def everything(talk: Talk, room: str) -> list[Plain]:
    """Every page of proofs that somebody can get, of every size."""
    pages = []
    for limit in (500, 7):
        first: int | None = 1
        while first is not None:
            page = await talk.ok("history", room=room, from_=first, limit=limit, proofs=True)
            pages.append(page)
            first = page.get("next")
    return pages


@pytest.mark.parametrize("game", GAMES)
async def test_openings_are_those_of_the_cards_that_are_named(game: str) -> None:
    async with (
        running_server() as running,
        talking(running.url) as ann,
        talking(running.url) as eve,
    ):
        room = (await ann.ok("create", game=game, nonce="n"))["room"]
        await eve.ok("join", room=room)
        state, rng = (await running.app.rooms.get(room)).state, Random(game)
        kept, tree = state.secret, state.tree()
        assert kept.secret and tree and state.fair
        cards = [item for item in tree.items if len(item) == 2]
        for _ in range(25):
            lines = legal(state)
            if lines:
                await ann.ok("move", room=room, move=rng.choice(lines))
            for talk in (ann, eve):
                for page in (await everything(talk, room))[:3]:
                    named = cells_named(page["events"])
                    assert [item for _, item, _, _ in page["openings"]] == [
                        card for card in cards if card in named
                    ]
                    for at, item, salt, path in page["openings"]:
                        opening = (at, item, salt, path)
                        assert is_opened(opening, len(tree.items), state.fair.root)
        hidden = set(cards) - cells_named((await everything(eve, room))[0]["events"])
        told = str([*ann.frames, *eve.frames])
        for at, item in enumerate(tree.items):
            if item in hidden or len(item) > 2:
                assert tree.opening(at)[2] not in told, "no salt of a card that nobody saw"
        for word in (kept.secret, kept.seed, *(item for item in tree.items if len(item) > 2)):
            assert word not in told
        await ann.ok("resign", room=room)
        await eve.until(lambda: eve.events(room)[-1]["kind"] == "ended")
        assert kept.secret in str(eve.frames[-1])


async def test_who_does_not_ask_gets_none() -> None:
    async with running_server() as running, talking(running.url) as ann:
        room = (await ann.ok("create", game="aces-up"))["room"]
        assert "openings" not in await ann.ok("history", room=room)


async def test_the_same_position_is_shuffled_the_same_way_and_another_otherwise() -> None:
    desk = Desk()
    room = await desk.create(game="montana")

    def rows() -> str:
        return str(write_piles(room.state.positions[0].board.table))

    async def shuffled() -> str:
        await desk.moves(room, "s")
        return rows()

    async def taken_back() -> None:
        await desk.do(room, ANN, Undo(room=room.id))

    first = await shuffled()
    second = await shuffled()
    await taken_back()
    assert rows() == first and await shuffled() == second
    await taken_back()
    await taken_back()
    assert await shuffled() == first
    await taken_back()
    lines = [line for line in legal(room.state) if line != "s"]
    await desk.moves(room, lines[0])
    assert await shuffled() != first
    desk.close()


def test_the_seeds_of_shuffles_are_committed_to() -> None:
    game = GAMES["montana"].with_options({"shuffles": "99"})
    items = items_of(game, game.deal(deck_of("1")), b"seed")
    assert len(items) == 48 + 64 and len(set(items)) == len(items)
