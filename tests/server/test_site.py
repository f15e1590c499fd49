"""The web page as files from memory: addresses, how long they are kept, what they may do."""

import asyncio
import gzip
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from servers import Running
from talk import PATIENCE
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from kibitz.clients import web
from kibitz.server.web.site import Site, installed

FILES = {
    "index.html": b'<!doctype html><link href="web/style/a.css"><script src="web/main.js">',
    "main.js": b'import "./cards/faces.js";\n' * 40,
    "cards/faces.js": b"export const a = 1;\n",
    "style/a.css": b"p { color: red }\n" * 40,
    "icon.svg": b"<svg/>",
    "types.d.ts": b"export {};",
}
SITE = Site(FILES)
OWN = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types kibitz-worker; frame-ancestors "
)


def get(target: str, site: Site = SITE, method: str = "GET", **headers: str) -> Response | None:
    """The answer to a request."""
    given = Headers({key.replace("_", "-"): value for key, value in headers.items()})
    path, _, query = target.partition("?")
    return site.answer(path.split("/")[1:], query, Request(target, given, method=method))


def got(target: str, site: Site = SITE, method: str = "GET", **headers: str) -> Response:
    """The answer to a request for something that is there."""
    response = get(target, site, method, **headers)
    assert response is not None
    return response


def test_the_page_names_its_files_by_version() -> None:
    page = got("/")
    assert re.fullmatch(r"[0-9a-f]{12}", SITE.version)
    assert page.body.decode().count(f'"web/{SITE.version}/') == 2
    assert b'"web/main' not in page.body and b'"/' not in page.body
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("cards/faces.js", "text/javascript; charset=utf-8"),
        ("style/a.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
        ("types.d.ts", "text/plain; charset=utf-8"),
    ],
)
def test_a_file_is_kept_for_ever_under_its_version_only(path: str, kind: str) -> None:
    for at, keep in [
        (f"/web/{SITE.version}/", "public, max-age=31536000, immutable"),
        ("/web/000000000000/", "no-cache"),
        ("/web/", "no-cache"),
    ]:
        response = got(at + path)
        assert (response.status_code, response.body) == (200, FILES[path])
        assert response.headers["Cache-Control"] == keep
        assert response.headers["Content-Type"] == kind
        assert response.headers["Content-Length"] == str(len(FILES[path]))


@pytest.mark.parametrize(
    "target",
    [
        "/web",
        "/web/",
        f"/web/{SITE.version}",
        f"/web/{SITE.version}/",
        f"/web/{SITE.version}/{SITE.version}/main.js",
        "/web/index.html",
        "/web//main.js",
        "/web/./main.js",
        "/web/../main.js",
        "/web/cards/../main.js",
        "/web/%2e%2e/main.js",
        "/web/..%2fmain.js",
        "/web/cards",
        "/web/cards/",
        "/web/main.js/",
        "/web/main.js\0",
        "/web/MAIN.JS",
        "/web/000000000000z/main.js",
        "//web/main.js",
        "/main.js",
        "/index.html",
        "/../../etc/passwd",
        "/web/../../../../etc/passwd",
    ],
)
def test_what_was_not_read_is_not_there(target: str) -> None:
    assert get(target) is None


def test_another_file_is_another_version() -> None:
    versions = {Site({**FILES, name: b"other"}).version for name in FILES}
    versions |= {Site({"a/b.js": b"1"}).version, Site({"a.js": b"b.js1"}).version, SITE.version}
    assert len(versions) == len(FILES) + 3
    assert Site(dict(reversed(FILES.items()))).version == SITE.version


def test_what_one_has_is_not_sent_again() -> None:
    for target in ("/", "/web/main.js", f"/web/{SITE.version}/main.js"):
        full = got(target, Accept_Encoding="gzip")
        etag = full.headers["ETag"]
        assert re.fullmatch(r'"[0-9a-f-]+(gzip)?"', etag)
        for known in (etag, f"W/{etag}", f'"x", {etag}', "*"):
            same = got(target, Accept_Encoding="gzip", If_None_Match=known)
            assert (same.status_code, same.body) == (304, b"")
            for name in ("ETag", "Cache-Control", "Vary", "Content-Security-Policy"):
                assert same.headers[name] == full.headers[name]
            assert "Content-Length" not in same.headers
        for other in ('"x"', etag.strip('"'), got("/web/icon.svg").headers["ETag"], ""):
            again = got(target, Accept_Encoding="gzip", If_None_Match=other)
            assert (again.status_code, again.body) == (200, full.body)


