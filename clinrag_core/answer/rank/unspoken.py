"""The words for whose absence some statements are no answer to a question.

Circumstances of the story that comes before it refuse nothing; some are named (ADR 0062).
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.fit.subject import name_of
from clinrag_core.answer.question.asking import (
    aching,
    asked_matters,
    asked_words,
    asking_part,
    asking_sentences,
    origins,
    places_of_story,
    tells_story,
)
from clinrag_core.answer.rank.exact_names import unsaid_names
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.rank.named_sources import named_sources, publishers
from clinrag_core.answer.rank.pair_words import sites_of_pair, warns_of_pair
from clinrag_core.answer.rank.topic_words import RARE, not_said, quoted, topic_words, word_forms
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.abbreviations import abbreviation_spans
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.routes import named_routes, stated_routes
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.circumstances import DAYS, circumstance
from clinrag_core.lexicon.common_words import is_superlative
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import is_everyday, measure_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import Sources
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.statement import IndexedStatement

NEAR, LEAST, SHARE = 0.5, 0.35, 1 / 3
"""Credit of a word that only statements nearby say; least share of the words' weight to be met;
share of it from which absent words refuse if one is rare. Of the dev
questions answered on the reference corpus they refuse 14 of 30 to refuse and 5 of 262 others."""
_OPEN: frozenset[Aspect] = frozenset({"who", "contraindication"})
"""Aspects of any question whether something is all right: what it is about is in its words."""
_OF_TESTS: frozenset[Aspect] = frozenset({"test", "monitoring"})
_KINDS_OF_TEST = frozenset({"blood", "bloods", "lab", "labs", "laboratory", "bloodwork"})
_FOR_ILLNESS: frozenset[Aspect] = frozenset({"dose", "regimen", "duration"})
_CALENDAR = DAYS.union(map(str.casefold, (*month_name, *day_name)))
"""Days and months, which nothing is for: "in June"."""
_FOR_WHOM, _PURPOSE, _DOSED_FOR, _REASON = (
    rf"\b(?:{before})\s+(?:[\w'’-]+\s+){{0,3}}?"
    for before in (
        "for|in",
        r"for|against|treat\w*|prevent\w*|cur(?:e|es|ing)",
        r"for|against|treat\w*|prevent\w*|cur(?:e|es|ing)|in|with|of",
        r"for|after|before|in|following|because of",
    )
)
"""What comes before the people that are asked about, before what a drug or a dose is for, and
before why or when a drug is given."""

_CONFIRM = lazy_re(r"\b(?:right|yes|no|agreed?|correct|true|isn'?t it)\?\s*$")
"""What asks whether something said in words of one's own is so."""
_ASKS_APPROVAL = lazy_re(
    r"\b(?:approv\w+|restrict\w*|(?:non-?)?formulary|permission|without asking|sign[- ]?off"
    r"|(?:order|write|prescribe|start)\b[^?]{0,40}\b(?:without|myself))\b"
)
_APPROVAL = lazy_re(r"\b(?:restrict\w*|approval|formulary)\b")
"""What asks, and what says, who may order a drug."""
_OUTCOMES = frozenset({"mortality", "deaths", "survival", "relapse", "recurrence"})
NEAREST = 2
"""What became of patients: one of the first statements says it, or none answers."""
_OF_THE_LUNGS = lazy_re(r"\b(lung|pulmonary)(?= (?:tb|tuberculosis)\b)")
"""The usual site of tuberculosis, which no dose need name."""
_HALVES = lazy_re(r"halv")
"""Of a dose it is how it is changed, of a tablet how it is handled."""


class Unspoken(NamedTuple):
    """The words of a question that some statements do not say, by what follows."""

    refusing: tuple[str, ...] = ()
    """For these the statements are no answer."""
    named: tuple[str, ...] = ()
    """These are circumstances: there is an answer, which says that it is not about them."""


