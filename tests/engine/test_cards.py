"""Cards, their texts, and the building rules over all pairs of cards."""

import pytest

from kibitz.engine.cards import (
    CARDS,
    DECK,
    RANKS,
    Card,
    Suit,
    down,
    down_other_colour,
    down_other_suit,
    is_run,
    read_card,
    up_in_suit,
)

PAIRS = [(a, b) for a in DECK for b in DECK]
UNDER = dict(zip(RANKS[1:], RANKS[:-1], strict=True))
"""Each rank's next lower one, spelled out apart from any numbering."""


def test_a_deck_has_52_different_cards() -> None:
    assert len(DECK) == len(set(DECK)) == len(CARDS) == 52
    assert [card.code for card in DECK[:13]] == [f"{rank}c" for rank in RANKS]


def test_down_over_all_pairs() -> None:
    fits = {(a.code, b.code) for a, b in PAIRS if down(a, b)}
    assert fits == {(a, b) for a in CARDS for b in CARDS if UNDER.get(b[0]) == a[0]}
    assert len(fits) == 12 * 16


def test_down_in_another_suit_over_all_pairs() -> None:
    fits = {(a.code, b.code) for a, b in PAIRS if down_other_suit(a, b)}
    assert fits == {
        (a, b) for a in CARDS for b in CARDS if UNDER.get(b[0]) == a[0] and a[1] != b[1]
    }
    assert len(fits) == 12 * 12


def test_down_in_another_colour_over_all_pairs() -> None:
    fits = {(a.code, b.code) for a, b in PAIRS if down_other_colour(a, b)}
    assert fits == {
        (a, b)
        for a in CARDS
        for b in CARDS
        if UNDER.get(b[0]) == a[0] and (a[1] in "dh") != (b[1] in "dh")
    }
    assert len(fits) == 12 * 8


def test_up_in_suit_over_all_pairs() -> None:
    fits = {(a.code, b.code) for a, b in PAIRS if up_in_suit(a, b)}
    assert fits == {
        (a, b) for a in CARDS for b in CARDS if UNDER.get(a[0]) == b[0] and a[1] == b[1]
    }
    assert len(fits) == 48


def test_no_rule_goes_round_the_corner() -> None:
    for fits in (down, down_other_suit, down_other_colour, up_in_suit):
        for a in Suit:
            for b in Suit:
                assert not fits(Card(13, a), Card(1, b))
                assert not fits(Card(1, a), Card(13, b))


def test_a_run_is_a_chain_of_pairs() -> None:
    cards = [CARDS[code] for code in ["Qd", "Js", "Th", "9c"]]
    assert is_run(cards, down_other_colour)
    assert is_run(cards[:1], down_other_colour)
    assert is_run([], down_other_colour)
    assert not is_run(cards[::-1], down_other_colour)
    assert not is_run([cards[0], cards[2]], down)


@pytest.mark.parametrize("text", ["Th", "10h", "tH", "10H", "10♥", "T♥"])
def test_people_write_cards_in_many_ways(text: str) -> None:
    assert read_card(text) is CARDS["Th"]


@pytest.mark.parametrize(
    "text", ["", "h", "T", "1h", "0h", "11h", "Thh", "T h", "??", "Th-", "１０h"]
)
def test_what_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match="not a card"):
        read_card(text)


@pytest.mark.parametrize("rank", [0, 14, -1])
def test_what_is_no_rank(rank: int) -> None:
    with pytest.raises(ValueError, match="not a rank"):
        Card(rank, Suit.CLUBS)


def test_signs() -> None:
    assert [read_card(code).sign for code in ("Th", "As", "2c", "Kd")] == ["10♥", "A♠", "2♣", "K♦"]
