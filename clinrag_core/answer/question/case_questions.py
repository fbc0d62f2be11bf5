"""A patient's story and the questions after it: each is asked of the whole story."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.clauses import (
    BARE,
    GAPS,
    IF_NOT,
    MOST,
    by_its_parts,
    parts_questions,
)
from clinrag_core.answer.question.roles import blanked
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.stand_ins import named_drugs
from clinrag_core.facts.intervals import intervals
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon

_ALSO = r"(?:and |but |or )?(?:what |how )?(?:about )?"
_INSTEAD = lazy_re(r"(?:and |but |or )?if [^,?]{3,40}\binstead\b[^,?]{0,20}, ", re.IGNORECASE)
"""Another drug that what follows is asked of: "if Y instead, what dose?"."""
_HAPPENED = lazy_re(
    r"(?:she|he|they|(?:the |this )?(?:patient|pt|woman|man|child|boy|girl))(?:'s)?\s+(?!or\b)\w+",
    re.IGNORECASE,
)
"""How a question begins that first says what has happened: "She forgot a dose, does she ...?"."""
_IF_CHANGED = lazy_re(rf"(?P<and>{_ALSO})(?:if|when|at)\b", re.IGNORECASE)
"""What asks the same of another figure: "and if it falls to 10?"."""
_GOES_ON = lazy_re(
    rf"{_ALSO}(?:if(?! (?:we|i|you|they)\b)(?![^,?]*\binstead\b)|when|with|on|in|for)\b",
    re.IGNORECASE,
)
"""What asks the same of another case: "and when he is on Y instead?"."""
_CHANGED = lazy_re(r"\b(?:if|when) [^?]{0,40}\d")
"""What changes a figure of the story."""


def asks_of_case(text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return a patient's story with each of the questions that follow it; none for one question."""
    starts = [start for start, end in sentence_spans(text) if "?" in text[start:end]]
    if not starts:
        return ()
    story, asking = text[: starts[0]].strip(), text[starts[0] :]
    gaps = [gap.span() for gap in GAPS.finditer(asking) if parts_questions(asking, gap.start())]
    gaps = sorted({*gaps, *_between_questions(asking, gaps, drugs)})
    begins, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(asking)]
    asks = [asking[begin:end] for begin, end in zip(begins, ends, strict=True)]
    asks = _under_conditions(asks)
    if not all(key_stems(BARE.sub("", one)) for one in asks) or IF_NOT.search(asking):
        return ()  # what asks on is nothing without what was asked before it
    asks = [_asked_again(one, asks[0], drugs) for one in asks]
    is_apart = not any(map(_GOES_ON.match, asks[1:])) and (
        all(named_drugs(one, drugs) for one in asks)
        or bool(named_drugs(asks[0], drugs) and any(map(_HAPPENED.match, asks[1:])))
    )
    if not 1 < len(asks) <= MOST or not (story or is_apart):
        return ()
    named = [] if named_drugs(story, drugs) else named_drugs(asks[0], drugs)
    if named:  # the drug asked about first is that of the questions which name none
        about = read_slots(asks[0], drugs).drugs
        drug = by_its_parts(asks[0], [m for m in named if m.ingredients in about] or named)
        asks[1:] = [one if named_drugs(one, drugs) else _with(one, drug) for one in asks[1:]]
    return tuple(f"{_of_figures(story, one)} {_sentence(one)}".strip() for one in asks)


def _under_conditions(asks: Sequence[str]) -> list[str]:
    """Return clauses with the other drug under which the one before them in their sentence asks.

    "If Y instead, what dose and does X need changing?" asks both of Y.
    """
    condition, found = "", list[str]()
    for one in asks:
        instead = _INSTEAD.match(one)
        found.append(f"{condition}{one}" if condition and not instead else one)
        condition = instead[0] if instead else condition
        if one.rstrip().endswith("?"):
            condition = ""
    return found


def _asked_again(ask: str, first: str, drugs: DrugLexicon) -> str:
    """Return a clause that only changes a figure of the patient as the first question, with it.

    "How much X? And if the clearance falls to 10?" asks for the dose twice.
    """
    changes = _changes_figure(ask)
    if ask == first or not changes or named_drugs(ask, drugs):
        return ask
    return f"{first.rstrip('?. ')} {ask[changes.end('and') :].strip()}"


def _of_figures(story: str, ask: str) -> str:
    """Return a patient's story without the figures that a question changes."""
    if not _CHANGED.search(ask):
        return story
    changed = {one.of for one in intervals(ask)}
    return blanked(story, [(o.start, o.end) for o in intervals(story) if o.of in changed])


def _changes_figure(ask: str) -> re.Match[str] | None:
    """Return how a clause begins that only gives another figure of the patient; else nothing."""
    return _IF_CHANGED.match(ask) if intervals(ask) else None


def _between_questions(
    asking: str, gaps: Sequence[tuple[int, int]], drugs: DrugLexicon
) -> Iterator[tuple[int, int]]:
    """Yield the gaps between questions that no word parts, where the later one names its drug.

    "Which dose of X? A colleague wants to add Y - ok?" asks two things.
    """
    for mark in re.finditer(r"\?\s+", asking):
        begin, end = mark.span()
        stop = asking.find("?", end)
        is_gap = any(begin < gap_end and gap_start < end for gap_start, gap_end in gaps)
        later = asking[end : stop + 1]
        names_own = named_drugs(later, drugs) and not _GOES_ON.match(later)
        is_other = names_own or _changes_figure(later) or _HAPPENED.match(later)
        if later and not is_gap and is_other:
            yield begin, end


def _with(ask: str, drug: str) -> str:
    """Return a clause that asks about a drug which it does not name."""
    return f"{drug[:1].upper()}{drug[1:]}: {ask}"


def _sentence(ask: str) -> str:
    """Return a clause that asks as a sentence, apart from the story before it."""
    return f"{ask[:1].upper()}{ask[1:].rstrip('?. ')}?"
