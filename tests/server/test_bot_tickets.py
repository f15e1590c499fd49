"""Tickets of bots: each is for its seat, and nobody makes one."""

from races import race, told
from servers import Running, running_server
from talk import connected, talking

from kibitz.protocol.views import Bot
from kibitz.server.bots.tickets import Ticket


def ticket(running: Running, room: str) -> str:
    """What brings the identity of the first bot of a room."""
    return running.app.house._tickets.token(Ticket(room, 0, Bot("fast", 0)))


async def test_a_ticket_is_for_its_seat_and_for_nothing_else(idle: None) -> None:
    async with running_server() as running, talking(running.url, name="Ann") as ann:
        room, other = await race(ann), await race(ann)
        solo = (await ann.ok("create", game="klondike", seat=False))["room"]
        async with talking(running.url, token=ticket(running, room), name="Ann") as bot:
            assert bot.answers[1]["you"]["name"] == "fast bot"
            await bot.refused("not-seated", "join", room=room, role="player")
            await ann.ok("bot", room=room)
            assert (await told(ann, room, "joined"))["by"] == bot.id
            await bot.ok("join", room=room, role="player")
            for there in (other, solo):
                await bot.refused("not-seated", "join", room=there, role="player")
                await bot.refused("forbidden", "join", room=there)
            for t, fields in (
                ("create", {"game": "klondike"}),
                ("rematch", {"room": room}),
                ("fork", {"room": room}),
                ("invite", {"room": room}),
                ("bot", {"room": room}),
                ("say", {"room": room, "text": "hello"}),
                ("moves", {"room": room}),
                ("history", {"room": room}),
                ("comments", {"room": room, "on": False}),
                ("rooms", {}),
            ):
                await bot.refused("forbidden", t, **fields)


async def test_nobody_makes_a_ticket_of_his_own() -> None:
    async with running_server() as running, running_server() as foreign:
        true = ticket(running, "sn6j7duifbnb4ei2")
        wrong = (
            ticket(foreign, "sn6j7duifbnb4ei2"),
            true[:-2],
            true[:60] + ("A" if true[60] != "A" else "B") + true[61:],
            "kbb_",
            "kbb_\u00e4",
        )
        for forged in wrong:
            async with connected(running.url) as talk:
                talk.read()
                await talk.send({"t": "hello", "i": 1, "token": forged})
                assert await talk.closed() == 4401, forged
        async with talking(running.url, token=true):
            pass
