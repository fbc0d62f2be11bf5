#!/usr/bin/env python3
"""Asks under load: the service alone, then while two tenants upload files made to take for ever.

Clients ask one question after the other, first without and then with the uploads, in one run; the
ratio of the two 95th percentiles is the result. Then forty uploads are sent by half, and the growth
of the service's memory is measured. Works on a view of the workspace: nothing in it is changed.

    python benchmarks/load.py --home .clinrag --clients 32 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

import httpx
from latency import percentiles

QUESTIONS = (
    "What is the daily dose of isoniazid in adults?",
    "How long is pneumonia treated in adults?",
    "Can rifampicin be given in pregnancy?",
    "Which drugs are given for latent tuberculosis?",
    "What are the side effects of pyrazinamide?",
    "When is a chest X-ray needed?",
)
ATTACKERS = ("first", "second")
HALF_SENT = 40
MOST_RATIO = 2.0
MOST_MIB = 50.0
LEAST_SUCCESS = 400
OWN = ("user_documents", "audit", "audit_key", "audit_anchors", "api_keys")


def pdf_of_lines(count: int) -> bytes:
    """Return a small PDF whose page has many thousand ruled lines."""
    drawn = b"".join(
        b"%d %d m %d %d l S\n" % (i % 600, i % 790, (i * 7) % 600, (i * 13) % 790)
        for i in range(count)
    )
    stream = zlib.compress(drawn)
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out = b"%PDF-1.4\n"
    for number, part in enumerate(parts, start=1):
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    return out + b"trailer << /Root 1 0 R >>\n%%EOF\n"


def nasty_files(turn: int) -> list[tuple[str, bytes]]:
    """Return files that once stopped the service; `turn` makes their bytes differ."""
    mark = f"Round {turn}. ".encode()
    prose = b"Isoniazid is given as %d mg daily for %d weeks in adults with disease %d.\n\n"
    text = b"".join(prose % (i % 900, i % 52, i) for i in range(90_000))[: 7 * 2**20]
    grid = b"<table>" + (b"<tr>" + b"<td>5 mg</td>" * 90 + b"</tr>") * 200 + b"</table>"
    return [
        ("prose.txt", mark + text),
        ("tiny.txt", mark + b"Isoniazid is taken once daily."),
        ("tags.html", b"<p>" + mark + b"<b><i>x</i></b> " * 500_000),
        ("grid.html", b"<p>" + mark + grid),
        ("brackets.md", mark + b"[" * 1_000_000),
        ("line.txt", mark + b"isoniazid 5 mg/kg daily " * 800_000),
        ("lines.pdf", pdf_of_lines(300_000 + turn)),
    ]


def view_of(home: Path, folder: Path) -> Path:
    """Return a workspace that shares everything of `home` but what the service writes."""
    for entry in home.iterdir():
        if entry.name not in OWN:
            (folder / entry.name).symlink_to(entry.resolve())
    return folder


class Service:
    """The service in a process of its own, over a view of a workspace."""

    def __init__(self, home: Path, names: tuple[str, ...]) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        keys = ",".join(f"{name} {hashlib.sha256(name.encode()).hexdigest()}" for name in names)
        environment = os.environ | {
            "CLINRAG_HOME": str(home),
            "CLINRAG_API_KEYS": keys,
            "CLINRAG_SERVICE__REQUESTS_PER_MINUTE": "0",
        }
        code = "from clinrag_core.cli.main import app; app()"
        self.process = subprocess.Popen(  # noqa: S603 - this interpreter
            [sys.executable, "-c", code, "serve", "--port", str(port)],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        self.url = f"http://127.0.0.1:{port}"
        self.port = port

    def wait(self) -> None:
        """Wait until it is ready."""
        for _ in range(600):
            try:
                if httpx.get(f"{self.url}/readyz").is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        raise SystemExit("the service is not ready after two minutes")

    def rss_mib(self) -> float:
        """Return the resident memory of the service itself, without its children."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


