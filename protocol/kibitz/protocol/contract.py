"""The protocol, machine-readable: one JSON Schema made from the declared types."""

from typing import Any

import msgspec

from . import limits
from .analysed import Analysed
from .codes import CloseCode, ErrorCode
from .replies import Reply
from .requests import Request


def contract() -> dict[str, Any]:
    """Names, limits, codes and the JSON Schema of every request, every reply and an analysis."""
    (requests, replies, analysis), definitions = msgspec.json.schema_components(
        (Request, Reply, Analysed), ref_template="#/$defs/{name}"
    )
    numbers = {
        name: value
        for name, value in vars(limits).items()
        if name.isupper() and isinstance(value, int | float)
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"kibitz wire protocol v{limits.PROTOCOL}",
        "subprotocols": [limits.MSGPACK_SUBPROTOCOL, limits.JSON_SUBPROTOCOL],
        "limits": numbers,
        "errors": [code.value for code in ErrorCode],
        "closes": {code.name.lower().replace("_", "-"): int(code) for code in CloseCode},
        "request": requests,
        "reply": replies,
        "analysis": analysis,
        "$defs": definitions,
    }
