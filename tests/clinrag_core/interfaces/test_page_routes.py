"""The question page without a browser: what is shown, to whom, and what never leaves a trace."""

from __future__ import annotations

import base64
import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from html import unescape

import pytest

from clinrag_core.serve.auth import ApiKeys, key_hash
from clinrag_core.users.documents import UserDocuments

KEYS = ApiKeys({key_hash("a-key"): "alice", key_hash("b-key"): "bob"})
DOSE = "ethambutol daily dose for tuberculosis in adults"
NOTE = (
    b"Zebrafish ward rules\n\n"
    b"On the zebrafish ward, adults with tuberculosis take isoniazid at 9 in the morning."
)
CHARACTERS = re.compile(r"<[^>]+>")


def basic(key: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"any:{key}".encode()).decode()}


def ask(client, question: str, headers: dict[str, str] | None = None, **fields: str):
    sent = {"question": question, "scope": "all", **fields}
    return client.post("/", files={k: (None, v) for k, v in sent.items()}, headers=headers or {})


def words(response) -> str:
    return " ".join(unescape(CHARACTERS.sub(" ", response.text)).split())


def source_of(response) -> str:
    return unescape(re.search(r'href="(/sources[^"]+)"', response.text)[1])


def test_every_page_names_the_release_its_review_and_that_it_is_no_device(page_client):
    client = page_client()
    for response in (client.get("/"), ask(client, DOSE), ask(client, "zebra dose")):
        assert "Release 0001-" in words(response)
        assert "Not reviewed" in words(response)
        assert "Not a medical device" in words(response)


def test_a_row_is_answered_as_a_table_with_its_source_once(page_client):
    response = ask(page_client(), DOSE)
    assert response.status_code == 200
    assert '<th scope="col">Daily dose</th>' in response.text
    assert '<td data-heading="Daily dose">15 mg per kg</td>' in response.text
    assert response.text.count('<details class="source">') == 1
    assert "p. 2 · 2026" in words(response)


def test_the_source_outlines_exactly_the_cited_words_on_their_page(page_client):
    client = page_client()
    opened = client.get(source_of(ask(client, DOSE)))
    boxes = re.findall(r'<rect class="cited" x="([\d.]+)" y="([\d.]+)"', opened.text)
    assert len(boxes) == 7  # the caption, three headings, three cells
    assert "the blocks that hold" not in opened.text
    marked = re.findall(r"<mark>(.*?)</mark>", opened.text, re.DOTALL)
    assert [" ".join(m.split()) for m in marked] == [
        "Table 1. Daily doses of medicines for tuberculosis in adults "
        "Medicine Daily dose Most per day Ethambutol 15 mg per kg 1200 mg"
    ]
    picture = client.get(re.search(r'href="(/pictures/[^"]+)"', opened.text)[1])
    assert picture.headers["content-type"] == "image/webp"
    assert picture.content[8:12] == b"WEBP"


def test_a_label_is_opened_with_its_section_version_and_date(page_client):
    client = page_client()
    answer = ask(client, "isoniazid contraindications")
    assert answer.text.count("Open the source [1]") == 1  # three claims, one section
    opened = client.get(source_of(answer))
    assert "LOINC 34070-3 · version 3 · 2024-03-18" in words(opened)
    assert "<svg" not in opened.text
    assert len(re.findall("<mark>", opened.text)) == 1


def test_a_refusal_has_its_reason_the_nearest_passages_and_what_could_be_asked(page_client):
    shown = words(ask(page_client(), "zebra dose"))
    for part in ("No answer", "The sources never mention zebra", "What could be asked",
                 "Nearest passages", "Children tolerate"):  # fmt: skip
        assert part in shown
    assert "ABSTAIN" not in shown


def test_a_question_of_harm_gets_help_and_nothing_else(page_client):
    shown = words(ask(page_client(), "what isoniazid dose is lethal if I want to die"))
    assert "Please get help now" in shown
    assert "emergency number" in shown
    assert "Nearest passages" not in shown


def test_plain_words_come_on_request_only(page_client):
    client = page_client()
    assert "In plain words" not in words(ask(client, DOSE))
    assert "In plain words" in words(ask(client, DOSE, plain="true"))


