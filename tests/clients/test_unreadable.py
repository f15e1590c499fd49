"""What a server cannot read: it is not sent, or not again."""

import asyncio

import pytest
from clients.commands import PATIENCE
from clients.test_session import read_all
from raw import CONT, TEXT, frame
from servers import Running

from kibitz.clients.session import (
    Closed,
    Refused,
    connect,
)
from kibitz.protocol.codes import ErrorCode
from kibitz.protocol.limits import MAX_MESSAGE
from kibitz.protocol.wire import Encoding

pytestmark = pytest.mark.usefixtures("no_task_is_left")

UNREADABLE = {
    1002: frame(CONT, b"x"),
    1007: frame(TEXT, b"\xff"),
    1009: frame(TEXT, b" " * (MAX_MESSAGE + 1))[:14],
}
"""Frames that are none, and how they are answered."""


@pytest.mark.parametrize("code", UNREADABLE)
async def test_what_a_server_cannot_read_is_not_sent_again(server: Running, code: int) -> None:
    async with connect(server.url, encoding=Encoding.JSON) as client:
        pushes = client.events()
        assert client._socket is not None
        client._socket.transport.write(UNREADABLE[code])
        with pytest.raises(Closed, match=str(code)) as caught:
            await asyncio.wait_for(read_all(pushes), PATIENCE)
        assert caught.value.code == code
        with pytest.raises(Closed, match="the server closed the connection"):
            await client.rooms()


@pytest.mark.parametrize("encoding", Encoding)
async def test_what_no_server_reads_is_sent_to_none(server: Running, encoding: Encoding) -> None:
    async with connect(server.url, encoding=encoding) as client:
        mirror = await client.create("montana")
        for text, why in (
            ("m" * MAX_MESSAGE, ErrorCode.TOO_LARGE),
            ("é" * (MAX_MESSAGE // 2), ErrorCode.TOO_LARGE),
            ("\udcff", ErrorCode.BAD_MESSAGE),
        ):
            with pytest.raises(Refused) as caught:
                await client.move(mirror.room, text)
            assert caught.value.code is why
        await client.say(mirror.room, "still here")
        assert client._asked.requests == []


async def test_a_name_that_is_no_text_is_refused(server: Running) -> None:
    with pytest.raises(Refused, match="no text") as caught:
        async with connect(server.url, name="\udcff"):
            pass
    assert caught.value.code is ErrorCode.BAD_MESSAGE