def test_a_file_is_packed_for_those_who_can_unpack_it() -> None:
    plain = got("/web/main.js")
    for accept in ("gzip", "br, gzip;q=0.5", "GZIP", "deflate,gzip"):
        packed = got("/web/main.js", Accept_Encoding=accept)
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body == FILES["main.js"]
        assert packed.headers["Content-Length"] == str(len(packed.body))
        assert packed.headers["ETag"] != plain.headers["ETag"]
        assert got("/web/main.js", If_None_Match=packed.headers["ETag"]).status_code == 200
    for accept in ("", "br", "gzip;q=0", "gzip; q=0.000", "xgzip"):
        other = got("/web/main.js", Accept_Encoding=accept)
        assert "Content-Encoding" not in other.headers and other.body == plain.body
    assert {got("/web/main.js", Accept_Encoding=a).headers["Vary"] for a in ("", "gzip")} == {
        "Accept-Encoding"
    }
    short = got("/web/icon.svg", Accept_Encoding="gzip")
    assert "Content-Encoding" not in short.headers and short.body == FILES["icon.svg"]
    assert (
        got("/", Accept_Encoding="gzip").body == got("/", Site(FILES), Accept_Encoding="gzip").body
    )


@pytest.mark.parametrize(
    ("target", "framed"),
    [
        ("/", "'none'"),
        ("/?room=abc", "'none'"),
        ("/?room=embed", "'none'"),
        ("/?embedded", "'none'"),
        ("/?x=&embed", "*"),
        ("/?embed", "*"),
        ("/?room=abc&embed=1&theme=dark", "*"),
        (f"/web/{SITE.version}/main.js?embed", "'none'"),
    ],
)
def test_only_a_bare_table_may_stand_in_a_frame(target: str, framed: str) -> None:
    headers = got(target).headers
    assert headers["Content-Security-Policy"] == OWN + framed
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_head_is_get_without_the_body() -> None:
    for target in ("/", "/web/main.js"):
        full, head = got(target), got(target, method="HEAD")
        assert head.body == b"" and list(head.headers.raw_items()) == list(full.headers.raw_items())


def test_without_a_page_there_is_nothing() -> None:
    assert get("/", Site({})) is None and get("/web/main.js", Site({})) is None


def files_named() -> Mapping[str, bytes]:
    """The files that the installed page names, by their address."""
    site = installed()
    page = got("/", site).body.decode()
    paths = re.findall(r'"(web/[^"]+)"', page)
    assert paths and all(path.startswith(f"web/{site.version}/") for path in paths)
    return {path: bytes(got(f"/{path}", site).body) for path in paths}


def test_every_file_that_the_installed_page_names_is_there() -> None:
    """And every module that these import: all of it under one version, and relative."""
    site = installed()
    rest, seen = dict(files_named()), set[str]()
    while rest:
        path, body = rest.popitem()
        seen.add(path)
        if not path.endswith((".js", ".css")):
            continue
        code = re.sub(r"/\*.*?\*/", "", body.decode(), flags=re.DOTALL)
        for other in re.findall(r'(?:\bfrom|\bimport|\bimport\()\s*"([^"]+)"', code):
            assert other.startswith(("./", "../")), f"{path} imports {other}"
            joined = urlsplit(f"http://x/{path}")._replace(query="")
            parts = joined.path.split("/")[1:-1]
            for piece in other.split("/"):
                parts = parts[:-1] if piece == ".." else parts if piece == "." else [*parts, piece]
            found = "/".join(parts)
            if found not in seen:
                rest[found] = bytes(got(f"/{found}", site).body)
    assert any(path.endswith(".js") for path in seen)


def test_nothing_in_the_folder_is_left_out() -> None:
    site, root = installed(), Path(web.__path__[0])
    found = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    paths = [path for path in found if path.name != "README.md"]
    for path in paths:
        target = "/" if path.name == "index.html" else f"/web/{path.as_posix()}"
        assert got(target, site).status_code == 200
    assert len(paths) > 20


async def wire(running: Running, line: str, *headers: str) -> tuple[bytes, bytes]:
    """Head and body of an answer on the wire."""
    at = urlsplit(running.http)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    said = "".join(f"{header}\r\n" for header in ("Host: x", *headers))
    writer.write(f"{line} HTTP/1.1\r\n{said}\r\n".encode())
    async with asyncio.timeout(PATIENCE):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    return head, body


async def test_the_server_serves_what_is_installed(running: Running) -> None:
    head, page = await wire(running, "GET /?room=abc")
    assert head.startswith(b"HTTP/1.1 200 ") and page == got("/", installed()).body
    for path, content in files_named().items():
        head, body = await wire(running, f"GET /{path}", "Accept-Encoding: gzip")
        assert b"immutable" in head
        assert (gzip.decompress(body) if b"gzip" in head.lower() else body) == content
        etag = re.search(rb"(?i)\r\netag: (\S+)", head)
        assert etag is not None
        known = f"If-None-Match: {etag[1].decode()}"
        head, body = await wire(running, f"GET /{path}", "Accept-Encoding: gzip", known)
        assert head.startswith(b"HTTP/1.1 304 ") and body == b""
    head, body = await wire(running, "HEAD /")
    assert head.startswith(b"HTTP/1.1 200 ") and body == b""
    assert f"Content-Length: {len(page)}".encode() in head
    for line in ("HEAD /metrics", "HEAD /ws", "HEAD /web/nothing.js", "POST /"):
        assert (await wire(running, line))[0].startswith(b"HTTP/1.1 405 ")
    assert (await wire(running, "GET /web/nothing.js"))[0].startswith(b"HTTP/1.1 404 ")
