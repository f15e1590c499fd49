"""``kibitz play`` and ``kibitz watch`` as people and scripts use them: processes and pipes."""

import asyncio
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from clients.commands import PATIENCE, Command, Done, read_until, write
from positions import DATA, do, playout
from servers import EACH_COUNTS, UNLIMITED, Running, running_server
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from kibitz.clients import dialing
from kibitz.clients.session import connect
from kibitz.clients.terminal.typed import NO_CHEATING
from kibitz.engine.cards import DECK
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES, TEXTS
from kibitz.engine.lines import pile_lines
from kibitz.engine.table import redact_table

START = DATA / "klondike-game1-start.txt"
SCRIPT = Path(__file__).parents[1] / "transcripts" / "data" / "klondike-game1-input.txt"

GAMES_PLAYED = {
    "montana": ["4 9 4 2", "1 14 1 1", "s", "undo", "redo"],
    "aces-up": ["d", "f 1", "t 1 2", "f1", "d"],
    "klondike": ["discard", "move 1 2", "move suit 1", "discard", "board"],
    "klondike-single": ["sw", "tf 4 1", "ft 1 1", "sw"],
    "thumb-and-pouch": ["sw", "tf 4 1", "tt 1 2 1", "", "sw 2"],
}


def room_of(out: str) -> str:
    found = re.search(r"kibitz watch (\w+)", out)
    assert found, out
    return found[1]


def board(game: str, *lines: str) -> str:
    """The board of deal 42 after some moves."""
    table = do(GAMES[game], GAMES[game].deal(deck_of("42")), *lines)
    return TEXTS[game].board(redact_table(table))


@pytest.mark.parametrize("game", GAMES)
async def test_each_game_by_pipe(kibitz: Command, game: str) -> None:
    lines = "".join(f"{line}\n" for line in GAMES_PLAYED[game])
    played = await kibitz.run("play", game, "--deal", "42", lines=lines)
    assert (played.code, played.err) == (0, "")
    assert board(game) in played.out
    assert "\x1b" not in played.out
    assert TEXTS[game].prompt not in played.out


async def test_one_board_a_change_and_one_text_an_error(kibitz: Command) -> None:
    lines = "sw\nwf 1\nsw 2\nundo\nredo\nredo\nsay Hello\n"
    words = ("play", "thumb-and-pouch", "--deal", "42", "--name", "Ann")
    played = await kibitz.run(*words, lines=lines)
    start, drawn = board("thumb-and-pouch"), board("thumb-and-pouch", "sw")
    watch, check, said, rest = played.out.split("\n", 3)
    assert watch.startswith("watch it with: kibitz watch ")
    assert check.startswith("its cards are fixed; check them with: kibitz verify ")
    assert said == "`help` lists what you can type."
    assert rest == (
        f"{start}{drawn}Error: invalid move due to mismatched cards\n"
        f"Error: wrong number of arguments\n{start}{drawn}there is nothing to redo\nAnn: Hello\n"
    )


async def test_the_words_of_every_game(kibitz: Command) -> None:
    lines = (
        "moves\nsave kept.txt\nsw\nload kept.txt\ncheat\nload nothing.txt\n"
        "new\nhelp\nresign\nsw\nquit\n"
    )
    played = await kibitz.run("play", "klondike-single", "--deal", "42", lines=lines)
    assert played.code == 0
    assert played.out.count("watch it with: kibitz watch") == 4
    assert played.out.count("check them with: kibitz verify") == 4, (
        "three rooms, and one that ended"
    )
    assert played.out.count("where it was lost, with: kibitz solve ") == 1
    assert "as well   restart, finish, help, quit\n" in played.out
    assert "tf 4 1, " in played.out
    kept = (kibitz.home / "kept.txt").read_text()
    assert kept.startswith("# game: klondike-single\n# deal: 42\n")
    assert f"{NO_CHEATING}\n" in played.out
    assert "load: could not open file" in played.out
    assert "say TEXT" in played.out
    assert "the game was given up" in played.out
    assert "the game is over" in played.out
    assert played.out.endswith("Thank you for playing.\n")


