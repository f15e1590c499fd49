"""The page's own rules, decks and trees make what the engine makes, in hundreds of games."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from browser.games import WINS, deal_of
from browser.modules import run
from browser.test_vectors import ALIKE
from playwright.async_api import Page
from positions import VARIANTS, command, command_lines

from kibitz.engine.board import Board, Kind
from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.game import Game, Move, is_stuck, moves, play
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import write_fact, write_piles
from kibitz.engine.table import Fact, Pile, Table, redact

GAMES = 30
"""Games by chance of each variant."""
STEPS = 40

RULES = """
  given = JSON.parse(given);  // a long text comes much faster than what it says
  const { rulesOf, moveOf } = await import("/modules/proof/rules/games.js");
  const { Board } = await import("/modules/proof/board.js");
  const { isStuck } = await import("/modules/proof/stuck.js");
  const { redacted } = await import("/modules/proof/cards.js");
  const turned = (pool) => [...pool].reverse();
  const rules = rulesOf(given.game, given.options);
  alike("the lines", [...rules.lines.keys()].sort(), given.lines);
  for (const { deck, steps } of given.games) {
    const board = new Board(rules.deal(deck));
    steps.forEach(({ piles, counters, won, score, stuck, legal, kind, line, facts, told }, n) => {
      const { table } = board;
      const here = `${given.game} ${deck.slice(0, 3)} ${n}`;
      alike(`${here} table`, { piles: table.piles, counters: table.counters }, { piles, counters });
      alike(`${here} check`, rules.check(table), null);
      alike(`${here} won and score`, [rules.isWon(table), rules.score(table)], [won, score]);
      alike(`${here} stuck`, isStuck(rules, table), stuck);
      const allowed = won ? [] : [...rules.lines].filter(([, move]) => rules.allows(table, move));
      alike(`${here} legal`, allowed.map(([each]) => each).sort(), Object.keys(legal).sort());
      for (const [each, makes] of Object.entries(legal))
        alike(`${here} ${each}`, rules.effect(table, moveOf(rules, each), turned), makes);
      if (!kind) return;
      const made = kind === "move"
        ? rules.effect(table, rules.lines.get(line), turned) : board.facts(kind);
      alike(`${here} ${kind}`, made, facts);
      alike(`${here} ${kind}, told`, made.map(redacted), told);
      board.apply(kind, made);
    });
  }
  return wrong.slice(0, 5);
"""

TABLES = """
  given = JSON.parse(given);
  const { rulesOf } = await import("/modules/proof/rules/games.js");
  const rules = rulesOf(given.game, given.options);
  return given.tables.map((table) => rules.check(table) === null);
"""

DECKS = """
  const { DECK, deckOf, shuffled } = await import("/modules/proof/deals.js");
  const { fromHex } = await import("/modules/protocol/hashing.js");
  for (const [deal, deck] of given.deals) alike(deal, deckOf(deal).join(""), deck);
  for (const [seed, deck] of given.seeds) {
    alike(seed, shuffled(DECK, fromHex(seed)).join(""), deck);
  }
  for (const deal of ["", "-1", "ms0", "ms32001", "a b", "é", "x".repeat(65)]) {
    try {
      wrong.push(`${deal} is ${deckOf(deal)}`);
    } catch (error) {
      if (!(error instanceof RangeError)) wrong.push(`${deal}: ${error}`);
    }
  }
  return wrong;
