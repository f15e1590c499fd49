"""Whether a position can still be won, all cards known: yes and how, provably no, or no answer.

Promises: a line is one that the rules play to the end; ``lost`` is said only when everything the
rules allow has been tried, or when what was left out was shown to change nothing. Never: a clock
of its own; who calls says when it is enough.
"""

from .answers import Answer, Budget, Verdict
from .deciding import solve

__all__ = ["Answer", "Budget", "Verdict", "solve"]
