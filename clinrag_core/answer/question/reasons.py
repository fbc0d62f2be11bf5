"""What the drugs that somebody takes are for: it is not what another drug is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import told_apart
from clinrag_core.answer.question.roles import blanked
from clinrag_core.facts.indications import site_spans
from clinrag_core.facts.people import DECOMPENSATED
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.drugs import classes_of, field_drugs
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts

_REASON = lazy_re(
    r"\s+(?:for|to treat|against)\s+(?:(?!\b(?:and|or|with|in)\b)[^,.;?])*"
    r"|\s+(?:prophylaxis|prevention|prevent(?:at)?ive (?:therapy|treatment))\b"
)
"""What a drug is taken for, right after its name and how it is taken."""
_NAMES = (
    r"(?:(?:drug[- ](?:resistant|susceptible)|pre-?xdr|mdr|xdr|rr|dr|anti|active|pulmonary)[- /]?)*"
    r"(?:tb|tuberculosis|mdr|xdr|pneumonia|cap|chest infection)"
)
_COMORBID = lazy_re(
    rf"\b(?:on|during|taking|(?:month|week) \d+ of) (?:his |her |the )?{_NAMES}"
    r"[- ](?:treatment|therapy|drugs|tablets|medicines|medication|meds|regimen)\b"
    rf"|\b{_NAMES}[- ](?:related|associated|scars?|patients?)\b"
    rf"|\b(?:post-|old |previous |past ){_NAMES}\b"
)
"""A disease of the field, or its treatment, that somebody has while the dose of a drug against none
is asked about, or whether it may be given."""
_HAS = lazy_re(
    r"(?<!mother )(?<!father )(?<!contact )(?<!someone )\bwith (?:a )?(?:bad |mild |severe )?"
    rf"{_NAMES}\b"
)
"""The same where it is just named: "with pneumonia"."""
_DOSED = lazy_re(r"\b(?:dos(?:e|es|ing|age)|mg|how (?:much|many))\b")
_FOR_IT = frozenset({
    "corticosteroid", "cephalosporin", "penicillin", "carbapenem", "fluoroquinolone", "macrolide",
    "aminoglycoside", "tetracycline", "glycopeptide", "oxazolidinone", "antiviral", "antifungal",
})  # fmt: skip
"""Classes of drugs that are given for, or next to others against, an infection of the lungs."""
_NUMBER = lazy_re(r"\s*(?:\d[\d.,]*)?\s*")
"""What is between a drug and how often it is taken: "omeprazole 20 every day"."""


def reasons_of(
    facts: Facts, partners: Sequence[frozenset[str]], asked: Sequence[frozenset[str]] = ()
) -> list[tuple[int, int]]:
    """Return the spans of what partners, or other treatments than that asked about, are taken for.

    In "X while on rifampin for TB", and in "on TB treatment, depressed: X up to 20?", the disease
    is not what X is asked for.
    """
    folded = fold_chars(facts.text)
    every = frozenset[str]().union(*asked)
    is_for_it = every & field_drugs() or any(classes_of(one) & _FOR_IT for one in every)
    patterns = [] if is_for_it or not asked else [_COMORBID]
    patterns += [_HAS] if patterns and _DOSED.search(folded) else []
    others = [match.span() for pattern in patterns for match in pattern.finditer(folded)]
    ends = (_after_amounts(facts, m.end) for m in facts.drugs if m.ingredients in partners)
    found = (_REASON.match(folded, end) for end in ends)
    return [*others, *(match.span() for match in found if match)]


def _after_amounts(facts: Facts, end: int) -> int:
    """Return where the figures end that are right after a place."""
    for figure in facts.quantities:
        if figure.start >= end and _NUMBER.fullmatch(facts.text, end, figure.start):
            end = figure.end
    return end


def turning_on(slots: QuestionSlots, drugs: DrugLexicon) -> str:
    """Return a question without the words that its answer does not turn on.

    They are why two drugs are given, what another thing is told apart from, that a liver is
    decompensated (labels say severely impaired) and, where somebody may have a drug or not, the
    site of the disease.
    """
    reasons = reasons_of(read_facts(slots.text, drugs), slots.partners)
    is_whether = slots.drugs and slots.people and not slots.asks_dosing
    sites = site_spans(slots.text) if is_whether else []
    degrees = [m.span("word") for m in DECOMPENSATED.finditer(fold_chars(slots.text))]
    return blanked(slots.text, [*reasons, *told_apart(slots.text), *sites, *degrees])
