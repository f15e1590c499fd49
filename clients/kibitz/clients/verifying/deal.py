"""Check ``deal``: the cards lay as the secret and the nonce have it, and as was committed to."""

from kibitz.engine.deals import deck_of, shuffled
from kibitz.engine.game import BadOption, Game
from kibitz.engine.games import GAMES
from kibitz.engine.table import Table
from kibitz.protocol.fairness import Tree, draw_of, items_of, pledge_of, seed_of
from kibitz.protocol.views import Fair, Opened

from .recording import Recording
from .start import laid_open
from .verdict import Finding, Unfit


def check(recording: Recording) -> Finding:
    """Check what the end has laid open."""
    fair, opened = recording.fair, recording.laid_open
    if fair is None:
        return Finding("deal", "open", "this room has committed itself to nothing")
    if opened is None:
        closed = any(event.kind == "closed" for event in recording.events)
        why = (
            "the room was closed before the game had ended" if closed else "the game has not ended"
        )
        return Finding("deal", "open", f"{why}; the pledge is {fair.pledge}")
    created = recording.created
    try:
        game = GAMES[created.game or ""].with_options(created.options or {})
        start = laid_open(game, opened)
        check_secret(game, start, fair, opened)
    except Unfit as unfit:
        return unfit.of("deal")
    except BadOption as error:
        return Finding("deal", "failed", str(error))
    return Finding("deal", "ok", said_of(fair, opened))


def said_of(fair: Fair, opened: Opened) -> str:
    """Where the cards came from."""
    if fair.loaded:
        return "a position that was given"
    if opened.deal is not None:
        return f"deal {opened.deal}"
    nonce, draw = draw_of(fair.nonce) or (fair.nonce, None)
    said = "shuffled by the secret" + (f" and the nonce {nonce}" if nonce else "")
    return said if draw is None else f"{said}: draw {draw}, said to be the first known winnable one"


def check_secret(game: Game, start: Table, fair: Fair, opened: Opened) -> None:
    """Check a start against the commitments and the secret.

    Raises:
        Unfit: They do not fit.
        BadOption: There is no such deal number, or no such deal.

    """
    try:
        secret = bytes.fromhex(opened.secret or "")
    except ValueError:
        raise Unfit("the secret is no hex") from None
    if pledge_of(secret) != fair.pledge:
        raise Unfit("the secret is not the one that was pledged")
    nonce = fair.nonce or ""
    seed = seed_of(secret, nonce)
    if opened.seed != seed.hex():
        raise Unfit("the seed does not follow from the secret and the nonce")
    if Tree(items_of(game, start, seed), secret, nonce).root != fair.root:
        raise Unfit("the start is not the one that was committed to")
    if fair.loaded:
        return
    if fair.numbered is not (opened.deal is not None):
        raise Unfit("at the start it was not said so that the deck is that of a deal number")
    deck = shuffled(seed) if opened.deal is None else deck_of(opened.deal)
    if game.deal(deck) != start:
        by = "the seed" if opened.deal is None else f"deal {opened.deal:.64}"
        raise Unfit(f"{by} gives another start")
