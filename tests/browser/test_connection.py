"""The page's client against a real server that stops, forgets, hurries and loses frames."""

import contextlib
import socket
from collections.abc import AsyncIterator
from functools import partial

from browser.modules import module_page, run
from playwright.async_api import Browser, Page
from servers import Running, running_server
from talk import eventually, talking

from kibitz.protocol.hashing import chain
from kibitz.server.limits.rates import Rate
from kibitz.server.log.memory import MemoryLog
from kibitz.server.room.audience import EVERYTHING

START = """
  const { Client, Refused, Closed } = await import("/modules/client/client.js");
  // A socket that can lose or change what comes in, and counts.
  window.sockets = [];
  window.filter = (frame) => frame;
  class Lossy extends WebSocket {
    constructor(...all) { super(...all); sockets.push(this); }
    set onmessage(happen) {
      super.onmessage = happen && ((event) => {
        const data = filter(event.data, this);
        if (data !== null) happen({ data });
      });
    }
  }
  window.pushes = [];
  window.states = [];
  window.connect = (options = {}) => {
    const client = new Client(location.origin.replace("http", "ws") + "/ws",
      { name: "Ann", WebSocket: Lossy, ...options });
    client.addEventListener("push", ({ detail }) => pushes.push(detail));
    client.addEventListener("state", ({ detail }) => states.push(detail.state));
    client.open();
    return client;
  };
  window.until = async (done) => {
    for (let n = 0; !done(); n++) {
      if (n > 1500) throw new Error(`in vain: ${done} ${JSON.stringify(states)}`);
      await new Promise((go) => setTimeout(go, 10));
    }
  };
  window.fate = (promise) => promise.then(() => "done",
    (error) => `${error.name} ${error.code ?? error.message}`);
  window.events = () => pushes.filter((push) => push.t === "event").map((push) => push.seq);
  window.client = connect();
"""

CREATE = """
  window.room = await client.create("klondike", { deal: "7" });
  return room.room;
"""


@contextlib.asynccontextmanager
async def talk_page(browser: Browser, running: Running) -> AsyncIterator[Page]:
    async with module_page(browser, running.http) as page:
        await run(page, START)
        yield page


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


async def check_room(page: Page, running: Running, id_: str) -> None:
    """The page's mirror is where the server's room is."""
    room = await running.app.rooms.get(id_)
    await run(page, "await until(() => room.seq >= given)", room.seq)
    assert await run(page, "return room.hash") == room.live.hash_at(room.seq)
    hash_ = b""
    for event in await room.live.events(0, room.seq, EVERYTHING):
        hash_ = chain(hash_, event)
    assert await run(page, "return room.hash") == hash_.hex()


async def test_a_restart_loses_and_doubles_nothing(browser: Browser) -> None:
    log, port = MemoryLog(), free_port()
    serve = partial(running_server, log, port=port)
    async with contextlib.AsyncExitStack() as stack:
        async with serve() as first:
            page = await stack.enter_async_context(talk_page(browser, first))
            id_ = await run(page, CREATE)
            await run(page, "await client.lobby(); await client.move(room.room, 'discard')")
        asking = """
          await until(() => client.state === "away");
          window.open = ["one", "two", "three"].map((text) => fate(client.say(room.room, text)));
          window.open.push(fate(client.move(room.room, "discard")), fate(client.undo(room.room)));
        """
        await run(page, asking)
        async with serve() as second:
            done = await run(page, "return Promise.all(window.open)")
            assert done == ["done"] * 5
            await check_room(page, second, id_)
            events = await (await second.app.rooms.get(id_)).live.events(3, 99, EVERYTHING)
            texts = [event.text for event in events if event.kind == "say"]
            assert texts == ["one", "two", "three"]
            assert await run(page, "return states") == ["connecting", "open", "away", "open"]
            assert await run(page, "return events()") == [3, 4, 5, 6, 7, 8]
            again = await run(page, "return pushes.filter((push) => push.t === 'joined')")
            assert [(joined["room"], joined["role"]) for joined in again] == [(id_, "player")]
            async with talking(second.url, name="Bob") as bob:
                await bob.ok("create", game="montana")
                await run(page, "await until(() => pushes.some((push) => push.room?.id))")


