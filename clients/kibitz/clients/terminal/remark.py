"""A comment that somebody types who looks on, key by key.

Promises: while one is being typed no key means anything else; what is refused is told.
"""

from kibitz.protocol.limits import MAX_SAY
from kibitz.protocol.mirror import Mirror

from ..session import Client, Refused
from ..telling import refused_because
from .screen import Screen

KEY = "c"
HINT = "c: comment · "
ENTER, RUBOUT, ENOUGH = ("\r", "\n"), ("\x7f", "\b"), ("\x1b", "\x03", "\x04", "")


class Remark:
    """What is being typed, if anything is."""

    def __init__(self, client: Client, mirror: Mirror, screen: Screen) -> None:
        self._client = client
        self._mirror = mirror
        self._screen = screen
        self._typed: str | None = None

    @property
    def hint(self) -> str:
        """The key that begins one, where the room takes any; for the foot of the page."""
        return HINT if self._is_welcome else ""

    @property
    def asks(self) -> str:
        """What has been typed so far, for the foot of the page."""
        return "" if self._typed is None else f"say: {self._typed}_ (Enter; Esc: not)"

    @property
    def _is_welcome(self) -> bool:
        course = self._mirror.course
        return self._mirror.info.policy.say and course.comments is not False

    async def press(self, key: str) -> bool:
        """Take a key, if it is for a comment; whether it was."""
        if self._typed is None:
            if key != KEY or not self._is_welcome:
                return False
            self._typed = ""
        elif key in ENTER:
            await self._say(self._typed.strip())
        elif key in ENOUGH:
            self._typed = None
            return key != ""
        elif key in RUBOUT:
            self._typed = self._typed[:-1]
        elif key.isprintable():
            self._typed = (self._typed + key)[:MAX_SAY]
        return True

    async def _say(self, text: str) -> None:
        self._typed = None
        if not text:
            return
        try:
            await self._client.say(self._mirror.room, text)
        except Refused as refused:
            self._screen.remark(refused_because(refused))
