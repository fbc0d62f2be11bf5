"""The audit sees what a parser lost, repeated or damaged."""

from __future__ import annotations

import pytest

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.acquire.sources import document_source, entry_format
from clinrag_core.evaluate.parse_audit.audit import DocumentAudit, audit_document, broken_ends
from clinrag_core.evaluate.parse_audit.heading_check import heading_recall
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block, Section
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.model.table import Table
from clinrag_core.parse.pdf.reader import Entry
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import data_folder
from clinrag_core.workspace import sha256_hex

TEXT = "Tuberculosis care\n\nGive isoniazid for six months. Review every month.\n" * 5


def guideline(sections: list[Section], **more: object) -> Document:
    file = SourceFile(name="care.txt", sha256=sha256_hex(TEXT.encode()), size=len(TEXT))
    fields = {"format": "text", "sections": tuple(sections), **more}
    return Document(id="care", kind="guideline", title="Care", file=file, parser="text/0", **fields)


def audited(document: Document) -> DocumentAudit:
    source = DocumentSource(kind="guideline", format="text", file=document.file)
    return audit_document(document, TEXT.encode(), source)


def codes(row: DocumentAudit) -> set[str]:
    return {finding.code for finding in row.findings}


def section(
    text: str, *, ordinal: int = 0, title: str = "Care", page: int | None = None
) -> Section:
    blocks = (Block(kind="paragraph", start=0, end=len(text), page=page),)
    return Section(ordinal=ordinal, path=(title,), text=text, blocks=blocks, page=page)


def test_a_document_with_each_word_of_its_file_once_has_no_findings():
    row = audited(guideline([section(TEXT.strip())]))
    assert row.kept == pytest.approx(1.0)
    assert codes(row) == set()


def test_lost_text_is_an_error():
    row = audited(guideline([section(TEXT[: len(TEXT) // 2])]))
    assert codes(row) == {"text_lost"}
    assert row.findings[0].severity == "error"


def test_repeated_text_is_an_error():
    row = audited(guideline([section(TEXT), section(TEXT, ordinal=1)]))
    assert codes(row) == {"text_repeated"}


def test_characters_without_meaning_are_found():
    assert codes(audited(guideline([section(TEXT + "\uf0b7")]))) == {"odd_characters"}


def paged(*paragraphs: tuple[str, int]) -> Document:
    text = "\n\n".join(t for t, _ in paragraphs)
    blocks: list[Block] = []
    start = 0
    for part, page in paragraphs:
        blocks.append(Block(kind="paragraph", start=start, end=start + len(part), page=page))
        start += len(part) + 2
    whole = Section(ordinal=0, path=("Care",), text=text, blocks=tuple(blocks), page=1)
    return guideline([whole], pages=2)


def test_a_sentence_cut_by_a_page_is_found():
    cut = paged(("Give isoniazid to all adults who have", 1), ("been in contact with a case.", 2))
    assert [(b.page, b.start) for b in broken_ends(cut)] == [(1, 0)]


@pytest.mark.parametrize(
    "after", [("Been in contact.", 2), ("been in contact.", 1)], ids=["new sentence", "same page"]
)
def test_a_new_sentence_or_the_same_page_is_no_cut(after: tuple[str, int]):
    assert broken_ends(paged(("Give isoniazid to all adults who have", 1), after)) == []


def test_heading_recall_counts_each_section_for_one_entry():
    document = guideline(
        [
            section("Text.", title="2.1 Dosing of adults", page=3),
            section("Text.", ordinal=1, title="Monitoring", page=4),
        ]
    )
    entries = [
        Entry(1, "Dosing of adults", 3),
        Entry(1, "Monitoring", 5),
        Entry(1, "Monitoring", 5),
        Entry(1, "Monitoring", 9),
    ]
    recall = heading_recall(document, entries)
    assert (recall.matched, recall.wanted) == (2, 4)
    assert recall.missed == ("page 5: 'monitori'", "page 9: 'monitori'")


def test_a_hollow_table_of_a_pdf_is_found():
    from clinrag_core.evaluate.parse_audit.audit import _findings

    table = Table(rows=(("a", "", ""), ("", "", "b")), row_spans=((0, 3), (4, 7)))
    block = Block(kind="table", start=0, end=7, table=table)
    whole = Section(ordinal=0, path=("Care",), text="a\t\t\n\t\tb", blocks=(block,))
    row = DocumentAudit(file="x", kind="guideline", format="pdf")
    found = list(_findings(row, guideline([whole], format="pdf")))
    assert [f.code for f in found] == ["hollow_tables"]


def test_a_contents_page_that_was_left_out_is_no_missed_heading():
    document = guideline([section("Give isoniazid.", title="Dosing", page=3)], pages=3)
    recall = heading_recall(document, [Entry(1, "Contents", 2), Entry(1, "Dosing", 3)])
    assert (recall.matched, recall.missed) == (1, ())


def test_lines_of_a_contents_page_in_an_outline_are_no_missed_headings():
    listing = section("Dosing 3\nMonitoring 4", title="Contents", page=2)
    document = guideline(
        [
            listing.model_copy(update={"role": "contents"}),
            section("Give isoniazid.", ordinal=1, title="Dosing", page=3),
        ],
        pages=3,
    )
    entries = [Entry(1, "Dosing", 2), Entry(1, "Monitoring", 2), Entry(1, "Dosing", 3)]
    assert heading_recall(document, entries).missed == ("page 2: 'monitori'",)


def test_no_file_of_the_sample_corpus_has_an_error():
    """A check that always warns is not read."""
    manifest = load_manifest(data_folder() / "corpora" / "sample")
    errors: list[str] = []
    for entry in manifest.guidelines:
        data = (manifest.root / entry.path).read_bytes()
        file = SourceFile(name=entry.path, sha256=sha256_hex(data), size=len(data))
        source = document_source(entry, file, entry_format(entry, data, entry.path))
        row = audit_document(parse_document(data, source), data, source)
        errors += [f"{row.file}: {f.message}" for f in row.findings if f.severity == "error"]
    assert errors == []
