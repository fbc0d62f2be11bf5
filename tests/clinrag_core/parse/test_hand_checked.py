"""Figures on hand-checked samples of real guidelines; tests/data says how they were drawn."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from clinrag_core.evaluate.parse_audit.audit import broken_ends
from clinrag_core.evaluate.parse_audit.heading_check import outline_recall
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.pdf.outline import letters
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

DATA = Path(__file__).parents[2] / "data"
PDFS = (
    "cdc-dprp-2024",
    "cdc-tb-patient-2023",
    "istc-2014",
    "uganda-ntlp-2017",
    "who-lenacapavir-2025",
    "who-tb-ipc-2019",
    "who-tb-module2-annex-b-2021",
)
PROSE = ("paragraph", "list_item", "recommendation")

pytestmark = pytest.mark.slow


def read(corpus: Path, name: str) -> tuple[bytes, DocumentSource]:
    entries = tomllib.loads((corpus / "corpus.toml").read_text())["guideline"]
    entry = next(e for e in entries if e["id"] == name)
    path = corpus / entry["path"]
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=entry["sha256"], size=len(data))
    return data, DocumentSource(
        kind="guideline", format="pdf", file=file, id=name, title=entry["title"]
    )


@cache
def parsed(corpus: Path, name: str) -> Document:
    return parse_document(*read(corpus, name))


def short(text: str) -> str:
    return sha256_hex(text.encode())[:12]


def test_at_least_95_of_100_headings_are_headings(reference_corpus: Path):
    sample = tomllib.loads((DATA / "heading_sample.toml").read_text())["heading"]
    right = [h for h in sample if h["verdict"] == "heading"]
    assert len(sample) == 200
    assert len(right) >= 0.95 * len(sample)
    lost = [
        (h["document"], h["page"])
        for h in right
        if h["title"]
        not in {
            short(letters(s.title))
            for s in parsed(reference_corpus, h["document"]).sections
            if s.page == h["page"]
        }
    ]
    assert len(lost) <= 0.02 * len(right), lost


def test_outline_headings_are_found(reference_corpus: Path):
    recalls = [
        recall
        for name in PDFS
        if (data := read(reference_corpus, name))
        and (recall := outline_recall(data[0], parsed(reference_corpus, name), data[1]))
    ]
    wanted = sum(r.wanted for r in recalls)
    assert wanted >= 100
    assert sum(r.matched for r in recalls) >= 0.97 * wanted


def _edge(document: Document, page: int, last: bool) -> str:
    found: list[tuple[str, Block]] = [
        (s.text[b.start : b.end], b)
        for s in document.sections
        if s.role == "body"
        for b in s.blocks
        if b.kind in PROSE and b.page == page
    ]
    text = found[-1 if last else 0][0].split()
    return short(" ".join(text[-5:] if last else text[:5]))


def test_the_checked_page_breaks_are_still_whole(reference_corpus: Path):
    sample = tomllib.loads((DATA / "page_break_sample.toml").read_text())["page_break"]
    assert len(sample) == 50
    assert all(b["verdict"] == "whole" for b in sample)
    changed = [
        (b["document"], b["page"])
        for b in sample
        if _edge(parsed(reference_corpus, b["document"]), b["page"], last=True) != b["before"]
        or _edge(parsed(reference_corpus, b["document"]), b["page"] + 1, last=False) != b["after"]
    ]
    assert changed == []  # read these again by hand, then put their new locators in


@pytest.mark.parametrize("name", PDFS)
def test_no_block_ends_inside_a_sentence_at_a_break(reference_corpus: Path, name: str):
    assert broken_ends(parsed(reference_corpus, name)) == []


def test_calls_to_notes_are_kept_apart_from_the_text(reference_corpus: Path):
    blocks = [
        b for s in parsed(reference_corpus, "istc-2014").sections for b in s.blocks if b.calls
    ]
    assert len(blocks) > 100  # the standards cite with raised numbers throughout
    labels = [call.label for block in blocks for call in block.calls]
    assert all(any(c.isdigit() or c in "*†‡§¶#" or c.islower() for c in x) for x in labels)
