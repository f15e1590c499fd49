"""The servers of one deployment, any of which will do: which of them is tried next.

Promises: whoever loses one goes to the next; all are tried before anybody waits, and none twice
meanwhile. Never: a connection, a clock.
"""

from collections.abc import Sequence

from .ends import Unreachable


class Rounds:
    """One address or several, gone through round after round."""

    def __init__(self, urls: str | Sequence[str]) -> None:
        """Begin with the first.

        Args:
            urls: The addresses, the one that is liked best first.

        Raises:
            ValueError: There are none.

        """
        self.urls = (urls,) if isinstance(urls, str) else tuple(dict.fromkeys(urls))
        if not self.urls:
            raise ValueError("no address of a server")
        self._at = 0
        self._failures: list[Unreachable] = []
        self._aways: list[float] = []

    @property
    def url(self) -> str:
        """The address whose turn it is."""
        return self.urls[self._at]

    @property
    def has_others(self) -> bool:
        """Whether there is another one than that."""
        return len(self.urls) > 1

    def met(self) -> None:
        """It is a server: if it is lost, all have another chance."""
        self._failures.clear()
        self._aways.clear()

    def lost(self) -> None:
        """It was one, and is gone: the next has its turn."""
        self._at = (self._at + 1) % len(self.urls)

    def failed(self, why: Unreachable, away: float) -> tuple[Unreachable, float] | None:
        """Nobody takes us in there: the next has its turn.

        Args:
            why: What there is in place of a server.
            away: Seconds for which nobody is wanted there.

        Returns:
            ``None`` while others are left to be tried; else the failure that says most, and after
            how many seconds somebody may take us in.

        """
        self._failures.append(why)
        self._aways.append(away)
        self.lost()
        if len(self._failures) < len(self.urls):
            return None
        telling = [each for each in self._failures if type(each) is not Unreachable]
        most, least = (telling or self._failures)[0], min(self._aways)
        self.met()
        return most, least
