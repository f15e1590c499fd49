"""Who may give orders, what he is shown, and that nobody else learns anything."""

from typing import Any, get_args

import pytest
from server.admin.operators import KEY, operated
from servers import EACH_ENDS, EACH_LISTS, running_server
from talk import talking
from worlds import Fake

from kibitz.protocol.operating import NEEDS, Act
from kibitz.protocol.wire import Encoding
from kibitz.server.settings import Limits

WRONG = [None, "", "x" * 40, KEY + " ", KEY[:-1], KEY.upper(), KEY + "\0", "é" * 20]


def order(act: Act, room: str, id_: str) -> dict[str, Any]:
    """An order that is whole, about this room and this identity."""
    needed = (*NEEDS.get(act, ()), *(["id"] if act in ("ban", "unban") else []))
    values = {"room": room, "id": id_, "text": "hello"}
    return {"act": act, **{name: values[name] for name in needed}}


@pytest.mark.parametrize("act", get_args(Act))
async def test_a_guest_is_told_the_same_whatever_he_asks(act: Act) -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Eve") as eve,
    ):
        room = (await ann.ok("create", game="klondike", visibility="unlisted"))["room"]
        await ann.settle()
        seen = len(ann.frames)
        answers = []
        for target, whom in ((room, ann.id), ("nosuchroom", "nosuchperson")):
            for key in WRONG:
                answer = await eve.ask("admin", key=key, **order(act, target, whom))
                answers.append({k: v for k, v in answer.items() if k != "i"})
        same = {"t": "error", "code": "auth", "message": "that is for the operator of this server"}
        assert all(answer == same for answer in answers)
        assert ann.code is None and len(ann.frames) == seen, "she notices nothing"
        assert (await op.order("bans"))["bans"] == []
        await ann.ok("say", room=room, text="still here")


async def test_without_a_key_there_is_no_operator() -> None:
    async with running_server() as running, talking(running.url) as eve:
        for key in (*WRONG, KEY):
            await eve.refused("auth", "admin", act="drain", key=key)


@pytest.mark.parametrize("fields", [
    {"act": "close"}, {"act": "kick", "room": "r"}, {"act": "ban"},
    {"act": "ban", "id": "a", "address": "192.0.2.1"}, {"act": "notice"}, {"act": "explode"},
    {"act": "mute", "id": ""}, {"act": "ban", "id": "a", "seconds": 0},
    {"act": "ban", "id": "a", "seconds": 10**12}, {"act": "ban", "id": "a", "reason": "x" * 101},
    {"act": "rooms", "limit": 101}, {"act": "rooms", "key": "x" * 257}, {"act": "rooms", "key": 7},
])  # fmt: skip
async def test_what_is_no_order_is_refused_without_a_word_of_the_key(fields: Any) -> None:
    async with operated() as (_, op):
        refused = await op.talk.refused("bad-message", "admin", **{"key": KEY, **fields})
        assert KEY not in str(refused) and "xxx" not in str(refused)


async def test_a_guesser_waits_for_every_guess() -> None:
    fake = Fake()
    async with (
        running_server(world=fake.world, limits=Limits(), admin_key=KEY) as running,
        talking(running.url) as eve,
    ):

        async def guess(number: int) -> str:
            answer = await eve.ask("admin", act="drain", key=f"guess number {number:08}")
            return str(answer["code"])

        codes = [await guess(number) for number in range(30)]
        assert codes == ["auth"] * 10 + ["rate-limited"] * 20
        await eve.refused("rate-limited", "admin", act="drain", key=KEY)
        fake.pass_time(1)
        codes = [await guess(number) for number in range(30)]
        assert codes == ["auth"] + ["rate-limited"] * 29


async def test_an_operator_gives_as_many_orders_as_he_likes() -> None:
    """The right key is no guess, also of many orders at once; a wrong one among them is."""
    fake = Fake()
    async with (
        running_server(world=fake.world, limits=Limits(), admin_key=KEY) as running,
        talking(running.url) as op,
    ):
        for number in range(25):
            await op.send({"t": "admin", "i": f"o{number}", "key": KEY, "act": "bans"})
        await op.until(lambda: len(op.answers) == 26)
        assert {op.answers[f"o{number}"]["t"] for number in range(25)} == {"administered"}
        for _ in range(10):
            await op.refused("auth", "admin", act="bans", key=KEY + "!")
        await op.refused("rate-limited", "admin", act="bans", key=KEY)


async def test_nobody_else_sees_an_operator_at_work() -> None:
    async with (
        operated() as (running, op),
        talking(running.url, name="Ann") as ann,
        talking(running.url, name="Bob", encoding=Encoding.MSGPACK) as bob,
    ):
        room = (await ann.ok("create", game="klondike", mode="coop", seats=2))["room"]
        await bob.ok("join", room=room, role="player")
        await ann.until(lambda: any(push["t"] == "presence" for push in ann.pushes))
        await ann.settle()
        seen = len(ann.frames)
        for act in ("rooms", "people", "bans"):
            await op.order(act, room=room)
        await op.order("mute", id=bob.id)
        await ann.settle()
        assert len(ann.frames) == seen + 1, "but for the answer to her own ping"
        await op.order("kick", room=room, id=bob.id)
        await op.order("close", room=room)
        await ann.until(lambda: ann.events(room)[-1]["kind"] == "closed")
        told = str([push for talk in (ann, bob) for push in talk.frames])
        assert op.talk.id not in told and "Op" not in told and KEY not in told


