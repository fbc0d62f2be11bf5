"""A scripted HTTP server on the local machine, and clients that never wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fakes.corpora import HEAD

from clinrag_core.acquire.acquire import Acquirer
from clinrag_core.acquire.addresses import resolved
from clinrag_core.acquire.http import HttpClient
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.settings import AcquireSettings
from clinrag_core.workspace import Workspace

NOW = 1_750_000_000.0


@dataclass
class Canned:
    """One reply; with `cut`, only so many bytes of the announced `body` are sent."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    delay: float = 0
    length: int | None = None


@dataclass
class Asked:
    """One request that the server received."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


Answer = Canned | Callable[[Asked], Canned]


def versioned(body: bytes, etag: str = '"v1"', cut: int | None = None) -> Callable[[Asked], Canned]:
    """Return a script for a file on a server with entity tags and ranges (RFC 9110)."""

    def answer(asked: Asked) -> Canned:
        headers = {"ETag": etag}
        if asked.headers.get("if-none-match") == etag:
            return Canned(status=304, headers=headers)
        wanted = asked.headers.get("range")
        if wanted is None or asked.headers.get("if-range") != etag:
            return Canned(body, headers=headers, cut=cut)
        start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if start >= len(body):
            return Canned(status=416, headers={"Content-Range": f"bytes */{len(body)}"})
        headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        return Canned(body[start:], 206, headers)

    return answer


class Server:
    """Replies to a path with its script; the last reply repeats."""

    reply = Canned
    file = staticmethod(versioned)

    def __init__(self) -> None:
        self.scripts: dict[str, list[Answer]] = {}
        self.asked: list[Asked] = []
        self.url = ""

    def on(self, path: str, *answers: Answer) -> str:
        self.scripts[path] = list(answers)
        return self.url + path

    def answer(self, asked: Asked) -> Canned:
        self.asked.append(asked)
        script = self.scripts.get(asked.path)
        if script is None:
            return Canned(b"no such page", 404)
        chosen = script.pop(0) if len(script) > 1 else script[0]
        return chosen if isinstance(chosen, Canned) else chosen(asked)


@pytest.fixture
def server() -> Iterator[Server]:
    """Runs a scripted server on a free local port."""
    scripted = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {k: v[0] for k, v in parse_qs(parts.query).items()}
            headers = {k.lower(): v for k, v in self.headers.items()}
            canned = scripted.answer(Asked(parts.path, query, headers))
            time.sleep(canned.delay)
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name, value)
            if canned.status != 304:
                length = len(canned.body) if canned.length is None else canned.length
                if length >= 0:
                    self.send_header("Content-Length", str(length))
            if canned.cut is not None or canned.length is not None:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            try:
                self.wfile.write(canned.body[: canned.cut])
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its signature
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    scripted.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, args=(0.005,), daemon=True)
    thread.start()
    yield scripted
    httpd.shutdown()
    httpd.server_close()
    thread.join()


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = NOW
        self.naps: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


MakeClient = Callable[..., HttpClient]


@pytest.fixture
def client(tmp_path: Path, clock: Clock) -> Iterator[MakeClient]:
    """Makes clients with given settings; by default without waits between requests."""
    made: list[HttpClient] = []

    def make(
        resolve: Callable[[str], Sequence[str]] = resolved,
        transport: httpx.BaseTransport | None = None,
        **settings: object,
    ) -> HttpClient:
        values = {"host_interval_s": 0, "timeout_s": 5} | settings
        made.append(
            HttpClient(
                AcquireSettings.model_validate(values),
                tmp_path / "cache",
                sleep=clock.sleep,
                clock=clock,
                jitter=lambda: 0.0,
                transport=transport or httpx.HTTPTransport(),
                resolve=resolve,
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "home")


@pytest.fixture
def corpus(tmp_path, workspace, server, clock):
    """Writes a manifest and files and returns an acquirer for them."""
    root = tmp_path / "corpus"

    def make(text, files=None, http=None):
        root.mkdir(exist_ok=True)
        (root / "corpus.toml").write_text(HEAD + text, encoding="utf-8")
        for name, data in (files or {}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        settings = AcquireSettings.model_validate(
            {"dailymed_url": server.url + "/v2", "openfda_url": server.url + "/label.json"}
        )
        return Acquirer(load_manifest(root), workspace, settings, http, clock=clock)

    return make