async def ask(service: Service, clients: int, seconds: float) -> tuple[list[float], Counter[int]]:
    """Ask with some clients at once; return the milliseconds and the statuses."""
    times: list[float] = []
    statuses: Counter[int] = Counter()
    end = time.perf_counter() + seconds

    async def one(number: int, http: httpx.AsyncClient) -> None:
        while time.perf_counter() < end:
            question = QUESTIONS[number % len(QUESTIONS)]
            started = time.perf_counter()
            answer = await http.post("/v1/ask", json={"question": question})
            times.append(1_000 * (time.perf_counter() - started))
            statuses[answer.status_code] += 1
            number += 1

    limits = httpx.Limits(max_connections=clients)
    headers = {"X-API-Key": "asker"}
    async with httpx.AsyncClient(
        base_url=service.url, headers=headers, timeout=300, limits=limits
    ) as http:
        await asyncio.gather(*(one(number, http) for number in range(clients)))
    return times, statuses


async def upload(service: Service, name: str, statuses: Counter[int]) -> None:
    """Upload nasty files as one tenant, several at once, until cancelled."""
    headers = {"X-API-Key": name}
    async with httpx.AsyncClient(base_url=service.url, headers=headers, timeout=None) as http:  # noqa: S113 - the service decides

        async def give(file: str, data: bytes) -> None:
            answer = await http.post(f"/v1/documents?filename={file}", content=data)
            statuses[answer.status_code] += 1

        for turn in range(1_000):
            await asyncio.gather(*(give(file, data) for file, data in nasty_files(turn)))


async def half_sent(service: Service) -> tuple[float, float]:
    """Send forty uploads by half; return the memory in MiB before and with them."""
    before = service.rss_mib()
    head = (
        "POST /v1/documents?filename=a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {}\r\n"
        "Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n"
    )
    size = 20 * 2**20
    writers: list[asyncio.StreamWriter] = []
    for number in range(HALF_SENT):
        _, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(head.format(f"half{number}", size).encode() + b"word " * (size // 10))
        writers.append(writer)
    await asyncio.sleep(5)
    after = service.rss_mib()
    for writer in writers:
        writer.transport.abort()
    return before, after


async def measure(service: Service, clients: int, seconds: float) -> int:
    """Print the figures; return 1 if one is outside its limit."""
    await ask(service, 4, 3)  # warm
    quiet, quiet_statuses = await ask(service, clients, seconds)
    uploads: Counter[int] = Counter()
    attackers = [asyncio.create_task(upload(service, name, uploads)) for name in ATTACKERS]
    await asyncio.sleep(2)
    loaded, loaded_statuses = await ask(service, clients, seconds)
    for attacker in attackers:
        attacker.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    print(percentiles("asks, quiet", quiet), dict(quiet_statuses))
    print(percentiles("asks, nasty uploads", loaded), dict(loaded_statuses))
    ratio = sorted(loaded)[int(0.95 * len(loaded))] / sorted(quiet)[int(0.95 * len(quiet))]
    errors = sum(n for s, n in (quiet_statuses + loaded_statuses).items() if s >= LEAST_SUCCESS)
    print(f"  p95 ratio {ratio:.2f} (at most {MOST_RATIO:g}), errors of asks {errors}")
    print(f"  uploads by status {dict(uploads)}")
    before, after = await half_sent(service)
    grown = after - before
    print(f"  {HALF_SENT} half-sent uploads: {before:.0f} -> {after:.0f} MiB, {grown:+.1f} MiB")
    return int(ratio > MOST_RATIO or errors > 0 or grown > MOST_MIB)


def main() -> int:
    """Run the service and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True, help="a workspace with a release")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    names = ("asker", *ATTACKERS, *(f"half{number}" for number in range(HALF_SENT)))
    with tempfile.TemporaryDirectory() as folder:
        service = Service(view_of(args.home, Path(folder)), names)
        try:
            service.wait()
            return asyncio.run(measure(service, args.clients, args.seconds))
        finally:
            service.process.kill()
            service.process.wait()


if __name__ == "__main__":
    sys.exit(main())
