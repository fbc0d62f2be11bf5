"""Says what labels state to patients with a condition, an age or an allergy that a note names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from clinrag_core.facts.people import ADULT, AGE_GROUPS, read_people
from clinrag_core.facts.spans import concept_spans
from clinrag_core.notes.care_lexicon import label_conditions, note_care
from clinrag_core.notes.degrees import Degrees, holds_for
from clinrag_core.notes.label_statements import CLASS_OF, DOSAGE, MOST_EVIDENCE, label_finding
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from clinrag_core.facts.intervals import Interval
    from clinrag_core.notes.label_statements import LabelStatement
    from clinrag_core.notes.records import GuidelineFinding, SummaryItem

_TREATED_FIRST = re.compile(
    r"\b(?:initiate|start|begin|give) (?:\w+ )?(?:treatment|therapy) (?:for|of) [^.;]* "
    r"(?:prior to|before)\b"
)
"""What a patient with a condition must get before the drug of a label."""
_JOINT = re.compile(r"\bco-?administ\w+")
"""What makes a warning one on two drugs taken together."""
_REFERS = re.compile(
    r"\W*(?:see|refer to|consult) (?:the )?(?:[\w/-]+ ){1,5}prescribing information\b"
)
"""What leaves a warning to the label of another drug."""
_OF_FAMILY = re.compile(r"\b(?:maternal|paternal|family) history\b")
_OF_SOLUTION = re.compile(r"\W*solutions? containing\b")
"""What is said of the fluid of an infusion, and not of its drug."""
_AVOIDED = re.compile(
    r"\b(?:avoid|must not be (?:used|given)|should not be (?:used|given)|contraindicated)\b"
    r"[^.;]* in (?:patients|people|persons|those)\b[^.;]*$"
)
"""What says that some people, of whom examples follow, do not get a drug."""
_SHOULD_IT = re.compile(r"\b(?:if|when|should|in case of|in the event of)\b[^.;]*$")
_COMES = re.compile(
    r"[^.;,]{0,20}\b(?:occurs?|develops?|appears?|arises?|worsens?|(?:is|are) suspected)\b"
)
"""What somebody may get on a drug, before and behind its name."""
_LEAD = re.compile(r"(?:in|during|with) ")
_NUMBERED = re.compile(r"^[\d.]+\s*")
_PREFIX = 90
"""Characters before a condition that say whose it is."""
_GRAVE = ("contraindications", "boxed_warning", "warnings")
WARNING_SECTIONS = ("boxed_warning", "contraindications", "warnings", "interactions")
_QT = "qt_prolongation"
_OF_A_DRUG = frozenset({"hypersensitivity"})
"""Conditions that say nothing without the drug: `allergy_warnings` reads those."""
_OF_PEOPLE = frozenset({"alcohol", "older_age", "young_age"})
"""Conditions whose words are of patients, never of what a drug does."""
_PASSING = frozenset({"rash", "bleeding", "jaundice", "hypersensitivity", "alcohol"})
"""Findings that a drug which causes them does not make worse by itself."""
_IN_WORDS = {
    "older_age": "an age of 60 years or more",
    "young_age": "an age under 8 years",
    "alcohol": "alcohol use disorder",
}

_Role = Literal["warns", "related"] | None


def contraindications(
    taken: Mapping[str, SummaryItem],
    conditions: Sequence[str],
    labels: Mapping[str, Sequence[LabelStatement]],
    degrees: Degrees | None = None,
) -> Iterator[GuidelineFinding]:
    """Yield what the labels of drugs say of patients with a condition, of its stage if given."""
    known = degrees or Degrees()
    for drug, statements in labels.items():
        for condition in conditions:
            if condition in _OF_A_DRUG:
                continue
            own = [
                s
                for s in statements
                if holds_for(s.folded, condition, known) and not _needs_other(s, taken)
            ]
            said = [(s, _role(s, condition)) for s in own]
            if condition == _QT:
                said += [(s, "warns") for s in statements if lengthens_qt(s)]
            words = condition_words(condition)
            question = f"Is {drug} contraindicated in patients with {words}?"
            naming = _nearest([s for s, role in said if role == "warns"], condition)
            made = label_finding("contraindication", question, taken[drug], naming)
            causing = _nearest([s for s, role in said if role == "related"], condition)
            other = label_finding("contraindication", question, taken[drug], causing)
            if not naming and causing:
                made = other.model_copy(update={"verdict": "related"})
            elif any(s.statement.group == DOSAGE for s in causing):  # what dose they get instead
                made = made.model_copy(
                    update={"evidence": (*made.evidence, *other.evidence)[:MOST_EVIDENCE]}
                )
            yield made


def condition_words(condition: str) -> str:
    """Return a condition as a question names it."""
    return _IN_WORDS.get(condition, condition.replace("_", " "))


def allergy_warnings(
    taken: Mapping[str, SummaryItem],
    allergies: Sequence[str],
    labels: Mapping[str, Sequence[LabelStatement]],
) -> Iterator[GuidelineFinding]:
    """Yield what labels say to a patient allergic to a drug, or another drug of its class."""
    for drug, statements in labels.items():
        for allergy in allergies:
            is_same = is_allergen(drug, allergy)
            naming = [
                s
                for s in statements
                if note_cues().labels.allergy.search(s.folded)
                and s.statement.group in _GRAVE
                and (is_same or allergy in s.folded)
            ]
            if is_same or naming:
                question = f"Is {drug} contraindicated in patients allergic to {allergy}?"
                yield label_finding("contraindication", question, taken[drug], naming)


def age_warnings(
    taken: Mapping[str, SummaryItem], age: float, labels: Mapping[str, Sequence[LabelStatement]]
) -> Iterator[GuidelineFinding]:
    """Yield what labels forbid at the age of a child: "do not use in a child under 4"."""
    if age >= ADULT:
        return
    forbids = note_care().cautions.forbids
    for drug, statements in labels.items():
        naming = [
            s
            for s in statements
            if (s.statement.group == "contraindications" or forbids.search(s.folded))
            and s.statement.group in (*WARNING_SECTIONS, DOSAGE)
            and not note_care().cautions.spares.search(s.folded)
            and any(
                _is_narrow(one) and includes_age(one, age)
                for one in read_people(s.statement.said).ages
            )
        ]
        if naming:
            question = f"Is {drug} contraindicated in patients of this age?"
            yield label_finding("contraindication", question, taken[drug], naming)


def _is_narrow(ages: Interval) -> bool:
    """Return whether ages are those of some only, and not of all adults."""
    return (ages.low, ages.high) != AGE_GROUPS["adults"]


def includes_age(ages: Interval, age: float) -> bool:
    """Return whether a range of ages has an age; its lower end always counts."""
    return ages.low <= age and (age < ages.high or (ages.with_high and age == ages.high))


def is_allergen(drug: str, allergy: str) -> bool:
    """Return whether a drug is what somebody is allergic to, or of the same chemical class."""
    shared = CLASS_OF.get(drug)
    is_kind = shared in note_care().allergy_classes
    return drug == allergy or (is_kind and shared in (CLASS_OF.get(allergy), allergy))


def lengthens_qt(one: LabelStatement) -> bool:
    """Return whether a statement warns that its drug lengthens the QT interval."""
    is_warning = one.statement.group in WARNING_SECTIONS
    return is_warning and note_care().qt.says.search(one.own) is not None


def _nearest(naming: list[LabelStatement], condition: str) -> list[LabelStatement]:
    """Return statements that name a condition in their own words; all where none does.

    A lead-in or a heading names it for every item under it.
    """
    words = label_conditions()[condition]
    own = [s for s in naming if words.search(s.own)]
    others = [s for s in naming if s not in own]
    harming = [s for s in others if note_care().harms.says.search(s.own)]
    return [*own, *harming, *(s for s in others if s not in harming)] if own else naming


def _needs_other(one: LabelStatement, taken: Collection[str]) -> bool:
    """Return whether a statement is on the drug of a label with another one that is not taken."""
    others = {name for m in one.mentions for name in m.ingredients} - {*one.statement.ingredients}
    if _REFERS.match(one.own):
        return True
    is_joint = one.statement.group != "contraindications" and _JOINT.search(one.folded) is not None
    return is_joint and bool(others) and others.isdisjoint(taken)


def _role(one: LabelStatement, condition: str) -> _Role:
    """Return how a statement names a condition: of patients who have it, or as a harm."""
    if one.statement.group == DOSAGE or _is_headed(one, condition):
        return _role_under_heading(one, condition)
    cues = note_cues().labels
    if cues.allowed.search(one.folded) or _OF_SOLUTION.match(one.own):
        return None
    expression = {condition: label_conditions()[condition]}
    role: _Role = None
    for span in concept_spans(one.statement.said, expression):
        if condition in _OF_PEOPLE:
            if one.statement.group == "interactions":
                return None  # what happens to the old with another drug
            is_against = one.statement.group == "contraindications"
            return "warns" if is_against or note_care().harms.risks.search(one.folded) else role
        lead = _LEAD.match(one.folded, span.start)
        begin = lead.end() if lead else span.start  # "avoid it | in pregnancy"
        before = one.folded[max(0, span.start - _PREFIX) : begin]
        clause = cues.ends.split(before)[-1]
        if _SHOULD_IT.search(clause) and _COMES.match(one.folded, span.end):
            continue  # "if signs of hepatic damage occur" is of who gets it
        is_of_patient = _is_of_patient(clause) or _AVOIDED.search(one.folded, 0, span.start)
        around = one.folded[max(0, span.start - _PREFIX) : span.end + _PREFIX]
        is_worse = _TREATED_FIRST.search(one.folded) is not None or (
            condition not in _PASSING and cues.worsens.search(around) is not None
        )
        if is_worse or one.statement.group == "contraindications" or is_of_patient:
            is_of_whole = len(one.statement.ingredients) > 1 and cues.of_whole.search(one.folded)
            return "related" if is_of_whole or cues.unknown.search(one.own) else "warns"
        if one.statement.group in ("boxed_warning", "warnings") and condition not in _PASSING:
            role = "related"
    return role


def _is_of_patient(clause: str) -> bool:
    """Return whether the words before a condition say that patients have it."""
    cues = note_cues().labels
    if _OF_FAMILY.search(clause):
        return False
    return cues.patients.search(clause) is not None and cues.caused.search(clause) is None


def _role_under_heading(one: LabelStatement, condition: str) -> _Role:
    """Return what a statement of the section on patients with a condition says.

    A section on doses is about them only by its heading.
    """
    if not _is_headed(one, condition) or read_people(one.statement.said).animals:
        return None
    harms = note_care().harms
    if harms.spares.search(one.own):
        return None if condition in _OF_PEOPLE else "related"
    if harms.says.search(one.own) or (condition in _OF_PEOPLE and harms.risks.search(one.own)):
        return "warns"
    return None if condition in _OF_PEOPLE else "related"


def _is_headed(one: LabelStatement, condition: str) -> bool:
    """Return whether the heading of a statement names a condition: "8.6 Renal Impairment"."""
    if not one.statement.headings:
        return False
    heading = _NUMBERED.sub("", fold_chars(one.statement.headings[-1]))
    return label_conditions()[condition].search(f"in {heading}") is not None
