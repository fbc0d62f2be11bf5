"""A local DailyMed whose listing and labels a test changes."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


@dataclass
class Label:
    """One label: its newest text, and whether it is listed and served completely."""

    drug: str
    xml: str
    version: int
    listed: bool = False
    broken: bool = False

    @property
    def set_id(self) -> str:
        match = re.search(r'<setId root="([^"]+)"', self.xml)
        assert match is not None
        return match[1].lower()

    @property
    def body(self) -> bytes:
        """The bytes served; a broken label ends in the middle."""
        data = self.xml.encode()
        return data[: len(data) // 2] if self.broken else data

    def revise(self) -> None:
        """Publish a new version with one more sentence in its first paragraph."""
        self.version += 1
        text = re.sub(
            r'<versionNumber value="\d+"', f'<versionNumber value="{self.version}"', self.xml
        )
        self.xml = text.replace("</paragraph>", f" Revision {self.version}.</paragraph>", 1)


@dataclass
class DailyMed:
    """The service: its labels, whether it is down, and the number of downloads."""

    labels: dict[str, Label] = field(default_factory=dict)
    down: bool = False
    downloads: int = 0
    url: str = ""

    @classmethod
    def of(cls, folder: Path) -> "DailyMed":
        """Return a service with the prescription labels of a folder, none of them listed."""
        service = cls()
        for file in sorted(folder.glob("*.xml")):
            xml = file.read_text(encoding="utf-8")
            if "-" not in file.stem and '<code code="34391-3"' in xml:
                match = re.search(r'<versionNumber value="(\d+)"', xml)
                assert match is not None
                service.labels[file.stem] = Label(file.stem, xml, int(match[1]))
        return service

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """Return status, body and headers for a path."""
        if self.down:
            return 503, b"down", {}
        listed = [label for label in self.labels.values() if label.listed]
        if path == "/spls.json":
            rows = [
                {
                    "setid": label.set_id,
                    "spl_version": label.version,
                    "title": f"{label.drug.upper()} TABLET [SAMPLE]",
                    "published_date": "Aug 09, 2023",
                }
                for label in listed
                if label.drug == query["drug_name"]
            ]
            metadata = {
                "total_elements": len(rows),
                "total_pages": 1 if rows else 0,
                "current_page": 1,
            }
            return 200, json.dumps({"data": rows, "metadata": metadata}).encode(), {}
        for label in listed:
            if path == f"/spls/{label.set_id}.xml":
                self.downloads += 1
                return 200, label.body, {"ETag": f'"{label.version}-{label.broken}"'}
        return 404, b"no such label", {}

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serve on a free local port."""
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {k: v[0] for k, v in parse_qs(parts.query).items()}
                status, body, headers = service.answer(parts.path, query)
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its signature
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that disconnects early is not an error of the service

        server = Server(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
