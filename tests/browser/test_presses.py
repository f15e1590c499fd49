"""What is pressed stays under the finger, whatever comes from the others meanwhile."""

from browser.browsing import Browsing
from browser.player import come, create, seq, sit, until, watch
from playwright.async_api import Locator, Page, expect
from servers import Running
from talk import talking


async def hold(page: Page, button: Locator) -> None:
    """Press a button and do not let go yet."""
    await expect(button).to_be_visible()
    box = await button.bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await page.mouse.down()


async def test_a_press_at_the_gate_outlives_who_comes(server: Running, open_page: Browsing) -> None:
    room = await create(server, "aces-up", mode="race")
    ann = await come(open_page, server, room, "Ann")
    await hold(ann, ann.get_by_role("button", name="I am ready"))
    async with talking(server.url, name="Bob") as bob:
        await bob.ok("join", room=room, role="player")
        await until(ann, 3)
        await ann.mouse.up()
        await expect(ann.get_by_role("heading", name="1 of 2 ready")).to_be_visible()
        await expect(ann.get_by_role("button", name="Not ready")).to_be_focused()


async def test_a_press_and_an_open_menu_outlive_the_move_of_another(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", mode="coop", seats=2, deal="1")
    ann = await sit(open_page, server, room)
    async with talking(server.url, name="Bob") as bob:
        await bob.ok("join", room=room, role="player")
        begun = await seq(ann)
        await bob.ok("move", room=room, move="discard")
        await until(ann, begun + 1)
        await hold(ann, ann.get_by_role("button", name="Undo"))
        await bob.ok("move", room=room, move="discard")
        await until(ann, begun + 2)
        await ann.mouse.up()
        await until(ann, begun + 3)
        await ann.get_by_label("More").click()
        await bob.ok("move", room=room, move="discard")
        await until(ann, begun + 4)
        await hold(ann, ann.get_by_role("button", name="Give up"))
        await bob.ok("undo", room=room)
        await until(ann, begun + 5)
        await ann.mouse.up()
        await expect(ann.get_by_role("dialog")).to_contain_text("Give up")


async def test_who_looks_back_finds_the_way_to_the_game_again_while_it_goes_on(
    server: Running, open_page: Browsing
) -> None:
    async with talking(server.url, name="Bob") as bob:
        room = (await bob.ok("create", game="klondike", deal="1"))["room"]
        await bob.ok("move", room=room, move="discard")
        cyd = await watch(open_page, server, room)
        await cyd.get_by_role("button", name="First event").click()
        await hold(cyd, cyd.get_by_role("button", name="Back to the game"))
        await bob.ok("move", room=room, move="discard")
        await expect(cyd.locator("kibitz-log li")).to_have_count(4)
        await cyd.mouse.up()
        await until(cyd, 4)
