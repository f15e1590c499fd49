"""The piles that are hidden when they are looked at are those of the redacted table."""

import pytest
from positions import VARIANTS, playout

from kibitz.engine.table import Redacted, redact_table


@pytest.mark.parametrize("name", VARIANTS)
def test_seen_one_by_one_the_piles_are_the_same(name: str) -> None:
    for table in playout(VARIANTS[name], "7", 60):
        assert dict(Redacted(table.piles)) == redact_table(table).piles
        assert len(Redacted(table.piles)) == len(table.piles)
