"""What the drugs that somebody takes are for: it is not what another drug is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import told_apart
from clinrag_core.answer.question.roles import blanked
from clinrag_core.facts.indications import site_spans
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
_OF_FIELD = lazy_re(
    r"\b(?:(?:on|during|month \d+ of|week \d+ of) (?:his |her |the )?)?"
    r"(?:(?:drug[- ](?:resistant|susceptible)|pre-?xdr|mdr|xdr|rr|dr|anti|post|old|latent|active"
    r"|pulmonary)[- /]?)*"
    r"(?:tb|tuberculosis|ltbi|mdr|xdr|pneumonia|cap|chest infection)\b"
    r"(?:[- ](?:treatment|therapy|drugs|tablets|medicines|medication|meds|regimen|related|scars?))?"
)
"""A disease of the field, or its treatment, that somebody has while a drug against none is asked
about."""
_IS_FOR = lazy_re(
    r"\b(?:for|against|in|treat\w*|cur(?:e|es|ing)|prevent\w*|prophylaxis of)\s+"
    r"(?:(?:a|an|the|her|his|severe|suspected|possible|this|covid)\s+)*$"
)
"""What comes before what a drug is given for."""
_FOR_MANY = frozenset({"corticosteroid"})
"""Classes of drugs that are given next to those against an infection, and for it."""
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
    is_for_it = every & field_drugs() or any(classes_of(one) & _FOR_MANY for one in every)
    others = [
        match.span()
        for match in (_OF_FIELD.finditer(folded) if asked and not is_for_it else ())
        if not _IS_FOR.search(folded[: match.start()])
    ]
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

    They are why two drugs are given, what another thing is told apart from and, where somebody may
    have a drug or not, the site of the disease.
    """
    reasons = reasons_of(read_facts(slots.text, drugs), slots.partners)
    is_whether = slots.drugs and slots.people and not slots.asks_dosing
    sites = site_spans(slots.text) if is_whether else []
    return blanked(slots.text, [*reasons, *told_apart(slots.text), *sites])
