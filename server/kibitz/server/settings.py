"""What the command line decides: a group of settings for each matter, each of its fields an option.

Promises: every limit has a name, a unit and an option of that name. Never: read a file, the clock.
"""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Option

from .access.addresses import network_of
from .access.origins import origin_of
from .limits.settings import Limits as Limits
from .operation.logs import LogLevel
from .options import check_finite, saying

DATA = Path("kibitz.db")


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the server listens."""

    host: Annotated[str, Option(help="Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Option(help="Port to listen on.", min=0, max=65535)] = 8765
    tls_cert: Annotated[
        Path | None,
        Option(
            help="Speak TLS (https, wss) with this certificate: PEM, the whole chain, ours first. "
            "SIGHUP reads it again."
        ),
    ] = None
    tls_key: Annotated[
        Path | None, Option(help="Its private key, if that is in another file. No passphrase.")
    ] = None


class Auth(StrEnum):
    """Who says who somebody is."""

    GUEST = "guest"
    JWT = "jwt"


@dataclass(frozen=True, slots=True)
class Access:
    """Who gets in."""

    auth: Annotated[
        Auth,
        Option(help="Everybody as a guest; or who has a token of yours, signed (JSON Web Token)."),
    ] = Auth.GUEST
    jwt_key: Annotated[
        Path | None,
        Option(
            help="Tokens are checked with this: a public key (PEM: RSA, EC, Ed25519), or a file "
            "with a secret of at least 32 bytes (HS256). SIGHUP reads it again."
        ),
    ] = None
    jwt_jwks: Annotated[
        Path | None,
        Option(
            help="The same, a JWKS file: the token's kid says which key. SIGHUP reads it again."
        ),
    ] = None
    jwt_issuer: Annotated[
        str | None, Option(help="Take tokens of this issuer (iss) only.", show_default=False)
    ] = None
    jwt_audience: Annotated[
        str | None, Option(help="Take tokens for this audience (aud) only.", show_default=False)
    ] = None
    allow_origin: Annotated[
        list[str],
        Option(
            help="Also let pages of this site connect, https://example.org; * for all; repeatable.",
            parser=saying(origin_of),
            metavar="ORIGIN",
        ),
    ] = field(default_factory=list)
    trusted_proxy: Annotated[
        list[str],
        Option(
            help="Believe the X-Forwarded-For and X-Forwarded-Host of this proxy; repeatable.",
            parser=saying(network_of),
            metavar="ADDRESS|CIDR",
        ),
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where rooms are kept."""

    data: Annotated[
        Path | None, Option(help="SQLite file that keeps every room.", show_default=str(DATA))
    ] = None
    memory: Annotated[bool, Option("--memory", help="Keep rooms in memory only.")] = False
    keep: Annotated[
        int | None,
        Option(
            help="Archive rooms in which nothing has happened for so many days; for ever, if none.",
            min=1,
            metavar="DAYS",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Operating:
    """How the server is run."""

    log_level: Annotated[LogLevel, Option(help="How much the log says.")] = LogLevel.INFO
    drain: Annotated[
        float, Option(help="Seconds in which the server ends after SIGTERM.", min=0.5, max=3600)
    ] = 10.0
    metrics_token_file: Annotated[
        Path | None,
        Option(help="File with a token: /metrics is for who brings it, not for who is near."),
    ] = None


@dataclass(frozen=True, slots=True)
class Administering:
    """Who may look after the server while it runs."""

    admin_token_file: Annotated[
        Path | None,
        Option(help="The operator's key, at least 16 characters; or in KIBITZ_ADMIN_TOKEN."),
    ] = None


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a server needs to know."""

    listening: Listening = field(default_factory=Listening)
    limits: Limits = field(default_factory=Limits)
    access: Access = field(default_factory=Access)
    operating: Operating = field(default_factory=Operating)
    admin_key: str | None = field(default=None, repr=False)
    """What the operator says; ``None``: there is none."""
    metrics_token: str | None = field(default=None, repr=False)
    """What is in the metrics token file; ``None``: there is none."""
    keeping: Keeping = field(default_factory=Keeping)


def command(run: Callable[..., None], *groups: type) -> Callable[..., None]:
    """A command with an option for every field of these groups.

    Args:
        run: Is given one object of each group, in order; its docstring is the command's help.
        groups: Dataclasses whose fields are annotated with :class:`typer.Option`.

    """
    parameters: list[inspect.Parameter] = []
    for group in groups:
        hints = get_type_hints(group, include_extras=True)
        for each in dataclasses.fields(group):
            made = each.default_factory
            default = each.default if made is dataclasses.MISSING else made()
            parameters.append(
                inspect.Parameter(
                    each.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=hints[each.name],
                )
            )

    def given(**values: Any) -> None:
        for name, value in values.items():
            check_finite(name, value)
        run(
            *(
                group(**{f.name: values[f.name] for f in dataclasses.fields(group)})
                for group in groups
            )
        )

    given.__name__, given.__doc__ = run.__name__, run.__doc__
    given.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    given.__annotations__ = {each.name: each.annotation for each in parameters}
    return given


def _names(group: type) -> list[str]:
    return [each.name for each in dataclasses.fields(group)]