async def test_an_answer_that_got_lost(browser: Browser) -> None:
    lose = """
      window.filter = (frame, socket) => {
        if (JSON.parse(frame).t !== "ok") return frame;
        window.filter = (frame) => frame;
        socket.close();
        return null;
      };
      return Promise.all([fate(client.move(room.room, "discard")),
        fate(client.say(room.room, "once"))]);
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, lose) == ["done", "done"]
        room = await running.app.rooms.get(id_)
        assert [event.kind for event in await room.live.events(2, 99, EVERYTHING)] == [
            "move",
            "say",
        ]
        await check_room(page, running, id_)
        assert await run(page, "return events()") == [3, 4]
        assert await run(page, "return sockets.length") == 2


async def test_a_gap_is_filled(browser: Browser) -> None:
    lose = """
      const lost = (frame) => JSON.parse(frame).seq === given && JSON.parse(frame).t === "event";
      let times = 1;
      window.filter = (frame) => (lost(frame) && times-- > 0 ? null : frame);
    """
    play = "await client.move(room.room, 'discard'); return events()"
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        await run(page, lose, 4)
        assert await run(page, play) == [3]
        asked = "const done = client.move(room.room, 'discard'); await client.say(room.room, 'b');"
        await run(page, asked + "await done")
        assert await run(page, "return events()") == [3, 4, 5]
        await run(page, lose, 6)  # nothing comes after it that would show the gap
        await run(page, "window.late = fate(client.move(room.room, 'discard'))")
        room = await running.app.rooms.get(id_)
        await eventually(lambda: room.seq == 6)
        await run(page, "dispatchEvent(new Event('online')); await late")
        assert await run(page, "return events()") == [3, 4, 5, 6]
        await check_room(page, running, id_)
        assert await run(page, "return sockets.length") == 1


async def test_another_history_is_taken_and_told(browser: Browser) -> None:
    fork = """
      window.filter = (frame) => {
        const said = JSON.parse(frame);
        return JSON.stringify(said.t === "joined" ? { ...said, hash: "00".repeat(16) } : said);
      };
    """
    async with running_server() as running, talk_page(browser, running) as page:
        await run(page, fork)
        id_ = await run(page, CREATE)
        await run(page, "window.filter = (frame) => frame; dispatchEvent(new Event('online'));")
        await run(page, "await until(() => pushes.some((push) => push.t === 'view'))")
        told = await run(page, "return pushes.map((push) => push.t)")
        assert [t for t in told if t != "presence"] == ["view", "joined"]
        await check_room(page, running, id_)


async def test_an_event_that_does_not_fit_brings_the_whole_position(browser: Browser) -> None:
    spoil = """
      window.filter = (frame) => {
        const said = JSON.parse(frame);
        if (said.kind !== "move") return frame;
        window.filter = (frame) => frame;
        return JSON.stringify({ ...said, fx: [["mv", "nowhere", "Stock", ["As"]]] });
      };
      await client.move(room.room, "discard");
      return pushes.filter((push) => push.t === "view").length;
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, spoil) == 1
        await check_room(page, running, id_)


async def test_a_room_that_is_gone_is_told(browser: Browser) -> None:
    port = free_port()
    async with contextlib.AsyncExitStack() as stack:
        async with running_server(port=port) as first:
            page = await stack.enter_async_context(talk_page(browser, first))
            id_ = await run(page, CREATE)
        async with running_server(port=port):
            await run(page, "await until(() => pushes.some((push) => push.t === 'lost'))")
            lost = await run(page, "return pushes.find((push) => push.t === 'lost')")
            assert (lost["room"], lost["code"]) == (id_, "no-room")
            assert await run(page, "return client.session.mirrors.size") == 0
            assert await run(page, "return fate(client.undo(room.room))") == "Refused no-room"


async def test_a_private_room_comes_back_with_its_password(browser: Browser) -> None:
    private = """
      const settings = { visibility: "private", password: "cats", seat: false };
      window.room = await client.create("montana", settings);
      sockets[0].close();
      await until(() => pushes.some((push) => push.t === "joined" || push.t === "lost"));
      return pushes.filter((push) => push.t !== "presence").map((push) => push.t);
    """
    async with running_server() as running, talk_page(browser, running) as page:
        assert await run(page, private) == ["joined"]


async def test_the_same_player_in_two_windows(browser: Browser) -> None:
    second = """
      window.other = connect({ token: client.welcome.token });
      window.open = fate(client.request({ t: "moves", room: "never answered", i: "late" }));
      await other.join(room.room, { role: "player" });
      await until(() => client.state === "replaced");
      await new Promise((go) => setTimeout(go, 700));
      return [client.state, sockets.length, await fate(client.undo(room.room)),
        await fate(other.move(room.room, "discard"))];
    """
    back = """
      client.takeOver();
      await until(() => other.state === "replaced");
      await client.say(room.room, "back");
      return [client.state, room.seq, sockets.length];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, second) == ["replaced", 2, "Closed 4409", "done"]
        assert await run(page, back) == ["open", 4, 3]
        await check_room(page, running, id_)


async def test_what_comes_too_soon_is_asked_again_in_order(browser: Browser) -> None:
    hurry = """
      const order = [];
      await Promise.all(Array.from({ length: 120 }, (_, n) =>
        client.moves(room.room).then(() => order.push(n))));
      await Promise.all([1, 2, 3, 4, 5].map((n) => client.say(room.room, `${n}`)));
      return [order.length, sockets.length];
    """
    quick = partial(running_server, requests=Rate(50, 20))
    async with quick() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, hurry) == [120, 1]
        room = await running.app.rooms.get(id_)
        texts = [event.text for event in await room.live.events(2, 99, EVERYTHING)]
        assert texts == ["1", "2", "3", "4", "5"]


async def test_a_silent_server_is_left(browser: Browser) -> None:
    silence = """
      window.filter = (frame, socket) => (socket === sockets[0] ? null : frame);
      dispatchEvent(new Event("online"));
      const said = fate(client.say(room.room, "hello?"));
      return [await said, sockets.length, states.includes("away")];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, silence) == ["done", 2, True]
        await check_room(page, running, id_)


