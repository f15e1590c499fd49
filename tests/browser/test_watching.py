"""Watching without a link: TV, the deal of the day, races that wait, games shown to others."""

import re
import time
from itertools import accumulate, islice
from random import Random
from typing import Any

import msgspec
from browser import axe
from browser.browsing import PHONE, Browsing
from browser.games import deal_of, steps
from browser.modules import run
from browser.player import choose, may_play, named, played, seq, until
from playwright.async_api import Locator, Page, expect
from servers import Running, running_server
from talk import talking
from worlds import Fake

from kibitz.protocol.playhead import due_at, position_at
from kibitz.protocol.views import Control, Recorded

DAY = 86_400
PAUSE_SECONDS = 0.2
"""Between two controls of somebody who drags (`client/led.js`)."""
PLAYHEAD = """
  const { dueAt, positionAt } = await import("/modules/client/playhead.js");
  return given.map(([recorded, times, now, number]) =>
    [positionAt(recorded, times, now), dueAt(recorded, times, number)]);
"""

LEFT_THERE = """
  const { finish } = await import("/modules/room/finish.js");
  const [due, { setTimeout }] = [[], window];
  window.setTimeout = (act) => due.push(act);
  const race = { chosen: 0, preferred: 7, leaves: () => true };
  const [source, playback] = [{ status: "resigned", mine: false }, { following: true, board: 1 }];
  const looked = [];
  const end = (kind, meanwhile) => {
    finish({ kind }, { source, playback, race, following: true,
      signal: new AbortController().signal, look: (board) => looked.push([kind, board]) });
    meanwhile();
    due.splice(0).forEach((act) => act());
  };
  for (const kind of ["resigned", "ended"]) {
    end(kind, () => {});
    end(kind, () => race.chosen++);
    end(kind, () => (playback.following = false));
    playback.following = true;
  }
  window.setTimeout = setTimeout;
  return looked;
"""


async def on_air(page: Page, title: str) -> None:
    """TV shows a game."""
    await expect(page.get_by_role("heading", level=1)).to_have_text(title)
    await expect(page.locator("kibitz-table .pile").first).to_be_visible()


