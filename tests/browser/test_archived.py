"""A link to a room that has been archived shows the replay that is left of it."""

from browser.browsing import Browsing
from browser.player import played
from playwright.async_api import expect
from servers import running_server
from talk import eventually
from worlds import Fake


async def test_the_link_of_an_archived_room_shows_its_replay(open_page: Browsing) -> None:
    fake = Fake()
    async with running_server(world=fake.world, keep=1) as running:
        room = await played(running, "klondike")
        there = running.app.rooms.peek(room)
        await eventually(lambda: there is None or there.idle)
        fake.pass_time(100_000)
        running.app.rooms.sweep()
        assert running.app.attic is not None
        assert await running.app.attic.tidy(pause=0) == 1
        page = await open_page(f"{running.http}/?room={room}")
        await expect(page.locator("kibitz-room")).to_be_visible()
        await expect(page.locator("kibitz-log ol > li").nth(5)).to_be_visible()
