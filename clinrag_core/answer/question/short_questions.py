"""A short question after another one: "Dose of X in adults? And in children?".

It asks the same of other people, of another drug or of another disease, and is read as the whole
question that it stands for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.clauses import (
    ASKING,
    IF_NOT,
    MEALS,
    ends_with_people,
    names_people,
)
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.drugs import classes_of
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.stems import key_stems
from clinrag_core.text.tokens import NEGATIONS

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon, Mention

_SHORT = lazy_re(r"[^?]*\?")
_SAME = lazy_re(
    r"(?<=\?)\s*(?:and )?(?:the )?same (?:question |thing |again )?"
    r"(?P<whom>(?:for|in|with|if) [^.?]+)[.?]?\s*$",
    re.IGNORECASE,
)
"""What asks the same again without a mark: "Same question for a man of 40."."""
_LEAD = lazy_re(r"\s*(?:(?:and|or|but|also|then|what about|how about)\s+)*", re.IGNORECASE)
_WHOM = lazy_re(r"(?:in|for|during|if|at|with|when)\b", re.IGNORECASE)
"""What a short question on other people, another drug or another state begins with."""
_DIFFERS = lazy_re(
    r"(?:(?:is|would|will|does|do|should)\s+)?(?:there\s+)?"
    r"(?:any(?:thing)?|it|this|that|the dose)\s+(?:else\s+)?(?:be\s+)?"
    r"(?:differs?|different|changes?|changed)\s+(?=(?:if|in|for|with|when)\b)",
    re.IGNORECASE,
)
"""What asks the same of another case: "is it different if he has Y?"."""
_SWAP = lazy_re(
    r"(?:(?:would|could|can|will|does|do|should)\s+)?(?:(?:i|we|you|he|she|they)\s+)?"
    r"(?:swap|switch|chang)\w*\s+(?:(?:it|him|her|them)\s+)?(?:to|for)\s+(?P<drug>.+?)"
    r"(?:\s+(?:instead|then|(?:be )?(?:ok|okay|fine|safe|better)|solve|help|work|fix|get)\b.*)?",
    re.IGNORECASE,
)
"""What puts a drug in the place of the one before: "would swapping to Y solve it?"."""
_ASKS_WHAT = lazy_re(r"(?:any(?:thing)?|what|which|how)\b", re.IGNORECASE)
_WHOLE = (ASKING, MEALS, IF_NOT)
"""What is a question by itself, or goes with the one before it."""
_FIGURE = lazy_re(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_BOUND = lazy_re(
    r"(?:(?:under|below|over|above|at|less than|more than)\s+|[<>≤≥]\s*)?\d+(?:\.\d+)?"
)
"""Another figure alone, perhaps as a limit: "and under 15?"."""
_STATE = lazy_re(r"(?:if|when|with)\b", re.IGNORECASE)
"""What is added to the question before, not put in the place of its disease."""
_NARROWS = ("site", "resistance", "stage")
"""What says of a disease which one it is: "spinal TB", "isoniazid-resistant TB"."""
MOST_WORDS = 7
"""Words of a short question; a longer one is a question of its own."""


_DOSE_AGAIN = lazy_re(
    r"(?<=[a-z])\s+(?:dos(?:e|es|ing|age)|mg(?:/\w+)*|how much)\s*$", re.IGNORECASE
)
"""What a short question repeats of the one before it: "X mg/day? Y mg/day?"."""


def asked_in_full(text: str, drugs: DrugLexicon, *, has_story: bool = False) -> tuple[str, ...]:
    """Return a text, and apart from it each short question of its end as the whole one.

    What changes in a patient's story is asked after the story.
    """
    if same := _SAME.search(text):
        before = text[: same.start()]
        begin, end = sentence_spans(before)[-1]
        return (before, f"{before[begin:end].rstrip('?. ')} {same['whom']}?")
    pieces = [match[0] for match in _SHORT.finditer(text)]
    if len(pieces) < 2 or text[sum(map(len, pieces)) :].strip():  # noqa: PLR2004 - one and another
        return (text,)
    first, kept, whole = pieces[0], [pieces[0]], []
    for piece in pieces[1:]:
        asked = _LEAD.sub("", piece, count=1).rstrip("? ")
        asked = _DIFFERS.sub("", asked, count=1)
        is_change = asked.casefold().startswith("if ") and len(sentence_spans(first)) > 1
        again = "" if has_story and is_change else _again(first.rstrip("? "), asked, drugs)
        if again:
            whole.append(f"{again}?")
        else:
            kept.append(piece)
    return ("".join(kept), *whole)


def _again(first: str, asked: str, drugs: DrugLexicon) -> str:
    """Return the first question, asked of what a short one names instead; nothing if it is none."""
    if swap := _SWAP.fullmatch(asked):
        return _swapped(first, swap["drug"], drugs)
    if len(asked.split()) > MOST_WORDS or any(one.match(asked) for one in _WHOLE):
        return ""
    if _BOUND.fullmatch(asked):
        figures = list(_FIGURE.finditer(first))
        return _put(asked, first, *figures[0].span()) if len(figures) == 1 else ""
    begins = _WHOM.match(asked)
    named = _DOSE_AGAIN.sub("", asked[begins.end() :].strip() if begins else asked)
    if any(one.about == "drug" for one in read_facts(named, drugs).drugs):
        added = asked if begins else ""
        return _of_drug(first, named, added, drugs) if _is_drug(named, drugs) else ""
    return _of_whom(first, asked) if begins else _of_what(first, asked, drugs)


def _of_what(first: str, asked: str, drugs: DrugLexicon) -> str:
    """Return the first question of another disease or group, or what else is asked of its drug."""
    place, other = _disease(first), _disease(asked)
    if other and place and not key_stems(asked[: other[0]] + asked[other[1] :]):
        return _put(asked, first, *place)
    if _is_people(asked):
        return f"{_without_people(first)} in {asked}"
    return _of_matter(first, asked, drugs)


def _of_drug(first: str, drug: str, added: str, drugs: DrugLexicon) -> str:
    """Return the first question of another drug, or with another one."""
    named = [one for one in read_facts(first, drugs).drugs if one.about == "drug"]
    is_with = added.lower().startswith("with")
    if len(named) == 1 and is_with:
        return f"{first} {added}"
    if len(named) == 1 or (len(named) == 2 and is_with):  # noqa: PLR2004 - a drug and its partner
        return _put(drug, first, named[-1].start, named[-1].end)
    return ""


def _swapped(first: str, drug: str, drugs: DrugLexicon) -> str:
    """Return a question with another drug in the place of that of its class, or of the last."""
    named = [one for one in read_facts(first, drugs).drugs if one.about == "drug"]
    if not named or not _is_drug(drug, drugs):
        return ""
    its = _classes(read_facts(drug, drugs).drugs[0])
    replaced = [one for one in named if its & _classes(one)] or named
    return _put(drug, first, replaced[-1].start, replaced[-1].end)


def _classes(mention: Mention) -> frozenset[str]:
    return frozenset[str]().union(*map(classes_of, mention.ingredients))


def _is_drug(text: str, drugs: DrugLexicon) -> bool:
    """Return whether a text is the name of one drug and nothing else."""
    named = [one for one in read_facts(text, drugs).drugs if one.about == "drug"]
    return len(named) == 1 and not key_stems(text[: named[0].start] + text[named[0].end :])


def _of_whom(first: str, asked: str) -> str:
    """Return the first question of other people, or of another state of the same ones."""
    if MEALS.search(first) and not MEALS.search(asked):
        first = MEALS.sub("", first).rstrip()  # "before or after food? and with antacids?"
    first = _without_denied(first, {s.name for s in concept_spans(asked, slot_lexicon().diseases)})
    place = None if _STATE.match(asked) else _disease(first)
    if place and (other := _disease(asked)):
        return _put(asked[slice(*other)], first, *place)
    return f"{_without_people(first)} {asked[:1].lower()}{asked[1:]}"


def _of_matter(first: str, asked: str, drugs: DrugLexicon) -> str:
    """Return another matter that is asked of the drug, or the disease, of the first question."""
    is_adjective = len(asked.split()) == 1 and asked.upper()[:2] != asked[:2]
    if is_adjective or not key_stems(asked):
        return ""  # "reversible?" is on what was asked before it
    named = [one for one in read_facts(first, drugs).drugs if one.about == "drug"]
    if named:
        people = ends_with_people(first)
        asks = f"{asked} with {first[named[0].start : named[0].end]} {people}".rstrip()
        return asks if len(named) == 1 else ""
    place = _disease(first)
    return f"{asked} in {first[slice(*place)]}" if place else ""


def _without_denied(text: str, named: set[str]) -> str:
    """Return a text without diseases that it says are not there: "no meningitis"."""
    for span in reversed(concept_spans(text, slot_lexicon().diseases)):
        before, _, denial = text[: span.start].rstrip().rpartition(" ")
        if span.name in named and denial in NEGATIONS:
            text = before.rstrip(", ") + text[span.end :]
    return text


def _disease(text: str) -> tuple[int, int] | None:
    """Return the place of the last disease of a text with its site: "lymph node TB"."""
    lexicon = slot_lexicon()
    spans = concept_spans(text, lexicon.diseases)
    if not spans:
        return None
    start, end = spans[-1].start, spans[-1].end
    around = [one for name in _NARROWS for one in concept_spans(text, lexicon.facets[name])]
    for one in sorted((*spans, *around), reverse=True):
        if one.start < start and not key_stems(text[one.end : start]):
            start = one.start
    return start, end


def _put(other: str, text: str, start: int, end: int) -> str:
    return text[:start] + other + text[end:]


def _is_people(asked: str) -> bool:
    """Return whether a short question only names other people: "pregnant women?"."""
    return (
        names_people(asked)
        and not _ASKS_WHAT.match(asked)
        and not any(cue.search(asked.casefold()) for cue in slot_lexicon().aspects.values())
    )


def _without_people(first: str) -> str:
    """Return a question without the people that it ends with."""
    people = ends_with_people(first)
    return first.removesuffix(people).rstrip() if people else first
