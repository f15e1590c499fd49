"""What the command line decides: a group of settings for each matter, each of its fields an option.

Promises: every limit has a name, a unit and an option of that name. Never: read a file, the clock.
"""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

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

    host: Annotated[
        str, Option(help="Address to listen on; 0.0.0.0: every one that this machine has.")
    ] = "127.0.0.1"
    port: Annotated[
        int, Option(help="Port to listen on; 0: any free one, which is printed.", min=0, max=65535)
    ] = 8765
    tls_cert: Annotated[
        Path | None,
        Option(
            help="Speak TLS (https, wss) with this certificate: PEM, the whole chain, ours first. "
            "SIGHUP reads it again."
        ),
    ] = None
    tls_key: Annotated[
        Path | None,
        Option(
            help="Private key of --tls-cert, if that is in another file; without a passphrase. "
            "SIGHUP reads it again."
        ),
    ] = None
    workers: Annotated[
        int,
        Option(
            help="How many processes serve on this one port; more than one needs --nats. Limits "
            "that are counted hold in each of them.",
            min=1,
            max=64,
        ),
    ] = 1
    metrics_port: Annotated[
        int | None,
        Option(
            help="With --workers: the port of 127.0.0.1 on which the first of them tells its "
            "/metrics, /healthz and /readyz, the second on the next one, and so on; 0: any free "
            "ones, which the log names.",
            show_default="the ports behind --port",
            min=0,
            max=65535,
        ),
    ] = None

    def url(self, port: int, scheme: str) -> str:
        """Where somebody finds the server that listens on a port; ``scheme``: http or ws."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        path = "ws" if scheme == "ws" else ""
        return f"{scheme}{'' if self.tls_cert is None else 's'}://{host}:{port}/{path}"


class Auth(StrEnum):
    """Who says who somebody is."""

    GUEST = "guest"
    JWT = "jwt"


@dataclass(frozen=True, slots=True)
class Access:
    """Who gets in."""

    auth: Annotated[
        Auth,
        Option(
            help="Who may come in: guest, everybody; jwt, who has a token of yours (signed, a "
            "JSON Web Token)."
        ),
    ] = Auth.GUEST
    jwt_key: Annotated[
        Path | None,
        Option(
            help="File with the key that checks tokens: a public key (PEM: RSA, EC, Ed25519), or a "
            "secret (printable ASCII without blanks, at least 32 bytes: HS256). SIGHUP reads it "
            "again."
        ),
    ] = None
    jwt_jwks: Annotated[
        Path | None,
        Option(
            help="In place of --jwt-key: a JWKS file with several keys; a token's kid says which "
            "one. SIGHUP reads it again."
        ),
    ] = None
    jwt_issuer: Annotated[
        str | None, Option(help="Take tokens of this issuer (iss) only.", show_default=False)
    ] = None
    jwt_audience: Annotated[
        str | None, Option(help="Take tokens for this audience (aud) only.", show_default=False)
    ] = None
    jwt_max_age: Annotated[
        float | None,
        Option(
            help="Hours after which a token ends at the latest, counted from when it was made "
            "(iat), which each has to say then. Without this a token that does not say when it "
            "ends (exp) is refused.",
            min=0.01,
            max=100_000,
            metavar="HOURS",
            show_default=False,
        ),
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
            help="Believe this proxy where clients come from and what they asked for "
            "(X-Forwarded-For, X-Forwarded-Host); repeatable.",
            parser=saying(network_of),
            metavar="ADDRESS|CIDR",
        ),
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where rooms are kept."""

    data: Annotated[
        Path | None,
        Option(
            help="SQLite file that keeps every room; made if it is missing.", show_default=str(DATA)
        ),
    ] = None
    memory: Annotated[
        bool, Option("--memory", help="Keep rooms in memory only: a restart forgets all of them.")
    ] = False
    nats: Annotated[
        list[str],
        Option(
            help="In place of --data: keep rooms on this NATS server (2.12 or later, with "
            "JetStream), nats://user:password@host:4222, or tls://; repeatable, for those of one "
            "cluster. Others see the command line: they may all be in KIBITZ_NATS instead, which "
            "counts only where this is not said.",
            metavar="URL",
        ),
    ] = field(default_factory=list)
    nats_credentials: Annotated[
        Path | None,
        Option(
            help="File with user:password for the NATS servers, if their URLs have none. "
            "Read at the start only."
        ),
    ] = None
    nats_ca: Annotated[
        Path | None,
        Option(
            help="Talk to the NATS servers over TLS, and believe those for whom the authority in "
            "this file (PEM) vouches; tls:// in a URL believes whom this machine does."
        ),
    ] = None
    nats_replicas: Annotated[
        int,
        Option(
            help="On how many NATS servers everything is, where it is kept for the first time: "
            "3 survive the loss of one.",
            min=1,
            max=5,
        ),
    ] = 1
    keep: Annotated[
        int | None,
        Option(
            help="Archive rooms in which nothing has happened for so many days; without this they "
            "stay as they are for ever.",
            show_default=False,
            min=1,
            metavar="DAYS",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Operating:
    """How the server is run."""

    log_level: Annotated[LogLevel, Option(help="Least level of what the log says (on stderr).")] = (
        LogLevel.INFO
    )
    drain: Annotated[
        float,
        Option(
            help="Seconds within which the server ends after SIGTERM, whatever clients do.",
            min=0.5,
            max=3600,
        ),
    ] = 10.0
    analysis_seconds: Annotated[
        float,
        Option(
            help="Processor seconds for each position that is looked at, where somebody asks what "
            "became of a game that has ended (in a process beside the server, one at a time); a "
            "game takes at most eight times as much. 0: nobody can ask.",
            min=0,
            max=600,
        ),
    ] = 2.0
    advice_seconds: Annotated[
        float,
        Option(
            help="Processor seconds for what a player is told who asks what to play or whether "
            "his game can still be won, in rooms that allow it (in a process beside the server, "
            "one at a time). 0: nobody can ask.",
            min=0,
            max=60,
        ),
    ] = 2.0
    winnable_seconds: Annotated[
        float,
        Option(
            help="Processor seconds to look for a deal that is known to be winnable, where "
            "somebody wants one in a new room (in a process beside the server, one at a time). "
            "0: nobody can.",
            min=0,
            max=600,
        ),
    ] = 20.0
    metrics_token_file: Annotated[
        Path | None,
        Option(
            help="File with a token, at least 16 characters: /metrics is for who brings it. "
            "Without this it is for this machine and private networks. Read at the start only."
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Administering:
    """Who may look after the server while it runs."""

    admin_token_file: Annotated[
        Path | None,
        Option(
            help="File with the operator's key for kibitz admin, at least 16 characters; it may "
            "also be in KIBITZ_ADMIN_TOKEN. Read at the start only."
        ),
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
        groups: Dataclasses whose fields are annotated with :class:`typer.Option`; what a group is
            about is the title of its options in the help.

    """
    parameters: list[inspect.Parameter] = []
    for group in groups:
        hints = get_type_hints(group, include_extras=True)
        title = (group.__doc__ or "").rstrip(".")
        for each in dataclasses.fields(group):
            (option,) = get_args(hints[each.name])[1:]
            option.rich_help_panel = option.rich_help_panel or title
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
