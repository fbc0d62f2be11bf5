#!/usr/bin/env python3
"""Pages as a picture and as read by clinrag and by both modes of pymupdf4llm, for scoring by eye.

`benchmarks/side_by_side.tsv` names twenty hard pages of the layouts and, for those judged so far,
the score of each reader: 3 as printed, 2 a small fault, 1 structure lost but readable, 0 wrong
(values in another row or column, text lost or woven). `--out` writes a picture and three texts a
page; without it the scores are added up. pymupdf4llm runs in an environment of its own, see
`benchmarks/parse.py`.

    python benchmarks/side_by_side.py --layouts ../shared/corpus/layouts --out pages
    python benchmarks/side_by_side.py
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from headings import parsed, rows
from parse import MODES, PEER, environment

if TYPE_CHECKING:
    from clinrag_core.model.document import Document

SHEET = Path(__file__).with_suffix(".tsv")
READERS = ("clinrag", *MODES)
PEER_CODE = """
import sys
import pymupdf4llm
if sys.argv[1] == "legacy":
    pymupdf4llm.use_layout(False)
name, out = sys.argv[2], sys.argv[3]
for page in sys.argv[4:]:
    text = pymupdf4llm.to_markdown(name, pages=[int(page) - 1], show_progress=False)
    open(f"{out}-{page}-{sys.argv[1]}.txt", "w", encoding="utf-8").write(text)
"""


def page_text(document: Document, page: int) -> str:
    """Return what a document has of a page: headings, roles, blocks, rows of tables."""
    lines: list[str] = []
    for section in document.sections:
        on_page = [b for b in section.blocks if _is_on(b.page, [p.page for p in b.places], page)]
        if not on_page and section.page != page:
            continue
        lines.append(f"# {' > '.join(section.path)} [{section.role}]")
        for block in on_page:
            if block.table is None:
                lines.append(f"{block.kind}: {section.text_of(block)}")
                continue
            unsure = block.table.unsure_rows
            lines.append(f"table, header rows {block.table.header_rows}: {block.table.caption}")
            for row, cells in enumerate(block.table.rows):
                lines.append(f"  {'?' if row in unsure else '|'} " + " | ".join(cells))
    return "\n".join(lines)


def _is_on(page: int | None, places: list[int], wanted: int) -> bool:
    return wanted in places if places else page == wanted


def render(layouts: Path, out: Path, python: str) -> None:
    """Write the picture and the three texts of each page of the sheet."""
    import pymupdf

    pages: dict[str, list[int]] = {}
    for document, page, *_ in rows(SHEET):
        pages.setdefault(document, []).append(int(page))
    out.mkdir(parents=True, exist_ok=True)
    for name, numbers in pages.items():
        path = layouts / f"{name}.pdf"
        document = parsed(path)
        with pymupdf.open(path) as file:
            for page in numbers:
                file[page - 1].get_pixmap(dpi=80).save(out / f"{name}-{page}.png")
                (out / f"{name}-{page}-clinrag.txt").write_text(page_text(document, page))
        for mode in MODES:
            command = [python, "-c", PEER_CODE, mode, str(path), str(out / name)]
            subprocess.run([*command, *map(str, numbers)], check=True)  # noqa: S603 - fixed code


def main() -> None:
    """Render the pages, or add up their scores."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--layouts", type=Path)
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--peer", help="interpreter that has pymupdf4llm; else one is made")
    args = arguments.parse_args()
    if args.out is not None:
        if args.layouts is None:
            sys.exit("--out needs --layouts")
        with tempfile.TemporaryDirectory() as folder:
            python = args.peer or environment(Path(folder) / "peer", PEER)
            render(args.layouts, args.out, python)
        return
    sums: Counter[str] = Counter()
    scored = [row for row in rows(SHEET) if len(row) > 2]  # noqa: PLR2004 - document and page
    for row in scored:
        sums.update(dict(zip(READERS, map(int, row[2:]), strict=True)))
    print(f"{len(scored)} pages, of {3 * len(scored)} points")
    for reader in READERS:
        print(f"  {reader:8} {sums[reader]}")


if __name__ == "__main__":
    main()
