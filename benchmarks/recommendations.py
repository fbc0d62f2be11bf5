#!/usr/bin/env python3
"""Formal recommendations of hard documents, against those listed by hand from their pages.

`tests/data/recommendation_truth.tsv` names each recommendation by document, page, number, a hash of
its first five words, strength and certainty, read from the pages by eye. One counts as found if a
block marked as a recommendation begins with these words on its page or the next to it; as right if
its number and grade are the printed ones, too. Documents of the folder that the truth does not name
have none: what is marked there is false.

    python benchmarks/recommendations.py --layouts ../shared/corpus/layouts
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headings import DATA, NEAR, parsed, rows

from clinrag_core.errors import DocumentError
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.model.document import Document

TRUTH = DATA / "recommendation_truth.tsv"
FIRST_WORDS = 5
SHOWN = ("printed", "found", "right", "false")
LABEL = re.compile(
    r"^\W*(?:(?:strong|conditional)\s+recommendation\s+(?:for|against)\s+)?"
    r"(?:(?:key\s+)?recommendation\s*)?(?:\d{1,2}(?:\.\d{1,2})*[.:]?\s+)?\W*",
    re.IGNORECASE,
)


class TrueRecommendation(NamedTuple):
    """A recommendation as the truth has it; empty strings for what is not printed."""

    document: str
    page: int
    number: str
    words: str
    strength: str
    certainty: str


def words_hash(text: str) -> str:
    """Return the first 12 hex digits of the hash of a statement's first words, label left out."""
    words = re.findall(r"\w+", LABEL.sub("", text.strip()).casefold())
    return sha256_hex(" ".join(words[:FIRST_WORDS]).encode())[:12]


def truth() -> dict[str, list[TrueRecommendation]]:
    """Return the recommendations by document."""
    found: dict[str, list[TrueRecommendation]] = defaultdict(list)
    for document, page, number, words, strength, certainty in rows(TRUTH):
        row = TrueRecommendation(document, int(page), number, words, strength, certainty)
        found[document].append(row)
    return found


def marked(document: Document) -> list[TrueRecommendation]:
    """Return the recommendations that the parser marks."""
    return [
        TrueRecommendation(
            document.id,
            block.page or 0,
            block.recommendation.number or "",
            words_hash(section.text_of(block)),
            block.recommendation.strength or "",
            (block.recommendation.certainty or "").replace("-", " "),
        )
        for section in document.sections
        for block in section.blocks
        if block.recommendation is not None
    ]


def compare(
    wanted: list[TrueRecommendation], found: list[TrueRecommendation]
) -> tuple[Counter[str], list[TrueRecommendation]]:
    """Return counts of found, right and false ones, and those that are missed or wrong."""
    counts = Counter({"printed": len(wanted)})
    left = list(found)
    failed: list[TrueRecommendation] = []
    for one in wanted:
        near = [f for f in left if f.words == one.words and abs(f.page - one.page) <= NEAR]
        best = max(near, key=lambda f: (f[2:] == one[2:], -abs(f.page - one.page)), default=None)
        if best is None:
            failed.append(one)
            continue
        left.remove(best)
        counts["found"] += 1
        counts["right"] += best[2:] == one[2:]
        if best[2:] != one[2:]:
            failed.append(one)
    counts["false"] = len(left)
    return counts, failed


def main() -> None:
    """Measure and print one line per document."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--layouts", type=Path, required=True)
    arguments.add_argument("--missed", action="store_true", help="print what is missed or wrong")
    args = arguments.parse_args()
    wanted = truth()
    total: Counter[str] = Counter()
    print(f"{'document':20} {'printed':>8} {'found':>8} {'right':>8} {'false':>8}")
    for path in sorted(p for p in args.layouts.glob("*.*") if p.suffix in (".pdf", ".html")):
        try:
            found = marked(parsed(path))
        except DocumentError as error:
            print(f"{path.stem:20} {error.code}")
            continue
        counts, failed = compare(wanted.get(path.stem, []), found)
        total += counts
        print(f"{path.stem:20}" + "".join(f"{counts[k]:9}" for k in SHOWN))
        for one in failed if args.missed else ():
            print("   ", *one[1:])
    print(f"{'all':20}" + "".join(f"{total[k]:9}" for k in SHOWN))
    print(f"statement, number and grade right: {total['right'] / total['printed']:.3f}")


if __name__ == "__main__":
    main()