def unspoken(
    text: str,
    shown: Iterable[IndexedStatement],
    near: Iterable[IndexedStatement],
    sources: Sources,
    slots: QuestionSlots,
) -> Unspoken:
    """Return the words for whose absence some statements are no answer to a question; mostly none.

    `near` are the statements nearest to the question, those shown among them. A word that only they
    say counts half: the subject is there, the answer perhaps not. Circumstances refuse nothing
    where an aspect, people or another word of what is asked are met; nor does an illness that a
    story tells of before something else than a dose is asked (ADR 0062).
    """
    handled = slot_lexicon().wordings.handled
    is_handled = not slots.partners and handled.search(fold_chars(text)) is not None

    def turns_on(part: str) -> list[TopicWord]:
        named = named_sources(part, sources.engines).spans
        words = topic_words(part, sources.drugs, sources.idf, named)
        words = [one for one in words if not is_superlative(one.word)]
        return [one for one in words if is_handled or not _HALVES.match(one.word)]

    statements = list(shown)
    every = turns_on(asking_sentences(text))
    became = [
        o for o in every if o.word in _OUTCOMES and not _stands_after(_PURPOSE, o.word, slots)
    ]
    outcomes = not_said(became, statements[:NEAREST])
    if names := unsaid_names(text, statements, sources) or tuple(one.word for one in outcomes):
        return Unspoken(names)
    is_claim = _CONFIRM.search(fold_chars(text)) is not None
    asked = {one.word for one in (every if is_claim else turns_on(asking_part(text)))}
    people = {one.word for one in every if circumstance(one.word) == "who"}
    if asked <= people and slots.aspects <= _OPEN:
        people -= asked - _CALENDAR  # nothing else is asked
    people -= {word for word in asked - _CALENDAR if _stands_after(_FOR_WHOM, word, slots)}
    passed = people | sites_of_pair(slots) | origins(text) | aching(text)
    passed |= {*_OF_THE_LUNGS.findall(fold_chars(text))}
    passed |= publishers((one.document_id for one in statements), sources.engines)
    words = [one for one in every if one.word not in passed]
    silent = _turned_on(not_said(words, statements), statements, text, slots)
    if not silent:
        return Unspoken()
    warns = warns_of_pair(slots, statements, sources.drugs)
    if needed := _needed(silent, asked, text) or _unlisted_uses(silent, slots, sources):
        return Unspoken((), needed) if warns else Unspoken(needed)
    absent = not_said(silent, near)
    rare = RARE * greatest(sources.idf)
    if not _refuses(words, silent, absent, rare=rare):
        return Unspoken()
    met = {one.word for one in words if one not in silent}
    passed_over = _circumstances(absent, asked, slots, is_met=not met.isdisjoint(asked))
    is_met = (
        slots.aspects - _OPEN
        or slots.people
        or asked_matters(text, of_drug=bool(slots.drugs))
        or any(one.word in asked and one not in silent for one in words)
    )
    left = ([one for one in part if one not in passed_over] for part in (words, silent, absent))
    if not is_met or _refuses(*left, rare=rare):
        words_absent = tuple(word.word for word in absent)
        is_for_any = warns or _is_by_kidneys(slots, statements) or _is_listed(text, statements)
        return Unspoken((), words_absent) if is_for_any else Unspoken(words_absent)
    return Unspoken((), tuple(o.word for o in passed_over if _is_worth_naming(o.word, asked)))


def _turned_on(
    silent: list[TopicWord], shown: Sequence[IndexedStatement], text: str, slots: QuestionSlots
) -> list[TopicWord]:
    """Return the words that statements do not say, without those that are said in another way."""
    if any(stated_routes(one.said) for one in shown):  # "as a drip": it is given otherwise
        ways = {*named_routes(text), *_ways_of_giving(text)}
        routes = frozenset[str]().union(*map(word_forms, ways))
        silent = [word for word in silent if routes.isdisjoint(word.forms)]
    met = {found.name for one in shown for found in read_findings(one.said)}
    folded = fold_chars(text)
    named = {
        word
        for one in read_findings(text)
        if one.name in met
        for word in folded[one.start : one.end].split()
    }
    silent = [word for word in silent if word.word not in named]  # "low BP" is hypotension
    tests = frozenset[str]().union(*(facet_values(one.said, "skin_test") for one in shown))
    silent = [o for o in silent if tests.isdisjoint(facet_values(o.word, "skin_test"))]
    if slots.aspects & _OF_TESTS:  # what is said of one test need not call it a blood test
        silent = [word for word in silent if word.word not in _KINDS_OF_TEST]
    if slots.asks_dosing:  # of a test that was done only what follows matters
        silent = [word for word in silent if not _is_result(word.word, folded)]
    return silent


