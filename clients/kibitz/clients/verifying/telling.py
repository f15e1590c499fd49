"""A verdict in words, for people and for programs."""

import json

from .verdict import Verdict

MAX_QUOTE = 100
"""Characters shown of a line that does not fit."""


def lines_of(verdict: Verdict, text: bytes = b"") -> list[str]:
    """One line for each check; below a line of a text that does not fit, that line."""
    said: list[str] = []
    for finding in verdict.findings:
        said.append(str(finding))
        if finding.line is not None and (quoted := _line(text, finding.line)):
            said.append(f"{finding.line:>5} | {quoted}")
    return said


def json_of(source: str, verdict: Verdict) -> str:
    """The same for programs."""
    checks = [
        {
            "check": finding.check,
            "result": finding.result,
            "says": finding.says,
            **({} if finding.event is None else {"event": finding.event}),
            **({} if finding.line is None else {"line": finding.line}),
        }
        for finding in verdict.findings
    ]
    return json.dumps({"source": source, "failed": verdict.failed, "checks": checks})


def _line(text: bytes, number: int) -> str:
    lines = text.split(b"\n", number)
    found = lines[number - 1] if number <= len(lines) else b""
    shown = "".join(c if c.isprintable() else "?" for c in found.decode(errors="replace").rstrip())
    return shown[:MAX_QUOTE]
