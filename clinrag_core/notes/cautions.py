"""Says what guidelines advise against for people like the patient: drugs at an age, in a condition.

A clause must name the drug, its class or a regimen of drugs that the note gives together, and say
not to give it; the clause, or the heading over it, must name an age or a condition of the patient.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.contraindications import CONTRAINDICATIONS
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.people import AGE_GROUPS, read_people
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.notes.care_check import GRADE, evidence_of
from clinrag_core.notes.care_lexicon import label_conditions, note_care
from clinrag_core.notes.degrees import Degrees, holds_for
from clinrag_core.notes.fits import resistance_kind
from clinrag_core.notes.label_conditions import condition_words
from clinrag_core.notes.label_statements import CLASS_OF
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.passages import forbidding_passages
from clinrag_core.notes.records import GuidelineFinding
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.passages import GuidelinePassage
    from clinrag_core.notes.records import SummaryItem

_ROW = re.compile(r"\b[\w*-]+: [^;]+; ")
_CLAUSE = re.compile(r";|, (?:but|and|while|whereas)\b|\bbut\b")
_RESISTS = re.compile(r"\b[\w-]+[- ](?:resistant|resistance|susceptible)\b")
"""What a disease resists, which is no drug that is given."""
_JOINED = re.compile(r"\s*(?:[-/+\u2013]|plus|with|and)\s*")
_LISTED = re.compile(r"\b(?:are|both|either)\b")
"""Of drugs listed, each for itself: "amikacin, streptomycin and X are"."""
_CLASS = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(set(CLASS_OF.values()))))})s?\b")
_AGE = "age"
"""Name of an age among the names of conditions."""
_RESISTANCE = "resistance"
"""Name of the resistance of the disease among the names of conditions."""
_WHOM = {_AGE: "of this age", _RESISTANCE: "with this drug resistance"}


class CautionedPerson(NamedTuple):
    """Whom drugs are given to: an age in years, conditions as labels name them, and HIV."""

    age: float
    conditions: frozenset[str]
    has_hiv: bool = False
    is_latent: bool | None = None
    """Whether the tuberculosis is latent; None where that is not known."""
    degrees: Degrees = Degrees()
    """Stages of what the person has."""
    is_resistant_to: frozenset[str] = frozenset()
    """What the tuberculosis is called resistant to: "one" drug, or "several"."""
    line: SummaryItem | None = None
    """What the note says of somebody of a household, with what that person takes."""


def guideline_cautions(
    given: Mapping[str, SummaryItem], person: CautionedPerson, engine: AnswerEngine
) -> Iterator[GuidelineFinding]:
    """Yield what guidelines advise against giving to a person, one finding for each condition."""
    found: dict[tuple[str, str], list[GuidelinePassage]] = {}
    items: dict[str, SummaryItem] = {}
    for drug, item in given.items():
        together = frozenset(d for d, own in given.items() if own.source == item.source)
        for passage in forbidding_passages(drug, engine):
            for name, condition in _against(passage, drug, together, person, engine):
                items.setdefault(name, item)
                passages = found.setdefault((name, condition), [])
                if passage not in passages:
                    passages.append(passage)
    for (name, condition), passages in found.items():
        whom = _WHOM.get(condition) or f"with {condition_words(condition)}"
        yield GuidelineFinding(
            about=items[name].text,
            source=items[name].source,
            kind="contraindication",
            question=f"Is {name} contraindicated in patients {whom}?",
            verdict="warns",
            evidence=evidence_of(passages),
        )


def _against(
    passage: GuidelinePassage,
    drug: str,
    together: frozenset[str],
    person: CautionedPerson,
    engine: AnswerEngine,
) -> Iterator[tuple[str, str]]:
    """Yield what a passage advises against for a person: the drug or regimen, and the condition."""
    folded = GRADE.sub(" ", fold_chars(passage.text))
    words = note_care().cautions
    if note_cues().labels.study.search(folded) or _is_of_other_stage(passage, person):
        return
    cell = CONTRAINDICATIONS.search(folded)
    if cell and engine.drugs.ingredients(folded[: cell.start()]) == frozenset({drug}):
        yield from ((drug, one) for one in sorted(_held(cell["cell"], person)))
    if cell or _ROW.search(folded):
        return
    for start, end in sentence_spans(folded):
        sentence = folded[start:end]
        for clause in _CLAUSE.split(sentence):
            if not words.forbids.search(clause) or words.spares.search(sentence):
                continue
            regimen = _regimen(clause, drug, together, passage, engine)
            if regimen and _is_whole(regimen, together, engine):
                heading = fold_chars(passage.path[-1]) if passage.path else ""
                whom = sentence if _names_people(sentence) else heading
                name = " with ".join(sorted(regimen))
                yield from ((name, one) for one in sorted(_held(whom, person)))


def _is_of_other_stage(passage: GuidelinePassage, person: CautionedPerson) -> bool:
    """Return whether a passage is on treatment of latent infection, or of disease, alone."""
    if person.is_latent is None:
        return False
    named = (facet_values(place, "stage") for place in passage.places)
    stages = next((found for found in named if found), frozenset[str]())
    return len(stages) == 1 and ("latent" in stages) != person.is_latent


def _is_whole(regimen: frozenset[str], together: frozenset[str], engine: AnswerEngine) -> bool:
    """Return whether a regimen of several drugs is all that is given with it against its disease.

    Two drugs for latent infection are another regimen than the four for disease, two of which
    they are.
    """
    of_tb = frozenset(drug for drug in together if engine.drugs.area(drug) == "tb")
    return len(regimen) == 1 or not regimen <= of_tb or regimen == of_tb


def _regimen(
    clause: str,
    drug: str,
    together: frozenset[str],
    passage: GuidelinePassage,
    engine: AnswerEngine,
) -> frozenset[str]:
    """Return what a clause is on that a drug is part of: the drug, or a regimen given together.

    A clause that names no drug and no class is on the drugs of its heading.
    """
    clause = _object(clause, engine)
    groups: list[set[str]] = []
    last = -1
    for mention in engine.drugs.mentions(clause):
        is_joined = last >= 0 and _JOINED.fullmatch(clause[last : mention.start]) is not None
        if is_joined and not _LISTED.search(clause):
            groups[-1] |= mention.ingredients
        else:
            groups.append(set(mention.ingredients))
        last = mention.end
    own = CLASS_OF.get(drug, "")
    if own and re.search(rf"\b{re.escape(own)}s?\b", clause):
        return frozenset({drug})
    if groups:
        return next((frozenset(g) for g in groups if drug in g and g <= together), frozenset())
    if _CLASS.search(clause):
        return frozenset()
    headed = engine.drugs.ingredients(passage.path[-1]) if passage.path else frozenset[str]()
    return headed if drug in headed and headed <= together else frozenset()


def _object(clause: str, engine: AnswerEngine) -> str:
    """Return the part of a clause that names what it forbids, before or after its words for that.

    "A is not recommended for those who had injury by B" says nothing of B.
    """
    clause = _RESISTS.sub(" ", clause)
    match = note_care().cautions.forbids.search(clause)
    before = clause[: match.start()] if match else clause
    is_before = bool(engine.drugs.mentions(before)) or _CLASS.search(before) is not None
    return before if is_before or match is None else clause[match.end() :]


def _names_people(text: str) -> bool:
    """Return whether a text says whom it is for."""
    named = names_of(concept_spans(text, label_conditions()))
    if named or read_people(text).ages or resistance_kind(text):
        return True
    return note_care().whom.hiv.search(text) is not None


def _held(text: str, person: CautionedPerson) -> frozenset[str]:
    """Return what a text names that a person has: conditions, or an age; none if one differs."""
    if note_care().whom.hiv.search(text) and not person.has_hiv:
        return frozenset()
    ages = read_people(text).ages
    narrow = [one for one in ages if (one.low, one.high) != tuple(AGE_GROUPS["adults"])]
    if ages and not any(
        one.low <= person.age
        and (person.age < one.high or (one.with_high and person.age == one.high))
        for one in ages
    ):
        return frozenset()
    named = names_of(concept_spans(text, label_conditions())) - {"young_age", "older_age"}
    resistance = resistance_kind(text)
    if resistance and not named and not ages:
        is_theirs = bool(resistance & person.is_resistant_to)
        return frozenset({_RESISTANCE}) if is_theirs else frozenset()
    held = frozenset(c for c in person.conditions & named if holds_for(text, c, person.degrees))
    if named and not held:
        return frozenset()
    return held or (frozenset({_AGE}) if narrow else frozenset())
