"""Playing: what a hand may do besides a legal drag, and what the page says to it."""

import json
from itertools import islice

from browser.browsing import PHONE, Browsing
from browser.games import Drag, deal_of, flat, start_of, steps
from browser.player import (
    by_dragging_finger,
    by_finger,
    by_mouse,
    cards,
    carry,
    create,
    may_play,
    named,
    play,
    seq,
    shows,
    sit,
    until,
)
from playwright.async_api import Page, WebSocketRoute, expect
from servers import Running
from talk import eventually

WHERE_IT_LIES = """code => {
    const card = document.querySelector(`kibitz-table .card[data-code="${code}"]`);
    const {left, top, width} = card.getBoundingClientRect();
    return [left, top, width].map(Math.round);
}"""


async def klondike(open_page: Browsing, server: Running, **settings: object) -> Page:
    """Ann, at the start of the klondike game that is known to the tests."""
    room = await create(server, "klondike", deal=deal_of("klondike"), **settings)
    return await sit(open_page, server, room)


async def test_an_illegal_drag_snaps_back_with_the_games_own_words(
    server: Running, open_page: Browsing
) -> None:
    ann = await klondike(open_page, server)
    before = await ann.evaluate(WHERE_IT_LIES, "9d")
    await by_mouse(ann, Drag("PILE-7", "PILE-1"))
    await expect(ann.get_by_text("illegal move").first).to_be_visible()
    await expect(ann.get_by_role("status")).to_contain_text("move: illegal move")
    await shows(ann, start_of("klondike"))
    assert await ann.evaluate(WHERE_IT_LIES, "9d") == before
    await play(ann, next(steps("klondike")))


async def test_a_drag_lights_where_the_cards_may_go(server: Running, open_page: Browsing) -> None:
    ann = await klondike(open_page, server)
    first = next(steps("klondike")).do
    assert isinstance(first, Drag)
    await carry(ann, first)
    await expect(ann.locator(f'.pile.target[data-pile="{first.target}"]')).to_be_visible()
    assert await ann.locator(".card.picked").count() == first.cards
    await ann.keyboard.press("Escape")
    await ann.mouse.move(5, 5)
    await ann.mouse.up()
    await expect(ann.locator(".pile.target, .card.picked")).to_have_count(0)
    await shows(ann, start_of("klondike"))


async def test_a_drag_dropped_on_nothing_goes_home(server: Running, open_page: Browsing) -> None:
    ann = await klondike(open_page, server)
    before = await ann.evaluate(WHERE_IT_LIES, "9d")
    await carry(ann, Drag("PILE-7", "PILE-1"))
    await ann.mouse.move(1270, 790, steps=3)
    await ann.mouse.up()
    assert await ann.evaluate(WHERE_IT_LIES, "9d") == before
    await shows(ann, start_of("klondike"))


async def test_undo_redo_and_restart(server: Running, open_page: Browsing) -> None:
    ann = await klondike(open_page, server)
    piles = [start_of("klondike")]
    for step in islice(steps("klondike"), 3):
        await play(ann, step)
        piles.append(step.piles)
    await ann.get_by_role("button", name="Undo").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "6")
    await shows(ann, piles[2])
    await ann.get_by_role("button", name="Redo").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "7")
    await shows(ann, piles[3])
    await ann.locator("kibitz-table .card[tabindex='0']").focus()
    await ann.keyboard.press("u")
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "8")
    await ann.keyboard.press("y")
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "9")
    await ann.get_by_label("More").click()
    await ann.get_by_role("button", name="Restart").click()
    await ann.get_by_role("dialog").get_by_role("button", name="Restart").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "10")
    await shows(ann, piles[0])


async def test_a_double_click_sends_a_card_home(server: Running, open_page: Browsing) -> None:
    game = "klondike-single"
    room = await create(server, game, deal=deal_of(game))
    ann = await sit(open_page, server, room)
    first = next(steps(game))
    assert isinstance(first.do, Drag) and first.do.target.startswith("FOUNDATION")
    await ann.locator(f'.pile[data-pile="{first.do.source}"] .card').last.dblclick()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "3")
    await shows(ann, first.piles)


