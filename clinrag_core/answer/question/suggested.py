"""The figures of a regimen that a question itself names: "is it 10 mg/kg?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.roles import REACH, is_taken
from clinrag_core.facts.intervals import intervals, is_since_conception
from clinrag_core.facts.quantities import REGIMEN_KINDS
from clinrag_core.facts.strengths import is_strength
from clinrag_core.facts.times import has_passed
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.reader import Facts

NEXT_TO = 3
"""Letters at most between the name of a drug and its amount: "X (60 mg)"."""
_INTERACTS = lazy_re(r"\binteract\w*")
_DROPS = lazy_re(r"one drops", re.IGNORECASE)
"""What is no amount: "which one drops platelets more?"."""
_CHANGED = lazy_re(r"from [^a-z]*[a-z/ ]+ to ")
"""A figure that is given up for another one: "from 200 mg to 100 mg"."""
_ASKS_CHANGE = lazy_re(
    r"\b(?:adjust\w*|change\w*|raise|increase|lower|reduce|continu\w*|stop|switch\w*|ok|okay|fine|safe|problem|extra"
    r"|supplement\w*|go(?:ing)? (?:up|down|higher|beyond|above|to \d[\d.]*))\b"
)
_NEW = lazy_re(r"\b(?:to|raise|increase|lower|reduce)\b")
"""What comes before a dose that is to be given instead of the present one."""
_ON_AMOUNT = lazy_re(r"\b(?:on|takes|taking|using) (?P<amount>\d[\d.,]* ?[a-z]+ (?:of )?)$")
"""How much somebody takes before the name of a drug: "on 30 units of"."""


_OF_BLOOD = lazy_re(
    r"\s*(?:of\s+)?(?:packed |red |whole )?(?:(?:red )?(?:blood )?cells?|blood|platelets?|plasma"
    r"|ffp|prbcs?|rbcs?|cryo\w*)\b",
    re.IGNORECASE,
)
"""What is transfused, right after its units: "2 units of red cells" is no dose of a drug."""
_WHICH = lazy_re(r"\b(?:first|next|last|other|both|these|those)\s+$", re.IGNORECASE)
"""What makes a number of doses those that are asked about: "the first two doses"."""


def suggested_figures(facts: Facts, taken: Iterable[tuple[int, int]]) -> tuple[Quantity, ...]:
    """Return the figures of a regimen that a question suggests, not what somebody takes already."""
    people = {(one.start, one.end) for one in intervals(facts.text)}
    taken = [*taken, *_current(facts)]
    names_times = any(q.kind == "frequency" for q in facts.quantities)
    return tuple(
        q
        for q in facts.quantities
        if q.kind in REGIMEN_KINDS
        and not any(a < q.end and q.start < b for a, b in people)
        and not any(a <= q.start < b for a, b in taken)
        and not (q.unit == "week" and "pregnan" in facts.text.lower())
        and not is_since_conception(facts.text.lower(), q)
        and not has_passed(facts.text, q)
        and not _WHICH.search(facts.text[: q.start])
        and not _OF_BLOOD.match(facts.text, q.end)
        and not _DROPS.fullmatch(facts.text[q.start : q.end])
        and not _CHANGED.fullmatch(facts.text[max(q.start - 5, 0) : q.end + 4].lower())
        and (names_times or not is_strength(facts.text, q))
        and not (q.kind == "dose" and "/" in facts.text[q.start : q.end] and not q.per)
    )


def taken_amounts(facts: Facts, partners: Iterable[frozenset[str]]) -> list[tuple[int, int]]:
    """Return the spans of amounts of drugs that another one is asked with: "on X 60 mg, is Y OK?".

    They ask for no dose, nor does any where it is asked whether two drugs interact.
    """
    folded, of_partners = fold_chars(facts.text), set(partners)
    after = [m.end for m in facts.drugs if m.ingredients in of_partners and is_taken(folded, m)]
    return [
        (q.start, q.end)
        for q in facts.quantities
        if q.per[:1] == ("dl",)  # what a laboratory found
        or (
            q.kind in ("dose", "frequency")
            and (
                (of_partners and _INTERACTS.search(folded))
                or (q.kind == "dose" and any(0 <= q.start - end <= NEXT_TO for end in after))
            )
        )
    ]


def _current(facts: Facts) -> list[tuple[int, int]]:
    """Return the spans of doses that somebody takes already: "on efavirenz 600 mg"."""
    folded = fold_chars(facts.text)
    if not _ASKS_CHANGE.search(folded):
        return []
    amounts = (
        (_ON_AMOUNT.search(folded, max(0, m.start - REACH), m.start), m.end) for m in facts.drugs
    )
    before = [(match.start("amount"), end) for match, end in amounts if match]
    after = [m.end for m in facts.drugs if is_taken(folded, m)]
    ends = [_NEW.search(folded, start, start + REACH) for start in after]
    return before + [
        (start, end.start() if end else start + REACH)
        for start, end in zip(after, ends, strict=True)
    ]
