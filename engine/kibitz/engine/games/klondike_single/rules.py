"""Klondike, turn one, one card at a time.

Source: course document "Klondike" of MSU: alternating colours, kings to empty columns,
any number of passes through the stock (option ``redeals``).
"""

from ...cards import down_other_colour
from ..columns import Columns

KLONDIKE_SINGLE = Columns(
    name="klondike-single",
    title="Klondike (one card)",
    fits=down_other_colour,
    kings_only=True,
    groups=False,
    redeals=None,
    redeals_settable=True,
)
