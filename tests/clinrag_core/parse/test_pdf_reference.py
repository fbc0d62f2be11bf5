"""Real guidelines: figures that were counted on the documents themselves."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.assemble.blocks import SEPARATOR
from clinrag_core.parse.pdf import reader
from clinrag_core.parse.pdf.outline import letters, real_entries
from clinrag_core.parse.registry import parse_document

IPC, ISTC, LEN = "who-tb-ipc-2019", "istc-2014", "who-lenacapavir-2025"
UGANDA, ANNEX_B, DPRP = "uganda-ntlp-2017", "who-tb-module2-annex-b-2021", "cdc-dprp-2024"
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in (UGANDA, ANNEX_B, DPRP)]


@cache
def parsed(corpus: Path, name: str) -> Document:
    entries = tomllib.loads((corpus / "corpus.toml").read_text())["guideline"]
    entry = next(e for e in entries if e["id"] == name)
    path = corpus / entry["path"]
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=entry["sha256"], size=len(data))
    source = DocumentSource(
        kind="guideline", format="pdf", file=file, id=name, title=entry["title"]
    )
    return parse_document(data, source)


def body(document: Document) -> str:
    return "\n".join(s.text for s in document.sections if s.role == "body")


def graded(document: Document) -> list[str]:
    return [
        s.text[b.start : b.end]
        for s in document.sections
        for b in s.blocks
        if b.recommendation is not None and b.recommendation.certainty is not None
    ]


@pytest.mark.parametrize("name", [IPC, ISTC, LEN, *SLOW])
def test_blocks_tile_the_text_and_lie_on_pages(reference_corpus: Path, name: str):
    document = parsed(reference_corpus, name)
    for section in document.sections:
        assert section.text == SEPARATOR.join(section.text[b.start : b.end] for b in section.blocks)
        for block in section.blocks:
            assert block.page is not None
            assert 1 <= block.page <= (document.pages or 0)
            assert block.box is not None


@pytest.mark.parametrize(
    ("name", "running"),
    [
        (IPC, "Prevention and Control 2019 UPDATE"),
        (ISTC, "ISTC 3rd edition, 2014"),
        pytest.param(UGANDA, "Leprosy in Uganda, 3rd Edition", marks=pytest.mark.slow),
        pytest.param(
            DPRP, "2024 CDC Diabetes Prevention Recognition Program", marks=pytest.mark.slow
        ),
    ],
)
def test_no_running_line_is_left(reference_corpus: Path, name: str, running: str):
    assert running.casefold() not in body(parsed(reference_corpus, name)).casefold()


@pytest.mark.parametrize(("name", "least"), [(IPC, 23), (LEN, 4)])
def test_graded_recommendations_are_found(reference_corpus: Path, name: str, least: int):
    found = graded(parsed(reference_corpus, name))
    assert least <= len(found) <= least + 4
    assert all(len(text.split()) > 12 for text in found)  # the text itself, not only its grade


def test_who_recommendations_are_a_separate_section(reference_corpus: Path):
    document = parsed(reference_corpus, IPC)
    fifth = next(s for s in document.sections if s.title.startswith("Recommendation 5. "))
    assert fifth.path[-2] == "2.2. Environmental controls"
    (block,) = (b for b in fifth.blocks if b.recommendation)
    assert block.recommendation is not None
    assert block.recommendation.number == "5"
    assert block.recommendation.certainty == "moderate"
    assert block.page_label == "21"
    assert fifth.text.startswith("Upper-room germicidal")


def test_all_standards_are_numbered_recommendations_twice(reference_corpus: Path):
    document = parsed(reference_corpus, ISTC)
    numbers = [
        b.recommendation.number for s in document.sections for b in s.blocks if b.recommendation
    ]
    wanted = [str(n) for n in range(1, 22)]
    assert numbers == wanted * 2  # summary and chapters


def test_raised_calls_do_not_fuse_with_words_or_doses(reference_corpus: Path):
    text = body(parsed(reference_corpus, ISTC))
    fused = re.findall(r"[a-z]{4,}[.,]\d{1,3}(?:[,–-]\d{1,3})*(?=\s[A-Z])", text)
    assert fused == []
    assert "strategies.42" not in text
    assert "control.42" not in text


def test_a_dose_table_keeps_its_rows_and_its_errors(reference_corpus: Path):
    table = next(
        b.table
        for s in parsed(reference_corpus, ISTC).sections
        for b in s.blocks
        if b.table and b.table.caption.startswith("Table 5.")
    )
    rows = {r[0]: r[1:] for r in table.rows}
    assert rows["Isoniazid** Children"] == ("10 (7–15), maximum 300 mg/day", "——")
    assert rows["Ethambutol Adults"][0] == "15 (15–20), maximum 1,600 mg/day"


@pytest.mark.slow
def test_misprints_of_the_source_are_quoted_as_they_are(reference_corpus: Path):
    tables = [
        b.table for s in parsed(reference_corpus, UGANDA).sections for b in s.blocks if b.table
    ]
    table = next(t for t in tables if "MDR-TB and XDR-TB treatment" in t.caption)
    rows = {r[0]: r[1:] for r in table.rows}
    assert rows["Pyrazinamide (Z) (500mg)"] == (
        "30-40 mg/kg daily",
        "1000-1750 mg",
        "1750-200mg",
        "2000-2500mg",
    )
    assert rows["Isoniazid (H) (100, 300 mg)"][2:] == ("600 mg", "300 mg daily")


@pytest.mark.slow
def test_leprosy_is_not_filed_under_tuberculosis(reference_corpus: Path):
    paths = [s.path for s in parsed(reference_corpus, UGANDA).sections]
    leprosy = [p for p in paths if p[-1].startswith("3.")]
    assert len(leprosy) > 40
    assert not [p for p in leprosy if any(t.startswith("2.") for t in p)]


@pytest.mark.slow
def test_summary_of_findings_rows_are_whole(reference_corpus: Path):
    """One row per outcome, the certainty in its own cell: a collapsed row proves nothing."""
    document = parsed(reference_corpus, ANNEX_B)
    rows = [r for s in document.sections for b in s.blocks if b.table for r in b.table.rows]
    certain = [r for r in rows if re.fullmatch(r"(?:VERY LOW|LOW|MODERATE|HIGH)", r[-1])]
    assert len(certain) >= 30


def test_bibliography_is_no_body(reference_corpus: Path):
    for name in (IPC, ISTC, LEN):
        document = parsed(reference_corpus, name)
        words = sum(len(s.text.split()) for s in document.sections if s.role == "references")
        assert words > 2_000
        assert "et al. " not in " ".join(
            s.text for s in document.sections if s.title.casefold() == "introduction"
        )


@pytest.mark.parametrize(
    ("name", "recall"), [(LEN, 0.95), pytest.param(DPRP, 0.85, marks=pytest.mark.slow)]
)
def test_headings_found_by_type_alone_are_those_of_the_outline(
    reference_corpus: Path, monkeypatch: pytest.MonkeyPatch, name: str, recall: float
):
    outline: list[reader.Entry] = []
    read = reader.PdfFile.outline

    def hide(self: reader.PdfFile) -> tuple[reader.Entry, ...]:
        outline.extend(read(self))
        return ()

    monkeypatch.setattr(reader.PdfFile, "outline", hide)
    document = parsed.__wrapped__(reference_corpus, name)
    entries, _ = real_entries(tuple(outline), document.pages or 0)
    titles = {letters(s.title) for s in document.sections}
    found = [e for e in entries if any(letters(e.title) in t for t in titles)]
    assert len(found) >= recall * len(entries)
