"""Faults that programs like this one have had, in how games end. Numbers as in the list."""

from random import Random

import pytest
from positions import command, do, foundation, lay_out, rows_of
from test_moves import follow
