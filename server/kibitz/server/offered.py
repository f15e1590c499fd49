"""What a server says of itself to whoever comes: the games it has, the limits of what is said."""

from collections.abc import Mapping

import msgspec

from kibitz.engine.games import GAMES, TEXTS
from kibitz.protocol import limits
from kibitz.protocol.games import Action, GameInfo, LayoutPlace
from kibitz.protocol.wire import Encoding

GAME_INFOS: Mapping[str, GameInfo] = {
    name: GameInfo(
        title=game.title,
        options=dict(game.options),
        layout=[LayoutPlace(p.pile, p.kind, p.column, p.row) for p in game.layout],  # type: ignore[arg-type]
        help=TEXTS[name].help,
        actions=[Action(action.line, action.label) for action in TEXTS[name].actions],
    )
    for name, game in GAMES.items()
}
GAMES_ENCODED = {
    Encoding.JSON: msgspec.Raw(msgspec.json.encode(GAME_INFOS)),
    Encoding.MSGPACK: msgspec.Raw(msgspec.msgpack.encode(GAME_INFOS)),
}
"""They are the same for everybody."""
LIMITS = {
    "frame": limits.MAX_FRAME,
    "save": limits.MAX_SAVE,
    "say": limits.MAX_SAY,
    "name": limits.MAX_NAME,
    "seats": limits.MAX_SEATS,
    "racers": limits.MAX_RACERS,
    "nesting": limits.MAX_NESTING,
}


def limits_with(
    counts: Mapping[str, int], analysis: float, advice: float, winnable: float
) -> dict[str, int]:
    """The same and this server's: how many of what, and seconds for each kind of search."""
    seconds = {"analysis": analysis, "advice": advice, "winnable": winnable}
    return LIMITS | dict(counts) | {name: round(each * 1000) for name, each in seconds.items()}