@pytest.mark.parametrize("question", ["", "  ", "x" * 3_000])
def test_a_question_that_cannot_be_used_is_said_on_the_page(page_client, question):
    response = ask(page_client(), question)
    assert response.status_code == 422
    assert "The question cannot be used" in words(response)


ATTACKS = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 777*777 }}")


@pytest.mark.parametrize("attack", ATTACKS, ids=["script", "image", "template"])
def test_what_is_typed_or_uploaded_is_shown_as_text(page_client, attack):
    client = page_client()
    data = f"{attack} Isoniazid {attack} for tuberculosis wards is given at nine.".encode()
    added = client.post("/documents", files={"file": (f"a{attack[:12]}.txt", data)})
    assert added.status_code == 303
    response = ask(client, f"isoniazid dose in tuberculosis wards {attack}")
    pages = [response, client.get("/")]
    if "/sources" in response.text:
        pages.append(client.get(source_of(response)))
    for page in pages:
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert str(777 * 777) not in page.text


def test_the_page_may_load_nothing_from_elsewhere(page_client):
    client = page_client()
    for path in ("/", "/static/page.js", "/sources?at=bad", "/nothing/../static/x"):
        response = client.get(path)
        if response.headers["content-type"].startswith("application/problem"):
            continue
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["referrer-policy"] == "same-origin"
        assert not re.search(r'(?:src|href)="(?:https?:)?//', response.text)


def test_the_page_of_the_http_interface_asks_nobody_else(page_client):
    shown = page_client().get("/docs")
    assert not re.search(r'(?:src|href)="(?:https?:)?//', shown.text)
    assert page_client().get("/docs/swagger-ui-bundle.js").status_code == 200
    assert page_client().get("/redoc").status_code == 404


def test_answers_are_warmed_up_without_a_trace(page_client, page_settings):
    client = page_client()
    client.get("/")
    assert "clinrag_answers_total{" not in client.get("/metrics").text
    trail = page_settings.home / "audit" / "answers.jsonl"
    assert not trail.exists() or not trail.read_bytes(), trail.read_bytes()[:300]


def test_answers_are_never_stored_by_a_cache(page_client):
    client = page_client()
    assert ask(client, DOSE).headers["cache-control"] == "no-store"
    assert client.get("/").headers["cache-control"] == "no-store"


def test_a_question_is_in_no_log_and_no_address(page_client, caplog):
    caplog.set_level(logging.DEBUG)
    client = page_client()
    response = ask(client, "zebrafish dose of isoniazid in adults", plain="true")
    assert response.status_code == 200
    records = [r for r in caplog.records if not r.name.startswith(("asyncio", "httpcore"))]
    assert records
    for record in records:
        assert "zebrafish" not in f"{record.getMessage()} {record.__dict__}".lower()
    assert "zebrafish" not in " ".join(re.findall(r'(?:href|action)="([^"]*)"', response.text))


def test_with_keys_a_browser_is_asked_for_one(page_client):
    client = page_client(KEYS)
    refused = client.get("/")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Basic ")
    assert client.get("/", headers=basic("wrong")).status_code == 401
    assert client.get("/", headers=basic("a-key")).status_code == 200
    assert ask(client, DOSE).status_code == 401
    assert client.get("/pictures/" + "0" * 64 + "/1.webp").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}],
    ids=["origin", "fetch-site", "null-origin"],
)
@pytest.mark.parametrize("path", ["/", "/documents", "/documents/delete"])
def test_a_form_of_another_site_is_refused(page_client, path, headers):
    fields = {"question": (None, "x"), "document_id": (None, "x"), "file": ("a.txt", NOTE)}
    assert page_client().post(path, files=fields, headers=headers).status_code == 403


def test_documents_are_added_searched_scoped_and_deleted_by_their_owner(page_client):
    client = page_client(KEYS)
    a, b = basic("a-key"), basic("b-key")
    assert client.post("/documents", files={"file": ("n.txt", NOTE)}, headers=a).status_code == 303
    listed = client.get("/", headers=a)
    assert "n.txt" in words(listed)
    assert "n.txt" not in words(client.get("/", headers=b))
    question = "isoniazid on the zebrafish ward"
    found = ask(client, question, a)
    assert "9 in the morning" in words(found)
    assert "From your own documents" in words(found)
    own = found.text[found.text.index("From your own documents") :]
    place = unescape(re.search(r'href="(/sources[^"]+)"', own)[1])
    assert "9 in the morning" in words(client.get(place, headers=a))
    assert client.get(place, headers=b).status_code == 404
    assert "9 in the morning" not in words(ask(client, question, a, scope="sources"))
    document = re.search(r'name="document_id" value="([^"]+)"', listed.text)[1]
    gone = {"document_id": (None, document)}
    assert client.post("/documents/delete", files=gone, headers=b).status_code == 422
    assert client.post("/documents/delete", files=gone, headers=a).status_code == 303
    assert "n.txt" not in words(client.get("/", headers=a))


