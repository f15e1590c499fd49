"""What a player may ask of his own game: what to play, whether it can be won, how it ends."""

from .asking import Advised, InRoom


class Advise(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="advise"):
    """What a strong bot would play here, or whether it can still be won, where the room allows it.

    For whoever plays, about the own board: of cards that he cannot know nothing is used.
    """

    what: Advised = "move"


class Finish(InRoom, frozen=True, kw_only=True, omit_defaults=True, tag="finish"):
    """The moves that win the own game without a thought, if by what can be known there are any."""
