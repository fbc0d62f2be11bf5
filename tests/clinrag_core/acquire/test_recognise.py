"""Formats are recognised by content: a file name never decides."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest

from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.acquire.recognise import recognise
from clinrag_core.errors import ParseError
from clinrag_core.settings import data_folder

SPL = b'<?xml version="1.0"?>\n<document xmlns="urn:hl7-org:v3"><setId root="x"/></document>'


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"junk before\n%PDF-1.4\n", "pdf"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "html"),
        (b"\xef\xbb\xbf  <!-- saved --><HTML>\n<p>x", "html"),
        (b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="x">', "html"),
        (b"<div class='main'><p>A saved part of a page</p></div>", "html"),
        (SPL, "spl"),
        (b"\xef\xbb\xbf" + SPL, "spl"),
        (SPL.decode().encode("utf-16"), "spl"),
        (gzip.compress(SPL, mtime=0), "spl"),
        (zipped({"label.xml": SPL}), "spl"),
        (json.dumps({"results": [{"set_id": "x"}]}).encode(), "openfda"),
        (b"Title\n\n## Treatment\n\nGive 300 mg.", "markdown"),
        (b"| drug | dose |\n|---|---|\n| a | b |", "markdown"),
        (b"Title\n=====\n\nGive 300 mg. #1 is first.", "text"),
        (b"<1 % of patients", "text"),
        ("Dose: 300 mg".encode("utf-16"), "text"),
    ],
)
def test_the_bytes_decide(data, form):
    assert recognise(data, "misleading.docx") == form


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b" \n\t", "empty_file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "not_text"),
        (zipped({"[Content_Types].xml": b"x", "word/document.xml": b"x"}), "office_file"),
        (zipped({"other.txt": b"x"}), "zip_without_label"),
        (b'{"a": 1}', "not_openfda"),
        (b"<?xml version='1.0'?><feed xmlns='atom'/>", "unknown_format"),
    ],
)
def test_what_is_no_document_has_a_reason(data, code):
    with pytest.raises(ParseError) as caught:
        recognise(data, "x.pdf")
    assert caught.value.code == code


def corpus_files(folder):
    manifest = load_manifest(folder)
    entries = [e for e in (*manifest.guidelines, *manifest.labels) if e.path]
    return [(e.format, e.path, (manifest.root / e.path).read_bytes()) for e in entries]


def test_every_document_of_the_sample_is_recognised_as_its_manifest_says():
    for form, path, data in corpus_files(data_folder() / "corpora" / "sample"):
        assert recognise(data, path) == form, path


def test_every_document_of_the_reference_corpus_is_recognised(reference_corpus):
    for form, path, data in corpus_files(reference_corpus):
        assert recognise(data, path) == form, path


@pytest.mark.timeout(60)
def test_comments_before_plain_text_take_no_exponential_time():
    """22 comments before text took 8 seconds, every further one twice as long."""
    data = b"<!-- -->" * 40 + b"plain"
    assert recognise(data, "x") == "text"
    assert check_payload(data, "text", "x").data == data
