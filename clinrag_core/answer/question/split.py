"""Takes a question of two apart: "dose of X and of Y", "X or Y?", "dose of X, does it cause Z?".

Every part is a question of its own, with the drug and the people that only another part names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import CACHED_QUESTIONS
from clinrag_core.answer.question.case_questions import asks_of_case
from clinrag_core.answer.question.clauses import MOST, OF_TREATMENT, clauses
from clinrag_core.answer.question.first_line import with_first_line
from clinrag_core.answer.question.joined_aspects import each_aspect
from clinrag_core.answer.question.short_questions import asked_in_full
from clinrag_core.answer.question.slots import people_asked, read_slots
from clinrag_core.answer.question.subjects import is_bare_pair
from clinrag_core.facts.indications import diseases, facet_values
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.drugs import field_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.lexicon.slots import Aspect

_SIDES = lazy_re(
    r"\s*(?:,?\s*(?:and|or|versus|vs\.?|compared (?:with|to)|rather than|instead of"
    r"|(?:better|safer|worse|preferred|more \w+) (?:than|to)|than)\s+|,\s*)"
    r"(?:(?:of|for|is|the|a)\s+)*"
)
_VALUES = lazy_re(
    r"[\s,;]*(?:and|or|vs\.?|versus)\s+(?:(?:with|at|if|in|for|an?)\s+)*"
    r"(?:(?:crcl|clcr|e?gfr|creatinine clearance)\s*(?:of|is|=)?\s*)?"
)
"""What joins two values of one measure: "CrCl 22 and CrCl 12"."""
_BOTH = lazy_re(r"\b(?:together|both|co-?infect\w*|at the same time|co-?exist\w*)\b")
"""What makes two diseases those of one patient."""
_LATER = lazy_re(r"\b(?:and|or|versus|vs\.?)\s+(?:(?:of|for|in|the)\s+)*$")
_OF_NAME = lazy_re(r"\b(?:vs\.?|versus|or|and)\s+(?P<word>(?!of\b|for\b|in\b|the\b)[a-z-]{4,}\s+)$")
_OF_TEST: frozenset[Aspect] = frozenset({"test", "comparison"})
_OR = lazy_re(r"\bor\b", re.IGNORECASE)
_DEFINED = lazy_re(
    r"\W*(?:what (?:is|are) (?:the )?)?(?:(?:definitions?|meanings?) of|define)"
    r" (?P<terms>[^?.]+)[?.]?\s*$",
    re.IGNORECASE,
)
_FOR_WHOM = lazy_re(r"\s(?:for|in|under|among|according to|per)\s", re.IGNORECASE)
"""What comes after the terms: of whom, or by whom, they are said."""
_DIFFERENT = lazy_re(
    r"\W*(?:what(?:['’]?s| is) )?(?:the )?difference between (?P<terms>[^?.]+)[?.]?\s*$",
    re.IGNORECASE,
)
_LISTED = lazy_re(r",\s*(?:and|or)?\s*|\s+(?:and|or)\s+", re.IGNORECASE)
_ALSO_TAKEN = lazy_re(
    r"(?:(?:and|also|plus)\s+)*(?:s?he|they|pt|(?:the )?patient)\s+(?:also\s+|still\s+)?"
    r"(?:takes?|is (?:also )?on|uses?)\b",
    re.IGNORECASE,
)
"""How a later question begins that is on what is taken as well: "and he takes omeprazole"."""
_ADDED = lazy_re(
    r"\b(?:add|also give|give (?:also|as well))\s+(?:the |any |some )?$", re.IGNORECASE
)
"""What comes before a drug that is given besides what is asked about first."""
_ALWAYS_TOGETHER = {"isoniazid", "rifapentine"}
"""Two drugs that are a regimen where both are named."""
MOST_WORDS = 4
"""Words of a term whose definition is asked for."""


class _Named(NamedTuple):
    """A side of a comparison: a drug, a regimen or a disease, by its span."""

    start: int
    end: int
    name: str


@lru_cache(maxsize=CACHED_QUESTIONS)
def split_questions(text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return the questions that a text asks, one per clause and per side; itself if it is one.

    Where they mean first-line treatment of tuberculosis given with a drug, they name it.
    """
    return tuple(with_first_line(one, drugs) for one in _asked_apart(text, drugs))


