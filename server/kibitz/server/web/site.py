"""The web page, from memory: plain files that another part of kibitz brings along.

Which folder that is says the entry point ``page`` of the group ``kibitz.web``; nothing of it is
run here. Promises: every file is read once, at the start; ``/web/VERSION/...`` never changes and
is kept by browsers for ever, everything else is asked for anew by its ETag; a path is only ever
looked up among the names that were read. Never: a template, a room, anything about a visitor.
"""

import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from urllib.parse import parse_qs

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

GROUP, ENTRY = "kibitz.web", "page"
INDEX = "index.html"
FOLDER = "web"
"""Under this name the files stand in the index and in addresses."""
EMBED = "embed"
"""With this key in its query, ``/`` may stand in a frame of another site."""
VERSION_LENGTH = 12
"""Hex digits of a version."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".ts": "text/plain; charset=utf-8",
}
"""What is served, by how its name ends; other files of the folder are not looked at."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types kibitz-worker; frame-ancestors "
)
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"

_VERSION = re.compile(rf"[0-9a-f]{{{VERSION_LENGTH}}}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Body:
    """One form of a file and the ETag of exactly these bytes."""

    data: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is sent: as it is, and packed where that is shorter."""

    kind: str
    plain: Body
    packed: Body | None


class Site:
    """The files of one page."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        """Take the files by their path, ``cards/faces.js``; ``index.html`` is the page itself."""
        self.version = _version(contents)
        index = contents.get(INDEX)
        self._index = None if index is None else _file(INDEX, self._versioned(index))
        self._files = {
            path: _file(path, content) for path, content in contents.items() if path != INDEX
        }

    def _versioned(self, index: bytes) -> bytes:
        old, new = f'"{FOLDER}/', f'"{FOLDER}/{self.version}/'
        return index.replace(old.encode(), new.encode())

    def answer(self, path: list[str], query: str, request: Request) -> Response | None:
        """The file at a path, given in pieces; ``None`` if there is no such file."""
        framed = "'none'"
        match path:
            case [""]:
                file, keep = self._index, ASK_AGAIN
                framed = "*" if EMBED in parse_qs(query, keep_blank_values=True) else framed
            case [folder, version, *rest] if folder == FOLDER and _VERSION.fullmatch(version):
                file = self._files.get("/".join(rest))
                keep = FOR_EVER if version == self.version else ASK_AGAIN
            case [folder, *rest] if folder == FOLDER:
                file, keep = self._files.get("/".join(rest)), ASK_AGAIN
            case _:
                return None
        return None if file is None else _respond(file, keep, framed, request)


@cache
def installed() -> Site:
    """The page that is installed with kibitz; an empty one if there is none."""
    return Site(dict(_installed()))


def _respond(file: File, keep: str, framed: str, request: Request) -> Response:
    """The file, or word that the asker has it already."""
    packed = file.packed if _takes_gzip(request.headers) else None
    body = packed or file.plain
    headers = Headers(
        {
            "Cache-Control": keep,
            "ETag": body.etag,
            "Vary": "Accept-Encoding",
            "Connection": "close",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Content-Security-Policy": POLICY + framed,
        }
    )
    if _has(request.headers, body.etag):
        status = HTTPStatus.NOT_MODIFIED
        return Response(status.value, status.phrase, headers, b"")
    headers["Content-Type"] = file.kind
    headers["Content-Length"] = str(len(body.data))
    if packed:
        headers["Content-Encoding"] = "gzip"
    sent = b"" if request.method == "HEAD" else body.data
    return Response(HTTPStatus.OK.value, HTTPStatus.OK.phrase, headers, sent)


def _takes_gzip(headers: Headers) -> bool:
    """Whether the asker can unpack gzip: it says so, and not with the weight 0."""
    for given in ",".join(headers.get_all("Accept-Encoding")).lower().split(","):
        coding, *parameters = (part.strip() for part in given.split(";"))
        if coding == "gzip":
            return not any(re.fullmatch(r"q=0(\.0*)?", part) for part in parameters)
    return False


def _has(headers: Headers, etag: str) -> bool:
    """Whether the asker has these bytes."""
    given = ",".join(headers.get_all("If-None-Match")).split(",")
    return any(tag.strip().removeprefix("W/") in (etag, "*") for tag in given)


def _file(path: str, content: bytes) -> File:
    kind = KINDS[path[path.rindex(".") :]]
    digest = hashlib.sha256(content).hexdigest()[:32]
    packed = gzip.compress(content, mtime=0)
    shorter = Body(packed, f'"{digest}-gzip"') if len(packed) < len(content) else None
    return File(kind, Body(content, f'"{digest}"'), shorter)


def _version(contents: Mapping[str, bytes]) -> str:
    """A short name for exactly these files."""
    digest = hashlib.sha256()
    for path in sorted(contents):
        digest.update(f"{path}\0{len(contents[path])}\0".encode() + contents[path])
    return digest.hexdigest()[:VERSION_LENGTH]


def _installed() -> Iterator[tuple[str, bytes]]:
    for entry in entry_points(group=GROUP, name=ENTRY):
        try:
            folder = files(entry.value)
        except ModuleNotFoundError:
            continue
        yield from _read(folder, "")


def _read(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    """Every file in a folder that is to be served, by its path."""
    for child in folder.iterdir():
        if child.is_dir():
            yield from _read(child, f"{above}{child.name}/")
        elif any(child.name.endswith(ending) for ending in KINDS):
            yield above + child.name, child.read_bytes()
