"""What the checks have found."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Check = Literal["file", "chain", "openings", "deal", "rules"]
CHECKS: tuple[Check, ...] = ("file", "chain", "openings", "deal", "rules")
"""In the order in which they are told."""
Result = Literal["ok", "failed", "open"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found.

    Attributes:
        check: Which.
        result: Whether it is so; ``open``: nobody can know that yet, or from this.
        says: One sentence, if there is anything to be said.
        event: The number of the first event that does not fit.
        line: The number of the first line that does not fit.

    """

    check: Check
    result: Result
    says: str = ""
    event: int | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = "" if self.event is None else f"event {self.event}: "
        where += "" if self.line is None else f"line {self.line}: "
        return f"{self.check:<9} {self.result:<7} {where}{self.says}".rstrip()


class Verdict:
    """A finding of each check."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        found = {finding.check: finding for finding in findings}
        self.findings = [found.get(check, Finding(check, "open")) for check in CHECKS]

    @property
    def failed(self) -> bool:
        """Whether something is not as it was said to be."""
        return any(finding.result == "failed" for finding in self.findings)

    @property
    def results(self) -> dict[Check, Result]:
        """The results alone."""
        return {finding.check: finding.result for finding in self.findings}


EDITED = "only blanks or line ends at its end were changed, perhaps by an editor or mail"


class Unfit(Exception):
    """Something does not fit: at an event, if it is about one."""

    def __init__(self, says: str, event: int | None = None) -> None:
        super().__init__(says)
        self.says, self.event = says, event

    def of(self, check: Check) -> Finding:
        """The finding of a check that came upon it."""
        return Finding(check, "failed", self.says, self.event)
