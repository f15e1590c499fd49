"""``kibitz admin``: an operator's orders from the command line, to a real server."""

import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
from clients.commands import Command
from servers import EACH_LISTS, Running, running_server
from talk import eventually, talking

from kibitz.clients.commands.operating import _seconds
from kibitz.clients.outcome import is_in_the_open
from kibitz.clients.terminal.operating import told
from kibitz.protocol.operating import Act
from kibitz.protocol.replies import Administered
from kibitz.server.lobby.rooms import Rooms

KEY = "correct horse battery staple"


@pytest.fixture
async def operated() -> AsyncIterator[Running]:
    """A server that has an operator."""
    async with running_server(admin_key=KEY) as running:
        yield running


@pytest.fixture
def admin(operated: Running, tmp_path: Path) -> Command:
    """The command, with the key in its environment."""
    return Command(operated.url, tmp_path, {"KIBITZ_ADMIN_TOKEN": KEY, "COLUMNS": "200"})


async def test_lists_are_lines_of_tabs_or_json(operated: Running, admin: Command) -> None:
    async with talking(operated.url, name="A\x1b[31mnn") as ann:
        private = {"visibility": "unlisted", "password": "cats"}
        room = (await ann.ok("create", game="klondike", **private))["room"]
        rooms = await admin.run_here("admin", "rooms")
        heads, row = rooms.out.splitlines()
        assert rooms.code == 0 and heads.split("\t")[0] == "room"
        assert (
            row.split("\t")[:4] == [room, "klondike", "open", "unlisted, password"]
            and ann.id in row
        )
        assert "\x1b" not in rooms.out
        people = json.loads((await admin.run_here("admin", "people", "--json", "--room", room)).out)
        assert [(each["id"], each["rooms"]) for each in people] == [(ann.id, [room])]
        assert (await admin.run_here("admin", "bans")).out == "what\twhom\troom\tuntil\treason\n"
        await ann.ok("resign", room=room)
        assert len((await admin.run_here("admin", "rooms")).out.splitlines()) == 1
        assert len((await admin.run_here("admin", "rooms", "--all")).out.splitlines()) == 2


@EACH_LISTS
async def test_orders_are_carried_out_and_said_in_a_sentence(
    operated: Running, admin: Command, tmp_path: Path
) -> None:
    async with talking(operated.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        done = await admin.run_here("admin", "notice", "back at noon")
        assert (done.code, done.out) == (0, "Told to 2 connections.\n")
        assert (await ann.stray())["text"] == "back at noon"
        muted = await admin.run_here("admin", "mute", ann.id, "--for", "2h", "--json")
        assert json.loads(muted.out) == {"t": "administered", "i": 2, "act": "mute", "count": 1}
        await ann.refused("forbidden", "say", room=room, text="hello")
        closed = await admin.run_here("admin", "close", room, "--reason", "too late")
        assert (closed.code, closed.out) == (0, "The room is closed.\n")
        banned = await admin.run_here("admin", "ban", ann.id, "--reason", "far too loud")
        assert (banned.code, banned.out) == (0, "Banned, for good; 1 connection closed.\n")
        assert await ann.closed() == 4403
        again = await admin.run_here("admin", "mute", ann.id, "--for", "2h")
        all_the_same = "he comments no more, for 2 h all the same.\n"
        assert again.out == f"Nobody with this id is here; {all_the_same}"
    bans = (await admin.run_here("admin", "bans")).out.splitlines()[1:]
    assert [line.split("\t")[:2] for line in bans] == [["ban", ann.id], ["mute", ann.id]]
    (tmp_path / "key").write_text(KEY)
    bare = Command(operated.url, tmp_path)
    assert (await bare.run_here("admin", "unban", ann.id, "--admin-token-file", "key")).code == 0
    async with talking(operated.url, token=ann.token):
        pass


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("close", "nosuchroom"), 2, "there is no room nosuchroom"),
        (
            ("ban", "127.0.0.1"),
            2,
            "this machine itself: whoever runs the server uses it (--force does",
        ),
        (("ban", "192.0.2.0/40"), 2, "is no address"),
        (("ban", "someid", "--for", "2y"), 2, "'2y' is no time"),
        (("ban", "someid", "--for", "9999w"), 2, "kibitz: --for: at most "),
        (
            ("ban", "someid", "--reason", "x" * 101),
            2,
            "kibitz: --reason: at most 100 characters",
        ),
        (("ban", "nonsense"), 2, "nonsense is no identity"),
        (("ban", "192.0.2.300"), 2, "is no address"),
        (("mute", "192.0.2.7"), 2, "192.0.2.7 is an address"),
        (("notice", " "), 2, "kibitz: an empty notice"),
        (("notice", "x" * 501), 2, "kibitz: the text: at most 500 characters"),
        (("unban", "someid"), 2, "there is no such ban"),
        (("drain", "--server", "ftp://x"), 2, "is no address"),
        (("bans", "--admin-token-file", "nosuchfile"), 2, "could not read nosuchfile"),
    ],
)
async def test_what_cannot_be_done_is_said_and_ends_with_a_code(
    admin: Command, words: tuple[str, ...], code: int, says: str
) -> None:
    done = await admin.run_here("admin", *words)
    assert (done.code, done.out) == (code, "") and says in done.err
    assert KEY not in done.err and "Traceback" not in done.err


