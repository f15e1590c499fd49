"""The checks of a replay text: it names no events and no openings, but all that follows from them.

What is in the text is played by the rules; once the game has ended, its headers have the secret,
from which the deal and every shuffle must follow.
"""

from kibitz.engine import replays
from kibitz.engine.board import Kind
from kibitz.engine.deals import Drawn
from kibitz.engine.game import BadOption, play
from kibitz.engine.game import Shuffle as Shuffling
from kibitz.engine.games import TEXTS
from kibitz.engine.notation import write_piles
from kibitz.engine.replays import MAX_REPLAY, Replay, ReplayError
from kibitz.engine.seals import Seal, seal_of
from kibitz.protocol.fairness import seed_of, shuffle_key
from kibitz.protocol.views import Fair, Opened

from .deal import check_secret, said_of
from .verdict import EDITED, Finding, Unfit, Verdict

NEEDED = ("root", "pledge", "sha256")
FAIR = (*NEEDED, "nonce", "loaded", "numbered", "secret")
"""The headers of a room that has committed itself: with one of them all that are needed."""
YES = "yes"


def verdict_on_text(data: bytes) -> Verdict:
    """What the checks make of a replay text."""
    try:
        replay = replays.read(data[: MAX_REPLAY + 1].decode(errors="replace"))
    except ReplayError as error:
        return Verdict([_failed("file", error)])
    none = Finding("chain", "open", "a text has no hashes")
    return Verdict([_file(replay, data), none, _openings(replay), _deal(replay), _rules(replay)])


def _failed(check: str, error: ReplayError) -> Finding:
    said = f"column {error.column}: {error.reason}" if error.column > 1 else error.reason
    return Finding(check, "failed", said, line=error.line)  # type: ignore[arg-type]


def _file(replay: Replay, data: bytes) -> Finding:
    said = [key for key in FAIR if key in replay.headers]
    missing = [key for key in NEEDED if key not in replay.headers]
    seal = seal_of(data)
    if not said and seal is Seal.NONE:
        return Finding("file", "ok", "it has no digest")
    if missing:
        return Finding("file", "failed", f"the header `# {missing[0]}` is missing")
    if seal is Seal.BROKEN and seal_of(data.rstrip() + b"\n") is Seal.RIGHT:
        return Finding("file", "failed", EDITED)
    if seal is not Seal.RIGHT:
        return Finding("file", "failed", seal.value)
    return Finding("file", "ok")


def _openings(replay: Replay) -> Finding:
    if "root" not in replay.headers:
        return Finding("openings", "open", "this game has committed itself to nothing")
    return Finding("openings", "open", f"a text has none; the root is {replay.headers['root']}")


def _deal(replay: Replay) -> Finding:
    headers = replay.headers
    if not replay.shown:
        return Finding("deal", "open", "cards are hidden: this game was still running")
    try:
        replays.check_deal(replay)
    except ReplayError as error:
        return _failed("deal", error)
    if "secret" not in headers or "root" not in headers:
        if "deal" in headers:
            return Finding("deal", "ok", f"deal {headers['deal']}")
        return Finding("deal", "open", "it is not said where the cards came from")
    fair = Fair(
        root=headers["root"],
        pledge=headers.get("pledge", ""),
        nonce=headers.get("nonce"),
        loaded=headers.get("loaded") == YES,
        numbered=headers.get("numbered") == YES,
    )
    seed = _seed(replay)
    opened = Opened(
        start=write_piles(replay.start),
        counters=dict(replay.start.counters),
        seed=seed.hex() if seed else "",
        deal=headers.get("deal"),
        secret=headers["secret"],
    )
    try:
        check_secret(replay.game, replay.start, fair, opened)
    except (Unfit, BadOption) as error:
        return Finding("deal", "failed", str(error), line=replay.first)
    return Finding("deal", "ok", said_of(fair, opened))


def _seed(replay: Replay) -> bytes | None:
    """What shuffles follow from, where the text says it."""
    try:
        secret = bytes.fromhex(replay.headers.get("secret", ""))
    except ValueError:
        return None
    return seed_of(secret, replay.headers.get("nonce", "")) if secret else None


def _rules(replay: Replay) -> Finding:
    if not replay.shown:
        if replay.fault:
            return _failed("rules", replay.fault)
        room = replay.headers.get("room", "ROOM")
        return Finding("rules", "open", f"cards are hidden; `kibitz verify {room}` knows more")
    try:
        end = replays.check_rules(replay)
        believed = _believed(replay)
    except ReplayError as error:
        return _failed("rules", error)
    if believed:
        return Finding("rules", "open", "what shuffles follow from is not said")
    commands = sum(1 for step in replay.steps if step.command)
    won = ", won" if replay.game.is_won(end) else ""
    many = f"{commands} command{'s' * (commands != 1)}"
    return Finding("rules", "ok", f"{replay.game.name}, {many}{won}")


def _believed(replay: Replay) -> bool:
    """Whether there were shuffles of which nobody can know what they follow from.

    Raises:
        ReplayError: One of them does not follow from what is known.

    """
    seed, text = _seed(replay), TEXTS[replay.game.name]
    before, fair = replay.start, "root" in replay.headers
    for played in replays.follow(replay):
        kind: Kind | None = played.kind
        if kind == "move" and text.parse(played.step.command) == Shuffling():
            if seed is None and fair:
                return True
            if seed is not None:
                chance = Drawn(shuffle_key(seed, replay.start, before, replay.game))
                if play(replay.game, before, Shuffling(), chance).facts != played.facts:
                    raise ReplayError(played.step.line, 1, "that is not how it was shuffled")
        before = played.table
    return False
