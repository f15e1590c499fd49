"""A game verified at the page: the badge, what it says, and what it says of a server that lies."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from browser import axe
from browser.browsing import Browsing
from browser.games import deal_of, steps
from browser.player import (
    come,
    create,
    dialog,
    get_ready,
    give_up,
    may_play,
    named,
    play,
    played,
    seq,
    sit,
    until,
    watch,
)
from browser.test_replay import DROP
from playwright.async_api import Page, Route, WebSocketRoute, expect
from servers import Running
from talk import fetch

FORGE = """forged => {
    const kept = JSON.parse(sessionStorage.getItem("kibitz-promises"));
    Object.assign(kept[0][1], forged);
    sessionStorage.setItem("kibitz-promises", JSON.stringify(kept));
}"""
CHECKS = ("The deal", "The open cards", "The moves", "The history", "The file")


async def verify(page: Page, label: str) -> None:
    """Press the badge, and wait for what it says then."""
    await page.locator("kibitz-room .badge").click()
    await expect(dialog(page).get_by_role("heading", level=2)).to_have_text(label)
    await expect(page.locator("kibitz-room .badge")).to_have_text(label)


async def test_the_verifier_comes_when_somebody_asks(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    loaded = "() => performance.getEntriesByType('resource').map(({name}) => name).join()"
    assert "proof" not in await page.evaluate(loaded)
    async with page.expect_worker() as beside:
        await verify(page, "Verified")
    assert (await beside.value).url.endswith("/proof/worker.js")
    assert "proof/verify.js" in await page.evaluate(loaded)


async def test_by_keys_and_for_those_who_listen(server: Running, open_page: Browsing) -> None:
    room = await played(server, "montana")
    page = await open_page(f"{server.http}/?room={room}")
    badge = page.locator("kibitz-room .badge")
    await badge.focus()
    await page.keyboard.press("Enter")
    shown = dialog(page)
    await expect(shown).to_be_visible()
    await expect(page.get_by_role("status")).to_contain_text("Verified. The cards")
    for name in CHECKS:
        await expect(shown.get_by_role("listitem").filter(has_text=f"{name}: ")).to_have_count(1)
    await axe.check(page)
    await page.emulate_media(color_scheme="dark")
    await axe.check(page, rules=axe.COLOURS)
    await page.keyboard.press("Escape")
    await expect(shown).to_have_count(0)
    await expect(badge).to_be_focused()


async def test_a_running_game_and_its_end(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room)
    for _, step in zip(range(6), steps("klondike"), strict=False):
        await play(ann, step)
    await verify(ann, "Verified so far")
    await expect(dialog(ann)).to_contain_text("6 changes, each by the rules.")
    await expect(dialog(ann)).to_contain_text("The deal: not known yet")
    await ann.keyboard.press("Escape")
    await give_up(ann)
    await expect(ann.locator("kibitz-room .badge")).to_have_text("Verify")
    await dialog(ann).get_by_role("button", name="Verify").click()
    await expect(dialog(ann).get_by_role("heading", level=2)).to_have_text("Verified")
    await expect(dialog(ann)).to_contain_text(f"It started from deal {deal_of('klondike')}")
    bob = await watch(open_page, server, room)
    await verify(bob, "Verified")


def sealed(replay: dict[str, Any]) -> str:
    """A replay with its digest, as a server writes it."""
    text = json.dumps({key: replay[key] for key in replay if key != "sha256"})[:-1]
    return f'{text},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'


def bit(text: str) -> str:
    """One bit of one byte is another one."""
    at = text.index('"score":1') + 8
    return text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]


def moved(text: str) -> str:
    """The card that was moved first came from elsewhere, and the digest is made to fit."""
    replay = json.loads(text)
    for events in ("events", "open"):
        replay[events][2]["fx"][0][1] = "PILE-5"
    return sealed(replay)


def cut(text: str) -> str:
    """The end is missing, and the file says so itself."""
    replay = json.loads(text)
    for events in ("events", "open"):
        replay[events] = replay[events][:20]
    return sealed(replay | {"seq": 20})


LIES: tuple[tuple[Callable[[str], str], str], ...] = (
    (bit, "Not verified: event 21"),
    (moved, "Not verified: event 3"),
    (cut, "Not verified: event 1"),
    (lambda text: text + " ", "Not verified"),
    (lambda text: "<html>", "Not verified"),
)


async def test_a_server_that_lies(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")
    for change, label in LIES:
        await lying(page, change)
        await verify(page, label)
        await expect(dialog(page).get_by_role("alert")).not_to_be_empty()
        await expect(page.locator("kibitz-room .badge")).to_have_attribute("data-status", "failed")
        if change is bit:
            await axe.check(page)
        await page.keyboard.press("Escape")
        await page.unroute_all()


async def lying(page: Page, change: Callable[[str], str]) -> None:
    """What the page is given as a replay is not what the server gave."""

    async def lie(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, body=change(await answer.text()))

    await page.route("**/replay.json", lie)


async def test_another_game_than_was_seen(server: Running, open_page: Browsing) -> None:
    """A whole and honest replay, but not of what was shown here."""
    room, other = await played(server, "klondike", 9), await played(server, "klondike", 9)
    page = await open_page(f"{server.http}/?room={room}")
    _, body = await fetch(server.http, f"/rooms/{other}/replay.json")
    await page.route("**/replay.json", lambda route: route.fulfill(body=body))
    await verify(page, "Not verified: event 11")
    await expect(dialog(page)).to_contain_text("The history: not verified: event 11")


async def begin(open_page: Browsing, server: Running, game: str, deal: str = "") -> Page:
    """Somebody who begins a game of his own."""
    page = await open_page(f"{server.http}/?start={game}", storage=named("Ann"))
    await page.get_by_label("Deal number").fill(deal)
    await page.get_by_role("button", name="Start").first.click()
    await may_play(page)
    return page


async def test_the_deal_was_fixed_before_the_nonce_was_known(
    server: Running, open_page: Browsing
) -> None:
    ann = await begin(open_page, server, "klondike")
    await verify(ann, "Verified so far")
    await expect(dialog(ann)).to_contain_text("nobody could choose these cards")
    await ann.keyboard.press("Escape")
    await ann.reload()
    await may_play(ann)
    await give_up(ann)
    await dialog(ann).get_by_role("button", name="Verify").click()
    await expect(dialog(ann).get_by_role("heading", level=2)).to_have_text("Verified")
    await expect(dialog(ann)).to_contain_text("nobody could choose these cards")
    bob = await open_page(ann.url)
    await verify(bob, "Verified")
    await expect(dialog(bob)).not_to_contain_text("nobody could choose")


async def test_a_promise_that_was_not_kept(server: Running, open_page: Browsing) -> None:
    """Something else than what this browser was promised, or asked for."""
    ann = await begin(open_page, server, "klondike", "ms617")
    await give_up(ann)
    await dialog(ann).get_by_label("Close").click()
    kept = "() => Object.assign({}, JSON.parse(sessionStorage.getItem('kibitz-promises'))[0][1])"
    promised = await ann.evaluate(kept)
    forged = {"pledge": "0" * 64, "nonce": "another", "deal": "ms618", "loaded": True}
    for key, value in forged.items():
        await ann.evaluate(FORGE, promised | {key: value})
        await ann.locator("kibitz-room .badge").click()
        await expect(dialog(ann).get_by_role("heading", level=2)).to_contain_text("Not verified")
        await expect(dialog(ann)).to_contain_text("this browser")
        await ann.keyboard.press("Escape")
    await ann.evaluate(FORGE, promised)
    await verify(ann, "Verified")


async def test_a_pledge_that_was_lost_with_its_connection(
    server: Running, open_page: Browsing
) -> None:
    """The server has forgotten it: another one is asked for, and nobody notices."""
    page = await open_page(f"{server.http}/?start=montana", storage=named("Ann"))
    sent: list[str] = []

    def between(ws: WebSocketRoute) -> None:
        there = ws.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            request = json.loads(message)
            if request["t"] == "create":
                sent.append(request["pledge"])
                request["pledge"] = "0" * 64 if len(sent) == 1 else request["pledge"]
            there.send(json.dumps(request))

        ws.on_message(pass_on)

    await page.route_web_socket("**/ws", between)
    await page.reload()
    await page.get_by_role("button", name="Start").first.click()
    await may_play(page)
    assert len(sent) == 2
    await verify(page, "Verified so far")


async def test_a_race_seen_by_a_racer_and_its_end(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike-single", mode="race", seats=2, countdown=0)
    ann, bob = [await come(open_page, server, room, name) for name in ("Ann", "Bob")]
    await get_ready(ann, bob)
    for page in (ann, bob):
        await may_play(page)
    await verify(ann, "Verified so far")
    await expect(dialog(ann)).to_contain_text("The moves: verified")
    await ann.keyboard.press("Escape")
    await ann.locator('button[data-move="sw"]').click()
    await until(bob, await seq(ann))
    await verify(bob, "Verified so far")
    await expect(dialog(bob)).to_contain_text("The moves: not known yet")
    await bob.keyboard.press("Escape")
    for page in (ann, bob):
        await give_up(page)
    await dialog(ann).get_by_role("button", name="Verify").click()
    await expect(dialog(ann).get_by_role("heading", level=2)).to_have_text("Verified")


async def test_a_server_that_says_nothing(server: Running, open_page: Browsing) -> None:
    open_page.allowed.append(r"404|Failed to load resource")
    room = await played(server, "klondike")
    page = await open_page(f"{server.http}/?room={room}")
    await page.route("**/replay.json", lambda route: route.fulfill(status=404, body="gone\n"))
    await page.locator("kibitz-room .badge").click()
    await expect(page.locator("#toasts")).to_contain_text("gone")
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")


async def test_a_replay_from_a_file(server: Running, open_page: Browsing) -> None:
    room = await played(server, "klondike")
    _, body = await fetch(server.http, f"/rooms/{room}/replay.json")
    page = await open_page(f"{server.http}/")
    await expect(page.locator("kibitz-lobby")).to_be_visible()
    await page.evaluate(DROP, ["replay.json", body.decode()])
    await page.wait_for_url("**?file**")
    await verify(page, "Verified")
    await page.reload()
    await verify(page, "Verified")
    wrong = re.sub('"score":[0-9]+', '"score":9', body.decode(), count=1)
    await page.keyboard.press("Escape")
    await page.evaluate(DROP, ["replay.json", wrong])
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    await verify(page, "Not verified: event 3")


async def test_a_replay_text_from_a_file(server: Running, open_page: Browsing) -> None:
    room = await played(server, "montana")
    _, body = await fetch(server.http, f"/rooms/{room}/replay.txt")
    text = body.decode()
    page = await open_page(f"{server.http}/")
    await expect(page.locator("kibitz-lobby")).to_be_visible()
    await page.evaluate(DROP, ["replay.txt", text])
    await page.wait_for_url("**?file**")
    await verify(page, "Verified")
    await page.reload()
    await verify(page, "Verified")
    await page.keyboard.press("Escape")
    await page.evaluate(DROP, ["replay.txt", text.replace("# secret: ", "# secret: 0", 1)])
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    await page.locator("kibitz-room .badge").click()
    await expect(dialog(page).get_by_role("heading", level=2)).to_contain_text("Not verified")
    await page.keyboard.press("Escape")
    sealed = ["root", "pledge", "secret", "nonce", "numbered", "loaded", "sha256"]
    lines = text.splitlines(keepends=True)
    bare = [line for line in lines if not any(line.startswith(f"# {key}:") for key in sealed)]
    await page.evaluate(DROP, ["replay.txt", "".join(bare)])
    await expect(page.locator("kibitz-room .badge")).to_have_text("Verify")
    await verify(page, "Moves verified")
    for told in ("The file: no digest", "The deal: no commitments", "nobody can check where"):
        await expect(dialog(page)).to_contain_text(told)
    await expect(dialog(page)).not_to_contain_text("yet")
