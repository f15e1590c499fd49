"""How a command reaches its server, and as whom: the options of all that do, and what they mean.

Promises: every command that connects has the same ones. Never: a secret on the command line.
"""

import os
import shlex
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import outcome
from ..outcome import SERVER

if TYPE_CHECKING:
    from ..session import Client
    from ..terminal.tokens import Tokens
    from ..trust import Trust

Talking = Callable[["Client"], Awaitable[None]]
"""What is said on a connection."""
PASSWORD = "KIBITZ_ROOM_PASSWORD"
"""The variable that may hold a room's password."""
LONGEST_WAIT = 0.5
"""Seconds that somebody is kept waiting by a limit without a word."""


def _addresses(said: list[str]) -> list[str]:
    return [outcome.address(each) for each in said]


Server = Annotated[
    str,
    typer.Option(
        envvar="KIBITZ_SERVER",
        callback=outcome.address,
        help="The server's address, or its page's.",
    ),
]
Servers = Annotated[
    list[str],
    typer.Option(
        "--server",
        envvar="KIBITZ_SERVER",
        callback=_addresses,
        help="The server's address, or its page's; repeatable (in KIBITZ_SERVER: with a blank "
        "between), for several servers on the same rooms: any that answers, another one when it is "
        "lost.",
        metavar="URL",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        help="Who you are: where your identity is kept, or a file with a token that somebody gave "
        "you (which KIBITZ_TOKEN may hold, too). Commands that play or present make it if there "
        "is none; those that only look want one that is there."
    ),
]
TlsCa = Annotated[
    Path | None,
    typer.Option(envvar="KIBITZ_TLS_CA", help="The authority of the server's certificate (PEM)."),
]
Invite = Annotated[str | None, typer.Option(help="What lets you into a private room.")]
WithPassword = Annotated[
    bool,
    typer.Option("--password", help=f"The room has a password: it is asked for, or in {PASSWORD}."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A server, or several on the same rooms, and who we are there."""

    server: Servers = field(default_factory=lambda: [SERVER])
    token_file: TokenFile = None
    tls_ca: TlsCa = None

    @property
    def where(self) -> str:
        """What the commands of others need to find the server, to be printed behind them."""
        named = [] if self.server == [SERVER] else self.server
        address = "".join(f" --server {each}" for each in named)
        return f"{address}{_option('--tls-ca', self.tls_ca)}"

    @property
    def shown(self) -> str:
        """The same, where they come to a room of ours."""
        return self.where

    @property
    def again(self) -> str:
        """The same for our own commands."""
        return f"{self.where}{_option('--token-file', self.token_file)}"

    @property
    def trust(self) -> "Trust | None":
        """Whose certificates are good; ends the command if the file says of none."""
        return outcome.trust(self.tls_ca)

    @property
    def token(self) -> str | None:
        """A token that somebody gave us, or that the named file has."""
        from ..terminal.tokens import Tokens

        chosen = Tokens.chosen(self.token_file)
        if self.token_file is None:
            return chosen.given()
        if missing := self._missing:
            raise outcome.unusable(missing)
        return chosen.get(*self.server)

    @property
    def _missing(self) -> str:
        """What is wrong with a file that was named, if nothing can be read from it."""
        try:
            with self.token_file.open("rb") if self.token_file else nullcontext():
                return ""
        except FileNotFoundError:
            return f"{self.token_file}: no such file"
        except OSError as error:
            return f"could not open {self.token_file}: {error.strerror}"

    @property
    def who(self) -> str:
        """What is said where we have to say who we are: that the named file is none, if so."""
        return self._missing or outcome.WHO

    def remembered(self, name: str | None = None) -> tuple[str | None, Callable[["Client"], None]]:
        """Our token from the named file, and what keeps there whom the server takes us for.

        Where none is named: a token that we were given, or none, and nothing is kept.
        """
        from ..terminal.tokens import Tokens

        kept = Tokens.chosen(self.token_file)
        if self.token_file is None:
            return kept.given(), lambda client: None
        told = kept.get(*self.server)
        return told, lambda client: self._keep(kept, client, told, name)

    def _keep(self, kept: "Tokens", client: "Client", told: str | None, name: str | None) -> None:
        """Keep who we are there, for every server that was named and knows no other of us."""
        for each in self.server:
            if kept.get(each) in (None, client.welcome.token, told):
                kept.keep(each, client.welcome.token, name)

    def talk(self, talking: Talking, *, name: str | None = None) -> None:
        """Talk as nobody in particular, or with the token that was given or named."""
        trust, token = self.trust, self.token
        outcome.talk(self.server, self._prepared(talking), name=name, token=token, trust=trust)

    def talk_as_ever(
        self,
        talking: Talking,
        *,
        name: str | None = None,
        password: str | None = None,
        keep: bool = True,
        refused: int = 1,
    ) -> None:
        """Talk as who we have always been there, and keep that, if that is wanted.

        Args:
            talking: What to say.
            name: The display name; that of the last time, if none is said.
            password: Of the room; it is asked for, if none is said and there is one.
            keep: Whether a new identity is kept.
            refused: The exit code where the server refuses.

        """
        from ..terminal.tokens import Tokens

        kept = Tokens.chosen(self.token_file)
        if not keep and (missing := self._missing):
            raise outcome.unusable(missing)
        prepared, told = self._prepared(talking, password), kept.get(*self.server)

        async def talk(client: "Client") -> None:
            if keep:
                self._keep(kept, client, told, name)
            await prepared(client)

        outcome.talk(
            self.server,
            talk,
            name=kept.name(*self.server) if name is None else name,
            token=told,
            trust=self.trust,
            refused=refused,
            who=self.who,
        )

    def _prepared(self, talking: Talking, password: str | None = None) -> Talking:
        """The same talk, in which nobody waits for long without knowing why."""

        async def talk(client: "Client") -> None:
            client.waits, client.password = LONGEST_WAIT, password
            await talking(client)

        return talk


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Access):
    """A server, and what lets into its closed rooms."""

    invite: Invite = None
    password: WithPassword = False

    @property
    def shown(self) -> str:
        """What others need to come to a room of ours."""
        return f"{self.where}{' --password' if self.password else ''}"

    def secret(self, *, new: bool = False) -> str | None:
        """The room's password, if it has one; that of a new room is typed twice."""
        from kibitz.protocol.limits import MAX_PASSWORD

        if not self.password:
            return None
        said = os.environ.get(PASSWORD) or _asked(new)
        if not 0 < len(said) <= MAX_PASSWORD:
            raise outcome.unusable(f"a password has 1 to {MAX_PASSWORD} characters")
        return said

    def _prepared(self, talking: Talking, password: str | None = None) -> Talking:
        from kibitz.protocol.limits import MAX_INVITE

        if self.invite is not None and not 0 < len(self.invite) <= MAX_INVITE:
            raise outcome.unusable(f"{self.invite[:32]!r} is no invite")
        prepared = Access._prepared(self, talking, password or self.secret())

        async def talk(client: "Client") -> None:
            client.invited = self.invite
            await prepared(client)

        return talk


def _asked(twice: bool) -> str:
    """A password that somebody types without seeing it."""
    import getpass
    import sys

    if not sys.stdin.isatty():
        raise outcome.unusable(f"which password? (in {PASSWORD}, or typed at a terminal)")
    said = getpass.getpass("The room's password: ")
    if twice and getpass.getpass("Once more: ") != said:
        raise outcome.unusable("those are two passwords")
    return said


def _option(flag: str, path: Path | None) -> str:
    return "" if path is None else f" {flag} {shlex.quote(str(path))}"
