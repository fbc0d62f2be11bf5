"""Takes a question of two apart: "dose of X and of Y", "X or Y?", "dose of X, does it cause Z?".

Every part is a question of its own, with the drug and the people that only another part names.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.slot_subjects import is_bare_pair
from clinrag_core.answer.slots import read_slots
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import is_plain
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon, Mention

_ASKS = (
    r"(?:(?:(?:at|for|in|on|with|by|to|from|after|until) )?(?:what|which|whom)"
    r"|how|when|where|why|who|does|do|is|are|can|should|could|may|will|must|would)\b"
)
_BY_MEALS = r"(?:before|after|with|without)\b[^?]{0,20}\b(?:food|meals?|eating)\b"
_MEALS = re.compile(_BY_MEALS, re.IGNORECASE)
_CLAUSES = re.compile(
    rf"\?\s+(?=(?:and\s+|also\s+|what about\s+|how about\s+)?(?:with\b|of\b|[\w-]+ with\b|{_ASKS}))"
    rf"|[,;]?\s+(?:and|also)\s+(?={_ASKS})"
    rf"|(?<!\w)(?<=[,;])\s+(?=(?:what|how|why|does|do|should|can)\b)"
    rf"|[,;]\s+and\s+(?={_BY_MEALS})",
    re.IGNORECASE,
)
_ASKING = re.compile(rf"\s*{_ASKS}", re.IGNORECASE)
"""A comma parts two questions only if the first of them asks: "On linezolid, can I ..." is one."""
_PREMISE = re.compile(
    rf"(?:since|as|because|given that|seeing that)\s+(?P<premise>[^,?]{{12,}}),"
    rf"\s+(?P<rest>{_ASKS}.*)",
    re.IGNORECASE | re.DOTALL,
)
"""What a question takes for granted before it asks; it is looked up like a question."""
_PRONOUN = re.compile(r"\b(?:it|they|this drug|the drug|them)\b", re.IGNORECASE)
_ON_IT = re.compile(r"(?<=\b(?:on|of|to|by)\s)it\b|(?<=\bwith\s)it\b", re.IGNORECASE)
"""What a clause on another drug says of the first: "does Y affect glucose on it?"."""
_ITS = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_SIDES = re.compile(
    r"\s*(?:,?\s*(?:and|or|versus|vs\.?|compared (?:with|to)|rather than|instead of"
    r"|(?:better|safer|worse|preferred|more \w+) (?:than|to)|than)\s+|,\s*)"
    r"(?:(?:of|for|is|the|a)\s+)*"
)
_VALUES = re.compile(
    r"[\s,;]*(?:and|or|vs\.?|versus)\s+(?:(?:with|at|if|in|for|an?)\s+)*"
    r"(?:(?:crcl|clcr|e?gfr|creatinine clearance)\s*(?:of|is|=)?\s*)?"
)
"""What joins two values of one measure: "CrCl 22 and CrCl 12"."""
_BARE = re.compile(r"\b(?:why|how|when)\b(?: not| so)?", re.IGNORECASE)
"""What asks on without a subject of its own: "which one, and why?"."""
_IF_NOT = re.compile(r"\bif (?:not|so|yes|no)\b", re.IGNORECASE)
_TOPIC = re.compile(r"[^:?]{1,60}:\s")
"""What a question is about, before it asks: "X + Y: which dose of X"."""
_STAGE = re.compile(
    r"\b(?:latent|active) (?:tb|tuberculosis)(?: infection)?\b|\bLTBI\b", re.IGNORECASE
)
"""What the clauses after it are about as well: a dose for the disease is none for the infection."""
_HEADED = re.compile(
    r"\W*(?:(?:while|when|already) )?(?:on|with|taking|receiving) [\w-]+\s*[:,]", re.I
)
"""What all that a question asks goes with: "On rifampin: what dose of X, and what of Y?"."""
_BOTH = re.compile(r"\b(?:together|both|co-?infect\w*|at the same time|co-?exist\w*)\b")
"""What makes two diseases those of one patient."""
_ADDED = re.compile(r"\b(?:as well|in addition|on top|add(?:ed|ing)?)\b", re.IGNORECASE)
"""What a drug is given besides the one named before: "if we give Y as well"."""
_KEPT = re.compile(
    r"\b(?:keep|continue|carry on|go on|stay|remain)\b"
    r"|\b(?:may|can|could|should) (?:(?:the|my|this|our) patient|he|she|they|i|we)\b"
    r"[^?]*\b(?:take|have|use|get|receive)\b",
    re.IGNORECASE,
)
"""What a patient takes all the same: "dose of X, and may the patient keep taking Y?"."""
_LATER = re.compile(r"\b(?:and|or|versus|vs\.?)\s+(?:(?:of|for|in|the)\s+)*$")
_PEOPLE = re.compile(
    r"\s+((?:in|for|during|with)\s+(?:(?!\b(?:and|or)\b|\s[-–—]\s|:\s).)+?)"
    r"(?:(?:\s[-–—]|:)\s[\w ,/]+)?\s*[?.]?$",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"\W*(?:what (?:is|are) (?:the )?)?(?:(?:definitions?|meanings?) of|define)"
    r" (?P<terms>[^?.]+)[?.]?\s*$",
    re.IGNORECASE,
)
_DIFFERENT = re.compile(
    r"\W*(?:what(?:['’]?s| is) )?(?:the )?difference between (?P<terms>[^?.]+)[?.]?\s*$",
    re.IGNORECASE,
)
_LISTED = re.compile(r",\s*(?:and|or)?\s*|\s+(?:and|or)\s+", re.IGNORECASE)
MOST_WORDS = 4
"""Words of a term whose definition is asked for."""
MOST = 4
"""Parts of one question; a longer list is answered as one."""


class _Named(NamedTuple):
    """A side of a comparison: a drug, a regimen or a disease, by its span."""

    start: int
    end: int
    name: str


def split_questions(text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return the questions that a text asks, one per clause and per side; itself if it is one."""
    if read_slots(text, drugs).is_case:
        return _asks_of_case(text, drugs) or (text,)
    if is_bare_pair(read_facts(text, drugs)):
        return (text,)
    text = _taken_apart(text, drugs)
    parts = [side for clause in _clauses(text, drugs) for side in _sides(clause, drugs)]
    return tuple(parts) if 1 < len(parts) <= MOST else (text,)


