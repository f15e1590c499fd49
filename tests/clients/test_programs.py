"""``kibitz bot`` and the demo against the real server."""

import asyncio
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from clients.commands import PATIENCE, Command
from clients.test_bots import look
from positions import do
from servers import Running

from kibitz.clients import bot
from kibitz.clients.bots import STRATEGIES, example, turns
from kibitz.clients.bots.greedy import Greedy
from kibitz.clients.bots.turns import Failed
from kibitz.clients.session import Refused, connect
from kibitz.clients.terminal.tokens import Tokens
from kibitz.engine.deals import deck_of
from kibitz.engine.games import GAMES
from kibitz.protocol.views import BoardView

NEAR_WIN = (Path(__file__).parents[1] / "cases" / "data" / "B37.txt").read_text()
MOST_LINES = 20


class Unlike(str):
    """A text that nothing can be compared with."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ValueError(other)


class Shy:
    """Something that does not say what it is."""

    def __repr__(self) -> str:
        raise ValueError


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
    await server.abreast()
    async with connect(server.url) as client:
        infos = {info.id: info for info in (await client.rooms()).rooms}
        for result in results:
            ended = "won" if result.outcome == "won" else "resigned"
            assert infos[result.room].status == ended
            assert infos[result.room].score == result.score


async def test_a_win_is_a_win(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike", save=save_of(NEAR_WIN))
        result = await bot.play_out(client, mirror, Greedy(GAMES["klondike"]))
        assert (result.outcome, result.score) == ("won", 52)


async def test_b48_gives_up(server: Running) -> None:
    case = (Path(__file__).parents[1] / "cases" / "data" / "B48.txt").read_text()
    async with connect(server.url) as client:
        mirror = await client.create("klondike", save=save_of(case))
        result = await bot.play_out(client, mirror, Greedy(GAMES["klondike"]))
        assert (result.outcome, result.moves) == ("gave up", 1)


async def test_no_strategy_goes_on_for_ever(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "NO_PROGRESS", 20)

    async def choose(view: BoardView, legal: list[str]) -> str | None:
        return "discard" if "discard" in legal else "reset"

    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        result = await bot.play_out(client, mirror, choose)
        assert (result.outcome, result.moves) == ("gave up", 20)


async def test_a_strategy_that_breaks_the_rules_is_told_so(server: Running) -> None:
    with pytest.raises(Refused, match="illegal move"):
        await bot.run(lambda rules, rng: lambda view, legal: "move 1 1", "klondike", server.url)


@pytest.mark.parametrize("choice", ["m" * 300_000, "\udcff", Unlike("x\udcff"), "undo", ""])
async def test_what_is_no_move_is_not_sent(server: Running, choice: str) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("klondike")
        sent = client._asked.add
        client._asked.add = lambda request: pytest.fail(f"{request!r:.80} was asked")  # type: ignore[method-assign]
        with pytest.raises(Refused, match=r"the strategy chose '") as caught:
            await bot.play_out(client, mirror, lambda view, legal: choice)
        client._asked.add = sent  # type: ignore[method-assign]
        assert len(str(caught.value)) < 300


async def test_a_move_is_a_plain_text_whatever_it_claims_to_be(server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("aces-up")
        result = await bot.play_out(
            client, mirror, lambda view, legal: Unlike("d") if view.moves < 2 else None
        )
        assert (result.outcome, result.moves) == ("gave up", 2)
        with pytest.raises(Failed, match=r"chose a Shy, which is no move"):
            await bot.play_out(client, mirror, lambda view, legal: Shy())  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize(
    "thoughts", [None, {"d": "much"}, {3: 1.0}, {"d": Shy()}, ["d"], Shy(), {"d": float("nan")}]
)
async def test_who_cannot_say_what_he_thinks_fails(server: Running, thoughts: Any) -> None:
    class Thinks:
        def __call__(self, view: BoardView, legal: list[str]) -> str:
            return legal[0]

        def explain(self) -> Any:
            return thoughts

    async with connect(server.url) as client:
        mirror = await client.create("aces-up")
        with pytest.raises(Failed, match="could not explain itself"):
            await bot.play_out(client, mirror, Thinks(), explain=True)


async def test_who_cancels_us_instead_of_saying_what_he_thinks_fails(server: Running) -> None:
    class Cancels:
        def __call__(self, view: BoardView, legal: list[str]) -> str:
            return legal[0]

        def explain(self) -> dict[str, float]:
            task = asyncio.current_task()
            assert task and task.cancel()
            return {"d": 1.0}

    async with connect(server.url) as client:
        mirror = await client.create("aces-up")
        with pytest.raises(Failed, match="could not explain itself: RuntimeError: it cancelled"):
            await bot.play_out(client, mirror, Cancels(), explain=True)
        assert await client.moves(mirror.room), "we go on"


async def test_thoughts_that_nobody_can_be_shown_do_no_harm(server: Running) -> None:
    class Thinks:
        def __call__(self, view: BoardView, legal: list[str]) -> str | None:
            return "d" if view.moves < 1 else None

        def explain(self) -> dict[str, float]:
            return {"m" * 300_000: 1.0, "\udcff": 2.0, "d": 3.0}

    async with connect(server.url) as client:
        mirror = await client.create("aces-up")
        result = await bot.play_out(client, mirror, Thinks(), explain=True)
        assert (result.outcome, result.moves) == ("gave up", 1)


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


@pytest.mark.parametrize("first", ["d", None])
async def test_what_was_chosen_for_another_position_is_void(
    server: Running, first: str | None
) -> None:
    seen: list[int] = []
    async with connect(server.url) as client, connect(server.url) as other:
        mirror = await client.create("aces-up", mode="coop")
        await other.join(mirror.room, "player")

        async def choose(view: BoardView, legal: list[str]) -> str | None:
            seen.append(view.moves)
            if view.moves == 0:
                await other.move(mirror.room, "d")
                await client.until(lambda: mirror.board.moves == 1)
                return first
            return "d" if view.moves == 1 else None

        result = await bot.play_out(client, mirror, choose)
        assert (result.outcome, seen) == ("gave up", [0, 1, 2])


def test_the_example_is_short() -> None:
    assert len(Path(example.__file__).read_text().splitlines()) <= MOST_LINES


def test_the_example_plays_better_than_the_first_move() -> None:
    def first(view: BoardView, legal: list[str]) -> str | None:
        return legal[0] if view.moves < 250 else None

    game, scores = GAMES["klondike-single"], Counter[str]()
    for number in range(10):
        for name, choose in (("example", example.choose), ("first", first)):
            table, made = game.deal(deck_of(str(number))), 0
            while (move := choose(*look(game.name, table, made))) is not None:
                assert isinstance(move, str)
                table, made = do(game, table, move), made + 1
            scores[name] += game.score(table)
    assert scores["example"] > 1.5 * scores["first"]


async def test_the_example_plays(server: Running) -> None:
    result = await asyncio.to_thread(bot.play, server.url, "klondike-single", example.choose)
    assert result.moves > 0


def beside(err: str) -> str:
    """What a bot says beside how it is watched."""
    return re.sub(r"^watch it with: kibitz watch .+\n", "", err)


async def test_bot_by_command(kibitz: Command) -> None:
    words = ("bot", "random", "montana", "--deal", "1", "--deal", "2", "--seed", "5")
    done = await kibitz.run(*words, "--games", "3")
    heads, *rows, told = (line.split("\t") for line in done.out.splitlines())
    where, page = f" --server {kibitz.url}", kibitz.url.replace("ws:", "http:").removesuffix("ws")
    watched = f"watch it with: kibitz watch {rows[0][0]}{where} (or at {page}?room={rows[0][0]})\n"
    assert (done.code, done.err) == (0, watched)
    assert heads == ["room", "deal", "outcome", "moves", "score", "seconds"]
    assert [row[1] for row in rows] == ["1", "2", "1"]
    assert told[0].startswith("3 games: ")
    assert "\x1b" not in done.out


async def test_a_bot_plays_by_options(kibitz: Command, server: Running) -> None:
    words = ("bot", "random", "montana", "--option", "shuffles=0")
    done = await kibitz.run(*words)
    assert done.code == 0
    async with connect(server.url) as client:
        mirror = await client.join(done.out.splitlines()[1].split("\t")[0])
        assert mirror.view.options == {"shuffles": "0"}
    for wrong, said in (
        (("--room", mirror.room), "kibitz: --room is a game that has begun: no --option\n"),
        (("--option", "colour=on"), "no option 'colour'"),
    ):
        refused = await kibitz.run(*words, *wrong)
        assert (refused.code, said in refused.err) == (2, True)


async def test_a_bot_is_the_same_one_where_its_identity_is_kept(
    kibitz: Command, server: Running
) -> None:
    words = ("bot", "random", "aces-up", "--token-file", "mine", "--games", "1")
    played = [await kibitz.run_here(*words) for _ in range(2)]
    assert [(done.code, beside(done.err)) for done in played] == [(0, "")] * 2
    file = kibitz.home / "mine"
    assert file.stat().st_mode & 0o777 == 0o600
    async with connect(server.url, token=Tokens(file).get(server.url)) as client:
        for done in played:
            mirror = await client.join(done.out.splitlines()[1].split("\t")[0])
            assert mirror.view.seats[0].id == client.welcome.you.id


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
    assert (done.code, done.out.splitlines()[-1]) == (0, "1 game: 1 gave up")
    strategies = "mine", "mine:nothing", "nowhere:choose", "mine:", "os:sep"
    ended = await asyncio.gather(*(kibitz.run("bot", s, "montana") for s in strategies))
    for strategy, unknown in zip(strategies, ended, strict=True):
        assert (unknown.code, unknown.out) == (2, "")
        assert f"no strategy '{strategy}'" in unknown.err


async def test_a_strategy_that_breaks_is_one_sentence(kibitz: Command) -> None:
    (kibitz.home / "broken.py").write_text("1 / 0\n")
    (kibitz.home / "breaks.py").write_text(
        "def choose(view, legal):\n    if view.moves > 2:\n        raise KeyError('oh')\n"
        "    return legal[0]\n\ndef three(view, legal):\n    return 3\n"
        "\ndef word(view, legal):\n    return 'move 1'\n"
    )
    for strategy, said in [
        ("os:system", "kibitz: the strategy failed: TypeError: system() "),
        ("broken:choose", "kibitz: broken cannot be loaded: ZeroDivisionError: division by zero ("),
        (
            "breaks:choose",
            f"kibitz: the strategy failed: KeyError: 'oh' ({kibitz.home}/breaks.py, line 3)\n",
        ),
        ("breaks:three", "kibitz: the strategy chose 3, which is no move\n"),
        (
            "breaks:word",
            "kibitz: the strategy chose 'move 1', which is not one of the legal moves: move: ",
        ),
    ]:
        done = await kibitz.run("bot", strategy, "klondike")
        assert (done.code, done.out) == (1, "")
        assert beside(done.err).startswith(said)
        assert beside(done.err).count("\n") == 1
    listed = (await kibitz.run_here("rooms", "--all")).out.splitlines()[1:]
    assert listed and all("\tresigned\t" in line for line in listed), "no room is left behind"


async def test_ctrl_c_ends_a_bot_with_its_results(kibitz: Command) -> None:
    (kibitz.home / "slow.py").write_text(
        "import asyncio, pathlib\nbegun = 0\n\nasync def choose(view, legal):\n"
        "    global begun\n    begun += 1\n    if begun > 2:\n"
        "        pathlib.Path('there').touch()\n        await asyncio.sleep(60)\n"
    )
    async with kibitz.running("bot", "slow:choose", "montana", "--games", "80") as process:
        async with asyncio.timeout(PATIENCE):
            while not (kibitz.home / "there").exists():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
    lines = out.decode().splitlines()
    assert (process.returncode, beside(err.decode())) == (130, "")
    assert (len(lines), lines[-1]) == (4, "2 games: 2 gave up")


async def test_a_bot_joins_a_room(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as client:
        mirror = await client.create("aces-up", mode="coop")
        done = await kibitz.run("bot", "greedy", "aces-up", "--room", mirror.room)
        assert done.code == 0
        assert mirror.status == "open"
        assert mirror.seats[1].id is not None
