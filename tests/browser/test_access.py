"""Private rooms and their links; tokens that a link brings."""

from pathlib import Path

import pytest
from browser import axe
from browser.browsing import Browsing
from browser.player import choose, may_play, named
from operators import AUDIENCE, ISSUER, pem, rsa_key, token
from playwright.async_api import Page, expect
from servers import Running, running_server
from talk import talking

from kibitz.server.settings import Access, Auth


async def copied(page: Page) -> str:
    """What has just been copied."""
    await expect(page.locator("#toasts")).to_contain_text("Copied")
    text: str = await page.evaluate("() => navigator.clipboard.readText()")
    return text


async def test_a_private_room_has_a_link_for_a_player_and_one_for_lookers_on(
    server: Running, open_page: Browsing
) -> None:
    open_page.allowed.append("console error: Refused")
    ann = await open_page(f"{server.http}/?start=klondike", storage=named("Ann"))
    await ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await ann.locator("summary", has_text="Options").click()
    await ann.get_by_label("Players at the table").fill("2")
    await ann.get_by_label("Who may watch").select_option(label="Who I invite")
    await expect(ann.get_by_label("Password")).to_be_hidden()
    await ann.get_by_role("button", name="Start").first.click()
    await may_play(ann)
    await choose(ann, "Copy link for a player")
    for_player = await copied(ann)
    await choose(ann, "Share link")
    await expect(ann.locator("#toasts")).to_contain_text("Copied")
    await ann.wait_for_function(
        "before => navigator.clipboard.readText().then(text => text !== before)", arg=for_player
    )
    for_looker = await copied(ann)
    assert "&seat&invite=" in for_player and "&invite=" in for_looker
    assert for_player.split("invite=")[1] != for_looker.split("invite=")[1]

    room = for_looker.split("room=")[1].split("&")[0]
    nobody = await open_page(f"{server.http}/?room={room}")
    await expect(nobody.get_by_text("by invitation")).to_be_visible()
    eve = await open_page(for_looker)
    await expect(eve.locator("kibitz-table .pile")).to_have_count(13)
    await eve.reload()
    await expect(eve.locator("kibitz-table .pile")).to_have_count(13)
    await expect(eve.locator("kibitz-people")).to_contain_text("seat 2")
    await expect(eve.get_by_role("button", name="Take a seat")).to_have_count(0)
    thief = for_looker.replace("&invite", "&seat&invite")
    eve_again = await open_page(thief, storage=named("Eve"))
    await expect(eve_again.get_by_text("for looking on")).to_be_visible()
    bob = await open_page(for_player, storage=named("Bob"))
    await may_play(bob)
    assert "seat" not in bob.url


@pytest.fixture
def guarded(tmp_path: Path) -> Access:
    key = tmp_path / "jwt.pem"
    key.write_bytes(pem(rsa_key()))
    return Access(auth=Auth.JWT, jwt_key=key, jwt_issuer=ISSUER, jwt_audience=AUDIENCE)


async def test_a_token_comes_with_the_link_and_is_gone_from_the_address(
    guarded: Access, open_page: Browsing
) -> None:
    async with running_server(access=guarded) as server:
        stranger = await open_page(server.http)
        await expect(stranger.locator("#link")).to_contain_text("Only who has a token comes in")
        await expect(stranger.locator("#link")).to_contain_text("Open the link")
        await stranger.get_by_role("button", name="Enter a token").click()
        await stranger.get_by_role("textbox", name="Token").fill(token(name="Bob Roe"))
        await stranger.get_by_role("button", name="Come in").click()
        await expect(stranger.locator("#whoami")).to_contain_text("Bob Roe")
        ann = await open_page(f"{server.http}/#token={token(name='Ann Lee')}")
        await expect(ann.locator("#whoami")).to_contain_text("Ann Lee")
        assert "token" not in ann.url
        await ann.reload()  # it is kept
        await expect(ann.locator("#link")).to_be_hidden()
        await expect(ann.locator("kibitz-lobby")).to_be_visible()
        kept = await ann.evaluate("() => localStorage.getItem('kibitz')")
        assert token(name="Ann Lee").split(".")[0] in kept


async def test_everybody_is_shown_what_his_token_lets_him_do(
    guarded: Access, open_page: Browsing
) -> None:
    async with running_server(access=guarded) as server:
        async with talking(server.url, token=token(name="Cyd")) as cyd:
            room = (await cyd.ok("create", game="klondike", mode="coop", seats=2))["room"]
        looker = token(sub="eve", name="Eve", roles=["spectator"])
        eve = await open_page(f"{server.http}/#token={looker}")
        await expect(eve.locator(".lead")).to_contain_text("lets you watch here, and not play")
        await expect(eve.locator(".tile").first).to_be_hidden()
        await expect(eve.locator("kibitz-daily")).to_be_visible()
        await expect(eve.get_by_role("button", name="Play today's")).to_have_count(0)
        await eve.get_by_role("link", name="Cyd").click()
        await expect(eve.locator("kibitz-people")).to_contain_text("seat 2")
        await expect(eve.get_by_role("button", name="Take a seat")).to_have_count(0)
        await eve.get_by_label("More").click()
        await expect(eve.get_by_role("button", name="Copy link for a player")).to_have_count(0)
        await eve.goto(f"{server.http}/?start=klondike")
        await expect(eve.get_by_text("it takes the role player")).to_be_visible()
        await expect(eve.get_by_role("button", name="Start")).to_have_count(0)
        await axe.check(eve)

        only = token(sub="dan", name="Dan", roles=["player"])
        dan = await open_page(f"{server.http}/#token={only}")
        await expect(dan.locator(".lead")).to_contain_text("not watch others")
        await expect(dan.get_by_role("link", name="TV")).to_be_hidden()
        await dan.goto(f"{server.http}/?room={room}&seat")
        await may_play(dan)

        nobody = await open_page(f"{server.http}/#token={token(sub='x', roles=['cook'])}")
        await expect(nobody.locator(".lead")).to_contain_text("no role here")


async def test_a_hostile_link_costs_nobody_his_identity(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url) as ann:
        mine = ann.token
        storage = {"kibitz": f'{{"name": "Ann", "token": "{mine}"}}'}
        page = await open_page(f"{server.http}/#token=a.b.c", storage=storage)
        await expect(page.locator("#link")).to_contain_text("does not let you in")
        await page.get_by_role("button", name="Connect again").click()
        await expect(page.locator("#link")).to_be_hidden()
        assert mine in await page.evaluate("() => localStorage.getItem('kibitz')")
