"""One connection's account with the limits: what it asks is counted, what it follows is kept.

Promises: reading how one's own rooms are is granted once a second, whatever is used up; whoever
goes on regardless is closed with 4429. Never: answer, know what a request does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from kibitz.protocol import requests as ask
from kibitz.protocol.codes import CloseCode, ErrorCode, Refused
from kibitz.protocol.limits import MAX_FRAME
from kibitz.protocol.session import MustClose

from .holdings import Followed
from .places import place_of
from .prices import (
    BYTES_A_REQUEST,
    EVENTS_A_READ,
    PLAIN,
    SECONDS_A_REQUEST,
    TOKEN,
    charges_of,
)
from .settings import Limits
from .table import Over, Table, Who

PATIENCE = 20
"""Requests over a limit that are refused at once; each one more takes a rest."""
REST_SECONDS = 0.003
"""How long each of those who are resting rests: so all together are refused at this pace."""
CONNECTS_AN_ABUSE = 100
"""Who is closed with 4429 has used up so many of the connections that his address may make."""


class Followable(Protocol):
    """A room, as far as it is counted."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


@dataclass(frozen=True, slots=True)
class Bank:
    """What all accounts of a server share.

    ``count`` is told of every refusal's limit, ``opens`` says whether a key is the operator's.
    """

    limits: Limits
    table: Table
    followed: Followed
    count: Callable[[str], None]
    opens: Callable[[str | None], bool]
    resting: set[int] = field(default_factory=set)
    """The connections that are not read just now, because they asked far too much."""


class Account:
    """The account of one connection."""

    __slots__ = ("_bank", "_number", "_refused", "_who", "place", "rooms")

    def __init__(self, bank: Bank, number: int, address: str) -> None:
        self._bank = bank
        self._number = number
        self.place = place_of(address, bank.limits.count_loopback)
        """What its address counts as."""
        self.rooms = 0
        """How many rooms it follows."""
        self._who: Who = number, None, self.place
        self._refused = 0

    def greeted(self, identity: str) -> None:
        """It is known who is there."""
        self._who = self._who[0], identity, self.place

    def check_size(self, size: int) -> None:
        """Look at nothing large of somebody who asks too much.

        Raises:
            Refused: He does.
            MustClose: And has for long.

        """
        if size > MAX_FRAME and (over := self._bank.table.over("requests", self._who)):
            raise self._too_many(over, size)

    def count(self, request: ask.Request, size: int, follows: Callable[[str], bool]) -> None:
        """Count a request, which came in so many bytes.

        Raises:
            Refused: It is above a limit.
            MustClose: Far above.

        """
        charges = charges_of(request, size, self._bank.opens)
        over = self._bank.table.take(charges, self._who)
        if over is None:
            if self._refused:
                self._refused -= 1
        elif not self._is_spared(request, follows):
            raise self._too_many(over, size)

    def count_frame(self, size: int = 0) -> None:
        """Count a frame that is no request: a broken one, a ping, a fragment.

        Raises:
            Refused: It is above a limit.
            MustClose: Far above.

        """
        charges = PLAIN if size <= MAX_FRAME else (("requests", size / BYTES_A_REQUEST),)
        if over := self._bank.table.take(charges, self._who):
            raise self._too_many(over, size)

    def count_token(self) -> None:
        """Count a token that is none.

        Raises:
            MustClose: There have been too many.

        """
        if over := self._bank.table.take(TOKEN, self._who):
            self._bank.count(over.limit)
            raise MustClose(CloseCode.ABUSE, f"too many {over.limit}")

    def count_events(self, count: int) -> None:
        """Count events that somebody was given: his next reading takes longer to come."""
        self._bank.table.charge("reads", count / EVENTS_A_READ, self._who)

    def count_work(self, seconds: float) -> None:
        """Count what a command took more than others: the next ones take longer to come."""
        self._bank.table.charge("requests", seconds / SECONDS_A_REQUEST, self._who)

    def count_refusal(self, refused: Refused) -> None:
        """Count a refusal of somebody who holds too much."""
        if refused.limit and refused.code is ErrorCode.FULL:
            self._bank.count(refused.limit)

    def _is_spared(self, request: ask.Request, follows: Callable[[str], bool]) -> bool:
        """Whether somebody only wants to see how his own rooms are, and that not too often."""
        match request:
            case ask.Hello() | ask.Ping():
                own = True
            case ask.ViewAt(room=room) | ask.History(room=room) | ask.Moves(room=room):
                own = follows(room)
            case ask.Join(room=room, password=None, from_=from_):
                own = from_ is not None or follows(room)
            case _:
                own = False
        return own and self._bank.table.spare((self._who[0], type(request)))

    def _too_many(self, over: Over, size: int) -> Refused:
        self._refused += 1 + size // BYTES_A_REQUEST
        self._bank.count(over.limit)
        if self._refused > self._bank.limits.refused:
            self._bank.table.charge("connects", CONNECTS_AN_ABUSE, self._who)
            raise MustClose(CloseCode.ABUSE, f"far too many {over.limit}")
        return over.refused()

    def rest(self) -> float:
        """How long nothing more is read of somebody who was refused, in seconds."""
        if self._refused <= PATIENCE:
            return 0.0
        self._bank.resting.add(self._number)
        return REST_SECONDS * len(self._bank.resting)

    def rested(self) -> None:
        """He is heard again."""
        self._bank.resting.discard(self._number)

    # What is followed

    def check_follow(self, room: str | None) -> None:
        """Check that one more room may be followed; ``None``: a new one.

        Raises:
            Refused: There are as many as there may be.

        """
        if over := self._bank.followed.over(self.place, room, self.rooms):
            raise over.full(room)

    def follow(self, room: Followable) -> None:
        """One more is."""
        self.rooms += 1
        self._bank.followed.add(self.place, room.id)

    def unfollow(self, room: Followable) -> None:
        """One less is."""
        self.rooms -= 1
        self._bank.followed.remove(self.place, room.id)