def _is_listed(text: str, statements: Iterable[IndexedStatement]) -> bool:
    """Return whether it is asked who approves a drug, and its row in a formulary is shown.

    A formulary has the same rule whatever the drug is for.
    """
    return _ASKS_APPROVAL.search(fold_chars(text)) is not None and any(
        one.statement_kind == "row" and _APPROVAL.search(fold_chars(one.said)) for one in statements
    )


def _needed(silent: Sequence[TopicWord], asked: Container[str], text: str) -> tuple[str, ...]:
    """Return the words not shown without which nothing is an answer; mostly none.

    A cost is in no text that does not say so, but "phone him" asks for no number; what is said of
    another test by its initials is not said of the one asked about. Documents say in other words
    what an abbreviation is known for.
    """
    folded = fold_chars(text)
    measures = [
        one.word
        for one in silent
        if measure_stems() & one.forms
        and not re.search(rf"\b{re.escape(one.word)} (?:him|her|them|us|me)\b", folded)
    ]
    known = {text[start:end].casefold() for start, end, _ in abbreviation_spans(text)}
    known |= {folded[one.start : one.end] for one in concept_spans(text, slot_lexicon().diseases)}
    initials = [
        one.word
        for one in silent
        if one.word in asked
        and one.word not in known
        and _is_initials(one.word, text)
        and not _is_in_passing(one.word, folded)
    ]
    return tuple(measures or initials)


def _unlisted_uses(
    silent: Sequence[TopicWord], slots: QuestionSlots, sources: Sources
) -> tuple[str, ...]:
    """Return the words for what a dose is asked for that its labels list no use for.

    That a warning says them is no use: "panic attacks have been reported".
    """
    if not (slots.asks_dosing and slots.drugs) or slots.partners:
        return ()
    uses = [word for word in silent if _stands_after(_PURPOSE, word.word, slots)]
    listed = [one.statement for one in of_labels(slots, sources, ("indications",))] if uses else []
    return tuple(word.word for word in not_said(uses, listed)) if listed else ()


def _is_in_passing(word: str, folded: str) -> bool:
    """Return whether initials are of what is taken, a value or how a disease was found.

    "On MDT", "MIC 0.05", "PCR-confirmed".
    """
    own = re.escape(word)
    passing = rf"\bon {own}\b|\b{own}(?:(?: of| is)? ?[<>=]{{0,2}} ?\d|[- ](?:confirm|prove)\w+)"
    return len(re.findall(passing, folded)) == len(re.findall(rf"\b{own}\b", folded))


def _is_by_kidneys(slots: QuestionSlots, shown: Iterable[IndexedStatement]) -> bool:
    """Return whether a dose is asked and shown for the very kidney function, whatever it is for.

    What no statement says is named above it.
    """
    if not (slots.asks_dosing and slots.drugs and slots.people.kidney):
        return False
    stated = (read_people(one.said).kidney for one in shown)
    return any(mine.meets(has) for some in stated for has in some for mine in slots.people.kidney)


def _refuses(
    words: Sequence[TopicWord],
    silent: Sequence[TopicWord],
    absent: Sequence[TopicWord],
    *,
    rare: float,
) -> bool:
    """Return whether statements that are silent on some words are no answer to a question.

    The absent ones among them are said by no statement nearby; `rare` is the weight from which a
    word counts alone.
    """
    total, lost = (sum(word.weight for word in part) for part in (words, absent))
    covered = total - lost - NEAR * (sum(word.weight for word in silent) - lost)
    turns_on = lost >= SHARE * total and any(word.weight >= rare for word in absent)
    return bool(absent) and (turns_on or covered < LEAST * total)


def _ways_of_giving(text: str) -> list[str]:
    """Return the words of a question for how, where and how fast an injection is given."""
    return slot_lexicon().wordings.ways_of_giving.findall(fold_chars(text))


def _is_result(word: str, folded: str) -> bool:
    """Return whether a word is a test for infection whose result is told: "IGRA positive".

    Of another test, such as one for hepatitis, the sources must speak.
    """
    if not facet_values(word, "skin_test"):
        return False
    result = r"\W{0,3}(?:test )?(?:(?:is|was|came back) )?(?:pos(?:itive)?|neg(?:ative)?)\b"
    return re.search(rf"\b{re.escape(word)}{result}", folded) is not None