async def test_tv_goes_from_game_to_game(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/")
    await page.get_by_role("link", name="TV").click()
    await expect(page.get_by_text("Nobody is playing just now").first).to_be_visible()
    await page.evaluate("window.same = true")
    async with talking(server.url, name="Cyd") as cyd, talking(server.url, name="Dan") as dan:
        first = (await cyd.ok("create", game="montana"))["room"]
        await on_air(page, "Montana")
        await expect(page.locator("kibitz-people")).to_contain_text("Cyd")
        await axe.check(page)
        second = (await dan.ok("create", game="aces-up", deal=deal_of("aces-up")))["room"]
        await dan.ok("move", room=second, move=next(steps("aces-up")).line)
        await cyd.ok("resign", room=first)
        await on_air(page, "Aces Up")
        await until(page, 3)
        await expect(page.get_by_role("link", name="Stay with")).to_have_attribute(
            "href", f"?room={second}"
        )
        await dan.ok("resign", room=second)
        await expect(page.get_by_text("Nobody is playing just now").first).to_be_visible()
    assert await page.evaluate("window.same"), "it was loaded anew"
    await page.go_back()
    await expect(page.locator("kibitz-lobby")).to_be_visible()


async def test_tv_in_a_frame_has_only_the_game(server: Running, open_page: Browsing) -> None:
    await played(server, "klondike", 3)
    page = await open_page(f"{server.http}/?tv&embed")
    await on_air(page, "Klondike")
    await expect(page.locator("header.shell")).to_be_hidden()
    await expect(page.locator("kibitz-controls")).to_be_hidden()


async def test_the_deal_of_the_day(open_page: Browsing) -> None:
    fake = Fake()
    async with running_server(world=fake.world) as server:
        ann = await open_page(f"{server.http}/", storage=named("Ann"))
        daily = ann.locator("kibitz-daily")
        await daily.get_by_role("button", name="Montana", exact=True).click()
        await expect(daily.get_by_role("region", name="Today")).to_contain_text("Be the first")
        await axe.check(ann)
        await daily.get_by_role("button", name="Play today's Montana").click()
        await may_play(ann)
        room = await ann.evaluate("location.search")
        await ann.get_by_role("link", name="kibitz").click()
        await daily.get_by_role("button", name="Montana", exact=True).click()
        today = daily.get_by_role("region", name="Today").get_by_role("row")
        await expect(today.nth(1)).to_contain_text(re.compile(r"1\s*Ann \(you\)\s*playing"))
        await expect(today.nth(1).get_by_role("link")).to_have_count(0)
        await daily.get_by_role("button", name="Go on with today's Montana").click()
        await may_play(ann)
        assert await ann.evaluate("location.search") == room, "one room a day"
        fake.pass_time(DAY)
        bob = await open_page(f"{server.http}/", storage=named("Bob"))
        daily = bob.locator("kibitz-daily")
        await daily.get_by_role("button", name="Montana", exact=True).click()
        await daily.get_by_role("region", name="Yesterday").get_by_role("link", name="Ann").click()
        await expect(bob.locator("kibitz-table .pile").first).to_be_visible()
        assert await bob.evaluate("location.search") == room


async def test_a_race_from_the_form_waits_in_the_lobby(
    server: Running, open_page: Browsing
) -> None:
    bob = await open_page(f"{server.http}/", storage=named("Bob"))
    ann = await open_page(f"{server.http}/?start=aces-up", storage=named("Ann"))
    await ann.get_by_text("Race", exact=True).click()
    await ann.get_by_label("Racers at most").fill("4")
    await ann.get_by_label("Watchers see").select_option(label="All boards, with a delay")
    await ann.get_by_label("Delay, in seconds", exact=True).fill("2")
    await axe.check(ann)
    await ann.get_by_role("button", name="Start a race").click()
    await expect(ann.locator("kibitz-gate")).to_contain_text("Ann (you)")
    entry = bob.locator("kibitz-rooms li", has_text="Aces Up")
    await expect(entry).to_contain_text("Waiting")
    await expect(entry).to_contain_text("1 of 4 seats")
    await expect(entry).to_contain_text("2 s late")
    await axe.check(bob)
    await entry.get_by_role("link", name="Take a seat").click()
    await expect(bob.locator("kibitz-gate")).to_contain_text("Bob (you)")
    await expect(ann.locator("kibitz-gate")).to_contain_text("Bob")


def strip(page: Page) -> Locator:
    """The line below the table of a replay room: who is at the controls."""
    return page.locator("kibitz-room .strip")


async def stands(page: Page, number: int) -> None:
    """The page shows the position after an event, and stays there."""
    await expect(page.locator("kibitz-room")).to_have_attribute("data-seq", str(number))


async def finished(server: Running, moves: int = 20) -> str:
    """A game that was given up after some moves."""
    async with talking(server.url, name="Cyd") as cyd:
        made = await cyd.ok("create", game="montana", deal=deal_of("montana"))
        for step in islice(steps("montana"), moves):
            await cyd.ok("move", room=made["room"], move=step.line)
        await cyd.ok("resign", room=made["room"])
        room: str = made["room"]
        return room


async def test_a_game_is_shown_to_others_in_step(server: Running, open_page: Browsing) -> None:
    room = await finished(server)
    ann = await open_page(f"{server.http}/?room={room}", storage=named("Ann"))
    await choose(ann, "Show it to others")
    await expect(strip(ann)).to_contain_text("You are at the controls")
    await stands(ann, 1)
    address = ann.url
    assert room not in address
    bob = await open_page(address, storage=named("Bob"))
    await expect(strip(bob)).to_contain_text("Ann is at the controls")
    await axe.check(ann)
    for _ in range(2):
        await ann.get_by_role("button", name="One event forward").click()
    await stands(ann, 3)
    await stands(bob, 3)
    await bob.get_by_role("button", name="Last event").click()
    await expect(bob.get_by_text("Only who is at the controls").first).to_be_visible()
    await stands(bob, 3)
    await bob.get_by_role("textbox", name="Comment").fill("Look at this one")
    await bob.keyboard.press("Enter")
    said = ann.locator("kibitz-log li[data-seq='3'] + li.say")
    await expect(said).to_contain_text("Look at this one")
    current = ann.locator("kibitz-log li[aria-current]")
    await expect(current).to_have_count(1)
    await expect(said).to_be_in_viewport()
    await axe.check(ann)
    await ann.get_by_label("Speed").select_option("beat")
    await ann.get_by_role("button", name="Play", exact=True).click()
    await until(bob, 5)
    await ann.get_by_role("button", name="Pause").click()
    await expect(ann.get_by_role("button", name="Play", exact=True)).to_be_visible()
    await expect(bob.get_by_role("button", name="Play", exact=True)).to_be_visible()
    at = await seq(ann)
    await stands(bob, at)
    late = await open_page(address, size=PHONE, touch=True)
    await stands(late, at)
    await expect(late.locator("kibitz-log li[data-seq='3'] + li.say")).to_be_attached()
    await expect(current).to_have_count(1)
    await ann.locator("kibitz-log li[data-seq='12'] button").click()
    for page in (ann, bob, late):
        await stands(page, 12)
    await ann.get_by_role("button", name="Hand over").click()
    await bob.get_by_role("button", name="Take the controls").click()
    await expect(strip(late)).to_contain_text("Bob is at the controls")
    await bob.get_by_role("button", name="First event").click()
    for page in (ann, bob, late):
        await stands(page, 1)
    await bob.get_by_role("link", name="kibitz").click()
    await expect(strip(ann)).to_contain_text("Nobody is at the controls")
    await expect(bob.locator("kibitz-rooms")).to_contain_text("Replay")


async def test_a_drag_along_the_timeline_is_a_few_controls(
    server: Running, open_page: Browsing
) -> None:
    room = await finished(server, 60)
    ann = await open_page(f"{server.http}/?room={room}", storage=named("Ann"))
    await choose(ann, "Show it to others")
    await expect(strip(ann)).to_contain_text("You are at the controls")
    shown = ann.url.partition("room=")[2]
    bob = await open_page(ann.url)
    await stands(bob, 1)
    for page in (ann, bob):
        await expect(page.locator("kibitz-log li").first).to_be_in_viewport()
    box = await ann.get_by_role("slider", name="Event").bounding_box()
    assert box
    async with talking(server.url) as talk:
        before = (await talk.ok("join", room=shown))["seq"]
        height = box["y"] + box["height"] / 2
        begun = time.monotonic()
        await ann.mouse.move(box["x"] + 20, height)
        await ann.mouse.down()
        for part in range(40):
            await ann.mouse.move(box["x"] + 20 + part * (box["width"] - 40) / 40, height)
            await ann.wait_for_timeout(15)
        at = await seq(ann)
        assert at > 40, "whoever drags sees it at once"
        await ann.mouse.up()
        await stands(bob, at)
        after = (await talk.ok("join", room=shown))["seq"]
        assert 2 <= after - before <= 4 + (time.monotonic() - begun) / PAUSE_SECONDS


async def test_one_may_look_alone_and_a_showing_ends(server: Running, open_page: Browsing) -> None:
    room = await finished(server)
    ann = await open_page(f"{server.http}/?room={room}", storage=named("Ann"))
    await choose(ann, "Show it to others")
    await expect(strip(ann)).to_contain_text("You are at the controls")
    address = ann.url
    bob = await open_page(address)
    cyd = await open_page(address)
    await ann.locator("kibitz-log li[data-seq='7'] button").click()
    await stands(bob, 7)
    await bob.get_by_role("button", name="Look by yourself").click()
    await expect(bob).to_have_url(f"{server.http}/?room={room}#move=7")
    await bob.get_by_role("button", name="First event").click()
    await stands(bob, 1)
    await stands(cyd, 7)
    await ann.get_by_role("button", name="End it").click()
    for page in (ann, cyd):
        await expect(strip(page)).to_contain_text("This showing is over")
        await stands(page, 7)
    await cyd.get_by_role("button", name="Look by yourself").click()
    await expect(cyd).to_have_url(f"{server.http}/?room={room}#move=7")


async def test_a_race_is_shown_to_others(server: Running, open_page: Browsing) -> None:
    async with talking(server.url, name="Cyd") as cyd, talking(server.url, name="Dan") as dan:
        made = await cyd.ok("create", game="montana", mode="race", countdown=0)
        room = made["room"]
        await dan.ok("join", room=room, role="player")
        for racer in (cyd, dan):
            await racer.ok("ready", room=room)
        await cyd.until(lambda: any(e["kind"] == "dealt" for e in cyd.events(room)))
        for racer in (cyd, dan):
            await racer.ok("resign", room=room)
        shown = (await cyd.ok("present", room=room))["room"]
        page = await open_page(f"{server.http}/?room={shown}")
        await expect(strip(page)).to_contain_text("Cyd is at the controls")
        last = int(await page.get_by_role("slider").get_attribute("max") or 0)
        await cyd.ok("control", room=shown, control={"at": last})
        await stands(page, last)
        await expect(page.locator("kibitz-table .pile").first).to_be_visible()
        await expect(page.locator("kibitz-racers")).to_contain_text("Dan")


async def test_watchers_may_be_shown_a_game_late(server: Running, open_page: Browsing) -> None:
    bob = await open_page(f"{server.http}/")
    ann = await open_page(f"{server.http}/?start=klondike", storage=named("Ann"))
    await ann.get_by_text("Options", exact=True).click()
    await ann.get_by_label("Delay for watchers").fill("1")
    await ann.keyboard.press("Enter")
    await may_play(ann)
    await expect(bob.locator("kibitz-rooms li", has_text="Ann")).to_contain_text("1 s late")


async def test_the_playhead_is_where_the_server_says(modules: Page) -> None:
    random = Random(11)
    cases: list[list[Any]] = []
    said: list[list[int | None]] = []
    for _ in range(500):
        times = list(accumulate(random.choices((0, 3, 700, 12_345), k=random.randint(1, 30))))
        control = Control(
            at=random.randint(1, 35),
            playing=random.random() < 0.8,
            speed=random.randint(10, 1600),
            beat=random.choice((None, None, 700)),
        )
        seq, since = random.randint(1, 35), random.randint(0, 10_000)
        shown = Recorded("room", seq, control, since)
        now, number = random.randint(0, 400_000), random.randint(1, 35)
        cases.append([msgspec.to_builtins(shown), times, now, number])
        said.append([position_at(shown, times, now), due_at(shown, times, number)])
    assert await run(modules, PLAYHEAD, cases) == said


async def test_nobody_is_led_away_from_a_board_that_he_has_chosen(modules: Page) -> None:
    looked = await run(modules, LEFT_THERE)
    assert {(kind, board) for kind, board in looked} == {("resigned", 7), ("ended", 7)}
    assert len(looked) == 3, "at the end for two reasons"