"""


class Turning(Random):
    """Chance that turns a pool round."""

    def shuffle(self, x: Any) -> None:
        x.reverse()


TURNING = Turning()


def outcome(game: Game, table: Table, move: Move) -> tuple[Fact, ...]:
    return play(game, table, move, TURNING).facts


def plain(facts: tuple[Fact, ...]) -> list[list[Any]]:
    return [write_fact(fact) for fact in facts]


def step(game: Game, board: Board) -> dict[str, Any]:
    """A position and all that can be done in it."""
    table, text = board.table, TEXTS[game.name]
    return {
        "piles": write_piles(table),
        "counters": dict(table.counters),
        "won": game.is_won(table),
        "score": game.score(table),
        "stuck": is_stuck(game, table),
        "legal": {
            text.write(move): plain(outcome(game, table, move)) for move in moves(game, table)
        },
    }


def games(name: str) -> Iterator[dict[str, Any]]:
    """Games by chance, with much taken back; and one that is won."""
    game = VARIANTS[name]
    for deal in range(GAMES):
        rng = Random(f"{name} {deal}")
        yield by_chance(game, deck_of(str(deal)), rng)
    if name in WINS:
        board, steps = Board(game.deal(deck_of(deal_of(name)))), []
        steps += [step(game, board) | change(game, board, "move", x) for x in WINS[name]["moves"]]
        steps.append(step(game, board))
        assert steps[-1]["won"]
        yield {"deck": [card.code for card in deck_of(deal_of(name))], "steps": steps}


def by_chance(game: Game, deck: Any, rng: Random) -> dict[str, Any]:
    board, steps = Board(game.deal(deck)), []
    for _ in range(STEPS):
        now = step(game, board)
        kind = rng.choices(("move", "undo", "redo", "restart"), (20, 4, 3, 0.3))[0]
        facts = {"undo": board.to_undo, "redo": board.to_redo}.get(kind, board.to_restart)()
        if (kind == "move" and not now["legal"]) or facts is None:
            kind, facts = "restart", board.to_restart()
        line = rng.choice([*now["legal"]]) if kind == "move" else ""
        steps.append(now | change(game, board, kind, line))
    return {"deck": [card.code for card in deck], "steps": steps}


def change(game: Game, board: Board, kind: Any, line: str) -> dict[str, Any]:
    """Let something happen on the board, and say what."""
    done: Kind = kind
    if done == "move":
        facts: tuple[Fact, ...] | None = outcome(game, board.table, command(game.name, line))
    else:
        facts = {"undo": board.to_undo, "redo": board.to_redo}.get(done, board.to_restart)()
    assert facts is not None
    board.apply(done, facts)
    told = plain(tuple(map(redact, facts)))
    return {"kind": done, "line": line, "facts": plain(facts), "told": told}


@pytest.mark.parametrize("name", VARIANTS)
async def test_every_move_of_hundreds_of_games(modules: Page, name: str) -> None:
    """What is legal, out of all there are; what each makes happen; wins, scores, taking back."""
    game = VARIANTS[name]
    given = {
        "game": game.name,
        "options": dict(game.options),
        "lines": sorted(TEXTS[game.name].write(command(game.name, line)) for line in LINES[name]),
        "games": list(games(name)),
    }
    assert await run(modules, ALIKE + RULES, json.dumps(given)) == []


LINES = {name: command_lines(game.name) for name, game in VARIANTS.items()}


@pytest.mark.parametrize("name", VARIANTS)
async def test_tables_that_no_play_brings_about(modules: Page, name: str) -> None:
    game, rng = VARIANTS[name], Random(name)
    tables = [odd(game, rng) for _ in range(300)]
    given = {
        "game": game.name,
        "options": dict(game.options),
        "tables": [
            {"piles": write_piles(table), "counters": dict(table.counters)} for table in tables
        ],
    }
    right = [game.check(table) is None for table in tables]
    assert {True, False} == set(right) or name.startswith("montana")
    assert await run(modules, TABLES, json.dumps(given)) == right


def odd(game: Game, rng: Random) -> Table:
    """A position some moves on, in which two cards may have changed places or one lies over."""
    table = game.deal(shuffled(rng.randbytes(32)))
    for _ in range(rng.randrange(20)):
        legal = moves(game, table)
        if not legal:
            break
        table = play(game, table, rng.choice(legal), TURNING).table
    for _ in range(rng.randrange(3)):
        piles: dict[str, Pile] = dict(table.piles)
        one, other = rng.sample([name for name, cells in piles.items() if cells], 2)
        a, b = rng.randrange(len(piles[one])), rng.randrange(len(piles[other]))
        x, y = piles[one][a], piles[other][b]
        piles[one] = (*piles[one][:a], y, *piles[one][a + 1 :])
        piles[other] = (*piles[other][:b], x, *piles[other][b + 1 :])
        table = Table(piles, table.counters)
    return table


async def test_decks(modules: Page) -> None:
    rng = Random(1)
    deals = ["1", "0001", "42", "ms1", "ms617", "ms32000", "ms0007", "msx", "a.b_c-D", "z" * 64]
    seeds = [rng.randbytes(32) for _ in range(200)]
    given = {
        "deals": [(deal, "".join(card.code for card in deck_of(deal))) for deal in deals],
        "seeds": [(seed.hex(), "".join(card.code for card in shuffled(seed))) for seed in seeds],
    }
    assert await run(modules, ALIKE + DECKS, given) == []
