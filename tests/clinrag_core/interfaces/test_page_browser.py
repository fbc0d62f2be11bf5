"""The question page in a real browser: asking, sources, documents, attacks, accessibility."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

AXE = Path(__file__).with_name("axe-4.14.1.min.js")
DOSE = "ethambutol daily dose for tuberculosis in adults"
ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script>"
WIDTHS = (1280, 390, 320)
pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser, service_url: str) -> Iterator:
    """A page at the service; fails on a console error, a dialog or a request elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    faults: list[str] = []
    opened.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("dialog", lambda dialog: (faults.append("dialog"), dialog.dismiss()))
    for document in httpx.get(f"{service_url}/v1/documents").json()["documents"]:
        httpx.delete(f"{service_url}/v1/documents/{document['id']}")  # of a test that failed
    opened.on("request", lambda r: r.url.startswith(service_url) or faults.append(r.url))
    opened.goto(service_url)
    yield opened
    assert faults == []
    context.close()


def ask(page, question: str, heading: str = "Answer") -> None:
    page.fill("#question", question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator("#answer h2", has_text=heading).wait_for()


def upload(page, name: str, kind: str, data: bytes):
    """Add a document; return its entry in the list. The first one loads the models."""
    page.locator("#documents summary").click()
    page.set_input_files("#file", {"name": name, "mimeType": kind, "buffer": data})
    page.get_by_role("button", name="Add", exact=True).click()
    listed = page.locator(".files .file")
    listed.wait_for(timeout=180_000)
    return listed


def open_source(page):
    page.locator("details.source summary").first.click()
    opened = page.locator(".opened").first
    opened.wait_for(timeout=90_000)
    return opened


def violations(page) -> list[str]:
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run().then(r => r.violations)")
    return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found]


def test_asking_moves_the_focus_to_the_answer_and_keeps_the_question_out_of_the_address(
    page, service_url
):
    ask(page, DOSE)
    assert page.evaluate("document.activeElement.textContent") == "Answer"
    assert page.url == f"{service_url}/"
    assert page.locator("td", has_text="15 mg per kg").is_visible()


def test_a_source_opens_in_place_with_the_cited_words_outlined(page):
    ask(page, DOSE)
    opened = open_source(page)
    assert opened.locator("rect.cited").count() == 7
    # The picture is there, not only its frame.
    size = page.evaluate(
        "fetch(document.querySelector('image').href.baseVal).then(r => r.blob())"
        ".then(createImageBitmap).then(b => b.width)"
    )
    assert size > 1_000
    box, svg = (
        opened.locator("rect.cited").last.bounding_box(),
        opened.locator("svg").bounding_box(),
    )
    assert svg["x"] <= box["x"] <= svg["x"] + svg["width"]
    assert svg["y"] <= box["y"] <= svg["y"] + svg["height"]


def test_everything_can_be_done_by_keyboard(page):
    page.locator("#question").focus()
    page.keyboard.type(DOSE)
    page.keyboard.press("Enter")
    page.locator("#answer h2").wait_for()
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    page.locator(".opened mark").first.wait_for()


def test_a_refusal_offers_a_question_that_can_be_asked(page):
    ask(page, "zebra dose", "No answer")
    offer = page.locator("button.offer").first
    wanted = offer.inner_text()
    offer.click()
    page.get_by_role("status").wait_for(state="attached")
    assert page.locator("#question").input_value() == wanted


def test_a_document_is_uploaded_and_deleted(page):
    listed = upload(page, "ward <b>rule</b>.txt", "text/plain", b"Isoniazid is given at nine.")
    assert listed.locator("b").count() == 0
    page.locator("button.delete").click()
    listed.wait_for(state="detached")


def test_markup_in_a_question_and_in_a_document_stays_text(page):
    data = f"{ATTACK} Ward rule: isoniazid for tuberculosis is given at nine. {ATTACK}".encode()
    upload(page, "x.txt", "text/plain", data)
    page.fill("#question", f"when is isoniazid given by the ward rule {ATTACK}")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator("#answer h2").wait_for()
    if page.locator("details.source").count():
        open_source(page)
    assert page.locator("main img, main script").count() == 0
    page.locator("button.delete").click()
    page.locator(".files .file").wait_for(state="detached")


@pytest.mark.parametrize("width", WIDTHS)
def test_an_own_pdf_alone_is_asked_and_its_page_shown(page, width, pdf_bytes):
    page.set_viewport_size({"width": width, "height": 800})
    upload(page, "own.pdf", "application/pdf", pdf_bytes)
    page.get_by_label("Search in").select_option("mine")
    ask(page, DOSE)
    assert page.get_by_text("Only your own documents were read").is_visible()
    assert page.locator(".claims").count() == 0
    opened = open_source(page)
    assert opened.locator("rect.cited").count() == 7
    drawn = page.evaluate(
        "fetch(document.querySelector('image').href.baseVal).then(r => r.blob())"
        ".then(createImageBitmap).then(b => b.width)"
    )
    assert drawn > 1_000
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.locator("button.delete").click()
    page.locator(".files .file").wait_for(state="detached")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    ask(page, DOSE)
    open_source(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_screen_reader_finds_no_violation(page):
    assert violations(page) == []
    page.locator("input[name=plain]").check()
    ask(page, DOSE)
    open_source(page)
    assert violations(page) == []
    ask(page, "zebra dose", "No answer")
    assert violations(page) == []


def test_without_script_the_same_can_be_done(browser, service_url):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(service_url)
    ask(opened, DOSE)
    assert opened.url == f"{service_url}/"
    opened.locator("details.source summary").first.click()
    opened.get_by_role("link", name="Open the source [1]").click()
    opened.locator("rect.cited").first.wait_for()
    context.close()


def test_the_http_interface_is_shown_without_a_network(page, service_url):
    page.goto(f"{service_url}/docs")
    page.get_by_text("/v1/ask", exact=True).first.wait_for()


def test_in_print_the_sources_are_open(page):
    ask(page, DOSE)
    page.emulate_media(media="print")
    assert page.locator("details.source blockquote").first.bounding_box()["height"] > 0
    assert not page.locator("#documents").is_visible()
    assert page.pdf()[:4] == b"%PDF"


def test_an_answer_is_painted_within_a_second(page):
    ask(page, DOSE)
    painted = page.evaluate("""async (question) => {
        const form = document.getElementById("ask");
        form.question.value = question;
        const started = performance.now();
        const done = new Promise((resolve) => new MutationObserver((changes, watch) => {
            if (document.activeElement.tagName !== "H2") return;
            watch.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
        }).observe(document.querySelector("main"), {childList: true, subtree: true,
            attributes: true, characterData: true}));
        document.activeElement.blur();
        form.requestSubmit();
        return await done - started;
    }""", "isoniazid contraindications")  # fmt: skip
    assert painted < 3_000  # on a busy test machine; docs/page.md has the figure
