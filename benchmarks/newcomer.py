"""Seconds of a newcomer's first hour: to a first answer on the page, to an answer from an own PDF.

    python benchmarks/newcomer.py [--home DIR] [--pdf FILE --question TEXT]

Without `--home` it builds the sample in a temporary home first, as `make run` does, and times that
as well. Then it starts `clinrag serve` as a process of its own, asks on the page in a real browser,
uploads a PDF and asks that alone. Needs the extra `browser` and chromium. The installation is not
part of it: `time make install` on a fresh clone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PDF = ROOT / "data" / "corpora" / "sample" / "guidelines" / "sample-cap-adults.pdf"
ASKED = "What are the contraindications of rifampin?"
MOST_S = 300
PAINTED = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"


def environment(home: Path) -> dict[str, str]:
    """Return the variables of a process that works in a home."""
    names = {"CLINRAG_HOME": str(home), "CLINRAG_PROFILE": "sample"}
    return {**os.environ, **names, "DAGSTER_DISABLE_TELEMETRY": "1"}


def wait_for(address: str) -> None:
    """Wait until the service answers its page.

    Raises:
        TimeoutError: it does not.
    """
    until = time.monotonic() + MOST_S
    while time.monotonic() < until:
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - this machine
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(address)


def ask(page: Page, question: str) -> str:
    """Ask on the page; return the heading of what was painted."""
    page.fill("#question", question)
    page.get_by_role("button", name="Ask", exact=True).click()
    heading = page.locator("#answer h2")
    heading.wait_for(timeout=MOST_S * 1000)
    page.evaluate(PAINTED)
    return heading.inner_text()


def measure(home: Path, pdf: Path, question: str) -> dict[str, float]:
    """Return the seconds of each step, from the start of the service on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, seconds = f"http://127.0.0.1:{port}", {}
    command = [sys.executable, "-m", "clinrag_core.cli.main", "serve", "--port", str(port)]
    started = time.monotonic()
    service = subprocess.Popen(command, env=environment(home), stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_page()
            wait_for(address)
            page.goto(address)
            seconds["serve: start to the page"] = time.monotonic() - started
            heading = ask(page, ASKED)
            seconds["serve: start to the first answer"] = time.monotonic() - started
            print(f"{ASKED} -> {heading}")
            added = time.monotonic()
            page.locator("#documents summary").click()
            page.set_input_files("#file", str(pdf))
            page.get_by_role("button", name="Add", exact=True).click()
            page.locator(".files .file").first.wait_for(timeout=MOST_S * 1000)
            seconds["own PDF: choosing it to indexed"] = time.monotonic() - added
            page.get_by_label("Search in").select_option("mine")
            page.evaluate("document.querySelector('#answer h2').remove()")
            heading = ask(page, question)
            seconds["own PDF: choosing it to its answer"] = time.monotonic() - added
            print(f"{question} -> {heading}")
            browser.close()
    finally:
        service.terminate()
        service.wait(30)
    return seconds


def main() -> None:
    """Print the seconds of each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a home with a release; none: build one")
    parser.add_argument("--pdf", type=Path, default=PDF)
    parser.add_argument("--question", default="amoxicillin dose for pneumonia in adults")
    args = parser.parse_args()
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if args.home:
            shutil.copytree(args.home, home, ignore=shutil.ignore_patterns("user_documents"))
        else:
            began = time.monotonic()
            run = [sys.executable, "-m", "clinrag_dagster.run"]
            subprocess.run(run, cwd=ROOT, env=environment(home), check=True)  # noqa: S603
            seconds["make run"] = time.monotonic() - began
        seconds |= measure(home, args.pdf, args.question)
    for name, value in seconds.items():
        print(f"{value:8.1f} s  {name}")


if __name__ == "__main__":
    main()