def _circumstances(
    absent: Sequence[TopicWord], asked: Container[str], slots: QuestionSlots, *, is_met: bool
) -> list[TopicWord]:
    """Return the absent words that are circumstances of what is asked, or of the story before it.

    Of what is asked only a thing, unless something is done for it; after a story also an everyday
    word ("still dodgy?") where another word of what is asked is met.
    """
    is_dosed = not slots.aspects.isdisjoint(_FOR_ILLNESS)
    what_for = _DOSED_FOR if is_dosed else _PURPOSE
    places, has_story = places_of_story(slots.text), tells_story(slots.text)
    folded = fold_chars(slots.text)
    is_loose = has_story or _CONFIRM.search(folded) is not None

    def is_circumstance(word: str) -> bool:
        """Return whether an answer that does not say an absent word may still be one."""
        if word in places or (_is_initials(word, slots.text) and _is_in_passing(word, folded)):
            return True
        if is_dosed and not has_story and _stands_after(_PURPOSE, word, slots):
            return False  # "X to prevent altitude sickness, what dose?"
        kind = circumstance(word)
        if word in asked:
            is_said_loosely = is_met and is_loose and is_everyday(word) and kind != "matter"
            is_open = (kind == "thing" or is_said_loosely) and not _is_initials(word, slots.text)
            return is_open and not _stands_after(what_for, word, slots)
        is_matter = kind == "matter" and not _asks_of_mixing(slots)
        return kind in {"thing", "act"} or is_matter or _may_pass_story(slots)

    return [one for one in absent if is_circumstance(one.word)]


def _is_initials(word: str, text: str) -> bool:
    """Return whether a text has a word in capitals only."""
    return re.search(rf"\b{re.escape(word.upper())}\b", text) is not None


def _stands_after(before: str, word: str, slots: QuestionSlots) -> bool:
    """Return whether some words come up to three words before a folded one of a question."""
    return re.search(rf"{before}{re.escape(word)}", fold_chars(slots.text)) is not None


def are_reasons(words: Iterable[str], slots: QuestionSlots) -> bool:
    """Return whether words say why, when or in whom a drug is given: "after his extraction"."""
    return all(not is_drug_shaped(one) and _stands_after(_REASON, one, slots) for one in words)


def asked_or_drug(unknown: Sequence[str], slots: QuestionSlots) -> tuple[str, ...]:
    """Return the words that no document has and that a question with a story or a drug asks about.

    Others belong to the story before it, unless what is asked depends on them; the name of a drug
    always counts.
    """
    asked, has_story = asked_words(slots.text), tells_story(slots.text)
    folded, asking = fold_chars(slots.text), fold_chars(asking_sentences(slots.text))
    if not (slots.drugs or slots.regimens or has_story):
        return tuple(unknown)
    places = places_of_story(slots.text)
    asks_dose = not slots.aspects.isdisjoint(_FOR_ILLNESS)

    def counts(word: str) -> bool:
        is_topic = folded.lstrip().startswith(f"{word}:")
        if is_topic or word in asked or is_drug_shaped(word):
            return True
        if has_story or word not in asking:  # unless a dose is for it
            return asks_dose and _stands_after(_DOSED_FOR, word, slots)
        passes = slots.partners or slots.regimens or _may_pass_story(slots)
        return word not in places and not passes

    return tuple(filter(counts, unknown))


def _may_pass_story(slots: QuestionSlots) -> bool:
    """Return whether what is asked does not depend on the illness or food that a story tells of.

    A dose does: "restless legs - which dose of gabapentin?"; so does whether things interact.
    """
    is_open = slots.aspects <= _OPEN or _asks_of_mixing(slots)
    return not is_open and slots.aspects.isdisjoint(_FOR_ILLNESS)


def _asks_of_mixing(slots: QuestionSlots) -> bool:
    """Return whether it is asked what a drug interacts with that is no drug."""
    return "interaction" in slots.aspects and not slots.partners


def _is_worth_naming(word: str, asked: Container[str]) -> bool:
    """Return whether a reader must know that no statement says a word: not a story's caravan."""
    return word in asked or circumstance(word) not in {"thing", "act"}


def unmentioned(slots: QuestionSlots, words: Iterable[str]) -> str:
    """Return in words that the statements nearest to a question do not mention what it turns on."""
    drugs = " or ".join(name_of(one) for one in slots.drugs)
    about = f" on {drugs}" if drugs else ""
    return (
        f"The passages{about} nearest to the question do not mention {quoted(words, slots.text)}."
    )
