"""Thumb and Pouch: any other suit, whole runs, anything to an empty column, one pass.

Source: course document "Thumb and Pouch" of MSU.
"""

from ...cards import down_other_suit
from ..columns import Columns

THUMB_AND_POUCH = Columns(
    name="thumb-and-pouch",
    title="Thumb and Pouch",
    fits=down_other_suit,
    kings_only=False,
    groups=True,
    redeals=0,
    redeals_settable=False,
)
