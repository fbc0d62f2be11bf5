"""A damaged release is replaced by the good one before it, and the service says so."""

from __future__ import annotations

import time

import pytest

from clinrag_core.index.release import ReleaseStore
from clinrag_core.settings import Settings


def test_the_good_release_before_a_damaged_one_is_served_and_named(
    client_for, released: Settings, tiny_corpus, build_release
):
    store = ReleaseStore(released.home / "releases")
    first = store.current()
    tiny_corpus.change_dose()
    newest = build_release(released)
    folder = store.folder_of(store.current()) / "kb_druglabels_tiny"
    (chunks,) = folder.glob("shards/*/chunks.arrow")
    data = chunks.read_bytes()
    assert b"310 mg" in data
    chunks.write_bytes(data.replace(b"310 mg", b"970 mg"))
    client = client_for()
    ready = client.get("/readyz").json()
    assert (ready["release"], ready["damaged_release"]) == (first.id, newest)
    hits = client.get("/v1/search", params={"q": "isoniazid dose mg"}).json()["results"]
    assert not any("970 mg" in hit["chunk"]["text"] for hit in hits)
    answer = client.post("/v1/ask", json={"question": "What is the dose of isoniazid?"}).json()
    assert (answer["release"], answer["damaged_release"]) == (first.id, newest)


def test_without_a_good_release_nothing_is_served(client_for, released: Settings):
    store = ReleaseStore(released.home / "releases")
    (store.folder_of(store.current()) / "encoder" / "tokenizer.json").write_text("{}")
    client = client_for()
    assert client.get("/readyz").status_code == 503
    assert client.get("/v1/search", params={"q": "isoniazid"}).status_code == 503


def test_a_decision_reaches_a_running_service(client_for, released: Settings):
    client = client_for(reload_s=0.05)
    assert client.get("/readyz").json()["unreviewed"]
    ReleaseStore(released.home / "releases").mark_reviewed(released.profile, "tiny")
    for _ in range(200):
        if not client.get("/readyz").json()["unreviewed"]:
            return
        time.sleep(0.1)
    pytest.fail("the service still serves the release as unreviewed")
