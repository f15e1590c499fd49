"""The human page of the protocol says what the declared types say."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

from kibitz.protocol import replies, requests
from kibitz.protocol.analysed import Analysed
from kibitz.protocol.codes import CloseCode, ErrorCode
from kibitz.protocol.contract import contract
from kibitz.protocol.views import Kind
from kibitz.protocol.wire import Encoding, decode_reply, decode_request, encode

PAGE = (Path(__file__).parents[2] / "protocol" / "README.md").read_text()
BLOCKS = re.findall(r"```json (request|reply)\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = [(side, line) for side, block in BLOCKS for line in block.strip().splitlines()]


@pytest.mark.parametrize(("side", "line"), EXAMPLES)
def test_example_is_a_message_in_both_encodings(side: str, line: str) -> None:
    decode: Any = decode_request if side == "request" else decode_reply
    message = decode(line)
    for encoding in Encoding:
        assert decode(encode(message, encoding)) == message
    said = json.loads(line)
    meant = json.loads(msgspec.json.encode(message))
    assert {key: meant[key] for key in said if key in meant} == {
        key: value for key, value in said.items() if key in meant
    }
    assert set(said) <= set(meant) | {"visibility", "role", "on", "limit", "seat", "from", "mode"}


@pytest.mark.parametrize(("side", "line"), EXAMPLES)
def test_example_fits_the_published_schema(side: str, line: str) -> None:
    published = contract()
    schema = {**published[side], "$defs": published["$defs"], "$schema": published["$schema"]}
    jsonschema.Draft202012Validator(schema).validate(json.loads(line))


def test_the_analysis_is_one_as_declared() -> None:
    (said,) = re.findall(r"```json analysis\n(.*?)```", PAGE, re.DOTALL)
    msgspec.json.decode(said, type=Analysed, strict=True)
    published = contract()
    schema = {**published["analysis"], "$defs": published["$defs"], "$schema": published["$schema"]}
    jsonschema.Draft202012Validator(schema).validate(json.loads(said))
    assert set(json.loads(said)) == set(Analysed.__struct_fields__)


@pytest.mark.parametrize("side", ["request", "reply"])
def test_every_message_has_an_example(side: str) -> None:
    declared = requests.Request if side == "request" else replies.Reply
    tags = {str(kind.__struct_config__.tag) for kind in get_args(declared)}
    assert {json.loads(line)["t"] for where, line in EXAMPLES if where == side} == tags


def test_every_code_and_kind_is_named() -> None:
    for code in ErrorCode:
        assert code.value in PAGE
    for close in CloseCode:
        assert str(int(close)) in PAGE
    for kind in get_args(Kind):
        assert f"`{kind}`" in PAGE
