"""Labels found by queries: of DailyMed, of openFDA, by address."""

from __future__ import annotations

import json

import pytest
from fakes.corpora import (
    QUERY,
    files_of,
    label,
    ledger,
    listing,
    set_id,
    spl,
)

from clinrag_core.errors import (
    AmbiguousLabelError,
)


def test_label_is_found_chosen_and_fetched(corpus, server, client, workspace):
    rows = [(2, 1, "RIFAMPIN CAPSULE [X]"), (1, 7, "ISONIAZID TABLET [X]")]
    server.on("/v2/spls.json", server.reply(listing(*rows)))
    server.on(f"/v2/spls/{set_id(1)}.xml", server.file(spl(1, 7)))
    acquired = files_of(corpus(label("isoniazid", QUERY), http=client()), "isoniazid")
    (file,) = acquired.files
    assert file.source.file.name == f"{set_id(1)}-v7.xml"
    (record,) = ledger(workspace)
    assert (record["version"], record["set_id"]) == (7, set_id(1))


def test_label_of_the_listed_version_is_not_fetched_again(corpus, server, client):
    server.on("/v2/spls.json", server.reply(listing((1, 7, "ISONIAZID TABLET [X]"))))
    xml = f"/v2/spls/{set_id(1)}.xml"
    server.on(xml, server.reply(spl(1, 7)))
    acquirer = corpus(label("isoniazid", QUERY), http=client())
    first = files_of(acquirer, "isoniazid")
    assert files_of(acquirer, "isoniazid") == first
    assert [a.path for a in server.asked].count(xml) == 1
    server.on("/v2/spls.json", server.reply(listing((1, 8, "ISONIAZID TABLET [X]"))))
    server.on(xml, server.reply(spl(1, 8)))
    (newer,) = files_of(acquirer, "isoniazid").files
    assert newer.path.read_bytes() == spl(1, 8)


@pytest.mark.parametrize(
    ("served", "message", "transient"),
    [
        (spl(2, 7), "requested set id", False),
        (spl(1, 7, "34390-5"), "requested document type 34391-3, the document has 34390-5", False),
        (spl(1, 6), "version 7 is listed, version 6 is served", True),
        (b"<html><body>Sorry</body></html>", "html_named_xml", False),
    ],
)
def test_document_other_than_the_listed_one_is_refused(
    corpus, server, client, workspace, served, message, transient
):
    server.on("/v2/spls.json", server.reply(listing((1, 7, "ISONIAZID TABLET [X]"))))
    server.on(f"/v2/spls/{set_id(1)}.xml", server.reply(served))
    acquired = files_of(corpus(label("isoniazid", QUERY), http=client()), "isoniazid")
    (failure,) = acquired.failures
    assert message in str(failure.error)
    assert failure.transient is transient
    assert not workspace.files.exists()


def test_ambiguous_labels_are_a_failure_that_names_them(corpus, server, client):
    rows = [(n, 1, "ISONIAZID TABLET [X]") for n in (1, 2)]
    server.on("/v2/spls.json", server.reply(listing(*rows)))
    (failure,) = files_of(corpus(label("isoniazid", QUERY), http=client()), "isoniazid").failures
    assert isinstance(failure.error, AmbiguousLabelError)
    assert set_id(2) in str(failure.error)


def test_pinned_set_id_is_resolved_from_its_history(corpus, server, client):
    history = {
        "data": {
            "spl": {"title": "I [X]", "setid": set_id(1)},
            "history": [{"spl_version": 7, "published_date": "Aug 09, 2023"}],
        }
    }
    server.on(f"/v2/spls/{set_id(1)}/history.json", server.reply(json.dumps(history).encode()))
    server.on(f"/v2/spls/{set_id(1)}.xml", server.reply(spl(1, 7)))
    text = label("isoniazid", f'{QUERY}\nset_id = "{set_id(1)}"')
    (file,) = files_of(corpus(text, http=client()), "isoniazid").files
    assert file.path.read_bytes() == spl(1, 7)


def test_failing_service_is_a_transient_failure(corpus, server, client):
    server.on("/v2/spls.json", server.reply(status=503))
    (failure,) = files_of(corpus(label("isoniazid", QUERY), http=client()), "isoniazid").failures
    assert failure.transient
    assert "label isoniazid (query drug_name=isoniazid)" in str(failure.error)


def test_openfda_label_is_found_and_stored(corpus, server, client):
    body = {
        "set_id": set_id(1),
        "version": "3",
        "effective_time": "20230208",
        "openfda": {"generic_name": ["ISONIAZID"], "brand_name": ["ISONIAZID"]},
    }
    answer = {"meta": {"results": {"total": 1}}, "results": [body]}
    server.on("/label.json", server.reply(json.dumps(answer).encode()))
    acquirer = corpus(label("isoniazid", QUERY, "openfda"), http=client())
    (file,) = files_of(acquirer, "isoniazid").files
    assert json.loads(file.path.read_bytes())["results"] == [body]
    assert file.source.file.name == f"{set_id(1)}-v3.json"


def test_label_by_address_may_be_a_zip(corpus, server, client):
    import io
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"{set_id(9)}.xml", spl())
    url = server.on("/getFile.cfm", server.reply(out.getvalue()))
    (file,) = files_of(corpus(label("a", f'url = "{url}"'), http=client()), "a").files
    assert file.path.read_bytes() == spl()
    assert file.notes == ("unzipped",)
