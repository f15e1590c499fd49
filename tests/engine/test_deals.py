"""Deal numbers give the same deck for ever."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest
from positions import GOLDEN

from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.game import BadOption

DEALS: dict[str, str] = json.loads((GOLDEN / "deals.json").read_text())
"""Decks as they were once and must stay, first dealt first."""

KNOWN = {
    "ms1": "Jd 2d 9h Jc 5d 7h 7c 5h Kd Kc 9s 5s Ad Qc Kh 3h",
    "ms617": "7d Ad 5c 3s 5s 8c 2d Ah Td 7s Qd Ac 6d 8h As Kh",
}
"""What everybody's copy of that game deals under these numbers."""


def codes(deal: str) -> str:
    return " ".join(card.code for card in deck_of(deal))


@pytest.mark.parametrize("deal", DEALS)
def test_golden(deal: str) -> None:
    assert codes(deal) == DEALS[deal]


@pytest.mark.parametrize("deal", KNOWN)
def test_microsoft_numbers_are_theirs(deal: str) -> None:
    assert codes(deal).startswith(KNOWN[deal])


def test_b33_ten_thousand_deals_hold_every_card_once() -> None:
    for number in range(10_000):
        assert set(deck_of(str(number))) == set(DECK)
    for number in range(1, 32001, 320):
        assert set(deck_of(f"ms{number}")) == set(DECK)


def test_b33_every_card_is_as_likely_in_front_and_at_the_end() -> None:
    """Chi-square with 51 degrees of freedom: above 102 happens once in 33,000 fair tries."""
    decks = [deck_of(f"chi{number}") for number in range(5200)]
    for place in (0, 25, 51):
        seen = Counter(deck[place] for deck in decks)
        assert sum((seen[card] - 100) ** 2 / 100 for card in DECK) < 102


def test_an_id_is_its_exact_text() -> None:
    assert len({codes(deal) for deal in ("42", "042", "0042", "ms7", "MS7", "old12", "7")}) == 7


def test_secret_shuffles_differ_by_a_bit() -> None:
    assert shuffled(bytes(32)) == shuffled(bytes(32))
    assert shuffled(bytes(32)) != shuffled(bytes(31) + b"\1")


@pytest.mark.parametrize(
    "deal", ["", " 42", "42\n", "-1", "a b", "ms0", "ms32001", "é", "４", "x" * 65, "../x", "ms²"]
)
def test_what_is_no_deal_number(deal: str) -> None:
    with pytest.raises(BadOption):
        deck_of(deal)


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_b51_the_same_in_every_process(hash_seed: str) -> None:
    program = (
        "import sys; from kibitz.engine.deals import deck_of;"
        "print(*(c.code for d in sys.argv[1:] for c in deck_of(d)))"
    )
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-c", program, *DEALS]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert printed.stdout.split() == " ".join(DEALS.values()).split()
