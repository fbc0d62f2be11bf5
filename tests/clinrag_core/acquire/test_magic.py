"""Bytes have their declared format, or are refused with a code."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.acquire.archive import ArchiveLimits
from clinrag_core.acquire.magic import check_payload
from clinrag_core.acquire.spl_header import read_spl_header
from clinrag_core.errors import ParseError

SET_ID = "11111111-2222-3333-4444-555555555555"
DOCUMENT_ID = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
SPL = (
    f'<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="spl.xsl"?>\n'
    f'<document xmlns="urn:hl7-org:v3"><id root="{DOCUMENT_ID.upper()}"/>'
    f'<code code="34391-3"/><!-- note --><setId root="{SET_ID.upper()}"/>'
    f'<versionNumber value="7"/></document>'
).encode()
PDF = b"%PDF-1.7\n1 0 obj\n%%EOF\n"
HTML = b"<!DOCTYPE html><html><head><title>T</title></head><body><p>x</p></body></html>"
CHALLENGE = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>"
ENTITY_BOMB = (
    "<!DOCTYPE d ["
    + '<!ENTITY a0 "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    + ']><document title="&a8;"/>'
).encode()
OPENFDA = json.dumps({"meta": {}, "results": [{"set_id": SET_ID}]}).encode()


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("pdf", PDF),
        ("html", HTML),
        ("html", b"<html>\n<head>\n<title>old page without a doctype"),
        ("text", "Isoniazid 300 mg, ≥ 5 mg/kg".encode()),
        ("text", "caf\xe9 in an old encoding".encode("latin-1")),
        ("markdown", b"# Title\n\n<b>bold</b> and text"),
        ("spl", SPL),
        ("openfda", OPENFDA),
    ],
)
def test_valid_files_pass_unchanged(form, data):
    payload = check_payload(data, form, "f")
    assert (payload.data, payload.notes) == (data, ())


@pytest.mark.parametrize(
    ("form", "data", "code"),
    [
        ("pdf", HTML, "html_named_pdf"),
        ("pdf", b"\n<html><body>Access denied", "html_named_pdf"),
        ("pdf", b"PK\x03\x04....", "not_pdf"),
        ("pdf", b"x" * 2000 + PDF, "not_pdf"),
        ("html", b'{"error": "no"}', "not_html"),
        ("html", b"just words", "not_html"),
        ("html", PDF, "not_text"),
        ("html", CHALLENGE, "bot_challenge"),
        ("text", HTML, "html_named_text"),
        ("text", CHALLENGE, "bot_challenge"),
        ("text", b"a\0b", "not_text"),
        ("markdown", b"\xff\xfea", "not_text"),
        ("spl", HTML, "html_named_xml"),
        ("spl", b"{}", "not_xml"),
        ("spl", SPL[:-5], "not_xml"),
        ("spl", b"<document xmlns='urn:hl7-org:v3'><a></document>", "not_xml"),
        ("spl", b"<feed/>", "not_spl"),
        ("spl", b'<!DOCTYPE d [<!ENTITY a "b">]><document>&a;</document>', "xml_doctype"),
        ("spl", b"<!--" + b"x" * 5000 + b"--><!DOCTYPE document><document/>", "xml_doctype"),
        ("spl", "<!DOCTYPE document><document/>".encode("utf-16"), "xml_doctype"),
        ("spl", ENTITY_BOMB, "xml_doctype"),
        ("openfda", b"[]", "not_openfda"),
        ("openfda", b'{"error": {"code": "NOT_FOUND"}}', "not_openfda"),
        ("openfda", b'{"results": []}', "not_openfda"),
        ("openfda", b'{"results": [{}, {}]}', "not_openfda"),
        ("openfda", b'{"results": [', "not_json"),
        ("openfda", HTML, "html_named_json"),
        ("openfda", b"[" * 100_000, "not_json"),
    ],
)
def test_other_files_are_refused_with_a_code(form, data, code):
    with pytest.raises(ParseError) as caught:
        check_payload(data, form, "f.bin")
    assert (caught.value.code, caught.value.file) == (code, "f.bin")


@pytest.mark.parametrize("form", ["pdf", "html", "text", "markdown", "spl", "openfda"])
@pytest.mark.parametrize(
    "data", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\0\0\0", gzip.compress(b"", mtime=0)]
)
def test_nothing_is_not_a_document(form, data):
    with pytest.raises(ParseError) as caught:
        check_payload(data, form, "f")
    assert caught.value.code == "empty_file"


def test_pdf_after_other_bytes_or_without_its_end_is_noted():
    assert check_payload(b"\r\n" + PDF, "pdf", "f").notes == ("pdf_offset",)
    assert check_payload(PDF[:-6], "pdf", "f").notes == ("pdf_no_eof",)


def test_gzip_under_another_name_is_unpacked():
    payload = check_payload(gzip.compress(SPL), "spl", "f.xml")
    assert (payload.data, payload.notes) == (SPL, ("gunzipped",))
    twice = gzip.compress(SPL[:100]) + gzip.compress(SPL[100:])
    assert check_payload(twice, "spl", "f.xml").data == SPL


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (gzip.compress(SPL, mtime=0)[:-9], "gzip_truncated"),
        (gzip.compress(SPL, mtime=0)[:10] + b"\xff" * 30, "gzip_corrupt"),
        (gzip.compress(b"\0" * 300_000, mtime=0), "gzip_bomb"),
    ],
)
def test_bad_gzip_is_refused(data, code):
    with pytest.raises(ParseError) as caught:
        check_payload(data, "spl", "f.xml", ArchiveLimits(member_bytes=100_000))
    assert caught.value.code == code


def test_byte_order_marks():
    assert check_payload("# É".encode("utf-16"), "markdown", "f").data == "# É".encode()
    assert check_payload("# É".encode("utf-8-sig"), "markdown", "f").notes == ("utf8_bom",)
    wide = SPL.decode().replace("UTF-8", "UTF-16").encode("utf-16")
    payload = check_payload(wide, "spl", "f")
    assert (payload.data, payload.notes) == (wide, ("utf16",))
    assert read_spl_header(wide, "f").version == 7


def test_label_zip_gives_its_xml():
    picture = {"label-01.jpg": b"\xff\xd8" * 50}
    one = zipped({f"{DOCUMENT_ID}.xml": SPL} | picture)
    assert check_payload(one, "spl", "f.zip").data == SPL
    assert check_payload(one, "spl", "f.zip").notes == ("unzipped",)
    release = zipped({f"prescription/20250101_{SET_ID}.zip": one})
    assert check_payload(release, "spl", "f.zip").data == SPL


def test_empty_pictures_and_folders_in_a_zip_are_ignored():
    data = zipped({"label/": b"", f"label/{DOCUMENT_ID}.xml": SPL, "label/a.jpg": b""})
    assert check_payload(data, "spl", "f.zip").data == SPL


def test_gzip_data_under_the_name_of_a_zipped_label_is_unpacked():
    inner = zipped({f"{DOCUMENT_ID}.xml": gzip.compress(SPL, mtime=0)})
    for data in (inner, zipped({f"prescription/1_{SET_ID}.zip": inner})):
        payload = check_payload(data, "spl", "f.zip")
        assert (payload.data, payload.notes) == (SPL, ("unzipped", "gunzipped"))


def test_the_document_is_found_by_its_id_among_other_xml():
    """The label is named by its document id, not by its set id."""
    data = zipped({"index.xml": b"<a/>", f"{DOCUMENT_ID.upper()}.XML": SPL})
    assert check_payload(data, "spl", "f.zip").data == SPL


@pytest.mark.parametrize("kept", [4, 30, 0.5, 0.9, -1, -22])
def test_an_incomplete_download_is_refused(kept):
    inner = zipped({f"{DOCUMENT_ID}.xml": SPL, "a.jpg": bytes(range(256)) * 40})
    whole = zipped({f"prescription/1_{SET_ID}.zip": inner}, zipfile.ZIP_STORED)
    cut = whole[: int(len(whole) * kept) if isinstance(kept, float) else kept]
    with pytest.raises(ParseError) as caught:
        check_payload(cut, "spl", "f.zip")
    assert caught.value.code == "zip_corrupt"


def test_an_incomplete_zip_of_many_labels_never_gives_one_of_them():
    """Its last complete inner zip looks like a zip with a prefix."""
    inner = [zipped({f"{DOCUMENT_ID}.xml": SPL}) for _ in range(3)]
    many = {f"prescription/{n}.zip": data for n, data in enumerate(inner)}
    whole = zipped(many, zipfile.ZIP_STORED)
    for end in range(len(whole) - 1, len(whole) - len(inner[0]), -7):
        with pytest.raises(ParseError) as caught:
            check_payload(whole[:end], "spl", "f.zip")
        assert caught.value.code == "zip_corrupt"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (zipped({"a.jpg": b"x"}), "zip_without_label"),
        (zipped({}), "zip_without_label"),
        (zipped({f"{SET_ID}.xml": SPL, f"{DOCUMENT_ID}.xml": SPL}), "zip_ambiguous"),
        (zipped({"../../etc/a.xml": SPL}), "zip_unsafe_name"),
        (zipped({"/a.xml": SPL}), "zip_unsafe_name"),
        (zipped({"a\\..\\..\\b.xml": SPL}), "zip_unsafe_name"),
        (zipped({"C:/a.xml": SPL}), "zip_unsafe_name"),
        (zipped({"a.xml": b"<a>" + b" " * 3_000_000}), "zip_bomb"),
        (zipped({"a.xml": SPL * 8_000}, zipfile.ZIP_STORED), "zip_bomb"),
        (zipped({f"{n}.jpg": b"" for n in range(60)}), "zip_bomb"),
        (zipped({"a.xml": SPL})[:-30], "zip_corrupt"),
        (zipped({"a.zip": zipped({"b.zip": zipped({"c.xml": SPL})})}), "zip_without_label"),
        (zipped({"a.xml": b""}), "empty_file"),
        (zipped({"a.zip": zipped({f"{DOCUMENT_ID}.xml": b""})}), "empty_file"),
        (zipped({"a.xml": gzip.compress(b"", mtime=0)}), "empty_file"),
        (zipped({"a.xml": gzip.compress(b" " * 2_000_000, mtime=0)}), "gzip_bomb"),
        (zipped({"a.zip": b""}), "zip_corrupt"),
        (zipped({"a.zip": zipped({"../b.xml": SPL})}), "zip_unsafe_name"),
        (zipped({"a.zip": zipped({"b.xml": b"<a>" + b" " * 3_000_000})}), "zip_bomb"),
        (zipped({"prescription/1.zip": b"PK", "prescription/2.zip": b"PK"}), "zip_ambiguous"),
        (zipped({"a.xml": HTML}), "html_named_xml"),
    ],
)
def test_bad_zips_are_refused(data, code):
    limits = ArchiveLimits(member_bytes=1_500_000, members=50)
    with pytest.raises(ParseError) as caught:
        check_payload(data, "spl", "f.zip", limits)
    assert caught.value.code == code


def test_zip_that_packs_too_well_is_refused_though_small_enough():
    with pytest.raises(ParseError) as caught:
        check_payload(zipped({"a.xml": b"<a>" + b" " * 3_000_000}), "spl", "f.zip")
    assert caught.value.code == "zip_bomb"


def test_zip_with_damaged_content_is_refused():
    data = bytearray(zipped({"a.xml": SPL}, zipfile.ZIP_STORED))
    data[data.index(b"document") + 1] ^= 1
    with pytest.raises(ParseError) as caught:
        check_payload(bytes(data), "spl", "f.zip")
    assert caught.value.code == "zip_corrupt"


def test_zip_that_states_a_false_size_is_refused():
    """The central directory may be wrong; the unpacked bytes are counted."""
    data = zipped({"a.xml": b"<a>" + b" " * 2_000_000 + b"</a>"})
    size = (2_000_007).to_bytes(4, "little")
    with pytest.raises(ParseError) as caught:
        check_payload(data.replace(size, (900).to_bytes(4, "little")), "spl", "f.zip")
    assert caught.value.code in {"zip_corrupt", "zip_bomb", "not_xml"}


def test_encrypted_zip_is_refused():
    data = bytearray(zipped({"a.xml": SPL}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    data[6] |= 1
    with pytest.raises(ParseError) as caught:
        check_payload(bytes(data), "spl", "f.zip")
    assert caught.value.code == "zip_encrypted"


def test_spl_header_is_read():
    header = read_spl_header(SPL, "f")
    assert (header.set_id, header.version) == (SET_ID, 7)
    assert header.type_code == "34391-3"


@given(st.binary(max_size=200), st.sampled_from(["pdf", "html", "text", "spl", "openfda"]))
def test_any_bytes_pass_or_are_refused(data, form):
    for prefix in (b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"<document>"):
        with contextlib.suppress(ParseError):  # anything else is a defect
            check_payload(prefix + data, form, "f")


def test_unpacked_bytes_pass_unchanged():
    """Stored bytes are checked again in the next run."""
    first = check_payload(gzip.compress(zipped({"a.xml": SPL})), "spl", "f")
    assert first.notes == ("gunzipped", "unzipped")
    assert check_payload(first.data, "spl", "f").data == first.data


def test_real_files_pass_and_damaged_ones_are_refused(reference_corpus):
    zips = list((reference_corpus / "labels/other/zip").glob("*.zip"))
    header = read_spl_header(check_payload(zips[0].read_bytes(), "spl", "z").data, "z")
    assert header.set_id == zips[0].stem.partition("_")[0]
    page = reference_corpus / "nasty/html_bot_challenge_named_pdf_DERIVED.pdf"
    with pytest.raises(ParseError) as caught:
        check_payload(page.read_bytes(), "pdf", page.name)
    assert caught.value.code == "html_named_pdf"
    cut = reference_corpus / "nasty/truncated_60pct_DERIVED.pdf"
    assert check_payload(cut.read_bytes(), "pdf", cut.name).notes == ("pdf_no_eof",)
    for label in (reference_corpus / "labels/spl").glob("*.xml"):
        assert read_spl_header(label.read_bytes(), label.name).set_id