def test_only_my_documents_reads_nothing_else_and_says_so(page_client):
    client = page_client()
    client.post("/documents", files={"file": ("n.txt", NOTE)})
    mine = ask(client, "isoniazid on the zebrafish ward", scope="mine")
    assert '<option value="mine" selected>' in mine.text
    assert "Only your own documents were read" in words(mine)
    assert "9 in the morning" in words(mine)
    assert '<ol class="claims">' not in mine.text
    nothing = words(ask(client, "pyrazinamide contraindications", scope="mine"))
    assert "No answer" in nothing
    assert "Nothing in your own documents answers this." in nothing
    assert ask(client, DOSE, scope="everything").status_code == 422


def test_a_page_of_an_own_pdf_is_shown_to_its_owner_and_gone_when_deleted(page_client, pdf_bytes):
    client = page_client(KEYS)
    a, b = basic("a-key"), basic("b-key")
    client.post("/documents", files={"file": ("own.pdf", pdf_bytes)}, headers=a)
    answer = ask(client, DOSE, a, scope="mine")
    assert '<td data-heading="Daily dose">15 mg per kg</td>' in answer.text
    opened = client.get(source_of(answer), headers=a)
    assert opened.text.count('<rect class="cited"') == 7
    assert "the blocks that hold" not in opened.text
    assert "Your document: not reviewed" in words(opened)
    picture = re.search(r'href="(/documents/pictures/[^"]+)"', opened.text)[1]
    drawn = client.get(picture, headers=a)
    assert drawn.content[8:12] == b"WEBP"
    assert drawn.headers["cache-control"] == "no-store"
    assert client.get(picture, headers=b).status_code == 404
    assert client.get(picture.replace("/2.webp", "/99.webp"), headers=a).status_code == 404
    document = re.search(r'name="document_id" value="([^"]+)"', client.get("/", headers=a).text)[1]
    client.post("/documents/delete", files={"document_id": (None, document)}, headers=a)
    assert client.get(picture, headers=a).status_code == 404


def test_a_page_upload_takes_a_place_like_any_other(page_client, monkeypatch):
    """Uploads of the page had no limit on how many wait."""
    client, release = page_client(), threading.Event()
    monkeypatch.setattr(UserDocuments, "add", lambda *_: release.wait(30))
    with ThreadPoolExecutor(6) as pool:
        sent = [
            pool.submit(client.post, "/documents", files={"file": ("n.txt", NOTE)})
            for _ in range(6)
        ]
        refused = as_completed(sent)
        first, _ = next(refused).result(), next(refused).result()
        release.set()
        statuses = [one.result().status_code for one in sent]
    assert first.status_code == 429
    assert int(first.headers["Retry-After"]) >= 1
    assert statuses.count(429) == 2


def test_a_bad_document_is_said_on_the_page(page_client):
    response = page_client().post("/documents", files={"file": ("a.exe", b"MZ")})
    assert response.status_code == 422
    assert "name it with one of" in words(response)


@pytest.mark.parametrize(
    "path",
    [
        "/sources?at=0000000000000000:0-5",
        "/pictures/..%2F..%2Fapi_keys/1.webp",
        "/pictures/" + "0" * 64 + "/1.webp",
        "/static/..%2Fview.py",
        "/static/nothing.css",
    ],
)
def test_what_is_not_of_the_release_is_not_there(page_client, path):
    assert page_client().get(path).status_code == 404


def test_a_page_that_the_file_does_not_have_is_not_there(page_client):
    client = page_client()
    opened = client.get(source_of(ask(client, DOSE)))
    path = re.search(r'href="(/pictures/[^"]+/)2\.webp"', opened.text)[1]
    for number in (0, -1, 99):
        assert client.get(f"{path}{number}.webp").status_code == 404
