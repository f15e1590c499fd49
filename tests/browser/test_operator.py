"""What a visitor sees of the operator: his notices, a room that he closes, and the door."""

from typing import Any

from browser import axe
from browser.browsing import Browsing
from browser.player import create, may_play, sit
from playwright.async_api import expect
from servers import EACH_LISTS, running_server
from talk import talking

KEY = "correct horse battery staple"


async def test_a_notice_is_shown_and_a_closed_room_offers_nothing_it_cannot_do(
    open_page: Browsing,
) -> None:
    async with (
        running_server(admin_key=KEY) as server,
        talking(server.url, name="Op") as op,
        talking(server.url, name="Ann") as ann,
    ):
        room = (await ann.ok("create", game="klondike"))["room"]
        page = await open_page(f"{server.http}/?room={room}")
        await expect(page.locator("kibitz-table .pile").first).to_be_visible()
        await op.ok("admin", key=KEY, act="notice", text="Back at <b>noon</b>")
        notice = page.locator(".notice")
        await expect(notice.locator("p")).to_have_text("Back at <b>noon</b>")
        await expect(page.locator("#status")).to_contain_text("Back at <b>noon</b>")
        said, felt = await notice.bounding_box(), await page.locator("#main").bounding_box()
        assert said and felt and said["y"] + said["height"] <= felt["y"], "it covers nothing"
        await axe.check(page)
        await notice.get_by_role("button", name="Dismiss").click()
        await expect(notice).to_have_count(0)
        await op.ok("admin", key=KEY, act="close", room=room, reason="that is all")
        await expect(page.get_by_text("This room was closed: that is all")).to_be_visible()
        await expect(page.locator("kibitz-people")).to_contain_text("closed")
        for name in ("Play this deal", "Play on from here", "Rematch", "Next deal"):
            await expect(page.get_by_role("button", name=name)).to_have_count(0)
        await page.get_by_label("More").click()
        for name in ("Save position", "Show it to others"):
            await expect(page.get_by_role("button", name=name)).to_have_count(0)
        await expect(page.get_by_role("button", name="Download replay (text)")).to_be_visible()
        await page.keyboard.press("Escape")
        await axe.check(page)
        await page.get_by_role("button", name="To the lobby").click()
        await expect(page.get_by_role("link", name="TV")).to_be_visible()
        await expect(page.get_by_text(room)).to_have_count(0)


async def test_who_loses_his_seat_or_his_voice_is_told(open_page: Browsing) -> None:
    open_page.allowed.append("console error: Refused")
    async with running_server(admin_key=KEY) as server, talking(server.url, name="Op") as op:

        async def order(act: str, **about: Any) -> dict[str, Any]:
            return await op.ok("admin", key=KEY, act=act, **about)

        room = await create(server, "klondike")
        ann = await sit(open_page, server, room)
        people = (await order("people"))["people"]
        (id_,) = [each["id"] for each in people if each["name"] == "Ann"]
        await order("mute", id=id_, reason="far too loud")
        await ann.get_by_label("Comment", exact=True).fill("hello")
        await ann.keyboard.press("Enter")
        note = ann.locator("kibitz-log p")
        await expect(note).to_have_text("You may not comment on this server: far too loud.")
        await expect(ann.get_by_label("Comment", exact=True)).to_be_hidden()
        await order("kick", id=id_, room=room, reason="far too slow", seconds=3600)
        strip, why = ann.locator(".strip"), "ou may not sit down in this room: far too slow. That"
        await expect(strip).to_contain_text(f"has taken your seat: y{why} ends on ")
        await expect(ann.locator("kibitz-table")).not_to_have_attribute("data-free", "")
        for name in ("Undo", "Discard", "Take a seat"):
            await expect(ann.get_by_role("toolbar").get_by_role("button", name=name)).to_have_count(
                0
            )
        await axe.check(ann)
        await ann.reload()
        await expect(strip).to_contain_text(f"Y{why} ends on ")
        await expect(ann.get_by_role("button", name="Take a seat")).to_have_count(0)
        await order("unkick", id=id_, room=room)
        await ann.reload()
        await may_play(ann)
        assert "seat" not in ann.url
        other = await create(server, "klondike")
        await ann.goto(f"{server.http}/?room={other}&seat")
        await may_play(ann)
        await order("close", room=other, reason="that is all")
        await expect(ann.get_by_text("This room was closed: that is all")).to_be_visible()
        await expect(ann.get_by_role("button", name="Undo")).to_have_count(0)
        await ann.get_by_role("button", name="To the lobby").click()
        await expect(ann.locator("kibitz-lobby")).to_be_visible()


@EACH_LISTS
async def test_who_is_banned_is_told_why(open_page: Browsing) -> None:
    async with running_server(admin_key=KEY) as server, talking(server.url) as op:
        page = await open_page(f"{server.http}/")
        await expect(page.get_by_role("link", name="TV")).to_be_visible()
        people = (await op.ok("admin", key=KEY, act="people"))["people"]
        (visitor,) = [each["id"] for each in people if each["id"] not in ("", op.id)]
        await op.ok("admin", key=KEY, act="ban", id=visitor, reason="so loud", seconds=9000)
        told = "closed the connection: you are banned from this server: so loud; try again in 3 h."
        await expect(page.get_by_text(told).first).to_be_visible()
