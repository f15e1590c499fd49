"""The way in: the lobby, a new game, a name, settings."""

import re
import sys
from pathlib import Path

import pytest
from browser.browsing import Browsing
from browser.games import WINS, deal_of, start_of, steps
from browser.player import create, give_up, may_play, named, play, shows, sit, until
from browser.test_proof import verify
from playwright.async_api import FilePayload, Route, WebSocketRoute, expect
from servers import Running
from talk import talking

from kibitz.server.dealing import winnable


async def test_from_the_lobby_to_the_first_move(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/")
    await expect(page.locator("kibitz-lobby .tile")).to_have_count(len(WINS))
    await page.get_by_role("link", name=re.compile(r"Aces Up")).click()
    await page.wait_for_url("**?start=aces-up")
    await page.get_by_label("Deal number").fill(deal_of("aces-up"))
    await page.get_by_role("button", name="Start").click()
    await page.get_by_role("dialog").get_by_label("Your name").fill("Dan")
    await page.keyboard.press("Enter")
    await may_play(page)
    await shows(page, start_of("aces-up"))
    await expect(page.locator("kibitz-people")).to_contain_text("Dan")
    await play(page, next(steps("aces-up")))


async def test_the_lobby_follows_the_games_and_leads_to_them(
    server: Running, open_page: Browsing
) -> None:
    bob = await open_page(f"{server.http}/")
    await expect(bob.locator("kibitz-lobby")).to_contain_text("Nobody is playing just now")
    room = await create(server, "montana", deal=deal_of("montana"))
    await sit(open_page, server, room)
    await bob.get_by_role("link", name=re.compile(r"Montana.*Ann")).click()
    await until(bob, 2)
    await shows(bob, start_of("montana"))
    await bob.go_back()
    await expect(bob.locator("kibitz-lobby")).to_be_visible()


async def test_the_deal_of_the_day_comes_with_the_next_connection(
    server: Running, open_page: Browsing
) -> None:
    """The server went just as its part of the page was asked for."""
    open_page.allowed += [r"daily\.js", "net::ERR_CONNECTION_REFUSED"]
    page = await open_page(f"{server.http}/healthz")
    sockets: list[WebSocketRoute] = []

    def between(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    async def away(route: Route) -> None:
        await route.abort("connectionrefused")

    await page.route_web_socket("**/ws", between)
    await page.route("**/lobby/daily.js", away)
    async with page.expect_event("requestfailed"):
        await page.goto(f"{server.http}/")
    await expect(page.locator("kibitz-lobby .tile")).to_have_count(len(WINS))
    await expect(page.locator("kibitz-daily")).to_have_count(0)
    await page.unroute_all()
    await sockets[-1].close(code=4503)
    await expect(page.get_by_role("heading", name="Deal of the day")).to_be_visible()


async def test_settings_are_kept(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/", storage=named("Ann"))
    await page.get_by_label("Settings").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Dark").check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")


async def test_it_works_where_storage_is_forbidden(server: Running, open_page: Browsing) -> None:
    page = await open_page(f"{server.http}/healthz")
    await page.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"])
            Object.defineProperty(window, name, {get() { throw new DOMException("no"); }});"""
    )
    room = await create(server, "klondike", deal=deal_of("klondike"))
    await page.goto(f"{server.http}/?room={room}&seat")
    await page.get_by_role("dialog").get_by_label("Your name").fill("Eve")
    await page.keyboard.press("Enter")
    await may_play(page)
    await play(page, next(steps("klondike")))


async def test_a_game_starts_from_the_file_of_another_program(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url) as talk:
        room = (await talk.ok("create", game="montana", deal=deal_of("montana")))["room"]
        await talk.ok("resign", room=room)
        text = (await talk.ok("save", room=room, format="solvitaire"))["text"]
        made = (await talk.ok("create", game="klondike", deal=deal_of("klondike")))["room"]
        own = (await talk.ok("save", room=made))["text"]
    for name, content, game in (("game.json", text, "montana"), ("game.txt", own, "klondike")):
        page = await open_page(f"{server.http}/?start=montana", storage=named("Ann"))
        await page.get_by_text("Options", exact=True).click()
        async with page.expect_file_chooser() as choosing:
            await page.get_by_role("button", name="Start from a file").click()
        payload: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
        await (await choosing.value).set_files(payload)
        await may_play(page)
        await shows(page, start_of(game))


HELD = """
import pathlib, sys, time
print(7, flush=True)
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.02)
"""
"""In place of a search: it finds deal 7 when a file is there."""


async def test_a_winnable_deal_is_looked_for_shown_and_proved(
    server: Running, open_page: Browsing, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(winnable, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(winnable, "WORKER", (sys.executable, "-c", HELD, str(tmp_path / "go")))
    bob = await open_page(f"{server.http}/")
    ann = await open_page(f"{server.http}/?start=thumb-and-pouch", storage=named("Ann"))
    start = ann.get_by_role("button", name="Start Thumb and Pouch")
    await ann.get_by_text("Options", exact=True).click()
    await ann.get_by_label("Winnable deal").check()
    await start.click()
    await expect(ann.get_by_text("Looking for a winnable deal… 7 drawn so far.")).to_be_visible()
    await expect(start).to_be_disabled()
    (tmp_path / "go").touch()
    await may_play(ann)
    await expect(ann.locator("kibitz-people")).to_contain_text("Winnable deal")
    await expect(bob.locator("kibitz-rooms li", has_text="Ann")).to_contain_text("winnable deal")
    await give_up(ann)
    await verify(ann, "Verified")
