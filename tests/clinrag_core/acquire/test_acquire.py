"""From manifest entries to stored files, with the failures of each step."""

from __future__ import annotations

import json

import pytest

from clinrag_core.acquire.acquire import Acquirer
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.errors import (
    AcquireError,
    AmbiguousLabelError,
    ChecksumError,
    FetchError,
    ParseError,
)
from clinrag_core.settings import AcquireSettings
from clinrag_core.workspace import Workspace, sha256_hex

PDF = b"%PDF-1.7\n1 0 obj\n%%EOF\n"
HEAD = '[corpus]\nname = "c"\n'
GUIDELINE = """
[[guideline]]
id = "{id}"
title = "T"
organisation = "WHO"
topics = ["tb"]
format = "{form}"
licence = "CC BY"
{more}
"""


def guideline(more, slug="g-1", form="pdf"):
    return GUIDELINE.format(id=slug, more=more, form=form)


def label(drug, more, form="spl"):
    return f'\n[[label]]\ndrug = "{drug}"\nformat = "{form}"\n{more}\n'


def set_id(n):
    return f"00000000-0000-0000-0000-{n:012d}"


def spl(n=1, version=1, type_code="34391-3"):
    return (
        f'<document xmlns="urn:hl7-org:v3"><id root="x"/><code code="{type_code}"/>'
        f'<setId root="{set_id(n)}"/><versionNumber value="{version}"/></document>'
    ).encode()


def listing(*rows):
    data = [
        {"setid": set_id(n), "spl_version": v, "title": t, "published_date": "Aug 09, 2023"}
        for n, v, t in rows
    ]
    meta = {"total_elements": len(data), "total_pages": 1, "current_page": 1}
    return json.dumps({"data": data, "metadata": meta}).encode()


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "home")


