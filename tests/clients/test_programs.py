"""``kibitz bot`` and the demo against the real server."""

import asyncio
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from clients.commands import PATIENCE, Command
from servers import Running

from kibitz.clients import bot, demo
from kibitz.clients.bots import STRATEGIES, example
from kibitz.clients.bots.greedy import Greedy
from kibitz.clients.session import Refused, connect
from kibitz.engine.games import GAMES
from kibitz.protocol.views import BoardView

NEAR_WIN = (Path(__file__).parents[1] / "cases" / "data" / "B37.txt").read_text()
MOST_LINES = 20


def save_of(case: str) -> str:
    start = case.split("START\n")[1].split("COMMANDS")[0]
    return "".join(line.removeprefix("| ") + "\n" for line in start.splitlines())


@pytest.mark.parametrize("game", GAMES)
async def test_greedy_plays_a_game_to_its_end(server: Running, game: str) -> None:
    told: list[bot.Result] = []
    results = await bot.run(
        STRATEGIES["greedy"], game, server.url, games=2, deals=["1", "2"], tell=told.append
    )
    assert results == told
    assert [result.deal for result in results] == ["1", "2"]
    for result in results:
        assert result.moves > 0
        assert result.outcome in ("won", "stuck", "gave up")
    async with connect(server.url) as client:
        infos = {info.id: info for info in (await client.rooms()).rooms}
        for result in results:
            ended = "won" if result.outcome == "won" else "resigned"
            assert infos[result.room].status == ended
            assert infos[result.room].score == result.score


async def test_a_win_is_a_win(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike", save=save_of(NEAR_WIN))
        result = await bot.play_out(client, mirror, Greedy("klondike"))
        assert (result.outcome, result.score) == ("won", 52)


async def test_b48_gives_up(server: Running) -> None:
    case = (Path(__file__).parents[1] / "cases" / "data" / "B48.txt").read_text()
    async with connect(server.url) as client:
        mirror = await client.create("klondike", save=save_of(case))
        result = await bot.play_out(client, mirror, Greedy("klondike"))
        assert (result.outcome, result.moves) == ("gave up", 1)


async def test_no_strategy_goes_on_for_ever(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot, "NO_PROGRESS", 20)

    async def choose(view: BoardView, legal: list[str]) -> str | None:
        return "discard" if "discard" in legal else "reset"

    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        result = await bot.play_out(client, mirror, choose)
        assert (result.outcome, result.moves) == ("gave up", 20)


async def test_a_strategy_that_breaks_the_rules_is_told_so(server: Running) -> None:
    with pytest.raises(Refused, match="illegal move"):
        await bot.run(lambda game, rng: lambda view, legal: "move 1 1", "klondike", server.url)


async def test_what_others_say_does_not_disturb(server: Running) -> None:
    seen: list[BoardView] = []
    async with connect(server.url) as client, connect(server.url) as other:
        mirror = await client.create("aces-up", mode="coop")
        await other.join(mirror.room, "player")

        async def choose(view: BoardView, legal: list[str]) -> str | None:
            seen.append(view)
            if len(seen) == 1:
                await other.say(mirror.room, "hello")
            elif len(seen) == 2:
                await other.move(mirror.room, "d")
            return "d" if view.moves < 6 else None

        result = await bot.play_out(client, mirror, choose)
        assert (result.outcome, result.moves) == ("gave up", 6)
        moved = [e.by async for e in client.history(mirror.room) if e.kind == "move"]
        assert Counter(moved)[other.welcome.you.id] == 1


def test_the_example_is_short() -> None:
    assert len(Path(example.__file__).read_text().splitlines()) <= MOST_LINES


async def test_the_example_plays(server: Running) -> None:
    result = await asyncio.to_thread(bot.play, server.url, "klondike-single", example.choose)
    assert result.moves > 0


async def test_bot_by_command(kibitz: Command) -> None:
    words = ("bot", "random", "montana", "--deal", "1", "--deal", "2", "--seed", "5")
    done = await kibitz.run(*words, "--games", "3")
    assert (done.code, done.err) == (0, "")
    heads, *rows, told = (line.split("\t") for line in done.out.splitlines())
    assert heads == ["room", "deal", "outcome", "moves", "score", "seconds"]
    assert [row[1] for row in rows] == ["1", "2", "1"]
    assert told[0].startswith("3 games: ")
    assert "\x1b" not in done.out


async def test_the_same_seed_plays_the_same_way(server: Running) -> None:
    make = STRATEGIES["random"]
    lines: list[list[str | None]] = []
    for _ in range(2):
        (result,) = await bot.run(make, "aces-up", server.url, deals=["3"], seed=8)
        async with connect(server.url) as client:
            await client.join(result.room)
            lines.append([event.move async for event in client.history(result.room)])
    assert lines[0] == lines[1]


async def test_a_strategy_of_ones_own(kibitz: Command) -> None:
    (kibitz.home / "mine.py").write_text("def choose(view, legal):\n    return None\n")
    done = await kibitz.run("bot", "mine:choose", "montana")
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 games: 1 gave up")
    for strategy in ("mine", "mine:nothing", "nowhere:choose", "mine:"):
        unknown = await kibitz.run("bot", strategy, "montana")
        assert (unknown.code, unknown.out) == (2, "")
        assert f"no strategy '{strategy}'" in unknown.err


async def test_a_bot_joins_a_room(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("aces-up", mode="coop")
        done = await kibitz.run("bot", "greedy", "aces-up", "--room", mirror.room)
        assert done.code == 0
        assert mirror.status == "open"
        assert mirror.seats[1].id is not None


async def test_the_demo_plays_all_games_until_it_is_stopped(
    server: Running, tmp_path: Path
) -> None:
    kibitz = Command(server.url, tmp_path)
    async with kibitz.running("demo") as process, connect(server.url) as client:
        async with asyncio.timeout(PATIENCE):
            while {info.game for info in (await client.rooms()).rooms} != set(GAMES):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
        assert (process.returncode, out, err) == (0, b"", b"")


async def test_the_demo_goes_on_after_an_end(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "PACE", (0.0, 0.0))
    monkeypatch.setattr(demo, "PAUSE", 0.0)
    playing = asyncio.create_task(demo.demo(server.url))
    try:
        async with connect(server.url) as client, asyncio.timeout(PATIENCE):
            while True:
                rooms = (await client.rooms(game="aces-up")).rooms
                if len([info for info in rooms if info.status != "open"]) >= 3:
                    break
                await asyncio.sleep(0.02)
    finally:
        signal.raise_signal(signal.SIGTERM)
        await playing
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(number)


async def test_the_demo_ends_with_the_process_that_started_it(
    server: Running, tmp_path: Path
) -> None:
    code = (
        "import subprocess, sys\n"
        f"words = ['-m', 'kibitz.clients', 'demo', '--with-parent', '--server', '{server.url}']\n"
        "print(subprocess.Popen([sys.executable, *words]).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    pid = int(await parent.stdout.readline())
    async with connect(server.url) as client, asyncio.timeout(PATIENCE):
        while not (await client.rooms()).rooms:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        parent.kill()
        await parent.communicate()
        while is_alive(pid):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Whether a process is there, and not only because nobody has asked for its end."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
