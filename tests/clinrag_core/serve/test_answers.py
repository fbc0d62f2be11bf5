"""`/v1/ask` and `/v1/documents`: the same keys and limits as search, tenants apart."""

from __future__ import annotations

import logging

from clinrag_core.answer import engine, write
from clinrag_core.answer.generate.extractive import ExtractiveGenerator
from clinrag_core.retrieve.route import SecondOpinion
from clinrag_core.serve.auth import ApiKeys, key_hash
from clinrag_core.users.documents import UserDocuments
from clinrag_core.workspace import Workspace

KEYS = ApiKeys({key_hash("a-key"): "alice", key_hash("b-key"): "bob"})
A, B = {"X-API-Key": "a-key"}, {"X-API-Key": "b-key"}
NOTE = b"The zebrafish marker was 42 units on isoniazid."


def test_an_answer_or_an_abstention_is_200_with_its_audit_id(client_for):
    response = client_for().post("/v1/ask", json={"question": "Management of type 2 diabetes"})
    answer = response.json()
    assert response.status_code == 200
    assert (answer["status"], answer["reason"]) == ("out_of_domain", "out_of_domain")
    assert len(answer["audit_id"]) == 16


def test_questions_without_a_key_or_without_sense(client_for):
    client = client_for(KEYS)
    assert client.post("/v1/ask", json={"question": "isoniazid dose"}).status_code == 401
    assert client.get("/v1/documents").status_code == 401
    for body in ({}, {"question": ""}, {"question": "x" * 3_000}, {"question": "a", "b": 1}):
        response = client.post("/v1/ask", json=body, headers=A)
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"


def test_documents_are_given_listed_and_deleted_by_their_owner(client_for):
    client = client_for(KEYS)
    added = client.post("/v1/documents?filename=n.txt", content=NOTE, headers=A)
    assert added.status_code == 201
    document = added.json()["id"]
    assert [d["id"] for d in client.get("/v1/documents", headers=A).json()["documents"]] == [
        document
    ]
    assert client.get("/v1/documents", headers=B).json()["documents"] == []
    assert client.delete(f"/v1/documents/{document}", headers=B).status_code == 404
    assert client.delete(f"/v1/documents/{document}", headers=A).status_code == 204
    assert client.get("/v1/documents", headers=A).json()["documents"] == []


def test_bad_documents_are_problems(client_for):
    client = client_for()
    for name, data in (("a.exe", b"MZ"), ("a.pdf", b"no"), ("a.txt", b"")):
        response = client.post(f"/v1/documents?filename={name}", content=data)
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"


def test_a_document_may_be_larger_than_a_question(client_for):
    client = client_for(max_body_bytes=1_000)
    big = b"Isoniazid 300 mg daily is usual. " * 200
    assert client.post("/v1/documents?filename=a.txt", content=big).status_code == 201
    assert client.post("/v1/ask", content=big).status_code == 413


def test_metrics_count_answers_without_a_word_of_them(client_for):
    client = client_for()
    client.post("/v1/ask", json={"question": "zebrafish in diabetes"})
    text = client.get("/metrics").text
    assert 'clinrag_answers_total{reason="out_of_domain",status="out_of_domain"} 1.0' in text
    assert "zebrafish" not in text


PATIENT = "Zebulon"
FAILURES = (KeyError, TypeError, IndexError, MemoryError, RuntimeError)
PLACES = (
    (SecondOpinion, "in_domain", "what comes first", "internal_error"),
    (engine, "find_evidence", "isoniazid dose in adults", "internal_error"),
    (UserDocuments, "engine", "isoniazid dose in adults", "retrieval_failed"),
    (ExtractiveGenerator, "generate", "isoniazid dose in adults", "generation_failed"),
    (write, "check_draft", "isoniazid dose in adults", "internal_error"),
)


def test_any_exception_is_an_abstention_with_an_audit_record(
    client_for, released, monkeypatch, caplog
):
    """A KeyError answered 500, and the audit trail did not know of the question."""
    caplog.set_level(logging.DEBUG)
    # Where nobody has given a document, none is opened.
    Workspace(released.home).user_documents.mkdir(parents=True, exist_ok=True)
    client = client_for()
    for owner, name, question, reason in PLACES:
        for failure in FAILURES:

            def broken(*_, error=failure, **__):
                raise error(PATIENT)

            with monkeypatch.context() as patch:
                patch.setattr(owner, name, broken)
                response = client.post("/v1/ask", json={"question": question})
            answer = response.json()
            assert response.status_code == 200
            assert (answer["status"], answer["reason"]) == ("abstained", reason), name
            recorded = (released.home / "audit" / "answers.jsonl").read_text()
            assert answer["audit_id"] in recorded
    logged = " ".join(r.getMessage() for r in caplog.records if r.name.startswith("clinrag"))
    assert "in broken" in logged
    assert PATIENT not in logged