@pytest.fixture
def corpus(tmp_path, workspace, server, clock):
    """Writes a manifest and files and returns an acquirer for them."""
    root = tmp_path / "corpus"

    def make(text, files=None, http=None):
        root.mkdir(exist_ok=True)
        (root / "corpus.toml").write_text(HEAD + text, encoding="utf-8")
        for name, data in (files or {}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        settings = AcquireSettings.model_validate(
            {"dailymed_url": server.url + "/v2", "openfda_url": server.url + "/label.json"}
        )
        return Acquirer(load_manifest(root), workspace, settings, http, clock=clock)

    return make


def ledger(workspace):
    path = workspace.files / "ledger.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def entry(acquirer, slug="g-1"):
    return acquirer._manifest.guideline(slug)


def get(acquirer, slug="g-1"):
    return acquirer.acquire(entry(acquirer, slug))


# --- the corpus folder


def test_folder_file_is_stored_by_its_bytes_and_described(corpus, workspace):
    more = f'path = "sub/a.pdf"\nyear = 2020\nsha256 = "{sha256_hex(PDF)}"\nlanding = "https://h/x"'
    acquired = get(corpus(guideline(more), {"sub/a.pdf": PDF}))
    assert acquired.path == workspace.files / sha256_hex(PDF)[:2] / sha256_hex(PDF)
    assert acquired.path.read_bytes() == PDF
    assert acquired.source.model_dump(exclude_none=True) == {
        "kind": "guideline",
        "format": "pdf",
        "file": {
            "name": "a.pdf",
            "sha256": sha256_hex(PDF),
            "size": len(PDF),
            "url": "https://h/x",
        },
        "id": "g-1",
        "title": "T",
        "organisation": "WHO",
        "year": 2020,
        "topics": ("tb",),
        "licence": "CC BY",
        "ocr": False,
    }
    (record,) = ledger(workspace)
    assert record["retrieved"] == "2025-06-15T15:06:40+00:00"
    assert (record["key"], record["location"]) == ("guideline/g-1", "sub/a.pdf")


def test_a_second_run_gives_the_same_and_records_nothing_new(corpus, workspace, clock):
    text = guideline('path = "a.pdf"')
    first = get(corpus(text, {"a.pdf": PDF}))
    clock.now += 86_400
    assert get(corpus(text)) == first
    assert len(ledger(workspace)) == 1


def test_missing_file_is_named_by_its_path_in_the_corpus(corpus, tmp_path):
    with pytest.raises(AcquireError, match=r"guideline g-1: sub/a\.pdf is missing") as caught:
        get(corpus(guideline('path = "sub/a.pdf"')))
    assert str(tmp_path) not in str(caught.value)


def test_changed_file_is_refused_with_both_checksums(corpus, workspace):
    acquirer = corpus(guideline(f'path = "a.pdf"\nsha256 = "{"0" * 64}"'), {"a.pdf": PDF})
    with pytest.raises(ChecksumError, match=f"expected sha256 {'0' * 64}, got {sha256_hex(PDF)}"):
        get(acquirer)
    assert not workspace.files.exists()


def test_link_made_after_the_manifest_was_read_cannot_leave_the_folder(corpus, tmp_path):
    acquirer = corpus(guideline('path = "a.pdf"'))
    (tmp_path / "secret.pdf").write_bytes(PDF)
    (tmp_path / "corpus" / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    with pytest.raises(AcquireError, match="outside the corpus folder"):
        get(acquirer)


def test_folder_instead_of_a_file(corpus):
    with pytest.raises(AcquireError, match="is not a file"):
        get(corpus(guideline('path = "a"'), {"a/b": b""}))


def test_one_bad_label_does_not_affect_the_others(corpus):
    text = "".join(label("Isoniazid", f'path = "{n}.xml"') for n in ("ok1", "bad", "none", "ok2"))
    files = {"ok1.xml": spl(1), "bad.xml": b"", "ok2.xml": spl(2)}
    acquired = corpus(text, files).drug("isoniazid")
    assert [f.source.file.name for f in acquired.files] == ["ok1.xml", "ok2.xml"]
    assert [f.source.drug for f in acquired.files] == ["isoniazid", "isoniazid"]
    bad, none = acquired.failures
    assert bad.entry == "label Isoniazid (bad.xml)"
    assert isinstance(bad.error, ParseError)
    assert bad.error.code == "empty_file"
    assert "none.xml is missing" in str(none.error)
    assert not bad.transient


def test_the_same_bytes_twice_are_one_file(corpus):
    text = label("Isoniazid", 'path = "a.xml"') + label("Isoniazid", 'path = "b.xml"')
    acquired = corpus(text, {"a.xml": spl(), "b.xml": spl()}).drug("isoniazid")
    assert [f.source.file.name for f in acquired.files] == ["a.xml"]


def test_label_file_must_be_of_the_stated_set_id(corpus):
    text = label("A", f'path = "a.xml"\nset_id = "{set_id(2)}"')
    (failure,) = corpus(text, {"a.xml": spl(1)}).drug("a").failures
    assert f"expected set id {set_id(2)}, the document has {set_id(1)}" in str(failure.error)


def test_unknown_drug_is_an_error(corpus):
    with pytest.raises(AcquireError, match="no drug 'b'"):
        corpus(label("A", 'path = "a.xml"')).drug("b")


# --- addresses


def test_address_is_fetched_once_and_then_requested_conditionally(
    corpus, server, client, workspace
):
    url = server.on("/doc", server.file(PDF))
    acquirer = corpus(guideline(f'url = "{url}"'), http=client())
    first = get(acquirer)
    assert get(acquirer) == first
    assert first.source.file.name == "g-1.pdf"
    assert first.source.file.url == url
    assert server.asked[1].headers["if-none-match"] == '"v1"'
    assert len(ledger(workspace)) == 1
    new = PDF + b"%%EOF"
    server.on("/doc", server.file(new, etag='"v2"'))
    assert get(acquirer).path.read_bytes() == new
    assert [r["etag"] for r in ledger(workspace)] == ['"v1"', '"v2"']


def test_file_lost_from_the_store_is_fetched_again(corpus, server, client):
    url = server.on("/doc", server.file(PDF))
    acquirer = corpus(guideline(f'url = "{url}"'), http=client())
    get(acquirer).path.write_bytes(b"damaged")
    assert get(acquirer).path.read_bytes() == PDF
    assert "if-none-match" not in server.asked[1].headers


def test_web_page_instead_of_a_pdf_is_refused_and_nothing_is_stored(
    corpus, server, client, workspace
):
    url = server.on("/doc", server.reply(b"<html><body>Sign in</body></html>"))
    with pytest.raises(ParseError) as caught:
        get(corpus(guideline(f'url = "{url}"'), http=client()))
    assert caught.value.code == "html_named_pdf"
    assert not workspace.files.exists()


def test_refusal_names_the_file_to_save_in_the_drop_folder(corpus, server, client):
    url = server.on("/doc", server.reply(status=403))
    with pytest.raises(FetchError, match=r"guideline g-1: .*403.*drop/g-1\.pdf") as caught:
        get(corpus(guideline(f'url = "{url}"'), http=client()))
    assert (caught.value.status, caught.value.transient) == (403, False)


def test_without_a_network_a_live_entry_is_an_error(corpus):
    with pytest.raises(AcquireError, match=r"the network is disabled; or .*drop/g-1\.pdf"):
        get(corpus(guideline('url = "https://h/doc"')))


def test_stated_checksum_is_of_the_bytes_as_served(corpus, server, client, workspace):
    import gzip

    packed = gzip.compress(PDF, mtime=0)
    url = server.on("/doc", server.file(packed))
    text = guideline(f'url = "{url}"\nsha256 = "{sha256_hex(packed)}"')
    for _ in range(2):
        acquired = get(corpus(text, http=client()))
        assert (acquired.source.file.sha256, acquired.notes) == (sha256_hex(PDF), ("gunzipped",))
    (record,) = ledger(workspace)
    assert record["source_sha256"] == sha256_hex(packed)


# --- the drop folder


@pytest.mark.parametrize("name", ["g-1.pdf", "original-name.pdf"])
def test_dropped_file_is_used_for_an_entry_not_served_to_programs(corpus, workspace, name):
    acquirer = corpus(guideline('url = "https://h/original-name.pdf"\nmanual = true'))
    with pytest.raises(AcquireError, match=r"not served to programs; .*drop/g-1\.pdf.*https://h/"):
        get(acquirer)
    workspace.drop.mkdir(parents=True)
    (workspace.drop / name).write_bytes(PDF)
    acquired = get(acquirer)
    assert (acquired.notes, acquired.source.file.name) == (("from_drop_folder",), name)
    assert acquired.source.file.url == "https://h/original-name.pdf"


def test_dropped_file_takes_precedence_over_the_address(corpus, workspace, server, client):
    url = server.on("/doc", server.file(PDF))
    workspace.drop.mkdir(parents=True)
    (workspace.drop / "g-1.pdf").write_bytes(PDF + b"%%EOF")
    acquired = get(corpus(guideline(f'url = "{url}"'), http=client()))
    assert acquired.path.read_bytes() == PDF + b"%%EOF"
    assert server.asked == []


def test_a_file_name_that_entries_share_matches_none_of_them(corpus, workspace):
    text = "".join(
        guideline(f'url = "https://h/{n}/index.html"\nmanual = true', f"g-{n}", "html")
        for n in (1, 2)
    )
    workspace.drop.mkdir(parents=True)
    (workspace.drop / "index.html").write_bytes(b"<html><p>x</p></html>")
    with pytest.raises(AcquireError, match="not served"):
        get(corpus(text))


def test_two_dropped_files_for_one_entry_are_reported(corpus, workspace):
    workspace.drop.mkdir(parents=True)
    for name in ("g-1.htm", "g-1.html"):
        (workspace.drop / name).write_bytes(b"<html><p>x</p></html>")
    with pytest.raises(AcquireError, match=r"g-1\.html, g-1\.htm"):
        get(corpus(guideline('url = "https://h/"', form="html")))


def test_dropped_file_must_have_the_stated_checksum(corpus, workspace):
    workspace.drop.mkdir(parents=True)
    (workspace.drop / "g-1.pdf").write_bytes(PDF)
    with pytest.raises(ChecksumError, match=r"drop/g-1\.pdf"):
        get(corpus(guideline(f'url = "https://h/"\nsha256 = "{"0" * 64}"')))


# --- queries


QUERY = 'query = { drug_name = "isoniazid" }'


def test_label_is_found_chosen_and_fetched(corpus, server, client, workspace):
    rows = [(2, 1, "RIFAMPIN CAPSULE [X]"), (1, 7, "ISONIAZID TABLET [X]")]
    server.on("/v2/spls.json", server.reply(listing(*rows)))
    server.on(f"/v2/spls/{set_id(1)}.xml", server.file(spl(1, 7)))
    acquired = corpus(label("isoniazid", QUERY), http=client()).drug("isoniazid")
    (file,) = acquired.files
    assert file.source.file.name == f"{set_id(1)}-v7.xml"
    (record,) = ledger(workspace)
    assert (record["version"], record["set_id"]) == (7, set_id(1))


def test_label_of_the_listed_version_is_not_fetched_again(corpus, server, client):
    server.on("/v2/spls.json", server.reply(listing((1, 7, "ISONIAZID TABLET [X]"))))
    xml = f"/v2/spls/{set_id(1)}.xml"
    server.on(xml, server.reply(spl(1, 7)))
    acquirer = corpus(label("isoniazid", QUERY), http=client())
    first = acquirer.drug("isoniazid")
    assert acquirer.drug("isoniazid") == first
    assert [a.path for a in server.asked].count(xml) == 1
    server.on("/v2/spls.json", server.reply(listing((1, 8, "ISONIAZID TABLET [X]"))))
    server.on(xml, server.reply(spl(1, 8)))
    (newer,) = acquirer.drug("isoniazid").files
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
    acquired = corpus(label("isoniazid", QUERY), http=client()).drug("isoniazid")
    (failure,) = acquired.failures
    assert message in str(failure.error)
    assert failure.transient is transient
    assert not workspace.files.exists()


def test_ambiguous_labels_are_a_failure_that_names_them(corpus, server, client):
    rows = [(n, 1, "ISONIAZID TABLET [X]") for n in (1, 2)]
    server.on("/v2/spls.json", server.reply(listing(*rows)))
    (failure,) = corpus(label("isoniazid", QUERY), http=client()).drug("isoniazid").failures
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
    (file,) = corpus(text, http=client()).drug("isoniazid").files
    assert file.path.read_bytes() == spl(1, 7)


def test_failing_service_is_a_transient_failure(corpus, server, client):
    server.on("/v2/spls.json", server.reply(status=503))
    (failure,) = corpus(label("isoniazid", QUERY), http=client()).drug("isoniazid").failures
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
    (file,) = acquirer.drug("isoniazid").files
    assert json.loads(file.path.read_bytes())["results"] == [body]
    assert file.source.file.name == f"{set_id(1)}-v3.json"


def test_label_by_address_may_be_a_zip(corpus, server, client):
    import io
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"{set_id(9)}.xml", spl())
    url = server.on("/getFile.cfm", server.reply(out.getvalue()))
    (file,) = corpus(label("a", f'url = "{url}"'), http=client()).drug("a").files
    assert file.path.read_bytes() == spl()
    assert file.notes == ("unzipped",)


# --- real documents


def test_reference_corpus_is_acquired_completely(reference_corpus, workspace):
    manifest = load_manifest(reference_corpus)
    acquirer = Acquirer(manifest, workspace, AcquireSettings.model_validate({}))
    assert all(acquirer.acquire(e).path.is_file() for e in manifest.guidelines)
    acquired = [acquirer.drug(key) for key in manifest.drugs]
    assert sum(len(g.files) for g in acquired) == 63
    assert [f for g in acquired for f in g.failures] == []