async def test_a_whole_game_of_klondike_is_won(kibitz: Command) -> None:
    lines = SCRIPT.read_text().replace("Game1-start.txt", str(START))
    played = await kibitz.run("play", "klondike", lines=lines)
    assert played.code == 0
    assert "You won!" in played.out
    assert "kibitz solve" not in played.out


async def test_what_cannot_be_used_is_exit_code_2(kibitz: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("Stock [ 10c+ ]\n")
    cases: list[tuple[tuple[str, ...], str]] = [
        (("play",), "which game?"),
        (("play", "chess"), "no game 'chess'"),
        (("play", "montana", "--option", "shuffles"), "an option is k=v"),
        (("play", "montana", "--option", "shuffles=many"), "shuffles must be a whole number"),
        (("play", "montana", "--option", "colour=on"), "no option 'colour'"),
        (("play", "klondike", "--deal", "?"), "not a deal number"),
        (("play", "klondike", "--load", str(bad)), "format error in file: line 1"),
        (("play", "klondike", "--load", "nowhere"), "could not open nowhere"),
        (("play", "montana", "--load", str(START)), "that is a save of klondike"),
        (("play", "klondyke"), "no game 'klondyke' (did you mean klondike?)"),
        (("console", "aces"), "no game 'aces' (did you mean aces-up?)"),
        (("rooms", "--game", "Solitaire"), "no game 'Solitaire' (games: montana"),
        (("play", "montana", "--name", ""), "a name has 1 to 32 characters"),
        (("bot", "greedy", "montana", "--name", "x" * 33), "a name has 1 to 32 characters"),
        (
            ("rooms", "--server", "ftp://127.0.0.1:1/"),
            "an address looks like ws://127.0.0.1:8765/ws",
        ),
        (("watch", "a", "--server", "nonsense"), "'nonsense' is no address"),
        (("rooms", "--server", kibitz.url.removesuffix("/ws")), "no kibitz socket at that path"),
        (("play", "--room", "nowhere"), "there is no room nowhere"),
        (("play", "--room", "nowhere", "--deal", "1"), "--room is a game that has begun"),
        (("watch", "nowhere"), "there is no room nowhere"),
        (("watch",), "which room? (or --tv)"),
        (("watch", "a", "--tv"), "a room, or --tv"),
        (("race",), "which game?"),
        (("race", "klondike", "--at", "noon"), "is no time"),
        (("daily", "klondike", "--play", "--date", "2026-11-28"), "only the deal of today"),
        (("daily", "klondike", "--date", "yesterday"), "'yesterday' is no date"),
        (("dance",), "No such command"),
    ]
    for words, said in cases:
        done = await kibitz.run_here(*words)
        assert (done.code, done.out) == (2, ""), words
        assert said in done.err, words
        assert "Traceback" not in done.err


async def test_no_server_is_a_sentence(tmp_path: Path) -> None:
    nobody = Command("ws://127.0.0.1:1/ws", tmp_path)
    for words in (("play", "klondike"), ("watch", "a"), ("rooms",), ("bot", "greedy", "montana")):
        done = await nobody.run_here(*words)
        assert (done.code, done.out) == (2, "")
        assert "no server at ws://127.0.0.1:1/ws; start one with: kibitz serve\n" in done.err
        assert "Errno" not in done.err


@EACH_COUNTS
async def test_a_server_that_takes_nobody_in_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who starts a command is told; who waits for the server gets in when there is room."""
    monkeypatch.setattr(dialing, "MAX_AWAY", 0.0)
    limits = replace(UNLIMITED, count_loopback=True, connections_per_address=1)
    async with running_server(limits=limits) as server:
        kibitz = Command(server.url, tmp_path)
        async with connect(server.url):
            for words in (("rooms",), ("play", "montana")):
                done = await kibitz.run_here(*words)
                said = "too many connections per address; come back in 5 s\n"
                assert (done.code, done.out) == (1, "") and done.err.endswith(f": {said}")
            waiting = connect(server.url, wait=True)
            entering = asyncio.create_task(waiting.__aenter__())
        async with asyncio.timeout(PATIENCE):
            await entering
        await waiting.__aexit__(None, None, None)


def test_what_a_server_says_that_takes_nobody_in_is_one_clean_line() -> None:
    for body, said in (
        (b"the server is going down\n", "the server is going down"),
        (b"\x1b[2Jgo\r\naway", "[2Jgo"),
        (b"x" * 1000, "x" * dialing.MAX_SENTENCE),
        (b"<html>\n<b>503</b>", "HTTP status 503"),
        (b"", "HTTP status 503"),
    ):
        response = Response(503, "", Headers({"Retry-After": "7"}), body)
        error = dialing.why_not("ws://a/ws", InvalidStatus(response))
        assert (error.reason, dialing.away_for(InvalidStatus(response))) == (said, 7.0)


async def test_somebody_watches(kibitz: Command) -> None:
    async with kibitz.running("play", "aces-up", "--deal", "42", "--name", "Ann") as player:
        room = room_of(await read_until(player, board("aces-up")))
        async with kibitz.running("watch", room) as watcher:
            await read_until(watcher, board("aces-up"))
            await write(player, "d")
            await read_until(watcher, board("aces-up", "d"))
            await write(player, "say \x1b[2JHello")
            assert "Ann: [2JHello\n" in await read_until(watcher, "Hello\n")
            await write(player, "resign")
            assert "the game was given up" in await read_until(watcher, "given up")
            assert await watcher.wait() == 0
        past = await kibitz.run_here("watch", room, "--from-start", "--speed", "1000")
        start, drawn = board("aces-up"), board("aces-up", "d")
        said = "Ann: [2JHello\nthe game was given up\n"
        assert past.out.startswith(f"{start}Ann took seat 1\n> d (Ann)\n{drawn}{said}")
        end = past.out.split(said)[1]
        assert set(re.findall(r"[0-9AKQJ]+[♣♦♥♠]", past.out)) == {card.sign for card in DECK}
        assert "\nStock: " in end
        replayed = await kibitz.run_here("replay", room)
        assert replayed.out == past.out
        open_, all_ = [
            await kibitz.run_here("rooms", "--game", "ACES-UP", *w) for w in ((), ("--all",))
        ]
        assert open_.out.count("\n") == 1
        assert [line.split("\t")[:3] for line in all_.out.splitlines()] == [
            ["room", "game", "players"],
            [room, "aces-up", "Ann"],
        ]


async def test_who_did_what(kibitz: Command, server: Running) -> None:
    async with connect(server.url, name="Ann") as ann, connect(server.url, name="Bob") as bob:
        room = (await ann.create("aces-up", deal="42", mode="coop")).room
        async with kibitz.running("watch", room) as watcher:
            await read_until(watcher, board("aces-up"))
            await bob.join(room, "player")
            for do_it in (bob.move(room, "d"), ann.undo(room), bob.redo(room), ann.restart(room)):
                await do_it
            seen = await read_until(watcher, "restart (Ann)")
    told = [line for line in seen.splitlines() if line.startswith(">")]
    assert told == ["> d (Bob)", "> undo (Ann)", "> redo (Bob)", "> restart (Ann)"]


async def test_two_at_one_board(kibitz: Command, server: Running) -> None:
    async with kibitz.running("play", "aces-up", "--deal", "42", "--seats", "2") as player:
        begun = await read_until(player, board("aces-up"))
        room = room_of(begun)
        assert f"sit down at it with: kibitz play --room {room}" in begun
        async with connect(server.url, name="Bob") as bob:
            await bob.join(room, "player")
            await read_until(player, "Bob took seat 2")
            await bob.move(room, "d")
            await read_until(player, f"> d (Bob)\n{board('aces-up', 'd')}")
            await write(player, "undo")
            await read_until(player, board("aces-up"))


async def test_a_player_who_was_killed_comes_back(kibitz: Command) -> None:
    words = ("play", "aces-up", "--deal", "42", "--name", "Ann")
    async with kibitz.running(*words) as player:
        room = room_of(await read_until(player, board("aces-up")))
        await write(player, "d")
        await read_until(player, board("aces-up", "d"))
    token = kibitz.home / "kibitz" / "token"
    assert token.stat().st_mode & 0o777 == 0o600
    again = await kibitz.run("play", "--room", room, lines="undo\nsay back\n")
    assert again.code == 0 and "Ann: back\n" in again.out
    assert f"{board('aces-up', 'd')}{board('aces-up')}" in again.out
    stranger = Command(kibitz.url, kibitz.home / "elsewhere")
    stranger.home.mkdir()
    refused = await stranger.run_here("play", "--room", room)
    assert (refused.code, "every seat is taken" in refused.err) == (1, True)


async def test_a_server_that_was_killed_comes_back(unused_port: int, tmp_path: Path) -> None:
    async def serve() -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kibitz.server", "--port", str(unused_port)),
            *("--data", str(tmp_path / "kibitz.db")),
            stderr=asyncio.subprocess.DEVNULL,
        )

    kibitz = Command(f"ws://127.0.0.1:{unused_port}/ws", tmp_path)
    process = await serve()
    try:
        await _until_there(kibitz)
        async with kibitz.running("play", "aces-up", "--deal", "42") as player:
            room = room_of(await read_until(player, board("aces-up")))
            async with kibitz.running("watch", room) as watcher:
                await read_until(watcher, board("aces-up"))
                await write(player, "d")
                await read_until(player, board("aces-up", "d"))
                process.kill()
                await process.wait()
                await write(player, "d")
                process = await serve()
                await read_until(player, board("aces-up", "d", "d"))
                await read_until(watcher, board("aces-up", "d", "d"))
    finally:
        process.kill()
        await process.wait()


async def _until_there(kibitz: Command) -> Done:
    async with asyncio.timeout(PATIENCE):
        while (done := await kibitz.run_here("rooms")).code:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    return done


async def test_another_game_than_the_rooms(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as client:
        room = (await client.create("klondike", mode="coop")).room
        done = await kibitz.run_here("play", "montana", "--room", room)
        assert (done.code, done.out) == (2, "")
        assert "that room plays klondike" in done.err
        assert (await kibitz.run("play", "Klondike", "--room", room)).code == 0


async def test_cheating_where_it_is_allowed(kibitz: Command) -> None:
    words = ("play", "klondike", "--allow-cheat", "--deal", "42")
    done = await kibitz.run(*words, lines="cheat\nnew\ncheat\n")
    dealt = GAMES["klondike"].deal(deck_of("42"))
    assert "".join(f"{line}\n" for line in pile_lines(GAMES["klondike"], dealt)) in done.out
    assert done.out.count("PILE-7 [ ") == 2 + done.out.count("  PILE-7 [ ")


async def test_all_cards_are_shown_at_the_end(kibitz: Command) -> None:
    played = await kibitz.run("play", "klondike-single", "--deal", "42", lines="resign\n")
    before, _, after = played.out.partition("the game was given up\n")
    assert "XX" in before
    assert set(re.findall(r"[0-9AKQJ]+[♣♦♥♠]", after)) == {card.sign for card in DECK}


async def test_nobody_reads_any_more(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as client:
        room = (await client.create("klondike", mode="coop")).room
        for words in (("rooms",), ("watch", room), ("play", "--room", room), ("replay", room)):
            closed = await kibitz.run_into(None, *words)
            assert closed.err == "", words
        full = await kibitz.run_into("/dev/full", "watch", room)
        assert (full.code, full.err.count("\n")) == (1, 1)
        assert "the output could not be written" in full.err


def test_playouts_never_name_what_is_hidden() -> None:
    for table in playout(GAMES["thumb-and-pouch"], "42", 20):
        shown = TEXTS["thumb-and-pouch"].board(redact_table(table))
        hidden = {cell.card for pile in table.piles.values() for cell in pile if not cell.up}
        assert not [card for card in hidden if card and card.sign in shown.split()]
