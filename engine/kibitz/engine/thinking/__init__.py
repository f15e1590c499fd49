"""What to play, by what a player may know: the cards that lie open, and those he has seen.

Promises: the same table, the same chance, the same move; a hidden card is guessed and never looked
at. Never: a clock; how long it thinks follows from how many worlds it is to imagine.
"""

from .breathing import breathing
from .choosing import Policy, Strength, policy

__all__ = ["Policy", "Strength", "breathing", "policy"]
