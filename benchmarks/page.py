"""Milliseconds from asking on the question page to the answer painted, in a real browser.

    CLINRAG_HOME=.clinrag python benchmarks/page.py

Starts the service over the release of the home. Needs the extra `browser` and chromium.
The first question of a process, five seconds after the page was opened, is reported apart.
"""

from __future__ import annotations

import shutil
import socket
import statistics
import threading
import time

import uvicorn
from playwright.sync_api import sync_playwright

from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import load_settings

QUESTIONS = (
    "What are the contraindications of rifampin?",
    "What is the dose of rifampin?",
    "How long is treatment for drug-susceptible TB in adults?",
    "amoxicillin dose for pneumonia in a child",
    "What is the boxed warning of bedaquiline?",
    "What is the capital of France?",
)
ROUNDS = 3
TYPING_MS = 5_000
"""A person takes longer from opening the page to asking; the service warms up meanwhile."""
PAINTED = """async (question) => {
    const form = document.getElementById("ask");
    form.question.value = question;
    document.activeElement.blur();
    const started = performance.now();
    const done = new Promise((resolve) => new MutationObserver((_, watch) => {
        if (document.activeElement.tagName !== "H2") return;
        watch.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
    }).observe(document.body, {childList: true, subtree: true, attributes: true,
        characterData: true}));
    form.requestSubmit();
    return await done - started;
}"""


def main() -> None:
    """Print the first time, and median and maximum of the later ones."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = service_app(load_settings(), ApiKeys({}))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=arguments
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        page.wait_for_timeout(TYPING_MS)
        times = [page.evaluate(PAINTED, q) for _ in range(ROUNDS) for q in QUESTIONS]
        browser.close()
    server.should_exit = True
    first, later = times[0], times[1:]
    print(f"first question: {first:.0f} ms")
    print(
        f"later: median {statistics.median(later):.0f} ms, most {max(later):.0f} ms, n {len(later)}"
    )


if __name__ == "__main__":
    main()