async def test_rooms_of_every_kind_are_listed_page_by_page() -> None:
    async with operated() as (running, op), talking(running.url, name="Ann") as ann:
        made = []
        for number in range(7):
            more = {"visibility": ("public", "unlisted", "private")[number % 3]}
            more |= {"password": "cats"} if number % 3 == 2 else {}
            made.append((await ann.ok("create", game="klondike", **more))["room"])
        await ann.ok("resign", room=made[0])
        await op.talk.ok("join", room=made[1])
        pages, after = [], None
        while True:
            page = await op.order("rooms", limit=3, after=after)
            pages.append([each["info"]["id"] for each in page["rooms"]])
            after = page.get("next")
            if after is None:
                break
        assert [len(page) for page in pages] == [3, 3, 1]
        assert [room for page in pages for room in page] == made[::-1]
        open_ = (await op.order("rooms", status="open"))["rooms"]
        assert {each["info"]["id"] for each in open_} == set(made[1:])
        assert all(each.get("loaded") for each in open_) or not running.alone
        locked = [each["info"].get("password", False) for each in open_]
        assert locked == [each["info"]["visibility"] == "private" for each in open_]
        (one,) = (await op.order("rooms", room=made[1]))["rooms"]
        assert one["seats"] == [{"seat": 1, "id": ann.id, "name": "Ann"}]
        assert one["info"]["spectators"] == 1 and one["info"]["visibility"] == "unlisted"
        assert (await op.order("rooms", after="nosuchroom"))["rooms"] == []
        assert "cats" not in str(op.talk.frames)


@EACH_LISTS
async def test_connections_are_listed_as_they_came() -> None:
    fake = Fake()
    async with operated(world=fake.world) as (running, op):
        fake.pass_time(5)
        async with (
            talking(running.url, name="Ann") as ann,
            talking(running.url, name="Bob", encoding=Encoding.MSGPACK) as bob,
            talking(running.url, token=ann.token) as twin,
        ):
            room = (await ann.ok("create", game="klondike"))["room"]
            await bob.ok("join", room=room)
            people = (await op.order("people"))["people"]
            assert [each["number"] for each in people] == [1, 2, 3, 4]
            assert [each["id"] for each in people] == [op.talk.id, ann.id, bob.id, twin.id]
            assert [each["encoding"] for each in people] == ["json", "json", "msgpack", "json"]
            assert [each["rooms"] for each in people] == [[], [room], [room], []]
            assert people[1]["since"] == people[0]["since"] + 5000
            assert {each["address"] for each in people} == {"127.0.0.1"}
            assert all(each["waiting"] == 0 for each in people)
            found = (await op.order("people", room=room))["people"]
            assert [each["number"] for each in found] == [2, 3]
            found = (await op.order("people", id=ann.id))["people"]
            assert [each["number"] for each in found] == [2, 4]
            assert (await op.order("people", address="192.0.2.0/24"))["people"] == []
            page = await op.order("people", limit=3)
            assert page["next"] == "3"
            rest = await op.order("people", limit=3, after=page["next"])
            assert [each["number"] for each in rest["people"]] == [4] and "next" not in rest
            for after in ("x", "-1", "1" * 30):
                await op.refused("bad-option", "people", after=after)


async def test_a_notice_reaches_everybody_on_one_line() -> None:
    async with (
        operated() as (running, op),
        talking(running.url) as ann,
        talking(running.url, encoding=Encoding.MSGPACK) as bob,
    ):
        done = await op.order("notice", text="down at\nnoon \x1b[31m")
        assert done["count"] == 3 or not running.alone
        for talk in (ann, bob):
            assert await talk.stray() == {"t": "notice", "text": "down at noon [31m"}
        await op.refused("bad-option", "notice", text="\n")


@EACH_ENDS
async def test_a_drain_takes_no_new_rooms_and_asks_for_the_end() -> None:
    async with operated() as (running, op), talking(running.url) as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        await op.order("drain")
        await ann.refused("draining", "create", game="klondike")
        await ann.ok("move", room=room, move="discard")
        assert running.app.drained.is_set()


async def test_many_orders_at_once_are_all_carried_out() -> None:
    async with operated() as (running, op), talking(running.url) as one:
        for talk in (op.talk, one):
            for number in range(40):
                id_ = talk.id[:10] + "abcdefgh"[number % 8] + "abcde"[number // 8]
                mute = {"act": "mute", "id": id_}
                await talk.send({"t": "admin", "i": f"b{number}", "key": KEY, **mute})
        for talk in (op.talk, one):
            await talk.until(lambda to=talk: len(to.answers) == 41)  # type: ignore[misc]
        assert len((await op.order("bans", limit=100))["bans"]) == 80
