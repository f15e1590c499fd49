"""The page's past and its playback in a real browser: equal to the engine's own fold, and in time.

Games are played at random by the rules, with undo, redo and restart, and told as the server tells
them to everybody. Time in a playback is the test's own.
"""

import contextlib
import random
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

import kibitz.clients
from kibitz.engine.board import Board, Kind
from kibitz.engine.deals import deck_of
from kibitz.engine.game import moves, play
from kibitz.engine.games import GAMES
from kibitz.engine.notation import read_fact, write_fact, write_piles
from kibitz.engine.table import Table, evolve, fold, lay, redact

WEB = Path(kibitz.clients.__path__[0]) / "web"
Told = dict[str, Any]


@pytest.fixture(scope="session")
def files() -> Iterator[str]:
    """The page's files, served as they are, and an empty page."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(WEB))

        def do_GET(self) -> None:
            if self.path.endswith(".js"):
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, files: str) -> AsyncIterator[Page]:
    """An empty page that knows the past and the playback."""
    page = await browser.new_page()
    await page.goto(files)
    await page.evaluate(
        """async () => Object.assign(window,
            await import("/client/past.js"), await import("/client/playback.js"))"""
    )
    yield page
    await page.close()


def history(name: str, length: int, rng: random.Random) -> list[Told]:
    """The events of a game as everybody may see them."""
    game = GAMES[name]
    board = Board(game.deal(deck_of(str(rng.randrange(1000)))))
    start = [write_fact(redact(fact)) for fact in lay(board.table)]
    events: list[Told] = [{"kind": "created", "by": "a", "name": "Ann", "fx": start}]
    while len(events) < length:
        kind: Kind = rng.choices(("move", "undo", "redo", "restart"), (80, 12, 6, 1))[0]
        facts = {"undo": board.to_undo(), "redo": board.to_redo(), "restart": board.to_restart()}
        legal = moves(game, board.table)
        if rng.random() < 0.05:
            events.append({"kind": "say", "by": "b", "name": "Bob", "text": "hm"})
        elif kind == "move" and legal:
            facts["move"] = play(game, board.table, rng.choice(legal), rng).facts
        if (happened := facts.get(kind)) is None:
            continue
        before, public = board.table, []
        for fact in happened:
            public.append(write_fact(redact(fact)))
            before = evolve(before, fact)
        board.apply(kind, happened)
        score = game.score(board.table)
        events.append({"kind": kind, "fx": public, "moves": board.moves, "score": score})
    for seq, event in enumerate(events, 1):
        event |= {"seq": seq, "at": seq * 100}
    return events


def position(events: list[Told], seq: int) -> dict[str, Any]:
    """What the engine makes of the events up to one of them."""
    table, last = Table(), {"moves": 0, "score": 0}
    for event in events[:seq]:
        table = fold([read_fact(fact) for fact in event.get("fx", [])], table)
        last |= {key: event[key] for key in last if key in event}
    return {"piles": write_piles(table), "counters": dict(table.counters), **last}


SEEK = """([events, seqs]) => {
  const past = Past.of(events);
  return seqs.map((seq) => {
    const { table: { piles, counters }, moves, score } = past.at(seq);
    return { piles, counters, moves, score };
  });
}"""


@pytest.mark.parametrize("game", GAMES)
async def test_any_moment_is_what_the_engine_says(page: Page, game: str) -> None:
    rng = random.Random(game)
    events = history(game, 250, rng)
    seqs = [rng.randint(1, 250) for _ in range(60)] + [1, 250, 249, 16, 17, 15]
    shown = await page.evaluate(SEEK, [events, seqs])
    assert shown == [position(events, seq) for seq in seqs]


async def test_a_moment_tells_what_led_to_it(page: Page) -> None:
    events = history("klondike", 60, random.Random(3))
    events.append({"seq": 61, "at": 6100, "kind": "ended", "result": "resigned", "fx": []})
    told = await page.evaluate(
        """(events) => { const past = Past.of(events); return [1, 60, 61].map((seq) => {
          const { at, status, names, event } = past.at(seq);
          return [seq, at, status, names.a, event.kind]; }); }""",
        events,
    )
    assert told[0] == [1, 100, "open", "Ann", "created"]
    assert told[1][:4] == [60, 6000, "open", "Ann"]
    assert told[2] == [61, 6100, "resigned", "Ann", "ended"]


async def test_seeks_in_a_long_game_are_quick_while_it_goes_on(page: Page) -> None:
    events = history("klondike", 5000, random.Random(1))
    times = await page.evaluate(
        """(events) => {
          const taken = (past, more) => {
            const times = more.map((event) => {
              past.add(event);
              const seq = 1 + Math.floor(Math.random() * past.last), since = performance.now();
              past.at(seq);
              return performance.now() - since;
            });
            return times.sort((a, b) => a - b)[times.length >> 1];
          };
          return [500, 4500].map(
            (n) => taken(Past.of(events.slice(0, n)), events.slice(n, n + 500)));
        }""",
        events,
    )
    assert times[1] < 5 * max(times[0], 0.1), f"ms in a short and in a long game: {times}"


async def test_who_came_late_knows_no_more_until_it_is_filled_in(page: Page) -> None:
    events = history("thumb-and-pouch", 80, random.Random(2))
    view = {
        "boards": [{**position(events, 50), "status": "open"}],
        "seats": [{"seat": 1, "id": "a", "name": "Ann"}],
        "status": "open",
    }
    late = await page.evaluate(
        """([events, view]) => {
          const thrown = (act) => { try { act(); return null; } catch (e) { return e.name; } };
          const past = new Past();
          past.start(view, 50);
          for (const event of events.slice(50, 70)) past.add(event);
          const before = [past.first, past.last, past.complete, past.has(49), past.has(50)];
          const told = [past.at(50).event, past.at(50).names.a];
          const faults = [
            thrown(() => past.at(49)), thrown(() => past.add(events[75])),
            thrown(() => past.fill(events.slice(0, 40))), past.add(events[60]), past.complete,
          ];
          past.fill(events.slice(0, 60));
          past.add(events[70]);
          const after = [past.first, past.last, past.complete, past.event(49).seq];
          const tables = [49, 50, 65, 71].map((seq) => past.at(seq).table.piles);
          return { before, told, faults, after, tables };
        }""",
        [events, view],
    )
    assert late["before"] == [50, 70, False, False, True]
    assert late["told"] == [None, "Ann"]
    assert late["faults"] == ["RangeError", "RangeError", "RangeError", False, False]
    assert late["after"] == [1, 71, True, 49]
    assert late["tables"] == [position(events, seq)["piles"] for seq in (49, 50, 65, 71)]


CLOCK = """() => {
window.told = (ats) => {
  const list = ats.map(([at, kind], n) => ({
    seq: n + 1, at, kind, fx: kind === "move" ? [["up", "A", "As"]] : undefined,
  }));
  return { first: 1, last: list.length, event: (seq) => list[seq - 1], list };
};
window.timed = (late = 0) => {
  const clock = {
    time: 0, timers: new Map(), id: 0,
    now: () => clock.time,
    set: (done, ms) => (clock.timers.set(++clock.id, [done, clock.time + ms]), clock.id),
    clear: (id) => clock.timers.delete(id),
    run(until) {
      for (;;) {
        const next = [...clock.timers].sort((a, b) => a[1][1] - b[1][1])[0];
        if (!next || next[1][1] + late > until) break;
        clock.timers.delete(next[0]);
        clock.time = Math.max(clock.time, next[1][1] + late);
        next[1][0]();
      }
      clock.time = until;
    },
  };
  return clock;
};
window.heard = (playback, clock) => {
  const heard = [];
  playback.addEventListener("seek", ({ detail }) => heard.push([clock.time, detail.seq]));
  return heard;
};
}"""
MOVES = [[0, "created"], [1000, "move"], [1500, "move"], [60_000, "move"], [61_000, "move"]]


@contextlib.asynccontextmanager
async def timed(page: Page) -> AsyncIterator[Page]:
    await page.evaluate(CLOCK)
    yield page
    assert await page.evaluate("window.left ?? 0") == 0, "a timer was left"


PLAY = """([ats, speed, late]) => {
  const clock = timed(late), playback = new Playback(told(ats), clock);
  const list = heard(playback, clock);
  playback.speed = speed;
  playback.play();
  clock.run(1e6);
  window.left = clock.timers.size;
  return [list, playback.playing];
}"""


@pytest.mark.parametrize(
    ("speed", "expected"),
    [
        (1, [[0, 1], [1000, 2], [1500, 3], [4500, 4], [5500, 5]]),
        (4, [[0, 1], [250, 2], [375, 3], [1125, 4], [1375, 5]]),
        ("beat", [[0, 1], [700, 2], [1400, 3], [2100, 4], [2800, 5]]),
    ],
)
async def test_events_come_as_they_did(page: Page, speed: object, expected: object) -> None:
    async with timed(page):
        assert await page.evaluate(PLAY, [MOVES, speed, 0]) == [expected, False]


async def test_late_timers_do_not_add_up(page: Page) -> None:
    beats = [[n * 100, "move"] for n in range(101)]
    async with timed(page):
        heard, _ = await page.evaluate(PLAY, [beats, 1, 30])
    assert heard[-1] == [10_030, 101]


async def test_what_moves_no_card_passes_and_a_remark_stays(page: Page) -> None:
    events = [
        [0, "created"], [100, "move"], [200, "joined"], [300, "say"], [310, "move"], [400, "stuck"],
        [500, "ended"],
    ]  # fmt: skip
    async with timed(page):
        heard, playing = await page.evaluate(PLAY, [events, 1, 0])
    assert heard == [[0, 1], [100, 2], [300, 4], [1500, 5], [1690, 7]]
    assert not playing


async def test_seeking_stepping_and_the_end_that_grows(page: Page) -> None:
    async with timed(page):
        steps = await page.evaluate(
            """(ats) => {
              const clock = timed(), past = told(ats), playback = new Playback(past, clock);
              const where = () => [playback.seq, playback.playing, playback.following];
              const seen = [where()];
              playback.last = 6; seen.push(where());           // goes along
              playback.step(-2); playback.last = 7; seen.push(where()); // stays
              playback.play(); clock.run(500); playback.step(1);
              seen.push([...where(), clock.timers.size]);      // a step makes it stand still
              playback.home(); playback.play(); clock.run(clock.time + 500);
              playback.speed = 2; clock.run(clock.time + 10);  // half of it is gone already
              seen.push(where());
              playback.seek(99); seen.push(where());
              window.left = clock.timers.size;
              return seen;
            }""",
            MOVES,
        )
    assert steps == [
        [5, False, True],
        [6, False, True],
        [4, False, False],
        [5, False, False, 0],
        [2, True, False],
        [7, False, True],
    ]
