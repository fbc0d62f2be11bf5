"""Recommendations printed twice: in the summary and again in their chapter.

The summary's copy is linked to the chapter's and not indexed, so that one recommendation does not
take two places in an answer's evidence. Only what says the same counts as a repeat: a difference
in a number, a negation, the strength or the certainty keeps both, and so does a word put for
another: two drugs for the same fever share nine words in ten. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.text.similarity import bag_containment
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.model.section import Recommendation, Section

LEAST_OVERLAP = 0.9
"""Share of the words of the longer copy that the other must have."""
_LEAST_WORDS = 8  # shorter recommendations may be alike by chance
_LABEL = re.compile(
    r"^\W*(?:(?:key\s+)?(?:recommendation|standard|statement)\s*)?[\d.]*[a-z]?[.:)]?\s+", re.I
)
_GRADING = re.compile(r"\((?:strong|conditional|weak)\b[^)]*\)\W*$", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:[.,/]\d+)*")
_TURNED_BY = NEGATIONS | {"against", "except", "unless", "only"}
"""Words that turn or limit what a recommendation says."""
_LATE = re.compile(r"\b(?:annex|appendix|supplement\w*)\b", re.IGNORECASE)


class _Copy(NamedTuple):
    """A recommendation, its words without label and grading, and if it is in an annex."""

    section: int
    block: int
    recommendation: Recommendation
    words: Counter[str]
    late: bool


def link_repeats(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Return sections in which each recommendation that another body section repeats is marked.

    `Recommendation.repeats` names the section (ordinal) of the copy that stays: the last one
    outside annexes, which is next to its rationale and remarks.
    """
    groups: list[list[_Copy]] = []
    for copy in _copies(sections):
        group = next((g for g in groups if same(g[0], copy)), None)
        if group is None:
            groups.append([copy])
        else:
            group.append(copy)
    linked: dict[tuple[int, int], int] = {}
    for group in groups:
        chapters = [copy for copy in group if not copy.late]
        kept = chapters[-1] if chapters else group[0]
        linked |= {(c.section, c.block): kept.section for c in group if c is not kept}
    if not linked:
        return tuple(sections)
    return tuple(_linked(section, linked) for section in sections)


def same(a: _Copy, b: _Copy) -> bool:
    """Return True if two copies say the same, number for number and negation for negation."""
    first, second = a.recommendation, b.recommendation
    if first.number and second.number and first.number != second.number:
        return False
    if first.strength != second.strength or _plain(first.certainty) != _plain(second.certainty):
        return False
    if _fixed(a.words) != _fixed(b.words):
        return False
    if _stems(a.words) - _stems(b.words) and _stems(b.words) - _stems(a.words):
        return False
    return bag_containment(a.words, b.words) >= LEAST_OVERLAP


def _copies(sections: Sequence[Section]) -> Iterator[_Copy]:
    """Yield the recommendations of body sections that are long enough to compare."""
    for section in sections:
        if section.role != "body":
            continue
        late = any(_LATE.search(title) for title in section.path)
        for index, block in enumerate(section.blocks):
            if block.recommendation is None:
                continue
            text = _GRADING.sub("", section.text_of(block).strip())
            words = Counter(_WORD.findall(_LABEL.sub("", text, count=1).casefold()))
            if words.total() >= _LEAST_WORDS:
                yield _Copy(section.ordinal, index, block.recommendation, words, late)


def _fixed(words: Counter[str]) -> Counter[str]:
    """Return the words two copies must share exactly: figures and negations."""
    return Counter({w: n for w, n in words.items() if w in _TURNED_BY or any(map(str.isdigit, w))})


def _stems(words: Counter[str]) -> set[str]:
    """Return the stems of words that carry meaning, single letters left out."""
    return {stem(w) for w in words if w not in FUNCTION_WORDS and len(w) > 1}


def _plain(certainty: str | None) -> str | None:
    return " ".join(certainty.replace("-", " ").split()) if certainty else None


def _linked(section: Section, linked: dict[tuple[int, int], int]) -> Section:
    blocks = list(section.blocks)
    for index, block in enumerate(blocks):
        kept = linked.get((section.ordinal, index))
        if kept is not None and block.recommendation is not None:
            marked = block.recommendation.model_copy(update={"repeats": kept})
            blocks[index] = block.model_copy(update={"recommendation": marked})
    return section.model_copy(update={"blocks": tuple(blocks)})