async def test_nonsense_is_a_broken_connection(browser: Browser) -> None:
    nonsense = """
      window.filter = (frame, socket) => (socket === sockets[0] ? "[]" : frame);
      await client.say(room.room, "x");
      return sockets.length;
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, nonsense) == 2
        await check_room(page, running, id_)


async def test_nothing_is_sent_to_who_begins_to_close(browser: Browser) -> None:
    closing = """
      window.lost = 0;
      const { prototype } = sockets[0].constructor, { send } = prototype;
      prototype.send = function (data) {
        lost += this.readyState !== WebSocket.OPEN;
        send.call(this, data);
      };
      sockets[0].close();
      await client.say(room.room, "x");
      return [lost, sockets.length];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        id_ = await run(page, CREATE)
        assert await run(page, closing) == [0, 2]
        await check_room(page, running, id_)


async def test_the_end(browser: Browser) -> None:
    end = """
      client.close();
      const timers = new Set();
      const { setTimeout: set, clearTimeout: clear } = window;
      window.setTimeout = (happen, ms) => {
        const timer = set(() => { timers.delete(timer); happen(); }, ms);
        timers.add(timer);
        return timer;
      };
      window.clearTimeout = (timer) => { timers.delete(timer); clear(timer); };
      const own = connect();
      await own.rooms();
      const fates = [fate(own.rooms()), fate(own.create("montana"))];
      own.close();
      own.close();
      fates.push(fate(own.rooms()));
      dispatchEvent(new Event("online"));
      document.dispatchEvent(new Event("visibilitychange"));
      const never = connect();
      never.close();
      const bad = connect({ token: "nonsense" });
      const there = await fate(bad.rooms());
      window.setTimeout = set;
      return [await Promise.all(fates), own.state, never.state, there, bad.state, timers.size];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        closed = "Closed 1000"
        ends = [[closed, closed, closed], "ended", "ended", "Closed 4401", "ended", 0]
        assert await run(page, end) == ends


async def test_another_name(browser: Browser) -> None:
    rename = """
      const { token, you } = client.welcome;
      client.introduce("Ann", token);
      client.introduce("Ann", "");
      const before = sockets.length;
      client.introduce("Zoë", token);
      await client.say(room.room, "it is me");
      return [before, sockets.length, client.welcome.you.id === you.id, client.welcome.you.name,
        states, pushes.find((push) => push.kind === "say").name, room.role];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        await run(page, CREATE)
        states = ["connecting", "open", "away", "open"]
        assert await run(page, rename) == [1, 2, True, "Zoë", states, "Zoë", "player"]


async def test_a_request_that_is_too_big_harms_nobody_else(browser: Browser) -> None:
    big = """
      return Promise.all([fate(client.replay("x".repeat(1e6))), fate(client.rooms())]);
    """
    async with running_server() as running, talk_page(browser, running) as page:
        assert await run(page, big) == ["Refused too-large", "done"]


async def test_every_request_has_a_method(browser: Browser) -> None:
    everything = """
      const id = room.room;
      const legal = await client.moves(id);
      await client.move(id, { from: "Stock", to: "Stock" }).catch((error) => error.code);
      await client.move(id, "discard", room.seq);
      const stale = await fate(client.move(id, "discard", 1));
      await client.undo(id); await client.redo(id); await client.restart(id);
      const save = await client.save(id);
      for (let n = 0; n < 6; n++) await client.say(id, `${n}`);
      await client.resign(id);
      const all = await client.history(id);
      const open = await client.history(id, { from: 3, open: true });
      const replayed = await client.replay(save);
      const { rooms } = await client.rooms({ game: "klondike" });
      await client.leave(id);
      return [stale, legal.moves.length > 0, all.map((e) => e.seq), open[0].seq,
        replayed.game, rooms.length, client.session.mirrors.size, room.view.status];
    """
    async with running_server() as running, talk_page(browser, running) as page:
        await run(page, CREATE)
        stale, legal, all_, first, game, rooms, mirrors, status = await run(page, everything)
        assert all_ == list(range(1, len(all_) + 1))
        assert (stale, legal, first, game) == ("Refused stale", True, 3, "klondike")
        assert (rooms, mirrors, status) == (1, 0, "resigned")
