"""How many deals the solver decides within some seconds, beside ``pyksolve`` at one game.

    python -m bench.solving [--deals 1-300] [--seconds 1] [GAME ...]

A GAME may have options: ``"klondike-single redeals=0"``. Seconds are of the processor, so that
others on the machine do not count (much). Every win is played to its end. The control is the
Klondike that most people know, drawn one by one, and no game of ours; `draw three` is the same
drawn by threes. Others have found that of its deals 81.945 % can be won if cards may come back from
the foundations, which they cannot here.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench import games
from bench.table import aligned
from draw_three import RULES as DRAW_THREE
from draw_three import decide
from small_decks import CONTROL

from kibitz.clients.arena.figures import Estimate, share
from kibitz.engine.cards import Card, Suit
from kibitz.engine.deals import deck_of
from kibitz.engine.game import NO_CHANCE, Game, play
from kibitz.engine.games import GAMES
from kibitz.engine.solving import Budget, Verdict, solve

NAMES = (*GAMES, "montana shuffles=0", CONTROL.name, DRAW_THREE.name)
PEER_STATES = (50_000, 1_000_000)
"""What the peer may look at: it knows no seconds. About a quarter of a second, and three."""


def game_of(name: str) -> Game:
    """A game with its options, or one that is none of ours."""
    return DRAW_THREE if name == DRAW_THREE.name else games.game_of(name)


def decided(game: Game, deals: Sequence[int], seconds: float) -> tuple[Counter[Verdict], float]:
    """The verdicts on some deals, and the seconds of the processor for all of them."""
    verdicts: Counter[Verdict] = Counter()
    spent = 0.0
    for deal in deals:
        table = game.deal(deck_of(str(deal)))
        end = time.process_time() + seconds
        budget = Budget(1 << 60, lambda end=end: time.process_time() > end)  # type: ignore[misc]
        if game is DRAW_THREE:
            table = DRAW_THREE.dealt(table)
            answer = decide(table, budget)
        else:
            answer = solve(game, table, budget)
        spent += time.process_time() - end + seconds
        for move in answer.line:
            table = play(game, table, move, NO_CHANCE).table
        assert game.is_won(table) == (answer.verdict is Verdict.WIN)
        verdicts[answer.verdict] += 1
    return verdicts, spent


def by_peer(deals: Sequence[int], states: int) -> tuple[Counter[Verdict], float]:
    """The same of the control by ``pyksolve``, which draws one by one without end."""
    from pyksolve import solver

    kinds: dict[Any, Verdict] = {
        solver.SolveResult.SolvedMinimal: Verdict.WIN,
        solver.SolveResult.SolvedMayNotBeMinimal: Verdict.WIN,
        solver.SolveResult.Impossible: Verdict.LOST,
    }
    verdicts: Counter[Verdict] = Counter()
    began = time.process_time()
    for deal in deals:
        peer = solver.Solitaire()
        peer.draw_count = 1
        peer.load_solitaire(as_peer(deck_of(str(deal))))
        peer.reset_game()
        found = peer.solve_fast(max_closed_count=states)
        verdicts[kinds.get(found, Verdict.UNKNOWN)] += 1
    return verdicts, time.process_time() - began


def as_peer(deck: Sequence[Card]) -> str:
    """A deck as the peer reads it: ranks in two digits, suits in one, as they are dealt."""
    suits = {suit: n for n, suit in enumerate(Suit, 1)}
    return "".join(f"{card.rank:02}{suits[card.suit]}" for card in deck)


def said(part: Estimate) -> str:
    """A share in per cent, with its interval."""
    return f"{part.value:.1%} ({part.low:.1%} to {part.high:.1%})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("games", nargs="*", default=NAMES, metavar="GAME")
    options.add_argument("--deals", default="1-300", help="the first and the last deal number")
    options.add_argument("--seconds", type=float, default=1.0, help="of the processor for a deal")
    asked = options.parse_args()
    first, last = map(int, asked.deals.split("-"))
    deals = range(first, last + 1)
    rows = []
    for name in asked.games:
        measured = {"": decided(game_of(name), deals, asked.seconds)}
        if name == CONTROL.name:
            measured |= {f", pyksolve, {n:,} states": by_peer(deals, n) for n in PEER_STATES}
        for who, (verdicts, spent) in measured.items():
            won, lost = verdicts[Verdict.WIN], verdicts[Verdict.LOST]
            mean = f"{spent / len(deals):.2f}"
            rows.append(
                (name + who, str(won), str(lost), said(share(won + lost, len(deals))), mean)
            )
    head = ("game", "won", "lost", "decided (95 %)", "s a deal")
    print(f"deals {asked.deals}, {asked.seconds:g} s\n\n{aligned(head, rows)}")


if __name__ == "__main__":
    main()