async def test_who_has_no_key_or_a_wrong_one_is_told_so(operated: Running, tmp_path: Path) -> None:
    none = await Command(operated.url, tmp_path, {"KIBITZ_ADMIN_TOKEN": ""}).run_here(
        "admin", "drain"
    )
    assert none.code == 2 and "which admin token?" in none.err
    wrong = Command(operated.url, tmp_path, {"KIBITZ_ADMIN_TOKEN": "x" * 20})
    refused = await wrong.run_here("admin", "drain")
    assert (refused.code, refused.out) == (1, "") and "for the operator" in refused.err
    assert not operated.app.drained.is_set()


async def test_those_who_play_and_watch_on_a_terminal_are_told(
    operated: Running, admin: Command
) -> None:
    async with talking(operated.url, name="Ann") as ann:
        room = (await ann.ok("create", game="klondike"))["room"]
        async with (
            admin.running("watch", room) as watching,
            admin.running("play", "klondike", "--name", "Bob") as playing,
        ):
            rooms = [app.rooms for app in operated.apps]
            await eventually(lambda: len(_with_somebody(rooms)) == 2)
            (mine,) = _with_somebody(rooms) - {room}
            await ann.until(lambda: [p for p in ann.pushes if p.get("spectators")])
            await admin.run_here("admin", "notice", "back at noon")
            await operated.abreast()
            for each in (room, mine):
                await admin.run_here("admin", "close", each, "--reason", "that is all")
            watched, _ = await watching.communicate()
            assert watching.returncode == 0
            played, _ = await playing.communicate()
            assert playing.returncode == 1, "it ends by itself"
        for out in (watched.decode(), played.decode()):
            assert "*** back at noon" in out
            assert "he room was closed: that is all" in out


def _with_somebody(servers: Iterable[Rooms]) -> set[str]:
    """The rooms in which somebody is."""
    return {room.id for rooms in servers for room in rooms if room.people.here()}


@pytest.mark.parametrize(
    ("act", "count", "says"),
    [
        ("ban", 0, "Banned, for good; nobody was there on this server, others hear of it within"),
        ("ban", 2, "Banned, for good; 2 connections closed on this server, others hear of it"),
        ("mute", 0, "He comments no more, for good; nobody with this id on this server, others"),
        ("mute", 1, "He comments no more, for good."),
        ("notice", 1, "Told to 1 connection on this server, and to those of the others."),
    ],
)
def test_where_there_may_be_other_servers_nobody_is_said_to_be_nowhere(
    act: Act, count: int, says: str
) -> None:
    assert told(Administered(act=act, count=count, elsewhere=True)).startswith(says)


def test_a_time_is_a_number_and_its_unit() -> None:
    assert [_seconds(text) for text in (None, "90s", "30m", "2h", "7d", "4w")] == [
        *(None, 90, 1800, 7200),
        *(604_800, 2_419_200),
    ]


@pytest.mark.parametrize(
    ("server", "open_"),
    [
        ("ws://127.0.0.1:8765/ws", False),
        ("ws://[::1]/ws", False),
        ("ws://localhost/ws", False),
        ("wss://example.org/ws", False),
        ("ws://example.org/ws", True),
        ("ws://192.0.2.1/ws", True),
    ],
)
def test_the_key_is_said_in_the_open_with_a_warning(server: str, open_: bool) -> None:
    assert is_in_the_open(server) is open_