async def test_no_press_is_lost_while_it_is_not_known_what_is_legal(
    server: Running, open_page: Browsing
) -> None:
    """Whoever is quicker than the server's list of moves means the position that he sees."""
    game = "thumb-and-pouch"
    ann = await open_page(f"{server.http}/healthz", size=PHONE, touch=True, storage=named("Ann"))
    answers: list[str | bytes] = []
    sockets: list[WebSocketRoute] = []

    def between(ws: WebSocketRoute) -> None:
        sockets.append(ws)
        there = ws.connect_to_server()

        def tell(message: str | bytes) -> None:
            if json.loads(message)["t"] == "moves":
                answers.append(message)
            else:
                ws.send(message)

        there.on_message(tell)

    await ann.route_web_socket("**/ws", between)
    await ann.goto(f"{server.http}/?room={await create(server, game, deal=deal_of(game))}&seat")
    await may_play(ann)
    for step in islice(steps(game), 24):
        before = await seq(ann)
        await by_finger(ann, step.do)
        await eventually(lambda: answers)
        while answers:
            sockets[0].send(answers.pop(0))
        await until(ann, before + 1)
        await shows(ann, step.piles)


async def test_a_shuffle_in_montana(server: Running, open_page: Browsing) -> None:
    room = await create(server, "montana", deal=deal_of("montana"))
    ann = await sit(open_page, server, room)
    start = start_of("montana")
    await ann.get_by_role("button", name="Shuffle").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "3")
    after = await cards(ann)
    assert after != start
    assert sorted(flat(after)) == sorted(flat(start))
    await ann.get_by_role("button", name="Undo").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-seq", "4")
    await shows(ann, start)


async def test_a_finger_drags_cards_and_not_the_page(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room, size=PHONE, touch=True)
    for step in islice(steps("klondike"), 8):
        await play(ann, step, by_dragging_finger)
        await shows(ann, step.piles)
    assert await ann.evaluate("() => [scrollX, scrollY]") == [0, 0]


async def test_cards_that_glide_come_to_where_they_lie(
    server: Running, open_page: Browsing
) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"))
    ann = await sit(open_page, server, room, motion=True)
    for step in islice(steps("klondike"), 12):
        await play(ann, step)
        await shows(ann, step.piles)
        await expect(ann.locator("kibitz-table .gliding")).to_have_count(0)


async def test_resigning_is_asked_first_and_opens_the_cards(
    server: Running, open_page: Browsing
) -> None:
    ann = await klondike(open_page, server)
    await ann.get_by_label("More").click()
    await ann.get_by_role("button", name="Give up").click()
    await ann.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(ann.get_by_role("dialog")).to_have_count(0)
    await may_play(ann)
    await ann.get_by_label("More").click()
    await ann.get_by_role("button", name="Give up").click()
    await ann.get_by_role("dialog").get_by_role("button", name="Give up").click()
    await expect(ann.locator("kibitz-room")).to_have_attribute("data-status", "resigned")
    await expect(ann.get_by_role("dialog", name="Ann gave up")).to_be_visible()
    assert "??" not in flat(await cards(ann))


async def test_two_play_one_table(server: Running, open_page: Browsing) -> None:
    room = await create(server, "klondike", deal=deal_of("klondike"), mode="coop", seats=2)
    ann = await sit(open_page, server, room, "Ann")
    bob = await sit(open_page, server, room, "Bob")
    for n, step in enumerate(islice(steps("klondike"), 6)):
        one, other = (ann, bob) if n % 2 else (bob, ann)
        await expect(one.locator("kibitz-room")).to_have_attribute("data-seq", str(3 + n))
        await play(one, step)
        await expect(other.locator("kibitz-room")).to_have_attribute("data-seq", str(4 + n))
        await shows(other, step.piles)
    assert await seq(ann) == await seq(bob)
