#!/usr/bin/env python3
"""Heading recall and precision on hard documents, against titles listed by hand.

`tests/data/heading_truth.tsv` names each heading of the documents by page, outline number and a
hash of its title: taken from their contents pages, outlines and pages by eye, never from the
parser. Recall counts a title found on its page or the next to it. Outlines inside the files are
hidden first, so that type, spacing and numbers have to do the work, then shown.
`tests/data/heading_sample_layouts.tsv` has the verdicts on headings drawn at random: precision.

    python benchmarks/headings.py --layouts ../shared/corpus/layouts
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.assemble.wording import letters
from clinrag_core.parse.pdf import parser
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.model.document import Document

DATA = Path(__file__).parents[1] / "tests" / "data"
TRUTH, SAMPLE = DATA / "heading_truth.tsv", DATA / "heading_sample_layouts.tsv"
NEAR = 1  # pages: a title may be printed at the foot of the page before
ENUMERATOR = re.compile(
    r"^(?:(?:chapter|section|part|appendix)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,4})[.):]?\s+",
    re.IGNORECASE,
)


class TrueHeading(NamedTuple):
    """A heading as the truth has it."""

    document: str
    page: int
    number: str
    title: str


def title_hash(title: str) -> str:
    """Return the first 12 hex digits of the hash of a title's letters, without its number."""
    return sha256_hex(letters(ENUMERATOR.sub("", title.strip())).encode())[:12]


def rows(path: Path) -> list[list[str]]:
    """Return the rows of a table, comments left out."""
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.reader(file, delimiter="\t") if row and row[0][0] != "#"]


def truth() -> dict[str, list[TrueHeading]]:
    """Return the headings by document."""
    found: dict[str, list[TrueHeading]] = defaultdict(list)
    for document, page, number, title in rows(TRUTH):
        found[document].append(TrueHeading(document, int(page), number, title))
    return found


def parsed(path: Path) -> Document:
    """Parse a document of the folder."""
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    kind = "pdf" if path.suffix == ".pdf" else "html"
    return parse_document(
        data, DocumentSource(kind="guideline", format=kind, file=file, id=path.stem)
    )


def found_headings(document: Document) -> list[tuple[int, str, str]]:
    """Return page, hash and title of each headed section."""
    return [
        (s.page or 0, title_hash(s.title), s.title)
        for s in document.sections
        if s.title and s.title != document.title
    ]


def recalled(wanted: list[TrueHeading], document: Document) -> list[TrueHeading]:
    """Return the headings that the document has not."""
    open_ = [(page, hash_) for page, hash_, _ in found_headings(document)]
    open_.append((1, title_hash(document.title)))
    missed: list[TrueHeading] = []
    for one in wanted:
        near = [f for f in open_ if f[1] == one.title and abs(f[0] - one.page) <= NEAR]
        if near or (one.page == 0 and any(f[1] == one.title for f in open_)):
            open_.remove(near[0] if near else next(f for f in open_ if f[1] == one.title))
        else:
            missed.append(one)
    return missed


def without_outline(read: Callable[[], Document]) -> Document:
    """Parse with the outline of the file hidden."""
    real = parser.real_entries
    parser.real_entries = lambda *_: ([], [])  # type: ignore[assignment]
    try:
        return read()
    finally:
        parser.real_entries = real


def precision(documents: dict[str, Document]) -> tuple[int, int]:
    """Return correct and all headings of the sample that the parser still finds.

    The sample of 200 was drawn once from all headings of the PDFs, `random.Random(1711)`.
    """
    found = {
        (name, str(page), hash_)
        for name, document in documents.items()
        for page, hash_, _ in found_headings(document)
    }
    verdicts = [row[3] for row in rows(SAMPLE) if (row[0], row[1], row[2]) in found]
    return verdicts.count("heading"), len(verdicts)


def main() -> None:
    """Measure and print one line per document."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--layouts", type=Path, required=True)
    arguments.add_argument("--missed", action="store_true", help="print what is missed")
    args = arguments.parse_args()
    wanted = truth()
    documents: dict[str, Document] = {}
    sums = [0, 0, 0]
    print("document              headings  outline hidden  outline shown")
    for path in sorted(args.layouts.glob("*.*")):
        name = path.stem
        if name not in wanted:
            continue
        documents[name] = parsed(path)
        blind = without_outline(lambda path=path: parsed(path))
        missed = recalled(wanted[name], blind)
        shown = recalled(wanted[name], documents[name])
        total = len(wanted[name])
        sums = [sums[0] + total, sums[1] + total - len(missed), sums[2] + total - len(shown)]
        print(f"{name:20} {total:9} {total - len(missed):15} {total - len(shown):14}")
        for one in missed if args.missed else ():
            print(f"   missed page {one.page}, number {one.number or '-'}, {one.title}")
    print(f"{'all':20} {sums[0]:9} {sums[1]:15} {sums[2]:14}")
    print(f"recall {sums[1] / sums[0]:.3f} outline hidden, {sums[2] / sums[0]:.3f} shown")
    right, judged = precision(documents)
    print(f"precision {right} of {judged} judged headings that are found")


if __name__ == "__main__":
    main()