def _asked_apart(text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return the questions that a text asks, as it words them; itself if it is one."""
    if read_slots(text, drugs).is_case:
        wholes = asked_in_full(text, drugs, has_story=True)
        parts = [one for whole in wholes for one in asks_of_case(whole, drugs) or (whole,)]
        parts = _with_taken(parts, drugs)
        return _each_with_drug(parts, text, drugs) if len(parts) <= MOST else (text,)
    if is_bare_pair(read_facts(text, drugs)):
        return (text,)
    text = _taken_apart(text, drugs)
    parts = [
        side
        for whole in asked_in_full(text, drugs)
        for clause in clauses(whole, drugs)
        for one in each_aspect(clause, drugs)
        for side in _sides(one, drugs)
    ]
    if not 1 < len(parts) <= MOST:
        return (text,)
    return _each_with_drug(_with_site(_with_taken(parts, drugs)), text, drugs)


def _with_site(parts: Sequence[str]) -> list[str]:
    """Return the parts; later ones on tuberculosis are at the site that the first names.

    "Steroids in TB meningitis, and how many months of TB drugs?" asks for those of meningitis.
    """
    sites = concept_spans(parts[0], slot_lexicon().facets["site"])
    if len(sites) != 1:
        return list(parts)
    (site,) = sites
    named, known = parts[0][site.start : site.end], diseases(parts[0])

    def whole(part: str) -> str:
        is_same = "tuberculosis" in diseases(part) <= known and not facet_values(part, "site")
        is_latent = "latent" in facet_values(part, "stage")
        return f"{part.rstrip('?,. ')} in {named}?" if is_same and not is_latent else part

    return [parts[0], *map(whole, parts[1:])]


def _with_taken(parts: Sequence[str], drugs: DrugLexicon) -> list[str]:
    """Return the parts; one on a drug that is taken as well is on it with that of the first.

    So is one on a drug of no field and without a label: what is known of it is in labels of others.
    """
    if not parts:
        return []
    first = [m for m in read_facts(parts[0], drugs).drugs if m.about == "drug"]

    def whole(part: str) -> str:
        slots = read_slots(part, drugs)
        named = [*slots.drugs, *slots.partners]
        others = [one for one in first if len(named) == 1 and one.ingredients != named[0]]
        if len(others) != 1:
            return part
        is_unknown = named[0].isdisjoint(drugs.labelled | field_drugs())
        is_known = drugs.is_product(others[0].ingredients)
        is_taken = _ALSO_TAKEN.match(part) or (is_unknown and is_known)
        return f"On {parts[0][others[0].start : others[0].end]}, {part}" if is_taken else part

    return [parts[0], *map(whole, parts[1:])]


def _each_with_drug(parts: Sequence[str], text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return the parts, those that ask a dose of no drug with the only one that is asked about."""
    asked = read_slots(text, drugs).drugs
    named = [m for m in read_facts(text, drugs).drugs if m.ingredients in asked]
    if len(asked) != 1 or not named or len(parts) == 1:
        return tuple(parts)
    name = text[named[0].start : named[0].end]
    if _ADDED.search(text[: named[0].start]):
        return tuple(parts)  # what it is added to is asked about before it

    def whole(part: str) -> str:
        slots = read_slots(part, drugs)
        is_on_some = slots.drugs or slots.partners or slots.regimens or slots.classes
        is_on_some = is_on_some or OF_TREATMENT.search(part)
        return part if is_on_some or not slots.asks_dosing else f"{part.rstrip('?,. ')} of {name}?"

    return tuple(map(whole, parts))


def _taken_apart(text: str, drugs: DrugLexicon) -> str:
    """Return a text with a comma between drugs that an "and" joins, where they are no product."""
    for mention in reversed(read_facts(text, drugs).drugs):
        named = text[mention.start : mention.end]
        if len(mention.ingredients) > 1 and not drugs.is_product(mention.ingredients):
            apart = re.sub(r"\s+and\s+", ", ", named)
            text = text[: mention.start] + apart + text[mention.end :]
    return text


def _sides(clause: str, drugs: DrugLexicon) -> Iterator[str]:
    """Yield one question per side: per drug or regimen asked about, or else per disease."""
    slots = read_slots(clause, drugs)
    if not slots.partners or len(slots.drugs) > 1:
        asked = set(slots.drugs)
        named = [
            _Named(m.start, m.end, m.name)
            for m in read_facts(clause, drugs).drugs
            if m.about == "drug" and m.ingredients in asked
        ]
        named += [
            _Named(m.start(), m.end(), code)
            for code in regimens(clause, drugs)
            for m in re.finditer(re.escape(code), clause, re.IGNORECASE)
        ]
        is_regimen = {one.name for one in named} == _ALWAYS_TOGETHER
        sides = [] if is_regimen else list(_per_side(clause, sorted(named)))
        sides = sides or list(_per_value(clause))
        if not sides:
            spans = concept_spans(clause, slot_lexicon().facets["skin_test"])
            if spans and (not slots.aspects or (slots.aspects <= _OF_TEST and _OR.search(clause))):
                spans = ()  # "skin test or blood test?" asks for a choice
            else:
                spans = spans or concept_spans(clause, slot_lexicon().diseases)
            joined = re.compile(r"\b(?:vs\.?|versus|or|and)\b")
            folded = fold_chars(clause)
            pairs = [
                (_Named(*a), _Named(*b)._replace(start=_begins(folded, a.end, b.start)))
                for a, b in pairwise(spans)
                if a.name != b.name
                and joined.search(folded[a.end : b.start])
                and not _BOTH.search(folded)
            ]
            sides = list(_per_side(clause, pairs[0])) if len(pairs) == 1 else []
            if slots.drugs and not all(read_slots(one, drugs).drugs for one in sides):
                sides = []  # diseases of one patient, of whom a drug is asked
        if sides:
            yield from sides
            return
    yield from _per_term(clause, drugs) or (clause,)


def _begins(folded: str, after: int, start: int) -> int:
    """Return where the second of two diseases begins, with a word of its own: "prostate cancer"."""
    word = _OF_NAME.search(folded, after, start)
    return word.start("word") if word is not None else start


def _per_term(clause: str, drugs: DrugLexicon) -> list[str]:
    """Return a question for each of several words whose meaning is asked for; none for one.

    What is different between two words that are no drugs and no diseases is what each means.
    """
    match = _DEFINED.match(clause)
    apart = _DIFFERENT.match(clause)
    if apart and not (read_facts(clause, drugs).drugs or diseases(clause)):
        match = apart
    named = match["terms"] if match else ""
    whom = _FOR_WHOM.search(named)
    end = whom.start() if whom else len(named)
    terms = [one for one in _LISTED.split(named[:end]) if one.strip()]
    is_list = len(terms) > 1 and all(len(one.split()) <= MOST_WORDS for one in terms)
    return [f"Definition of {one.strip()}{named[end:]}" for one in terms] if is_list else []


def _per_value(clause: str) -> Iterator[str]:
    """Yield a question for each of two kidney functions, ages or weights; adults and children too.

    Of groups only those that nobody is in at once: what is for "children and adolescents" is both.
    """
    folded = fold_chars(clause)
    groups = sorted(people_asked(clause).ages)
    apart = [pair for pair in pairwise(groups) if not pair[0].meets(pair[1])]
    for one, other in (*pairwise(intervals(clause)), *apart):
        if one.of == other.of and _VALUES.fullmatch(folded[one.end : other.start]):
            yield clause[: one.end] + clause[other.end :]
            yield clause[: one.start] + clause[other.start :]
            return


def _per_side(clause: str, named: Sequence[_Named]) -> Iterator[str]:
    """Yield a question for each of several things that are joined as alternatives or as a list."""
    different = [one for n, one in enumerate(named) if one.name not in {o.name for o in named[:n]}]
    if len(different) < 2:  # noqa: PLR2004 - a comparison has two sides
        return
    folded = fold_chars(clause)
    gaps = [folded[a.end : b.start] for a, b in pairwise(different)]
    first, last = different[0], different[-1]
    if all(_SIDES.fullmatch(gap) for gap in gaps):
        for one in different:
            around = clause[: first.start] + clause[last.end :]
            side = clause[one.start : one.end]
            yield clause[: first.start] + side + clause[last.end :] if key_stems(around) else side
    elif all(_LATER.search(gap) for gap in gaps):  # "of X in adults and of Y in children"
        for n, one in enumerate(different):
            end = len(clause)
            if n + 1 < len(different):
                gap = _LATER.search(folded, one.end, different[n + 1].start)
                end = gap.start() if gap else end
            before = clause[: first.start]
            if n and not key_stems(before):  # "X: how often ... vs Y?"
                joined = _LATER.search(folded, first.end, different[1].start)
                middle = clause[first.end : joined.start() if joined else first.end]
                yield f"{clause[one.start : one.end]}{middle}".rstrip("?,. ") + "?"
            else:
                yield (before + clause[one.start : end]).rstrip("?,. ") + "?"
