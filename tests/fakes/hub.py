"""The Hugging Face hub, played on this machine: model information and files, with its hashes.

Large files are LFS objects (SHA-256), small ones git blobs (SHA-1), as on the hub. `cut` drops the
connection once after some bytes of a file; `requests` lists what was asked for, ranges included.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pathlib import Path

LARGE = 10_000


def git_sha1(data: bytes) -> str:
    header = f"blob {len(data)}\0".encode()
    return hashlib.sha1(header + data, usedforsecurity=False).hexdigest()


class FakeHub(ThreadingHTTPServer):
    """Repositories from folders, each at one commit."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.cut: dict[str, int] = {}
        """File name to the bytes after which the connection is dropped, once."""
        self.altered: set[str] = set()
        """Files sent with another last byte than the hub states."""
        self.requests: list[tuple[str, str, str | None]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def add(self, name: str, folder: Path) -> None:
        """Publish the files of a folder as a repository."""
        files = (path for path in folder.rglob("*") if path.is_file())
        self.repositories[name] = {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}

    def commit(self, name: str) -> str:
        """The 40 hex digits of a repository's commit: they follow from its files."""
        names = sorted(self.repositories[name].items())
        text = name.encode() + b"".join(n.encode() + data for n, data in names)
        return hashlib.sha1(text, usedforsecurity=False).hexdigest()

    def tree(self, name: str) -> list[dict[str, Any]]:
        """The files of a repository as the hub lists them."""
        listed: list[dict[str, Any]] = []
        for path, data in sorted(self.repositories[name].items()):
            one: dict[str, Any] = {"type": "file", "path": path, "size": len(data)}
            one["oid"] = git_sha1(data)
            if len(data) > LARGE:
                digest = hashlib.sha256(data).hexdigest()
                one["lfs"] = {"oid": digest, "size": len(data), "pointerSize": 134}
            listed.append(one)
        return listed

    def stop(self) -> None:
        """End the server."""
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: FakeHub

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""

    def do(self) -> None:
        path = unquote(urlsplit(self.path).path)
        hub = self.server
        hub.requests.append((self.command, path, self.headers.get("Range")))
        api = re.fullmatch(r"/api/models/([^/]+/[^/]+)(/revision/.+|/tree/.+)?", path)
        file = re.fullmatch(r"/([^/]+/[^/]+)/resolve/[0-9a-f]{40}/(.+)", path)
        name = (api or file or [None, ""])[1]
        if name not in hub.repositories:
            self._answer(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif api and (api[2] or "").startswith("/tree/"):
            self._answer(200, json.dumps(hub.tree(name)).encode())
        elif api:
            siblings = [{"rfilename": one} for one in sorted(hub.repositories[name])]
            body = {"id": name, "modelId": name, "sha": hub.commit(name), "siblings": siblings}
            self._answer(200, json.dumps(body).encode())
        elif file and file[2] in hub.repositories[name]:
            self._file(name, file[2])
        else:
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})

    def _answer(
        self,
        status: int,
        data: bytes,
        headers: dict[str, str] | None = None,
        end: int | None = None,
    ) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[:end])
        if end is not None:
            self.close_connection = True

    def _file(self, name: str, file: str) -> None:
        hub = self.server
        data = hub.repositories[name][file]
        large = len(data) > LARGE
        etag = hashlib.sha256(data).hexdigest() if large else git_sha1(data)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": hub.commit(name), "Accept-Ranges": "bytes"}
        if file in hub.altered:
            data = data[:-1] + bytes([data[-1] ^ 1])
        if found := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or ""):
            start = int(found[1])
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
            self._answer(206, data[start:], headers)
        else:
            end = hub.cut.pop(file, None) if self.command == "GET" else None
            self._answer(200, data, headers, end)

    do_GET = do_HEAD = do  # noqa: N815 - names of the base class
