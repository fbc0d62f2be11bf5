"""Plain text parsing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import ClinragError, ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.assemble.source_text import decode
from clinrag_core.parse.registry import parse_document


def parsed(text: str | bytes, title: str | None = "Test text") -> Document:
    data = text.encode() if isinstance(text, str) else text
    file = SourceFile(name="t.txt", sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    source = DocumentSource(kind="guideline", format="text", file=file, id="t", title=title)
    return parse_document(data, source)


WEB = """Clinical care
Key points
Several regimens are available for people with tuberculosis disease.
Treatment options
Treatment for
latent TB infection
prevents TB disease. Regimens use one or more of the following drugs:
Isoniazid (H)
Rifampin (R)
Four months of daily rifampin (4R)
The 4R regimen is recommended for people who cannot take isoniazid.
Regimens should include only drugs to which the
Mycobacterium tuberculosis
isolate is susceptible.
Keep Reading:
Adverse events
"""

LONG_ITEM = """Clinical care
Key points
Several regimens are available for people with tuberculosis disease.
Weekly treatment
Weekly treatment is not recommended for:
Children under two years of age
People who take other medicines with clinically important or unknown interactions with the weekly \
medicine of this treatment
People whose bacteria are presumed to be resistant
Pregnant women or women who expect to become pregnant during the weekly treatment
Daily treatment
Daily treatment is recommended for people who cannot take the weekly medicine.
"""


def test_a_long_item_does_not_end_its_list():
    sections = parsed(LONG_ITEM.replace("\n", "\n\n")).sections
    assert "Pregnant women" not in " ".join(title for s in sections for title in s.path)
    listed = next(s for s in sections if "Pregnant women" in s.text)
    items = [b for b in listed.blocks if b.kind == "list_item"]
    assert listed.text[items[-1].start :].startswith("Pregnant women")


WRAPPED = """TUBERCULOSIS MANUAL

1 Introduction

This manual is for nurses who care for people with
tuberculosis in small clinics.

1.1 Scope

It covers adults
and children.

- first item
- second item

Annex
=====

Words of the annex.
"""


def test_web_extract_has_its_sentences_joined_and_its_headings():
    document = parsed(WEB, "Clinical care")
    sections = {s.title: s for s in document.sections}
    assert list(sections) == [
        "Clinical care",
        "Key points",
        "Treatment options",
        "Four months of daily rifampin (4R)",
    ]
    assert sections["Treatment options"].text.startswith(
        "Treatment for latent TB infection prevents TB disease."
    )
    items = [b for b in sections["Treatment options"].blocks if b.kind == "list_item"]
    assert len(items) == 2
    last = sections["Four months of daily rifampin (4R)"].text
    assert "to which the Mycobacterium tuberculosis isolate is susceptible." in last
    assert last.endswith("Keep Reading: Adverse events")


def test_hard_wrapped_text_has_paragraphs_lists_and_numbered_headings():
    document = parsed(WRAPPED, "Tuberculosis manual")
    paths = [s.path for s in document.sections]
    assert ("1 Introduction",) in paths
    assert ("1 Introduction", "1.1 Scope") in paths
    assert ("Annex",) in paths
    scope = next(s for s in document.sections if s.title == "1.1 Scope")
    assert scope.text == "It covers adults and children.\n\n• first item\n\n• second item"


def test_form_feeds_count_pages():
    document = parsed("One page says this.\n\fTwo pages say that.\n")
    assert document.pages == 2
    assert [b.page for s in document.sections for b in s.blocks] == [1, 2]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_document"),
        (b" \n\t \n", "empty_document"),
        (b"\xef\xbb\xbf \n", "empty_document"),
        (b"words\x00words", "not_text"),
        (b"%PDF-1.4", "not_text"),
        (b"\xff\xfew\x00", "empty_or_text"),
    ],
)
def test_what_is_no_text_is_named(data: bytes, code: str):
    if code == "empty_or_text":
        assert parsed(data).sections[0].text == "w"
        return
    with pytest.raises(ParseError) as caught:
        parsed(data)
    assert caught.value.code == code


def test_windows_1252_is_read_and_said():
    document = parsed("A caf\xe9 \x96 word.".encode("latin-1"))
    assert document.sections[0].text == "A café – word."
    assert [w.code for w in document.warnings] == ["encoding_guessed"]


def test_a_charset_that_the_readable_declaration_contradicts_is_not_used():
    file = SourceFile(name="t.html", sha256="0" * 64, size=1)
    source = DocumentSource(kind="guideline", format="html", file=file)
    assert decode(b"<p>word</p>!", source, declared="utf-16").text == "<p>word</p>!"
    assert decode("café".encode("utf-16"), source, declared="latin-1").text == "café"


LINE = st.text("abcdef ABC.:,1", min_size=1, max_size=60)


@given(st.lists(LINE, min_size=1, max_size=30))
def test_every_word_is_kept_once_in_order(lines: list[str]):
    wanted = "".join("".join(lines).split())
    if not wanted:
        return
    document = parsed("\n".join(lines), title="Zzz")
    found = ""
    for section in document.sections:
        found += section.title if section.path != ("Zzz",) else ""
        found += section.text
    assert "".join(found.split()) == wanted


@given(st.binary(max_size=300))
def test_any_bytes_end_in_a_document_or_a_named_error(data: bytes):
    try:
        parsed(data)
    except ClinragError as error:
        assert "t.txt" in str(error)  # noqa: PT017 - both outcomes are allowed


@pytest.mark.parametrize(
    ("name", "heading", "start"),
    [
        ("cdc-tb-treatment-2025", "Care precautions", "Health care providers should assess"),
        ("cdc-ltbi-treatment-2025", "Six months of daily isoniazid (6H)", "6H is strongly"),
        ("cdc-drtb-treatment-2025", "", ""),
        ("cdc-tb-infection-control-2025", "", ""),
        ("cdc-ltbi-overview-2025", "", ""),
        ("cdc-tb-guidance-hub-2025", "", ""),
    ],
)
def test_web_extracts_of_the_corpus(reference_corpus: Path, name: str, heading: str, start: str):
    data = (reference_corpus / "guidelines" / f"{name}.txt").read_bytes()
    document = parsed(data, None)
    if heading:
        section = next(s for s in document.sections if s.title == heading)
        assert section.text.startswith(start)
    words = sum(len(s.text.split()) + len(s.title.split()) for s in document.sections)
    assert words >= 0.97 * len(data.decode().split())
    assert "LinkedIn" not in " ".join(s.text for s in document.sections if s.role == "body")


BARE = """Care of contacts

The long course is advised for people with one of these:

Disease of the liver

Use of alcohol

The long course is not advised for people who take zolumycin.
"""


def test_the_sentence_below_a_list_of_other_items_is_not_one_of_them():
    blocks = [b for section in parsed(BARE, "Care of contacts").sections for b in section.blocks]
    assert [b.kind for b in blocks] == ["paragraph", "list_item", "list_item", "paragraph"]
