"""``kibitz replay``: a game of the past, by keys on a terminal, printed through a pipe.

Promises: every position in order; of a file, as far as it fits the rules, and then why no farther.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from kibitz.protocol.playhead import due_at, position_at
from kibitz.protocol.views import Control, Recorded

from ..film import Film, Load, Text
from ..racing import board_told
from .analysis import Analysis
from .controls import BACK, HINT, LEFT, STOPS, Controls, Wish, words_of
from .keys import Keys
from .reels import Reel
from .screen import MAX_REMARKS, Screen
from .waiting import first_of

MORE = "… (`w` shows it on the board)"
"""What stands for the rest of an analysis that is longer than the screen."""
TICK = 1.0
"""Seconds after which it is told anew how long an analysis takes."""
READING = "reading… · q: quit"


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a replay shall begin.

    Attributes:
        control: Where, and whether it plays.
        board: Index of the board of a race.
        opened: Whether all cards are open.
        step: Whether to wait for a key at every step, through a pipe, too.

    """

    control: Control
    board: int = 0
    opened: bool = False
    step: bool = False


class Show:
    """A film on a terminal: what is to be seen at a number, and where that is."""

    def __init__(self, film: Film, screen: Screen) -> None:
        self.film = film
        self.also = ""
        """What is said beside where it is."""
        self._screen = screen

    def draw(self, at: int, control: Control, *more: str, details: Sequence[str] = ()) -> None:
        """Draw the page of an event.

        Args:
            at: Its number.
            control: How the replay goes on.
            more: What is said at its foot.
            details: What is said above that, as far as there is room.

        """
        scene = self.film.scene_at(at)
        if scene is None:
            return
        scene.now = self.film.times[at - 1]
        self._screen.footer = [words_of(control, at, self.film) + self.also, *more]
        self._screen.details, self._screen.details_more = [*details], MORE
        self._screen.remarks_are(self.film.said_at(at, MAX_REMARKS))
        self._screen.draw(scene)


async def loaded(reel: Reel, opened: bool, screen: Screen, keys: Keys) -> Film | None:
    """A film, which may take its time; ``None``: a key has said before that it is enough.

    Raises:
        Exception: What the reel raises.

    """
    loading = asyncio.ensure_future(reel.load(opened))

    async def done() -> None:
        await asyncio.wait([loading])

    screen.say(READING)
    try:
        while not loading.done():
            await first_of(done(), keys.ready())
            if not loading.done() and not set(STOPS).isdisjoint(keys.waiting()):
                return None
        return loading.result()
    finally:
        loading.cancel()


async def replay(
    load: Load, wishes: Wishes, screen: Screen, keys: Keys, text: Text | None = None
) -> None:
    """Show a film by keys until a key says that it is enough."""
    analysis = Analysis(text)
    try:
        await _replay(load, wishes, screen, keys, analysis)
    finally:
        await analysis.close()


async def _replay(
    load: Load, wishes: Wishes, screen: Screen, keys: Keys, analysis: Analysis
) -> None:
    film = await load(wishes.opened)
    film.board = wishes.board
    show, controls = Show(film, screen), Controls()
    control, since = replace(wishes.control, at=max(wishes.control.at, film.first)), _now()
    left: tuple[Film, int] | None = None
    """The film of the game and where it was, while it is shown what would have won."""
    while True:
        film = show.film
        recorded = Recorded("", film.last, control, since)
        at = position_at(recorded, film.short, _now())
        if at == film.last:
            control = replace(control, at=at, playing=False)
        faults, told = ([], []) if left else (film.faults, analysis.lines(film.board))
        if told and (whose := _whose(film, at)):
            told.insert(0, whose)
        show.also = BACK if left else analysis.hint(film.board)
        show.draw(at, control, *faults, controls.asks or HINT, details=told)
        due = due_at(recorded, film.short, at + 1)
        waits = [] if due is None else [(due - _now()) / 1000]
        waits += [TICK] if analysis.goes_on(film.board) else []
        await first_of(keys.ready(), analysis.done(), seconds=min(waits, default=None))
        for key in keys.waiting():
            film = show.film
            if key == "w" and not controls.asks:
                aside = left or analysis.winning(film)
                if aside is not None:
                    left = None if left else (film, at)
                    show.film, at = aside
                    control, since = replace(control, at=at, playing=False), _now()
                continue
            if key == "a" and not controls.asks and not left:
                analysis.press(film.board)
                continue
            match controls.press(key, control, at, film):
                case Wish.QUIT:
                    return
                case Wish.OPEN if left:
                    film.opened = not film.opened
                case Wish.OPEN:
                    show.film = await load(not film.opened)
                    show.film.board = film.board
                case Wish.BOARD:
                    film.board = (film.board + 1) % film.boards
                case Control() as said:
                    control, since, at = said, _now(), said.at


def _whose(film: Film, at: int) -> str:
    """Whose board an analysis is about, where there are more of them."""
    scene = film.scene_at(at) if film.boards > 1 else None
    if scene is None:
        return ""
    return f"{board_told(scene.course.seats, film.board)} (Tab shows the next one):"


def _now() -> int:
    return round(time.monotonic() * 1000)


async def print_out(film: Film, wishes: Wishes, screen: Screen, read: Callable[[], str]) -> None:
    """Print it: at once, at the speed that is wished, or a step for every character read."""
    film.board, control = wishes.board, wishes.control
    if wishes.step:
        _print_steps(film, screen, read)
        return
    recorded = Recorded("", film.last, replace(control, at=1), _now())
    for number in range(1, film.last + 1):
        due = due_at(recorded, film.short, number)
        if due is not None:
            await asyncio.sleep(max(due - _now(), 0) / 1000)
        print_frames(film, number, number, screen)


def _print_steps(film: Film, screen: Screen, read: Callable[[], str]) -> None:
    """Print one step for every character that is read, forwards or backwards."""
    at, first = film.first, 1
    while True:
        print_frames(film, first, at, screen)
        key = read()
        if key in STOPS or (at == film.last and key not in LEFT):
            return
        at = film.before(at) if key in LEFT else film.after(at)
        first = film.start_of(at)


def print_frames(film: Film, first: int, last: int, screen: Screen) -> None:
    """Print what was said and seen in some steps of the board that is looked at."""
    for number in range(first, last + 1):
        if said := film.said(number):
            screen.remark(said)
        if scene := film.drawn(number):
            screen.draw(scene)
