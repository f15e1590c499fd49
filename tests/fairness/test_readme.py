"""Whoever follows the section Fairness of ``protocol/README.md`` gets what we get.

What is here uses nothing of ours: only the standard library and that page.
"""

import hashlib
import hmac
import json
import re
from pathlib import Path

from kibitz.protocol.fairness import Tree, pledge_of, seed_of, shuffle_seed

PAGE = (Path(__file__).parents[2] / "protocol" / "README.md").read_text()
EXAMPLE = json.loads(PAGE.split("```json fairness\n")[1].split("```")[0])
SECRET, NONCE = bytes.fromhex(EXAMPLE["secret"]), EXAMPLE["nonce"].encode()


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, "sha256").digest()


def test_the_example_is_what_the_page_says() -> None:
    seed = mac(SECRET, b"kibitz seed 1\0" + NONCE)
    assert EXAMPLE["pledge"] == hashlib.sha256(SECRET).hexdigest()
    assert EXAMPLE["seed"] == seed.hex()
    assert EXAMPLE["subseed 1"] == mac(seed, b"kibitz shuffle 1\0" + b"1").hex()
    salts = [mac(SECRET, b"kibitz salt 1\0" + NONCE + b"\0%d" % p)[:16] for p in range(3)]
    leaves = [
        hashlib.sha256(salt + bytes([0, p]) + item.encode()).digest()
        for p, (salt, item) in enumerate(zip(salts, EXAMPLE["items"], strict=True))
    ]
    left = hashlib.sha256(b"\x01" + leaves[0] + leaves[1]).digest()
    assert EXAMPLE["salts"] == [salt.hex() for salt in salts]
    assert EXAMPLE["leaves"] == [leaf.hex() for leaf in leaves]
    assert EXAMPLE["root"] == hashlib.sha256(b"\x01" + left + leaves[2]).hexdigest()
    assert EXAMPLE["path of 1"] == [leaves[0].hex(), leaves[2].hex()]


def test_the_deck_is_what_the_page_says() -> None:
    deck = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
    words = []
    for block in range(100):
        digest = hashlib.sha256(bytes.fromhex(EXAMPLE["seed"]) + block.to_bytes(8, "big")).digest()
        words += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
    for i in range(51, 0, -1):
        while words[0] >= 2**32 - 2**32 % (i + 1):
            words.pop(0)
        j = words.pop(0) % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    assert " ".join(deck).startswith(EXAMPLE["deck"].removesuffix(" ..."))


def test_we_say_the_same() -> None:
    tree = Tree(EXAMPLE["items"], SECRET, EXAMPLE["nonce"])
    seed = seed_of(SECRET, EXAMPLE["nonce"])
    assert (pledge_of(SECRET), seed.hex()) == (EXAMPLE["pledge"], EXAMPLE["seed"])
    assert (shuffle_seed(seed, 1).hex(), tree.root) == (EXAMPLE["subseed 1"], EXAMPLE["root"])
    assert tree.opening(1) == (1, "Tc", EXAMPLE["salts"][1], EXAMPLE["path of 1"])


def test_the_page_names_what_it_must() -> None:
    section = PAGE.split("### Fairness")[1].split("### Refusals")[0]
    for word in ("pledge", "nonce", "loaded", "sha256", "openings", "opened.secret", "RFC 6962"):
        assert re.search(rf"\b{re.escape(word)}\b", section), word
