"""Games of a server that cheats, with everything else in order: its chain, its seal, its proofs."""

from collections.abc import Callable
from random import Random

from kibitz.engine.board import Board
from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table
from kibitz.protocol import fairness
from kibitz.protocol.requests import Move, Resign
from kibitz.server.lobby.creation import Start
from kibitz.server.room import decide
from kibitz.server.room.room import Room

from .honest import ALL_OK, ANN, RUNNING, Desk, Play, Told

FAILED = "failed"
_SEED_OF = fairness.seed_of


def _lay(room: Room, change: Callable[[Table], Table]) -> None:
    """Change what lies on the table of a room behind everybody's back."""
    position = room.state.positions[0]
    board = Board(position.board.start)
    board.table = change(position.board.table)
    position.board = board


def _swap_stock(table: Table) -> Table:
    """The next card of the stock and the one at its bottom."""
    first, *rest, last = table.piles["Stock"]
    return Table({**table.piles, "Stock": (last, *rest, first)}, table.counters)


async def swaps_hidden_cards(desk: Desk) -> Told:
    """The card that is turned up is another one than was dealt there."""
    room = await desk.create(game="klondike-single")
    _lay(room, _swap_stock)
    await desk.moves(room, "sw", "sw")
    return Told(await desk.text(room), RUNNING | {"rules": FAILED})


async def swaps_hidden_cards_until_the_end(desk: Desk) -> Told:
    room = await desk.create(game="klondike-single")
    _lay(room, _swap_stock)
    await desk.moves(room, "sw", "sw")
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK | {"rules": FAILED})


async def reshuffles_the_stock(desk: Desk) -> Told:
    room = await desk.create(game="aces-up")

    def change(table: Table) -> Table:
        stock = list(table.piles["Stock"])
        Random(1).shuffle(stock)
        return Table({**table.piles, "Stock": tuple(stock)}, table.counters)

    _lay(room, change)
    await desk.moves(room, "d")
    return Told(await desk.text(room), RUNNING | {"rules": FAILED})


async def deals_a_deck_of_its_choice(desk: Desk) -> Told:
    """It commits itself to a deck that no secret gave."""
    game = GAMES["thumb-and-pouch"]
    start = Start(game, game.deal(shuffled(b"of its choice")), None)
    room = await desk.create(start, game=game.name)
    await desk.moves(room, "sw")
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK | {"deal": FAILED})


async def looks_for_a_deal_number(desk: Desk) -> Told:
    """Nobody asked for a deal number, so it took one whose deck it likes."""
    game, deal = GAMES["klondike-single"], "g20"
    commit = fairness.commit
    fairness.commit = lambda *given, loaded, numbered: commit(*given, loaded=loaded)
    try:
        start = Start(game, game.deal(deck_of(deal)), deal)
        room = await desk.create(start, game=game.name, nonce="Ann")
    finally:
        fairness.commit = commit
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK | {"deal": FAILED})


async def leaves_the_nonce_out(desk: Desk) -> Told:
    """The deck follows from the secret alone."""
    seed_of, fairness.seed_of = fairness.seed_of, lambda secret, nonce: _SEED_OF(secret, "")
    try:
        room = await desk.create(game="aces-up", nonce="Ann")
    finally:
        fairness.seed_of = seed_of
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK | {"deal": FAILED})


async def replaces_a_shuffle(desk: Desk) -> Told:
    """The shuffle is a fair one, but not the one it had committed itself to."""
    room = await desk.create(game="montana")
    old, decide._chance = decide._chance, lambda state, table: Random(5)
    try:
        await desk.moves(room, "s")
    finally:
        decide._chance = old
    await desk.do(room, ANN, Resign(room=room.id))
    return Told(await desk.text(room), ALL_OK | {"rules": FAILED})


async def moves_a_kept_card_in_a_shuffle(desk: Desk) -> Told:
    """No shuffle leads there: that shows while the game runs."""
    room = await desk.create(game="montana")

    class Never:
        def shuffle(self, x: list[tuple[object, ...]], /) -> None:
            x[0] = x[1]

    old, decide._chance = decide._chance, lambda state, table: Never()
    try:
        await desk.do(room, ANN, Move(room=room.id, move="s"))
    finally:
        decide._chance = old
    return Told(await desk.text(room), RUNNING | {"rules": FAILED})


CHEATS: dict[str, Play] = {
    "cheat-" + play.__name__.replace("_", "-"): play
    for play in (
        *(swaps_hidden_cards, swaps_hidden_cards_until_the_end, reshuffles_the_stock),
        *(deals_a_deck_of_its_choice, looks_for_a_deal_number, leaves_the_nonce_out),
        *(replaces_a_shuffle, moves_a_kept_card_in_a_shuffle),
    )
}
