"""What must hold in every game after every command."""

import copy
import json
import pickle
from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from positions import VARIANTS, every_move

from kibitz.engine import saves
from kibitz.engine.board import Board, Kind
from kibitz.engine.deals import deck_of
from kibitz.engine.game import (
    Draw,
    Game,
    IllegalMove,
    Move,
    Recycle,
    Shuffle,
    Transfer,
    is_stuck,
    moves,
    object_to,
    play,
)
from kibitz.engine.notation import is_open, read_fact, read_table, write_fact, write_piles
from kibitz.engine.table import (
    Fact,
    Table,
    evolve,
    fold,
    fold_back,
    invert,
    lay,
    redact,
    redact_table,
)


def cards(table: Table) -> Counter[str]:
    return Counter(str(cell.card) for pile in table.piles.values() for cell in pile)


class PlayAnything(RuleBasedStateMachine):
    """Commands, sensible or not, with every change taken back and made again at times."""

    game: Game

    @initialize(deal=st.integers(0, 10**9), seed=st.integers(0, 2**32))
    def start(self, deal: int, seed: int) -> None:
        self.rng = Random(seed)
        self.board = Board(self.game.deal(deck_of(str(deal))))
        self.seen = fold(map(redact, lay(self.board.table)))
        self.whole = cards(self.board.table)
        self.past: list[Table] = []
        self.future: list[Table] = []

    @property
    def table(self) -> Table:
        return self.board.table

    @rule(data=st.data())
    def any_command(self, data: st.DataObject) -> None:
        self.attempt(data.draw(st.sampled_from(every_move(self.game.name))))

    @rule(data=st.data())
    def nonsense(self, data: st.DataObject) -> None:
        names = st.sampled_from([*self.table.piles, "suit", "", "Nowhere"])
        others: list[Move] = [Draw(), Recycle(), Shuffle()]
        transfers: st.SearchStrategy[Move] = st.builds(Transfer, names, names, st.integers(-1, 14))
        move = data.draw(transfers | st.sampled_from(others))
        assert object_to(self.game, self.seen, move) == object_to(self.game, self.table, move)
        self.attempt(move)

    @rule(pick=st.integers(0, 99), times=st.integers(1, 8))
    def legal_moves(self, pick: int, times: int) -> None:
        for _ in range(times):
            if legal := moves(self.game, self.table):
                self.attempt(legal[pick % len(legal)])

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        facts = self.board.to_undo()
        assert facts is not None
        self.future.append(self.table)
        self.happen("undo", facts)
        assert self.table == self.past.pop()

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        facts = self.board.to_redo()
        assert facts is not None
        self.past.append(self.table)
        self.happen("redo", facts)
        assert self.table == self.future.pop()

    @precondition(lambda self: self.past)
    @rule()
    def restart(self) -> None:
        self.past.append(self.table)
        self.future.clear()
        self.happen("restart", self.board.to_restart())
        assert self.table == self.board.start

    def attempt(self, move: Move) -> None:
        objection = object_to(self.game, self.seen, move)
        if objection is not None:
            with pytest.raises(IllegalMove) as refused:
                play(self.game, self.table, move, self.rng)
            assert refused.value.objection == objection
            return
        outcome = play(self.game, self.table, move, self.rng)
        before = self.table
        for fact in outcome.facts:
            assert evolve(evolve(before, fact), invert(fact, before)) == before
            assert read_fact(json.loads(json.dumps(write_fact(fact)))) == fact
            assert read_fact(write_fact(redact(fact))) == redact(fact)
            if is_open(write_fact(fact)):
                assert write_fact(redact(fact)) == write_fact(fact)
            before = evolve(before, fact)
        after, back = fold_back(outcome.facts, self.table)
        assert (after, fold(back, after)) == (before, self.table)
        self.past.append(self.table)
        self.future.clear()
        self.happen("move", outcome.facts)
        assert self.table == outcome.table
        assert outcome.won == self.game.is_won(outcome.table)

    def happen(self, kind: Kind, facts: tuple[Fact, ...]) -> None:
        self.board.apply(kind, facts)
        self.seen = fold(map(redact, facts), self.seen)

    @invariant()
    def no_card_is_lost_or_doubled(self) -> None:
        assert cards(self.table) == self.whole

    @invariant()
    def spectators_see_exactly_the_open_cards(self) -> None:
        assert self.seen == redact_table(self.table)

    @invariant()
    def the_legal_list_is_what_trying_everything_accepts(self) -> None:
        legal = moves(self.game, self.table)
        assert len(set(legal)) == len(legal)
        assert legal == moves(self.game, self.seen)
        accepted = set()
        for move in every_move(self.game.name):
            objection = object_to(self.game, self.table, move)
            assert objection == object_to(self.game, self.seen, move)
            if objection is None:
                accepted.add(move)
        assert set(legal) == accepted

    @invariant()
    def stuck_is_never_said_too_early(self) -> None:
        stuck = is_stuck(self.game, self.table)
        assert stuck == is_stuck(self.game, self.seen)
        score = self.game.score(self.table)
        if stuck:
            for move in moves(self.game, self.table):
                after = play(self.game, self.table, move, self.rng).table
                assert self.game.score(after) <= score

    @invariant()
    def saves_bring_it_all_back(self) -> None:
        text = saves.write(self.game, self.table, "ms7")
        save = saves.read(text)
        assert save.table == self.table
        assert saves.write(save.game, save.table, save.deal) == text
        assert moves(save.game, save.table) == moves(self.game, self.table)

    @invariant()
    def tables_have_a_plain_form(self) -> None:
        for table in (self.table, self.seen):
            plain = json.loads(json.dumps([write_piles(table), dict(table.counters)]))
            assert read_table(*plain) == table


@pytest.mark.parametrize("name", VARIANTS)
def test_play_anything(name: str) -> None:
    machine = type("PlayAnything", (PlayAnything,), {"game": VARIANTS[name]})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=10,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_tables_can_be_copied_and_handed_to_other_processes(name: str) -> None:
    table = VARIANTS[name].deal(deck_of("1"))
    assert pickle.loads(pickle.dumps(table)) == copy.deepcopy(table) == table


@pytest.mark.parametrize("name", VARIANTS)
def test_b30_ten_thousand_commands(name: str) -> None:
    """Half of them any command at all, half legal ones; a new deal when nothing is left."""
    game, rng = VARIANTS[name], Random(name)
    table = game.deal(deck_of(name.partition(",")[0]))
    whole = cards(table)
    for count in range(10_000):
        legal = moves(game, table) if count % 2 else every_move(game.name)
        if not legal:
            table = game.deal(deck_of(str(count)))
            continue
        try:
            table = play(game, table, rng.choice(legal), rng).table
        except IllegalMove:
            continue
        assert cards(table) == whole
