"""The machine's clock jumps by an hour, either way: nobody's race, day or delay jumps with it."""

import pytest
from races import begin, kinds, race, seat, wake
from servers import running_server
from talk import talking
from worlds import Fake

from kibitz.server.steady import FAR_MS, Steady
from kibitz.server.world import World

HOUR_MS = 3_600_000


class Jumping(Fake):
    """A world whose wall clock somebody sets; what the server is handed stays steady."""

    @property
    def world(self) -> World:
        steady = Steady(lambda: self.ms, lambda: self.seconds)
        return World(steady.now_ms, lambda: self.seconds, self.random_bytes)


@pytest.mark.parametrize("jump", [HOUR_MS, -HOUR_MS, 5000, -5000, FAR_MS, -FAR_MS])
def test_a_jump_is_made_good_little_by_little_and_time_runs_forwards(jump: int) -> None:
    fake = Jumping()
    now = fake.world.now_ms
    before, fake.ms = now(), fake.ms + jump
    assert now() == before
    for _ in range(abs(jump) // 100 + 100):
        fake.pass_time(1)
        after = now()
        assert 900 <= after - before <= 1100
        before = after
        if after == fake.ms:
            break
    assert abs(now() - fake.ms) <= 50


@pytest.mark.parametrize("jump", [400 * FAR_MS, -2 * FAR_MS])
def test_a_clock_that_was_far_off_and_is_set_right_is_believed(jump: int) -> None:
    fake = Jumping()
    now = fake.world.now_ms
    fake.ms += jump
    fake.pass_time(1)
    assert now() == fake.ms


@pytest.mark.parametrize("jump", [HOUR_MS, -HOUR_MS])
async def test_a_race_lasts_as_long_as_was_agreed(jump: int) -> None:
    fake = Jumping()
    async with (
        running_server(world=fake.world) as running,
        talking(running.url) as ann,
        talking(running.url) as bob,
    ):
        room = await race(ann, limit=600)
        await seat(room, bob)
        await begin(running, fake, room, ann, bob)
        day = (await ann.ok("daily", game="montana"))["date"]
        fake.ms += jump
        for _ in range(59):
            fake.pass_time(9)
            await wake(running)
        move = (await ann.ok("moves", room=room))["moves"][0]
        await ann.ok("move", room=room, move=move)
        assert "timeout" not in kinds(ann, room)
        assert (await ann.ok("daily", game="montana"))["date"] == day
        for _ in range(20):
            fake.pass_time(9)
            await wake(running)
        await ann.until(lambda: "timeout" in kinds(ann, room))
        times = [event["at"] for event in ann.events(room)]
        assert times == sorted(times)
        [lasted] = [
            end["at"] - start["at"]
            for start in ann.events(room)
            for end in ann.events(room)
            if (start["kind"], end["kind"]) == ("started", "timeout")
        ]
        assert 600_000 <= lasted <= 700_000
