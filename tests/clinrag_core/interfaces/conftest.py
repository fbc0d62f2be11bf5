"""A release with a PDF guideline and two labels, the service over it, and a real browser."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi.testclient import TestClient
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import Settings

CHROMIUM = next((p for p in map(shutil.which, ("chromium", "chromium-browser")) if p), None)
ENTRY = """
[[guideline]]
id = "tb-pages"
title = "Tuberculosis care on pages"
organisation = "Test"
year = 2026
topics = ["tb"]
format = "pdf"
licence = "Apache-2.0"
path = "tb-pages.pdf"
"""
DOSES = [
    ["Medicine", "Daily dose", "Most per day"],
    ["Ethambutol", "15 mg per kg", "1200 mg"],
    ["Pyrazinamide", "25 mg per kg", "2000 mg"],
]


def write_pdf(path: Path) -> None:
    """Two pages: sentences, then a table of doses."""
    styles = getSampleStyleSheet()
    head, text = styles["Heading1"], styles["BodyText"]
    grid = Table(DOSES, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    SimpleDocTemplate(str(path), pagesize=A4, title="Tuberculosis care on pages").build([
        Paragraph("1. Infectiousness of tuberculosis", head),
        Paragraph(
            "Adults with tuberculosis are isolated for two weeks after treatment begins. "
            "Visitors wear a respirator in the room. " * 2, text,
        ),
        PageBreak(),
        Paragraph("2. Doses for tuberculosis", head),
        Paragraph("Table 1. Daily doses of medicines for tuberculosis in adults", text),
        Spacer(1, 6),
        grid,
        Spacer(1, 12),
        Paragraph("Linezolid is not given with serotonergic drugs in tuberculosis.", text),
    ])  # fmt: skip


@pytest.fixture(scope="session")
def pages_home(
    make_tiny_settings, build_release: Callable[[Settings], str], tmp_path_factory
) -> Settings:
    """Settings over a release of two text guidelines, a PDF and two labels, built once."""
    corpus, settings = make_tiny_settings(tmp_path_factory.mktemp("pages"))
    write_pdf(corpus.folder / "tb-pages.pdf")
    manifest = corpus.folder / "corpus.toml"
    manifest.write_text(manifest.read_text() + ENTRY)
    build_release(settings)
    return settings


@pytest.fixture(scope="session")
def pdf_bytes(tmp_path_factory) -> bytes:
    """The bytes of the PDF guideline, to upload."""
    path = tmp_path_factory.mktemp("pdf") / "own.pdf"
    write_pdf(path)
    return path.read_bytes()


@pytest.fixture
def page_settings(pages_home: Settings, tmp_path: Path) -> Settings:
    """Settings over a copy of the release, for tests that change it."""
    shutil.copytree(pages_home.home, tmp_path / "home", ignore=shutil.ignore_patterns("audit"))
    return pages_home.model_copy(update={"home": tmp_path / "home"})


@pytest.fixture
def page_client(page_settings: Settings) -> Iterator[Callable[..., TestClient]]:
    """Makes a client of the service."""
    clients: list[TestClient] = []

    def make(keys: ApiKeys | None = None) -> TestClient:
        app = service_app(page_settings, keys or ApiKeys({}))
        client = TestClient(
            app, base_url="http://localhost", raise_server_exceptions=False, follow_redirects=False
        )
        client.__enter__()
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def browser():
    """Chromium of the system, driven by Playwright; skips with what is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install '.[browser]'")
    if CHROMIUM is None:
        pytest.skip("no chromium: apt-get install chromium")
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def service_url(pages_home: Settings, tmp_path_factory) -> Iterator[str]:
    """Address of the service in a thread of this process, over a copy of the release."""
    home = tmp_path_factory.mktemp("served") / "home"
    shutil.copytree(pages_home.home, home)
    with serving(service_app(pages_home.model_copy(update={"home": home}), ApiKeys({}))) as url:
        yield url


@contextmanager
def serving(app) -> Iterator[str]:
    """Serve an application on a free port in a thread of this process; yields its address."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture(scope="session")
def serve_app():
    """Serves an application in a thread; a context manager that gives its address."""
    return serving