def _asks_of_case(text: str, drugs: DrugLexicon) -> tuple[str, ...]:
    """Return a patient's story with each of the questions that follow it; none for one question."""
    starts = [start for start, end in sentence_spans(text) if "?" in text[start:end]]
    if not starts:
        return ()
    story, asking = text[: starts[0]].strip(), text[starts[0] :]
    gaps = [
        gap.span() for gap in _CLAUSES.finditer(asking) if _parts_questions(asking, gap.start())
    ]
    begins, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(asking)]
    asks = [asking[begin:end] for begin, end in zip(begins, ends, strict=True)]
    if not all(key_stems(_BARE.sub("", one)) for one in asks) or _IF_NOT.search(asking):
        return ()  # what asks on is nothing without what was asked before it
    if not story or not 1 < len(asks) <= MOST:
        return ()
    named = [] if _mentions(story, drugs) else _mentions(asks[0], drugs)
    if named:  # the drug of the first question is that of those which name none
        drug = asks[0][named[0].start : named[0].end]
        asks[1:] = [one if _mentions(one, drugs) else _with(one, drug) for one in asks[1:]]
    return tuple(f"{story} {_sentence(one)}" for one in asks)


def _with(ask: str, drug: str) -> str:
    """Return a clause that asks about a drug which it does not name."""
    return f"{drug[:1].upper()}{drug[1:]}: {ask}"


def _parts_questions(text: str, at: int) -> bool:
    """Return whether what is before a gap asks too: "we stopped X, how long ..." is one."""
    return text[at - 1] not in ",;" or _ASKING.match(text) is not None


def _sentence(ask: str) -> str:
    """Return a clause that asks as a sentence, apart from the story before it."""
    return f"{ask[:1].upper()}{ask[1:].rstrip('?. ')}?"


def _taken_apart(text: str, drugs: DrugLexicon) -> str:
    """Return a text with a comma between drugs that an "and" joins, where they are no product."""
    for mention in reversed(read_facts(text, drugs).drugs):
        named = text[mention.start : mention.end]
        if len(mention.ingredients) > 1 and not drugs.is_product(mention.ingredients):
            apart = re.sub(r"\s+and\s+", ", ", named)
            text = text[: mention.start] + apart + text[mention.end :]
    return text


