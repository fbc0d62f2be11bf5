"""From manifest entries to stored files, with the failures of each step."""

from __future__ import annotations

import pytest
from fakes.corpora import (
    PDF,
    files_of,
    get,
    guideline,
    label,
    ledger,
    set_id,
    spl,
)

from clinrag_core.acquire.acquire import Acquirer
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.errors import (
    AcquireError,
    ChecksumError,
    FetchError,
    ParseError,
)
from clinrag_core.settings import AcquireSettings
from clinrag_core.workspace import sha256_hex

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
    acquired = files_of(corpus(text, files), "isoniazid")
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
    acquired = files_of(corpus(text, {"a.xml": spl(), "b.xml": spl()}), "isoniazid")
    assert [f.source.file.name for f in acquired.files] == ["a.xml"]


def test_label_file_must_be_of_the_stated_set_id(corpus):
    text = label("A", f'path = "a.xml"\nset_id = "{set_id(2)}"')
    (failure,) = files_of(corpus(text, {"a.xml": spl(1)}), "a").failures
    assert f"expected set id {set_id(2)}, the document has {set_id(1)}" in str(failure.error)


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


# --- real documents


def test_reference_corpus_is_acquired_completely(reference_corpus, workspace):
    manifest = load_manifest(reference_corpus)
    acquirer = Acquirer(manifest, workspace, AcquireSettings.model_validate({}))
    assert all(acquirer.acquire(e).path.is_file() for e in manifest.guidelines)
    acquired = [files_of(acquirer, key) for key in manifest.drugs]
    assert sum(len(g.files) for g in acquired) == 63
    assert [f for g in acquired for f in g.failures] == []
