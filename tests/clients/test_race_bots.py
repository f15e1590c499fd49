"""``kibitz race --bot``: bots of the server's that come, or cannot."""

import re
from dataclasses import replace
from typing import get_args

import pytest
from clients.commands import Command, read_until, write
from servers import EACH_COUNTS, UNLIMITED, Running, running_server
from typer.testing import CliRunner

from kibitz.clients.__main__ import app
from kibitz.clients.bots import STRATEGIES
from kibitz.clients.commands.playing import Strength
from kibitz.clients.session import connect
from kibitz.protocol.views import Strategy


async def test_a_bot_is_raced_through_a_pipe(kibitz: Command) -> None:
    words = ("race", "aces-up", "--countdown", "0", "--bot", "greedy", "--pace", "0")
    async with kibitz.running(*words) as race:
        assert "greedy bot took seat 2 (bot)" in await read_until(race, "greedy bot is ready")
        await write(race, "ready")
        await read_until(race, "greedy bot gave up")
        await write(race, "resign")
        said = await read_until(race, "kibitz solve ")
        assert "place" in said and "greedy bot" in said
        assert re.search(r"kibitz solve \w+ --board 1 --server ", said)


@EACH_COUNTS
async def test_where_a_bot_cannot_come_nothing_is_left_behind(
    kibitz: Command, server: Running
) -> None:
    first = await kibitz.run_here("race", "aces-up", "--bot", "fast", lines="quit\n")
    (room,) = re.findall(r"go on with: kibitz race --room (\w+)", first.out)
    assert first.out.endswith("\n`resign` there calls the race off\n")
    done = await kibitz.run_here("race", "aces-up", *("--bot", "fast") * 2)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(
        "kibitz: bot 2 cannot come: too many bots per identity (2 at most); "
    )
    assert f"give one up first, in {room}, " in done.err
    assert done.err.endswith("; the race is called off\n")
    assert [line.split()[0] for line in (await kibitz.run_here("rooms")).out.splitlines()[1:]] == [
        room
    ]
    statuses = {each.id: each.state.status for each in server.app.rooms}
    assert statuses.pop(room) == "open" and list(statuses.values()) == ["closed"]


async def test_who_made_a_race_says_which_bots_play_in_it(kibitz: Command, server: Running) -> None:
    lines = "bot greedy\nbot\naway 2\nbot slow\naway 7\naway 1\n"
    done = await kibitz.run_here("race", "aces-up", "--seats", "3", lines=lines)
    said = done.out.splitlines()
    assert [line for line in said if " took " in line or line.endswith(" is free")] == [
        "greedy bot took seat 2 (bot)",
        "strong bot took seat 3 (bot)",
        "seat 2 is free",
    ]
    assert said[-3:] == [
        "usage: bot strong|fast|greedy",
        "there is no seat 7",
        "no bot sits on seat 1",
    ]


async def test_who_only_sits_in_a_race_is_told_of_no_bots(kibitz: Command, server: Running) -> None:
    async with connect(server.url) as maker:
        room = (await maker.create("aces-up", mode="race", seat=False)).room
        done = await kibitz.run_here("race", "--room", room, lines="bot\nd\nquit\n")
    assert "not allowed: only who made this race says which bots play in it\n" in done.out
    assert "there is: ready, unready, say TEXT, help, quit\n" in done.out
    assert "resign" not in done.out and "go on with: " in done.out


async def test_a_race_that_was_called_off_is_said_to_be_so_once(
    kibitz: Command, server: Running
) -> None:
    off = await kibitz.run_here("race", "aces-up", "--seats", "3", lines="resign\nready\n")
    assert (off.code, off.err) == (0, "")
    assert off.out.endswith("You called it off.\n") and off.out.count("called") == 1
    (room,) = (each.id for each in server.app.rooms)
    await server.abreast()
    listed = (await kibitz.run_here("rooms", "--all")).out
    assert "free seat" not in listed and "\tclosed\t" in listed
    again = await kibitz.run_here("race", "--room", room)
    assert (again.code, again.out, again.err) == (1, "", "kibitz: the room was closed\n")
    seen = await kibitz.run_here("watch", room)
    assert (seen.code, seen.out) == (0, "The room was closed before the race began.\n")


async def test_a_race_that_was_there_stays_where_a_bot_cannot_come(
    kibitz: Command, server: Running
) -> None:
    async with kibitz.running("race", "aces-up", "--seats", "9", "--bot", "fast") as race:
        said = await read_until(race, "kibitz race --room ")
        room = said.split("kibitz race --room ")[1].split()[0]
        done = await kibitz.run_here("race", "--room", room, *("--bot", "fast") * 2)
        assert done.code == 1 and "bot 2 cannot come" in done.err
        assert "your seat is free again" in done.err
        state = (await server.app.rooms.get(room)).state
        assert state.status == "open"


@pytest.mark.parametrize(
    ("most", "said"),
    [
        (0, "this server has no bots of its own"),
        (1, "this server has 1 bot at most"),
        (9, "this server lets one have 2 bots at a time"),
    ],
)
async def test_a_race_with_bots_that_are_not_there_is_not_made(
    kibitz: Command, most: int, said: str
) -> None:
    async with running_server(limits=replace(UNLIMITED, bots=most)) as running:
        kibitz.environ["KIBITZ_SERVER"] = running.url
        done = await kibitz.run("race", "aces-up", "--winnable", *("--bot", "fast") * 3)
        assert (done.code, done.out) == (1, "")
        assert done.err == f"kibitz: {said}\n"
        assert len((await kibitz.run_here("rooms", "--all")).out.splitlines()) == 1


def test_a_strength_that_there_is_not() -> None:
    told = CliRunner().invoke(app, ["race", "klondike", "--bot", "medium"])
    assert told.exit_code == 2
    assert "'--bot': 'medium' is not one of 'strong', 'fast', 'greedy'." in told.output


def test_the_strategies_are_those_of_the_protocol() -> None:
    assert [each.value for each in Strength] == list(get_args(Strategy))
    assert set(get_args(Strategy)) <= set(STRATEGIES)
