"""Every game's building rule over all pairs of cards, decided by play itself (B07)."""

from itertools import product

import pytest
from positions import VARIANTS, every_move, lay_out

from kibitz.engine.cards import CARDS, DECK, RANKS, Card
from kibitz.engine.game import Game, Move, Transfer, object_to

GAMES_WITH_COLUMNS = [name for name in VARIANTS if name.startswith(("klondike", "thumb"))]
PAIRS = [(a, b) for a, b in product(CARDS, CARDS) if a != b]


def accepts(game: Game, piles: dict[str, str], move: Move) -> bool:
    return object_to(game, lay_out(game, piles), move) is None


def one_lower(a: str, b: str) -> bool:
    return RANKS.index(a[0]) + 1 == RANKS.index(b[0])


def colour(code: str) -> bool:
    return code[1] in "dh"


def may_lie(name: str, a: str, b: str) -> bool:
    """The rules of building down, in words of their own."""
    if name in ("klondike",):
        return one_lower(a, b)
    if name == "thumb-and-pouch":
        return one_lower(a, b) and a[1] != b[1]
    return one_lower(a, b) and colour(a) != colour(b)


def names(game: Game) -> tuple[str, str, str]:
    """Two columns and the pack of a game."""
    return (
        ("PILE-1", "PILE-2", "Stock")
        if game.name == "klondike"
        else ("COLUMN-1", "COLUMN-2", "Waste")
    )


@pytest.mark.parametrize("name", GAMES_WITH_COLUMNS)
def test_b07_column_on_column(name: str) -> None:
    game = VARIANTS[name]
    source, target, pack = names(game)
    for a, b in PAIRS:
        right = may_lie(name, a, b)
        assert accepts(game, {source: a, target: b}, Transfer(source, target)) == right, (a, b)
        assert accepts(game, {pack: a, target: b}, Transfer(pack, target)) == right, (a, b)


@pytest.mark.parametrize("name", GAMES_WITH_COLUMNS)
def test_b07_on_an_empty_column(name: str) -> None:
    game = VARIANTS[name]
    source, target, pack = names(game)
    for a in CARDS:
        right = a[0] == "K" or name == "thumb-and-pouch"
        assert accepts(game, {source: a}, Transfer(source, target)) == right, a
        assert accepts(game, {pack: a}, Transfer(pack, target)) == right, a


@pytest.mark.parametrize("name", GAMES_WITH_COLUMNS)
def test_b07_on_a_foundation(name: str) -> None:
    game = VARIANTS[name]
    source, _, pack = names(game)
    suits = {"s": "Spades", "h": "Hearts", "d": "Diamonds", "c": "Clubs"}
    for a, b in PAIRS:
        if game.name == "klondike":
            pile, to = suits[b[1]], "suit"
            right = (one_lower(b, a) and a[1] == b[1]) or (a[0] == "A" and a[1] != b[1])
        else:
            pile = to = "FOUNDATION-3"
            right = one_lower(b, a) and a[1] == b[1]
        for start in (source, pack):
            assert accepts(game, {start: a, pile: b}, Transfer(start, to)) == right, (a, b)


def test_b07_montana() -> None:
    game = VARIANTS["montana"]
    cards = [code for code in CARDS if code[0] != "A"]
    for a, b in product(cards, cards):
        if a != b:
            piles = {"4.9": a, "2.6": b}
            right = one_lower(b, a) and a[1] == b[1]
            assert accepts(game, piles, Transfer("4.9", "2.7")) == right, (a, b)
            assert not accepts(game, piles, Transfer("4.9", "2.6"))
            assert not accepts(game, piles, Transfer("4.9", "2.8")), "nothing right of a gap"
            assert accepts(game, piles, Transfer("4.9", "3.1")) == (a[0] == "2")


def test_b07_aces_up() -> None:
    game = VARIANTS["aces-up"]
    order = "23456789TJQKA"
    for a, b in PAIRS:
        right = a[1] == b[1] and order.index(a[0]) < order.index(b[0])
        piles = {"COLUMN-2": a, "COLUMN-4": b}
        assert accepts(game, piles, Transfer("COLUMN-2", "Foundation")) == right, (a, b)
        buried = {"COLUMN-2": f"{b} {a}"}
        assert not accepts(game, buried, Transfer("COLUMN-2", "Foundation")), "another column only"


@pytest.mark.parametrize("name", GAMES_WITH_COLUMNS)
def test_runs_of_any_length(name: str) -> None:
    """A run moves by the rule of its game: whole, one card, or the one number that fits."""
    game = VARIANTS[name]
    source, target, _ = names(game)
    run = [f"{rank}{'ch'[n % 2]}" for n, rank in enumerate(RANKS[::-1])]
    for size in range(1, 13):
        piles = {source: " ".join(run[1 : size + 1]), target: "Kc"}
        moves = [m for m in every_move(game.name) if accepts(game, piles, m)]
        onto = [
            m for m in moves if isinstance(m, Transfer) and (m.source, m.target) == (source, target)
        ]
        movable = size == 1 or not name.startswith("klondike-single")
        count = size if name == "thumb-and-pouch" else 1
        expected = [Transfer(source, target, count)] if movable else []
        assert onto == expected


def test_the_deck_of_these_tables_is_whole() -> None:
    assert all(isinstance(card, Card) for card in DECK)
    assert len(PAIRS) == 52 * 51
