"""What the streams have: asked of their leaders, one by one, or of any replica, many at once.

Promises: what many are asked for comes whole, or it is said that it did not. A replica may lag:
whoever needs what is newest asks the leader, or knows what he has to find and asks again.
"""

import base64
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..log import LogFailure
from .connection import NotSent, Unknown
from .link import Link, headers_of

BATCH = 1000
"""Messages of one subject that are asked for at once."""
SUBJECTS = 100
"""Subjects that are asked for at once, each for its last message: the client library takes up what
has come in one go, and 100 messages hold the loop for some 10 ms."""
NONE_FOUND = 10037
"""Error: there is no such message."""
NO_STREAM = 10059
"""Error: there is no such stream."""
NONE = "404"
END_OF_BATCH = "204"


class Unwritable(LogFailure):
    """Nothing can be written, whatever it is; of what was to be written nothing is stored."""


class Found(Struct):
    """A message in a stream."""

    subject: str
    number: int
    headers: Mapping[str, str]
    body: bytes


class Source:
    """Where messages are read."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def last(self, stream: str, subject: str) -> Found | None:
        """The last message of a subject, as the leader has it.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        return await self._of_leader(stream, {"last_by_subj": subject})

    async def next(self, stream: str, subject: str, number: int) -> Found | None:
        """The first message of a subject from a number on, as the leader has it.

        Raises:
            NotSent, Unknown: Nobody can say for now.

        """
        return await self._of_leader(stream, {"next_by_subj": subject, "seq": number})

    async def _of_leader(self, stream: str, what: dict[str, Any]) -> Found | None:
        subject = f"$JS.API.STREAM.MSG.GET.{stream}"
        try:
            answer = msgspec.json.decode(await self._link.ask(subject, msgspec.json.encode(what)))
        except msgspec.DecodeError as error:
            raise Unknown(str(error)) from error
        if problem := answer.get("error"):
            if problem.get("err_code") == NONE_FOUND:
                return None
            if problem.get("err_code") == NO_STREAM:
                raise Unwritable(gone(stream))
            raise Unknown(str(problem.get("description")))
        found = answer["message"]
        lines = base64.b64decode(found.get("hdrs", "")).decode().split("\r\n")[1:]
        headers = dict(line.split(": ", 1) for line in lines if ": " in line)
        body = base64.b64decode(found.get("data", ""))
        return Found(found["subject"], found["seq"], headers, body)

    async def lacks(self, stream: str) -> bool:
        """Whether there is no such stream, for certain."""
        try:
            answer = msgspec.json.decode(await self._link.ask(f"$JS.API.STREAM.INFO.{stream}"))
        except (NotSent, Unknown, msgspec.DecodeError):
            return False
        return bool(answer.get("error", {}).get("err_code") == NO_STREAM)

    async def pages(
        self, stream: str, subject: str, number: int, batch: int = BATCH
    ) -> AsyncGenerator[list[Found], None]:
        """The messages of a subject, which may have wildcards, from a number on.

        Raises:
            NotSent, Unknown: Not all of them have come.

        """
        pending = 1
        while pending:
            what = {"next_by_subj": subject, "seq": max(1, number), "batch": batch}
            found, pending = await self._directly(stream, what)
            if not found:
                return
            yield found
            number = found[-1].number + 1

    async def lasts(self, stream: str, subjects: Sequence[str]) -> dict[str, Found]:
        """The last message of each of these subjects that has any.

        Raises:
            NotSent, Unknown: Not all of them have come.

        """
        got: dict[str, Found] = {}
        for begin in range(0, len(subjects), SUBJECTS):
            asked, pending = list(subjects[begin : begin + SUBJECTS]), 1
            while asked and pending:
                what = {"multi_last": asked, "batch": len(asked)}
                found, pending = await self._directly(stream, what)
                got.update((each.subject, each) for each in found)
                if not found:
                    break
                asked = [subject for subject in asked if subject not in got]
        return got

    async def _directly(self, stream: str, what: dict[str, Any]) -> tuple[list[Found], int]:
        """Messages from any replica, and how many more there are."""
        subject = f"$JS.API.DIRECT.GET.{stream}"
        messages, end = await self._link.ask_many(subject, msgspec.json.encode(what))
        if end["Status"] == NONE:
            return [], 0
        if end["Status"] != END_OF_BATCH:
            raise Unknown(f"{end['Status']} {end.get('Description', '')}")
        found: list[Found] = []
        before = 0
        try:
            for message in messages:
                headers = headers_of(message)
                if int(headers["Nats-Last-Sequence"]) != before:
                    raise Unknown("an answer was lost")
                before = int(headers["Nats-Sequence"])
                found.append(Found(headers["Nats-Subject"], before, headers, message.data))
            if found and int(end["Nats-Last-Sequence"]) != before:
                raise Unknown("an answer was lost")
            return found, int(end.get("Nats-Num-Pending", 0))
        except (LookupError, ValueError) as error:
            raise Unknown("an answer that no server gives") from error


def gone(stream: str) -> str:
    """What is said of a stream that is there no more."""
    return f"the stream {stream} is gone: was it deleted, or has a server lost its files?"
