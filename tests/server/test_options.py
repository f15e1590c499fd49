"""What a command line says wrongly is told in one sentence, by the option that it is about."""

import pytest
from processes import run

from kibitz.server.limits.table import Over


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--trusted-proxy", "x", "does not appear"),
        ("--says", "often", "often is no rate"),
        ("--allow-origin", "x", "x: an origin looks like"),
        ("--idle-room", "inf", "inf is not a number"),
        ("--tls-cert", "/nope", "kibitz serve: /nope: No such file"),
    ],
)
async def test_a_wrong_option_is_said_in_a_sentence(option: str, value: str, says: str) -> None:
    code, said = await run("--memory", "--port", "0", option, value)
    assert code == 2 and says in said and "Value error" not in said and "Traceback" not in said


def test_nobody_is_told_to_come_back_at_once() -> None:
    refused = Over("joins per address", 4).refused()
    assert refused.message.endswith("come back in 0.1 s") and refused.retry_ms == 4
