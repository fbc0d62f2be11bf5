"""Words of a clause that mean what clauses before it name: "either", "both tests", "for C"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon, Mention

_EITHER = lazy_re(
    r"\b(?:either|both|any|none)(?: of (?:them|these|those|the two))?\b"
    r"|\b(?:the|that) one(?: (?:that )?(?:you|we|i) (?:\w+ )?\w+)?\b|\bwhichever\b[^?]*",
    re.IGNORECASE,
)
"""What means all that was named before it: "and may a child have either?"."""
_LIVER_CLASS = lazy_re(r"\bchild[- ]?pugh (?:class )?[abc]\b", re.IGNORECASE)
_OTHER_CLASS = lazy_re(r"\b(?P<before>(?:for|in|with|about|class)\s+)(?P<letter>[ABC])\b")
"""The letter of another class of liver function: "and is there anything for C?"."""
_BOTH = lazy_re(r"\bboth(?: (?:of them|tests|of these|of the two))?\b", re.IGNORECASE)
"""What means the two tests of the clause before it: "and should we do both?"."""
_ON_OTHER = lazy_re(
    r"(?:and |but |or )?(?:what )?(?:if|when) (?:(?:(?:s?he|they|the patient) (?:is|are) )?"
    r"(?:on|taking|receiving)|with) ",
    re.IGNORECASE,
)
"""What is before a drug that is taken in another one's place: "and if on X?"."""
_RESULT = lazy_re(
    r"\b(?:it|this|that|they)\b(?=(?: \w+){0,3}? (?:positive|negative|indeterminate|invalid)\b)",
    re.IGNORECASE,
)
_TESTED = lazy_re(
    r"\b(?:sputum(?: (?:smears?|cultures?))?|smears?|cultures?|(?:gene)?xpert|igra|quantiferon|"
    r"(?:tuberculin |skin )?tests?|tst|mantoux)\b",
    re.IGNORECASE,
)
"""What has a result, and what a clause before it has tested: "and if it is still positive?"."""
_TESTS = {"blood": "TB blood test", "tuberculin": "TB skin test"}


def spelt_out(clause: str, first: str, drugs: DrugLexicon) -> str:
    """Return a clause with the drugs, tests or class of the first in the place of "both", "it"."""
    if not (read_facts(clause, drugs).drugs or regimens(clause, drugs)):
        named = [first[m.start : m.end] for m in named_drugs(first, drugs)]
        named += regimens(first, drugs)
        if len(named) > 1:
            clause = _EITHER.sub(" or ".join(named), clause, count=1)
    if names_both_tests(clause, first):
        clause = _BOTH.sub(f"both {' and '.join(_tests(first))}", clause, count=1)
    if (tested := _TESTED.search(first)) and not _TESTED.search(clause):
        clause = _RESULT.sub(f"the {tested[0]}", clause, count=1)
    if _LIVER_CLASS.search(first) and not _LIVER_CLASS.search(clause):
        clause = _OTHER_CLASS.sub(r"\g<before>Child-Pugh \g<letter>", clause)
    return clause


def with_other_partner(clause: str, first: str, drugs: DrugLexicon) -> str:
    """Return the first clause with the one drug that a later one names in its partner's place.

    "With X: dose of Y? And if on Z?" asks for the dose of Y twice; nothing for another clause.
    """
    partners = read_slots(first, drugs).partners
    taken = [one for one in named_drugs(first, drugs) if one.ingredients in partners]
    own = named_drugs(clause, drugs)
    if len(taken) != 1 or len(own) != 1:
        return ""
    (begin, end), name = (own[0].start, own[0].end), clause[own[0].start : own[0].end]
    if not _ON_OTHER.fullmatch(clause[:begin]) or clause[end:].strip(" ?."):
        return ""
    return f"{first[: taken[0].start]}{name}{first[taken[0].end :]}".strip()


def names_both_tests(clause: str, before: str) -> bool:
    """Return whether a clause asks of both of two tests that are named before it."""
    return _BOTH.search(clause) is not None and not _tests(clause) and len(_tests(before)) > 1


def _tests(text: str) -> list[str]:
    """Return the kinds of tests for the infection that a text names, as guidelines do."""
    kinds = {one.name for one in concept_spans(text, slot_lexicon().facets["skin_test"])}
    return [name for kind, name in _TESTS.items() if kind in kinds]


def named_drugs(clause: str, drugs: DrugLexicon) -> list[Mention]:
    """Return the drugs of a clause, not those that strains are resistant to."""
    return [one for one in read_facts(clause, drugs).drugs if one.about != "resistance"]