def _clauses(text: str, drugs: DrugLexicon) -> Iterator[str]:
    """Yield the clauses that ask; a later one carries the drug and the people of the first."""
    gaps = [match.span() for match in _CLAUSES.finditer(text)]
    ends_at = [*(start for start, _ in gaps), len(text)][1:]
    gaps = [
        gap
        for gap, end in zip(gaps, ends_at, strict=True)
        if not _says_nothing(text[: gap[0]], text[gap[1] : end], drugs)
        and _parts_questions(text, gap[0])
    ]
    if premise := _PREMISE.match(text):
        gaps = [(premise.end("premise"), premise.start("rest")), *gaps]
    cuts = [0, *(end for _, end in gaps), len(text)]
    ends = [*(start for start, _ in gaps), len(text)]
    first = text[: ends[0]]
    mentions = _mentions(first, drugs)
    drug = first[mentions[0].start : mentions[0].end] if mentions else _code(first, drugs)
    pair = {first[m.start : m.end].casefold(): m for m in mentions if m.about == "drug"}
    others = [name for name in pair if name != drug.casefold()]
    partner = others[0] if len(others) == 1 and read_slots(first, drugs).partners else ""
    paired = {drug.casefold(): partner, partner: drug} if partner and _TOPIC.match(first) else {}
    shared, stage = _people(first, drugs), _STAGE.search(first)
    spans = concept_spans(first, slot_lexicon().diseases)
    about = stage[0] if stage else first[spans[0].start : spans[0].end] if spans else ""
    yield first.strip()
    for begin, end in zip(cuts[1:-1], ends[1:], strict=True):
        clause = text[begin:end].strip()
        if drug and not (read_facts(clause, drugs).drugs or regimens(clause, drugs)):
            named = _ITS.sub(f"{drug}'s", _PRONOUN.sub(drug, clause, count=1), count=1)
            is_on_drug = named != clause
            clause = named if is_on_drug else f"{clause.rstrip('?. ')} with {drug}?"
            if partner and is_on_drug:
                clause = f"{clause.rstrip('?. ')} with {partner}?"
            if about and not read_slots(clause, drugs).diseases:
                clause = f"{clause.rstrip('?. ')} for {about}?"
        elif stage and not _STAGE.search(clause):
            clause = f"{clause.rstrip('?. ')} for {stage[0]}?"
        elif len(own := read_facts(clause, drugs).drugs) == 1:
            other = paired.get(clause[own[0].start : own[0].end].casefold(), "")
            is_kept = _KEPT.search(clause) and not _names_people(clause, drugs)
            is_added = is_kept or _HEADED.match(first) or _ADDED.search(clause)
            other = other or (drug if is_added else "")
            if drug and _ON_IT.search(clause):
                clause, other = _ON_IT.sub(drug, clause, count=1), ""
            clause = f"{clause.rstrip('?. ')} with {other}?" if other else clause
        is_on_meals = _MEALS.match(clause)  # which are the same for everybody
        if (
            shared
            and not is_on_meals
            and not _people(clause, drugs)
            and not _names_people(clause, drugs)
        ):
            clause = f"{clause.rstrip('?. ')} {shared}?"
        yield clause


def _code(clause: str, drugs: DrugLexicon) -> str:
    """Return the letters of the one regimen that a clause names: "3HP"; else nothing."""
    codes = list(regimens(clause, drugs))
    return codes[0] if len(codes) == 1 else ""


def _says_nothing(before: str, clause: str, drugs: DrugLexicon) -> bool:
    """Return whether a clause is no question without the one before it: "what do I do next?".

    A pronoun refers to a drug that was named before it; without one it leaves the clause open.
    """
    if not key_stems(_BARE.sub("", clause)):
        return True
    is_on_missed = slot_lexicon().wordings.missed.search(fold_chars(clause))
    has_drug = bool(_mentions(before, drugs) or regimens(before, drugs))
    is_on_drug = _PRONOUN.search(clause) and has_drug
    if is_on_missed or is_on_drug:
        return False
    rest = fold_chars(clause)
    for cue in slot_lexicon().aspects.values():
        if cue.search(rest) and has_drug:
            return False
        rest = cue.sub(" ", rest)
    return all(is_plain(word) for word in key_stems(rest))


def _mentions(clause: str, drugs: DrugLexicon) -> list[Mention]:
    """Return the drugs of a clause, not those that strains are resistant to."""
    return [one for one in read_facts(clause, drugs).drugs if one.about != "resistance"]


def _people(clause: str, drugs: DrugLexicon) -> str:
    """Return the words at the end of a clause that say whom it is about: "in pregnancy"."""
    match = _PEOPLE.search(clause)
    return match[1] if match and _names_people(match[1], drugs) else ""


def _names_people(text: str, drugs: DrugLexicon) -> bool:
    people = read_slots(text, drugs).people
    return bool(people.ages or people.conditions or people.weights or people.kidney)


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
        sides = list(_per_side(clause, sorted(named))) or list(_per_value(clause))
        if not sides:
            spans = concept_spans(clause, slot_lexicon().facets["skin_test"])
            if spans and not slots.aspects:
                spans = ()  # "skin test or blood test?" asks for a choice
            else:
                spans = spans or concept_spans(clause, slot_lexicon().diseases)
            joined = re.compile(r"\b(?:vs\.?|versus|or|and)\b")
            folded = fold_chars(clause)
            pairs = [
                (_Named(*a), _Named(*b))
                for a, b in pairwise(spans)
                if a.name != b.name
                and joined.search(folded[a.end : b.start])
                and not _BOTH.search(folded)
            ]
            sides = list(_per_side(clause, pairs[0])) if len(pairs) == 1 else []
        if sides:
            yield from sides
            return
    yield from _per_term(clause, drugs) or (clause,)


def _per_term(clause: str, drugs: DrugLexicon) -> list[str]:
    """Return a question for each of several words whose meaning is asked for; none for one.

    What is different between two words that are no drugs and no diseases is what each means.
    """
    match = _DEFINED.match(clause)
    apart = _DIFFERENT.match(clause)
    if apart and not (read_facts(clause, drugs).drugs or diseases(clause)):
        match = apart
    terms = [one for one in _LISTED.split(match["terms"]) if one.strip()] if match else []
    is_list = len(terms) > 1 and all(len(one.split()) <= MOST_WORDS for one in terms)
    return [f"Definition of {one.strip()}" for one in terms] if is_list else []


def _per_value(clause: str) -> Iterator[str]:
    """Yield a question for each of two kidney functions, ages or weights."""
    folded = fold_chars(clause)
    for one, other in pairwise(intervals(clause)):
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
