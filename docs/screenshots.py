#!/usr/bin/env python3
"""Takes the screenshots of docs/images: builds the sample corpus and opens the UI at 1,280 px.

    python docs/screenshots.py [--home DIR] [--only NAME ...]

Needs Chromium (`chromium`, `chromium-browser` or `google-chrome` on the path), and playwright (the
extra `browser`) for the question page. A home that is already built is used as it is. The picture
of a failed gate needs a run of a damaged copy: see `run_damaged`.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import httpx
import numpy as np
from PIL import Image

from clinrag_core.encode.vector_cache import VectorCache
from clinrag_core.index.release import ReleaseStore
from clinrag_core.settings import BM25Settings, load_settings
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    from clinrag_core.settings import Settings

IMAGES = Path(__file__).with_name("images")
PROJECT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MAX_BYTES = 150_000
UI_STARTS_S = 180
PAGE_SETTLES_MS = 25_000
WIDTH = 1280
"""Window of a small laptop: what is cut off here is cut off for users."""
METHODS = (Image.Quantize.MEDIANCUT, Image.Quantize.FASTOCTREE)
"""The best colours first, then the smallest file."""


class Picture(NamedTuple):
    """One page to take a screenshot of."""

    name: str
    path: str
    """Path after the UI's address, or inside the workspace's reports folder."""
    width: int
    height: int
    crop: tuple[int, int, int, int] | None = None
    """Left, upper, right, lower. Defaults to the whole window."""


def report(asset: str) -> Picture:
    """Return the picture of the Overview page of a report asset."""
    return Picture(asset.replace("_", "-"), f"/assets/{asset}?view=overview", WIDTH, 1250)


GROUPS = ("baseline", "guidelines", "labels", "knowledge_bases", "evaluation", "release")
EXPANDED = ",".join(f"global@global:{group}" for group in GROUPS)
PARTITION = "sample-ds-tb-treatment"
UI = (
    Picture("timeline", "/", WIDTH, 500),
    Picture("runs", "/runs", WIDTH, 600),
    Picture("jobs", "/jobs", WIDTH, 600),
    Picture(
        "partition", f"/assets/guideline_chunks?view=partitions&partition={PARTITION}", WIDTH, 720
    ),
    Picture(
        "asset-graph", "/asset-groups?expanded=" + EXPANDED, 2600, 2900, (545, 110, 2575, 2620)
    ),
    Picture("asset-groups", "/asset-groups", WIDTH, 720),
    report("retrieval_report"),
    report("answer_report"),
    report("safety_report"),
    report("latency_report"),
    report("corpus_report"),
    report("parse_audit")._replace(crop=(0, 0, WIDTH, 845)),  # below are paths of this machine
)
STOPPED = (
    Picture(
        "failed-gate",
        "/assets/retrieval_report?view=checks&checkDetail=not_worse_than_accepted",
        WIDTH,
        900,
        (0, 0, WIDTH, 665),
    ),
    Picture("failed-report", "/assets/retrieval_report?view=overview", WIDTH, 1250),
)
PAGES = (
    Picture("report-index", "index.html", WIDTH, 600),
    Picture("report-page", "{newest}", WIDTH, 1300),
)
QUESTIONS = (  # the question takes the place of the path
    Picture("page-answer", "amoxicillin dose for pneumonia in a child", WIDTH, 1500),
    Picture("page-refusal", "dose of wonderdrugine for tb", WIDTH, 1266),
    Picture("page-phone", "What is the dose of rifampin?", 390, 1500),
)
PAGE_WARMS_MS = 10_000


def environment(home: Path) -> dict[str, str]:
    """Return the variables of a process that works in a home."""
    variables = {"CLINRAG_HOME": str(home), "CLINRAG_PROFILE": "sample"}
    return {**os.environ, **variables, "DAGSTER_DISABLE_TELEMETRY": "1"}


def build(home: Path) -> None:
    """Build the sample corpus into a home, unless something was released there."""
    if ReleaseStore(Workspace(home).releases).pointer() is None:
        command = [sys.executable, "-m", "clinrag_dagster.run"]
        subprocess.run(command, env=environment(home), check=True)  # noqa: S603 - fixed


def build_stopped(home: Path, stopped: Path) -> None:
    """Copy a home and run the copy into its gates, unless that was done before.

    Raises:
        RuntimeError: the gates passed.
    """
    if stopped.is_dir():
        return
    shutil.copytree(home, stopped, ignore=shutil.ignore_patterns("*.lock"))
    command = [sys.executable, __file__, "--damaged"]
    if subprocess.run(command, env=environment(stopped), check=False).returncode == 0:  # noqa: S603
        raise RuntimeError("the damaged candidate passed its gates: they are broken")


def run_damaged() -> int:
    """Run `make run` with every passage's vector exchanged for another passage's.

    Each vector is valid, so no check of the index fails, but dense search finds the wrong passages.
    Shards keep the vectors they were written with, so those of the copy are removed and written
    again; a slightly different k1 makes the candidate a new one.
    """
    from clinrag_dagster import run

    shutil.rmtree(Workspace(load_settings().home).knowledge_bases)
    intact = VectorCache.get

    def shuffled(cache: VectorCache, keys: Sequence[bytes]) -> NDArray[np.float32]:
        return np.roll(intact(cache, keys), len(keys) // 2, axis=0)

    def changed(profile: str | None = None) -> Settings:
        return load_settings(profile).model_copy(update={"bm25": BM25Settings(k1=1.51, b=0.75)})

    with (
        patch.object(VectorCache, "get", shuffled),
        patch("clinrag_dagster.run.load_settings", changed),
        patch("clinrag_dagster.resources.load_settings", changed),
    ):
        return run.main()


@contextmanager
def opened_ui(home: Path) -> Generator[str]:
    """Run the UI of a home during the block; yields its address.

    Raises:
        RuntimeError: it does not answer in time.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "clinrag_dagster.ui", "--port", str(port)]
    process = subprocess.Popen(  # noqa: S603 - fixed
        command,
        cwd=PROJECT,
        env=environment(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(address: str) -> None:
    """Wait until the UI has loaded the assets."""
    until = time.monotonic() + UI_STARTS_S
    while time.monotonic() < until:
        try:
            if ask(address, "{ assetNodes { id } }")["assetNodes"]:
                return
        except httpx.TransportError:
            pass  # not listening yet
        time.sleep(1)
    raise RuntimeError(f"the UI does not answer on {address} after {UI_STARTS_S} s")


def ask(address: str, query: str) -> dict[str, Any]:
    """Return the data of a GraphQL query."""
    return httpx.post(f"{address}/graphql", json={"query": query}, timeout=60).json()["data"]


def browser() -> str:
    """Return the path of Chromium.

    Raises:
        RuntimeError: it is not installed.
    """
    path = next((program for name in BROWSERS if (program := shutil.which(name))), None)
    if path is None:
        raise RuntimeError(f"no browser: install one of {', '.join(BROWSERS)}")
    return path


def take(address: str, picture: Picture) -> None:
    """Take one picture and shrink it into docs/images."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        command = [
            browser(),
            "--headless=new",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",  # nothing is fetched but the UI
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/profile",
            f"--window-size={picture.width},{picture.height}",
            f"--virtual-time-budget={PAGE_SETTLES_MS}",
            f"--screenshot={shot}",
            address,
        ]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # Chromium refuses to start as root otherwise
        subprocess.run(command, check=True, capture_output=True, timeout=180)  # noqa: S603 - fixed
        save(picture.name, shot.read_bytes(), picture.crop)


def save(name: str, shot: bytes, crop: tuple[int, int, int, int] | None = None) -> None:
    """Shrink a screenshot into docs/images."""
    data = shrink(shot, crop)
    IMAGES.mkdir(exist_ok=True)
    target = IMAGES / f"{name}.png"
    target.write_bytes(data)
    sys.stderr.write(f"{target.name}: {len(data) // 1000} kB\n")


def shrink(shot: bytes, crop: tuple[int, int, int, int] | None) -> bytes:
    """Return a picture as PNG with 256 colours, of at most 150 kB if possible."""
    data = b""
    with Image.open(io.BytesIO(shot)) as image:
        for method in METHODS:
            buffer = io.BytesIO()
            small = (
                image.crop(crop).convert("RGB").quantize(method=method, dither=Image.Dither.NONE)
            )
            small.save(buffer, format="png", optimize=True)
            data = buffer.getvalue()
            if len(data) <= MAX_BYTES:
                break
    return data


def take_ui(home: Path, pictures: Sequence[Picture]) -> None:
    """Take pictures of the UI of a home."""
    if not pictures:
        return
    with opened_ui(home) as address:
        for picture in pictures:
            take(address + picture.path, picture)


def take_pages(home: Path, pictures: Sequence[Picture]) -> None:
    """Take pictures of the HTML pages of a home."""
    folder = Workspace(home).reports
    for picture in pictures:
        newest = max(folder.glob("evaluation-*.html"), key=lambda p: p.stat().st_mtime).name
        take((folder / picture.path.format(newest=newest)).as_uri(), picture)


def take_questions(home: Path, pictures: Sequence[Picture]) -> None:
    """Take pictures of the question page with an answer, its first source opened."""
    if not pictures:
        return
    from playwright.sync_api import sync_playwright

    with opened_page(home) as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for picture in pictures:
            page = chromium.new_page(viewport={"width": picture.width, "height": picture.height})
            page.goto(address)
            page.wait_for_timeout(PAGE_WARMS_MS)
            page.fill("#question", picture.path)
            page.click("#ask button[type=submit]")
            page.wait_for_selector("#answer h2")
            page.wait_for_timeout(PAGE_WARMS_MS / 2)
            if picture.name != "page-refusal":
                page.locator("#answer details.source summary").first.click()
                page.wait_for_timeout(PAGE_WARMS_MS / 2)
            page.evaluate("window.scrollTo(0, 0)")
            save(picture.name, page.screenshot(animations="disabled"))
            page.close()
        chromium.close()


@contextmanager
def opened_page(home: Path) -> Generator[str]:
    """Run the service of a home, without keys, during the block; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "clinrag_core.cli.main", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment(home))  # noqa: S603 - fixed
    try:
        until = time.monotonic() + UI_STARTS_S
        while time.monotonic() < until:
            with suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/healthz").is_success:
                    break
            time.sleep(1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(30)


def main() -> int:
    """Build what is missing and take the selected pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    home = Path(tempfile.gettempdir()) / "clinrag" / "home"
    names = [picture.name for picture in (*UI, *STOPPED, *PAGES, *QUESTIONS)]
    parser.add_argument("--home", type=Path, default=home, help="where to build: %(default)s")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--damaged", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.damaged:
        return run_damaged()
    home = args.home.absolute()
    ui, stopped, pages, questions = (
        [picture for picture in group if picture.name in args.only]
        for group in (UI, STOPPED, PAGES, QUESTIONS)
    )
    build(home)
    take_ui(home, ui)
    take_pages(home, pages)
    take_questions(home, questions)
    if stopped:
        damaged = home.with_name(f"{home.name}-stopped")
        build_stopped(home, damaged)
        take_ui(damaged, stopped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
