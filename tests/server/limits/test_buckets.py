"""How long somebody has to wait, and that it costs no memory to count him."""

import random

import pytest

from kibitz.server.limits.buckets import Buckets, milliseconds
from kibitz.server.limits.places import place_of
from kibitz.server.limits.rates import Rate
from kibitz.server.limits.settings import Limits
from kibitz.server.limits.table import Charges, Table


def test_a_burst_then_the_rate() -> None:
    buckets = Buckets(Rate(10.0, 3.0))
    assert [buckets.take("ann", 0.0) for _ in range(3)] == [0, 0, 0]
    assert buckets.take("ann", 0.0) == 100
    assert buckets.take("bob", 0.0) == 0, "everybody has his own"
    assert buckets.take("ann", 0.1) == 0
    assert [buckets.take("ann", 100.0) > 0 for _ in range(4)] == [False, False, False, True]


def test_what_costs_more_is_paid_afterwards() -> None:
    buckets = Buckets(Rate(10.0, 3.0))
    buckets.charge("ann", 13, 0.0)
    assert buckets.take("ann", 0.0) == 1100
    assert buckets.take("ann", 1.1) == 0


def test_who_takes_the_next_token_waits_for_it_behind_the_others() -> None:
    buckets = Buckets(Rate(10.0, 2.0))
    waits = [buckets.reserve("ann", 0.2, 0.0) for _ in range(6)]
    assert waits == pytest.approx([0, 0, 0.1, 0.2, None, None], abs=0.001), waits
    assert buckets.reserve("bob", 0.2, 0.0) == 0
    assert buckets.reserve("ann", 0.2, 0.1) == pytest.approx(0.2, abs=0.001)


@pytest.mark.parametrize("seed", range(20))
def test_who_waits_as_long_as_he_is_told_succeeds(seed: int) -> None:
    """Whatever the rate is, whenever he comes, and not a millisecond sooner."""
    rng = random.Random(seed)
    rate = Rate(rng.choice([0.01, 0.3, 1, 3, 7, 49, 1000]), rng.choice([1, 1.5, 3, 100]))
    buckets, now = Buckets(rate), rng.random() * 1e6
    for _ in range(300):
        now += rng.random() / rate.per_second / 3
        if wait := buckets.wait("ann", now) > 0:
            told = milliseconds(buckets.wait("ann", now))
            assert buckets.wait("ann", now + (told - 1.001) / 1000) > 0
            now += told / 1000
            assert buckets.take("ann", now) == 0, wait
        else:
            buckets.charge("ann", rng.choice([1, 1, 1, 5]), now)


def test_a_hundred_thousand_keys_cost_no_more_than_the_most_that_are_kept() -> None:
    """And those who owe most are the last to be forgotten."""
    buckets = Buckets(Rate(1.0, 10.0), most=1000)
    buckets.charge("flood", 50_000, 0.0)
    for number in range(100_000):
        buckets.charge(number, 1, number / 1000)
        assert len(buckets) <= 1000
    assert buckets.wait("flood", 100.0) > 0
    buckets.forget(50_000.0)
    assert len(buckets) == 0


def test_who_has_not_come_for_a_while_is_forgotten() -> None:
    now = 0.0
    table = Table(Limits(), lambda: now)
    for number in range(500):
        assert table.take((("joins", 1.0),), (number, f"id {number}", "192.0.2.1")) is None
    assert len(table) > 1000
    now = 3600.0
    for _ in range(100):
        table.tick()
    assert len(table) == 0


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("64:ff9b::1.1.1.1", "1.1.1.1"),
        ("64:ff9b::127.0.0.1", "64:ff9b::/64"),
        ("2002:101:101:1::1", "1.1.1.1"),
        ("2002:7f00:1::1", "2002:7f00:1::/64"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("127.0.0.1", None),
        ("127.9.9.9", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("", None),
    ],
)
def test_what_counts_as_one_address(address: str, place: str | None) -> None:
    assert place_of(address) == place
    counted = place_of(address, True)
    assert counted == place if place else counted in ("127.0.0.1", "127.9.9.9", "::1", None)


def test_what_is_refused_is_charged_to_nobody() -> None:
    now = 0.0
    table = Table(Limits(joins=Rate(1, 2), joins_per_address=Rate(1, 3)), lambda: now)
    join: Charges = (("joins", 1.0),)
    assert [table.take(join, (1, "ann", "home")) for _ in range(2)] == [None, None]
    for _ in range(10):
        over = table.take(join, (1, "ann", "home"))
        assert over is not None and (over.limit, over.retry_ms) == ("joins per connection", 1000)
    assert table.take(join, (2, "bob", "home")) is None
    over = table.take(join, (3, "eve", "home"))
    assert over is not None and (over.limit, over.retry_ms) == ("joins per address", 1000)
    assert table.take(join, (3, "eve", None)) is None, "loopback is not counted by address"
