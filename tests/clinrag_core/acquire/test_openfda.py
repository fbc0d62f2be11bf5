"""The openFDA client with replies that have the service's structure."""

from __future__ import annotations

import json

import pytest

from clinrag_core.acquire.label_query import LabelQuery
from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.openfda import OpenFda
from clinrag_core.errors import AcquireError, FetchError

SET_ID = "11111111-2222-3333-4444-555555555555"
QUERY = LabelQuery(drug_name='iso"niazid', application_number="NDA1")
NOT_FOUND = b'{"error": {"code": "NOT_FOUND", "message": "No matches found!"}}'


def label(n, version="3", **names):
    return {
        "set_id": f"00000000-0000-0000-0000-{n:012d}",
        "version": version,
        "effective_time": "20230208",
        "dosage_and_administration": ["300 mg"],
        "openfda": {"generic_name": ["ISONIAZID"], "brand_name": ["ISONIAZID"]} | names,
    }


def answer(labels, total=None, updated="2025-01-01"):
    counts = {"skip": 0, "limit": 100, "total": len(labels) if total is None else total}
    return json.dumps({"meta": {"last_updated": updated, "results": counts}, "results": labels})


@pytest.fixture
def openfda(server, client):
    return OpenFda(client(attempts=2), server.url + "/label.json")


def test_search_is_quoted_and_limited_to_prescription_labels(server, openfda):
    server.on("/label.json", server.reply(answer([label(2), label(1)]).encode()))
    found = openfda.labels(QUERY)
    assert [f.summary.set_id[-1] for f in found] == ["1", "2"]
    assert server.asked[0].query == {
        "search": 'openfda.generic_name:"iso\\"niazid" AND '
        'openfda.product_type:"HUMAN PRESCRIPTION DRUG" AND openfda.application_number:"NDA1"',
        "limit": "100",
        "skip": "0",
    }


def test_all_pages_are_read(server, openfda):
    labels = [label(n) for n in range(150)]

    def page(asked):
        skip = int(asked.query["skip"])
        return server.reply(answer(labels[skip : skip + 100], 150).encode())

    server.on("/label.json", page)
    assert len(openfda.labels(QUERY)) == 150
    assert [a.query["skip"] for a in server.asked] == ["0", "100"]


def test_pages_that_end_early_are_not_trusted(server, openfda):
    server.on(
        "/label.json",
        server.reply(answer([label(1)], 2).encode()),
        server.reply(answer([], 2).encode()),
    )
    with pytest.raises(FetchError, match="1 of 2 labels"):
        openfda.labels(QUERY)


def test_no_matches_are_not_an_error(server, openfda):
    server.on("/label.json", server.reply(NOT_FOUND, 404))
    assert openfda.labels(QUERY) == ()
    with pytest.raises(AcquireError, match="no label of set id"):
        openfda.by_set_id(SET_ID)


def test_a_wrong_address_is_an_error(server, openfda):
    server.on("/label.json", server.reply(b'{"message": "route"}', 404))
    with pytest.raises(FetchError, match="HTTP 404"):
        openfda.labels(QUERY)


def test_label_of_another_set_id_is_refused(server, openfda):
    server.on("/label.json", server.reply(answer([label(1)]).encode()))
    with pytest.raises(AcquireError, match="no label of set id"):
        openfda.by_set_id(SET_ID)


def test_file_does_not_change_with_the_day(server, openfda):
    server.on(
        "/label.json",
        server.reply(answer([label(1)], updated="2025-01-01").encode()),
        server.reply(answer([label(1)], updated="2025-02-02").encode()),
    )
    one, two = (openfda.labels(QUERY)[0].file() for _ in range(2))
    assert one == two
    assert check_payload(one, "openfda", "f").data == one
    assert json.loads(one)["results"] == [label(1)]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"results": []}',
        b'{"meta": {"results": {"total": 1}}, "results": {}}',
        answer([{"version": "1"}]).encode(),
        answer([label(1) | {"effective_time": "20231301"}]).encode(),
        answer([label(1, version="x")]).encode(),
        answer(["x"]).encode(),
    ],
)
def test_reply_with_another_structure_is_refused(server, openfda, body):
    server.on("/label.json", server.reply(body))
    with pytest.raises(FetchError, match=r"label\.json: ") as caught:
        openfda.labels(QUERY)
    assert not caught.value.transient


def test_real_replies_are_read(reference_corpus, server, openfda):
    for path in sorted((reference_corpus / "labels/openfda").glob("*.json"))[:8]:
        body = path.read_bytes()
        key = json.loads(body)["results"][0]["set_id"]
        server.on("/label.json", server.reply(body))
        found = openfda.by_set_id(key)
        assert found.body == json.loads(body)["results"][0]
        assert "(" in found.summary.title
