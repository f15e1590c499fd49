"""How much one connection may ask, and what it costs."""

from kibitz.server.throttle import Rate, Throttle


class Clock:
    """Seconds, turned by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_rate() -> None:
    clock = Clock()
    throttle = Throttle(Rate(10.0, 3.0), clock)
    assert [throttle.wait_ms() for _ in range(3)] == [0, 0, 0]
    assert throttle.wait_ms() == 100
    clock.now += 0.1
    assert throttle.wait_ms() == 0
    clock.now += 100
    assert [throttle.wait_ms() > 0 for _ in range(4)] == [False, False, False, True]


def test_what_costs_more_is_paid_afterwards() -> None:
    clock = Clock()
    throttle = Throttle(Rate(10.0, 3.0), clock)
    assert throttle.wait_ms() == 0
    throttle.charge(12.0)
    assert throttle.wait_ms() == 1100
    clock.now += 1.1
    assert throttle.wait_ms() == 0
