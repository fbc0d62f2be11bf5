#!/usr/bin/env python3
"""Captioned tables of the hard layouts that are kept as tables, and their columns and rows.

`tables.tsv` lists every caption with its page; for 16 of them also the columns and body rows as
counted on the printed page. A table is kept if a grid of at least 2 x 2 carries the caption's
number on its page. Rows that are marked unsure are searchable and never quoted.

    python benchmarks/tables.py --corpus ../shared/corpus
"""

from __future__ import annotations

import argparse
import csv
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from clinrag_core.chunk.table_doubts import doubtful_rows
from clinrag_core.errors import ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.section import Block
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document

_PRINTED = 0.9  # of the words of a row: hyphens at line ends are joined
_LEAST = 2  # columns and rows of a grid
_PARTS = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"(?:web\s+)?table\s+(\w+(?:[.-]\w{1,2}(?!\w))*)", re.IGNORECASE)


class Caption(NamedTuple):
    """A caption on a page, with the counts made by eye where there are any."""

    file: str
    page: int
    number: str
    layout: str
    columns: int | None
    rows: range | None


def captions() -> list[Caption]:
    """Return the captions listed in `tables.tsv`."""
    with Path(__file__).with_name("tables.tsv").open() as file:
        return [
            Caption(
                row["file"],
                int(row["page"]),
                row["number"],
                row["layout"],
                int(row["columns"]) if row["columns"] else None,
                range(int(row["rows"]), int(row["rows_at_most"]) + 1) if row["rows"] else None,
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]


def parsed(path: Path) -> Document:
    """Return a file as a document."""
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256="0" * 64, size=len(data))
    source = DocumentSource(kind="guideline", format="pdf", file=file, id="f", title="t")
    return parse_document(data, source)


def tables_of(path: Path) -> dict[tuple[int, str], Block]:
    """Return the tables of a file by page and number in the caption."""
    document = parsed(path)
    found: dict[tuple[int, str], Block] = {}
    for section in document.sections:
        for block in section.blocks:
            table = block.table
            if table is None or block.page is None:
                continue
            if len(table.rows) >= _LEAST and len(table.rows[0]) >= _LEAST:
                number = _NUMBER.match(table.caption)
                found.setdefault((block.page, number[1].upper() if number else ""), block)
    return found


def _letters(text: str) -> str:
    """Return letters and digits, raised ones in line."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def _missing(words: list[str], page: str) -> list[str]:
    """Return the words that are not on a page.

    Letters are compared, since hyphens at line ends are joined. Lines of cells side by side may
    follow each other in the file, which parts a joined word there: then each of its parts must be
    a word of the page.
    """
    stream, tokens = _letters(page), {_letters(t) for t in _PARTS.findall(page)}
    return [
        word
        for word in words
        if _letters(word) not in stream
        and not all(_letters(part) in tokens for part in _PARTS.findall(word))
    ]


def wrong_pages(path: Path) -> tuple[int, int]:
    """Return how many table rows and paragraphs cite a page without their words, and how many."""
    import pymupdf

    wrong = count = 0
    document = parsed(path)
    with pymupdf.open(path) as file:
        printed = [str(page.get_text()) for page in file]
    for section in document.sections:
        for block in section.blocks:
            spans = block.table.row_spans if block.table else ((block.start, block.end),)
            for start, end in spans if block.places else ():
                places = block.places_of(start, end)
                pages = " ".join(printed[page - 1] for page in sorted({p.page for p in places}))
                words = section.text[start:end].split()
                found = len(words) - len(_missing(words, pages))
                count += 1
                wrong += found < _PRINTED * len(words)
    return wrong, count


def print_pages(corpus: Path) -> None:
    """Print for each PDF how many rows cite a page, and how many of them a wrong one."""
    print("| file | rows and continued paragraphs | on a wrong page |\n|---|---|---|")
    for path in sorted(corpus.glob("*/*.pdf")):
        try:
            wrong, count = wrong_pages(path)
        except ParseError:
            continue  # scanned or damaged: the parser refuses it
        print(f"| {path.name} | {count} | {wrong} |", flush=True)


def main() -> None:
    """Measure and print the counts per file and the tables counted by eye."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--missed", action="store_true", help="list the captions without a table")
    parser.add_argument("--pages", action="store_true", help="check the page of each row instead")
    args = parser.parse_args()
    if args.pages:
        print_pages(args.corpus)
        return
    found: dict[str, dict[tuple[int, str], Block]] = {}
    total: dict[str, Counter[str]] = defaultdict(Counter)
    kept: dict[str, Counter[str]] = defaultdict(Counter)
    missed: list[Caption] = []
    right: Counter[str] = Counter()
    print("| file | page | columns | rows | printed | unsure rows |\n|---|---|---|---|---|---|")
    for caption in captions():
        if caption.file not in found:
            found[caption.file] = tables_of(args.corpus / "layouts" / caption.file)
        block = found[caption.file].get((caption.page, caption.number.upper()))
        total[caption.file][caption.layout] += 1
        kept[caption.file][caption.layout] += block is not None
        if block is None:
            missed.append(caption)
        if caption.columns is None or caption.rows is None:
            continue
        right["counted"] += 1
        table = block.table if block else None
        columns = len(table.rows[0]) if table else 0
        rows = len(table.rows) - table.header_rows - len(table.group_rows) if table else 0
        unsure = len(doubtful_rows(table, is_drawn=True)) if table else 0
        right["columns"] += columns == caption.columns
        right["rows"] += columns == caption.columns and rows in caption.rows
        printed = f"{caption.columns} x {caption.rows.start}"
        print(f"| {caption.file} | {caption.page} | {columns} | {rows} | {printed} | {unsure} |")
    print(f"\n{dict(right)}\n\n| file | layout | captions | kept as tables |\n|---|---|---|---|")
    for file, layouts in total.items():
        for layout, count in layouts.items():
            print(f"| {file} | {layout} | {count} | {kept[file][layout]} |")
    for layout in sorted({layout for layouts in total.values() for layout in layouts}):
        held, count = (sum(c[layout] for c in side.values()) for side in (kept, total))
        print(f"| all | {layout} | {count} | {held} |")
    for caption in missed if args.missed else ():
        print("missed", caption.file, caption.page, caption.number, caption.layout)


if __name__ == "__main__":
    main()
