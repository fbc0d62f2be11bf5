"""Reads the labels of a note's medicines for interactions and contraindications.

The statements of the sections that warn are read themselves: one that names the other drug, its
class, or a condition that the patient has. What lists a reaction to the drug warns of nobody's
condition, and is no evidence.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.answer.companions import WARNING_GROUPS
from clinrag_core.answer.sources import is_quotable
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.drugs import NO_CLASSES, known_drugs
from clinrag_core.notes.lexicon import note_care, note_cues, patient_conditions
from clinrag_core.notes.patient import NOT_THEIRS
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.facts.drugs import Mention
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.notes.records import SummaryItem

MOST_EVIDENCE = 2
MOST_PAIRS = 60
"""Findings without evidence that are listed; what warns is always listed."""
_GROUPS = (*WARNING_GROUPS, "interactions", "warnings", "specific_populations")
_LEAD = re.compile(r"(?:in|during|with) ")
_ROW = re.compile(r"\b(?:drug|medicine|medication)s?: ")
_PREFIX = 90
"""Characters before a condition that say whose it is."""
_CLASS_OF = {d.name: d.drug_class for d in known_drugs() if d.drug_class not in NO_CLASSES}
_BEFORE_CLASS = r"(?:^|[,;:(/]\s*|\b(?:and|or|of|with|to|as|other|oral|by|on|for|taking)\s+)"
_CLASSES = {
    name: re.compile(rf"{_BEFORE_CLASS}{re.escape(name)}s(?!\w)") for name in _CLASS_OF.values()
}
"""The plural of a drug's class, as labels name it: "anticoagulants", but no part of a class."""
_GRAVE = ("contraindications", "boxed_warning", "warnings")
_INTERACTIONS = ("interactions", "contraindications")
"""Sections whose statements are about what is given as well."""
_WARNING = ("boxed_warning", "contraindications", "warnings", "interactions")
_QT = "qt_prolongation"
_OF_A_DRUG = frozenset({"hypersensitivity"})
"""Conditions that say nothing without the drug: `_allergies` reads those."""
_PASSING = frozenset({"rash", "bleeding", "jaundice", "hypersensitivity", "alcohol"})
"""Findings that a drug which causes them does not make worse by itself."""


class _LabelStatement(NamedTuple):
    """A statement of a label with the drugs it names."""

    statement: IndexedStatement
    folded: str
    mentions: tuple[Mention, ...]


def label_findings(
    taken: Mapping[str, SummaryItem],
    conditions: Sequence[str],
    engine: AnswerEngine,
    allergies: Sequence[str] = (),
) -> tuple[GuidelineFinding, ...]:
    """Return what labels say of the drugs taken together, the conditions and the allergies.

    What warns comes first; the other pairs follow as 'no guideline evidence'.
    """
    labels = {
        drug: tuple(_statements(drug, engine)) for drug in taken if drug in engine.drugs.labelled
    }
    found = [
        *_interactions(taken, labels),
        *_contraindications(taken, conditions, labels),
        *_allergies(taken, allergies, labels),
    ]
    warns = sorted((one for one in found if one.evidence), key=lambda one: one.verdict != "warns")
    silent = [one for one in found if not one.evidence]
    return (*warns, *silent[:MOST_PAIRS])


def allergies_of(items: Sequence[SummaryItem], engine: AnswerEngine) -> list[str]:
    """Return the drugs, or classes of drugs, that the patient is allergic to."""
    named = (
        drug
        for item in items
        if item.status not in NOT_THEIRS
        for medication in item.medications
        if medication.status == "allergy"
        for drug in sorted(engine.drugs.ingredients(medication.name))
        or [fold_chars(medication.name).removesuffix("s")]
    )
    return list(dict.fromkeys(named))


def _statements(drug: str, engine: AnswerEngine) -> Iterator[_LabelStatement]:
    """Yield the statements on a drug in the sections of its labels that warn, in their order."""
    for base in engine.search.knowledge_bases.values():
        if base.statements is None:
            continue
        rows = base.statements.rows_of([drug], _GROUPS)
        for one in base.statements.statements(rows):
            mentions = tuple(engine.drugs.mentions(one.said))
            is_on_drug = one.ingredients == (drug,) or _is_subject(drug, one, engine)
            if is_on_drug and is_quotable(one) and "narrative" not in one.unfit:
                yield _LabelStatement(one, fold_chars(one.said), mentions)


def _is_subject(drug: str, one: IndexedStatement, engine: AnswerEngine) -> bool:
    """Return whether a statement of a combination's label is about one of its ingredients.

    Where its words name none of them, what heads it may.
    """
    for text in (
        one.said,
        f"{one.run_in}\n{one.caption}",
        one.headings[-1] if one.headings else "",
    ):
        named = {m.ingredients for m in engine.drugs.mentions(text)}
        parts = {own for own in named if not own.isdisjoint(one.ingredients)}
        if parts:
            return parts == {frozenset([drug])}
    return False


def _interactions(
    taken: Mapping[str, SummaryItem], labels: Mapping[str, Sequence[_LabelStatement]]
) -> Iterator[GuidelineFinding]:
    """Yield what the labels of two drugs say of each other."""
    for one, other in combinations(taken, 2):
        if one not in labels and other not in labels:
            continue
        naming = [s for s in labels.get(one, ()) if _names(s, other)]
        naming += [s for s in labels.get(other, ()) if _names(s, one)]
        naming += _joined_by_effect(one, other, labels) if not naming else []
        question = f"Does {one} interact with {other}?"
        yield _finding("interaction", question, taken[one], naming)


def _joined_by_effect(
    one: str, other: str, labels: Mapping[str, Sequence[_LabelStatement]]
) -> list[_LabelStatement]:
    """Return what a label says of an effect that joins two drugs which it does not name.

    Both lengthen the QT interval, or one induces the enzymes that break the other down.
    """
    qt, induction = note_care().qt, note_care().induction
    if {one, other} <= qt.drugs:
        return [s for drug in (one, other) for s in labels.get(drug, ()) if _lengthens_qt(s)]
    return [
        s
        for drug, partner in ((one, other), (other, one))
        if partner in induction.drugs
        for s in labels.get(drug, ())
        if s.statement.group in _WARNING and induction.says.search(s.folded)
    ]


def _names(one: _LabelStatement, drug: str) -> bool:
    """Return whether a statement warns of a drug given as well, by its name or its class."""
    cues = note_cues().labels
    if one.statement.group == "specific_populations" or cues.harmless.search(one.folded):
        return False
    places = [m.start for m in one.mentions if drug in m.ingredients]
    if places or _names_others(one, drug):
        return _is_warned(one, places)
    drug_class = _CLASS_OF.get(drug, "")
    if drug_class in {_CLASS_OF.get(own) for own in one.statement.ingredients}:
        drug_class = ""  # a label that names its own class says nothing of others of it
    for words in (_CLASSES.get(drug_class), cues.class_words.get(drug_class)):
        places += [m.start() for m in words.finditer(one.folded)] if words else []
    return _is_warned(one, places)


def _lengthens_qt(one: _LabelStatement) -> bool:
    is_warning = one.statement.group in _WARNING
    return is_warning and note_care().qt.says.search(one.folded) is not None


def _names_others(one: _LabelStatement, drug: str) -> bool:
    """Return whether a row of a table names other drugs of the same class: it is on those."""
    own = _CLASS_OF.get(drug)
    named = {name for m in one.mentions for name in m.ingredients}
    others = named - {drug, *one.statement.ingredients}
    is_row = _ROW.search(one.folded) is not None
    return is_row and own is not None and any(_CLASS_OF.get(name) == own for name in others)


def _is_warned(one: _LabelStatement, places: Sequence[int]) -> bool:
    """Return whether a statement warns of a drug that it names at some places."""
    cues = note_cues().labels
    if one.statement.group == "contraindications" and cues.allergy.search(one.folded):
        return False
    if one.statement.group in _INTERACTIONS:
        return any(not cues.deficiency.match(one.folded, at) for at in places)
    return any(cues.given_with.search(one.folded[max(0, at - _PREFIX) : at]) for at in places)


def _contraindications(
    taken: Mapping[str, SummaryItem],
    conditions: Sequence[str],
    labels: Mapping[str, Sequence[_LabelStatement]],
) -> Iterator[GuidelineFinding]:
    """Yield what the labels of drugs say of patients with a condition."""
    for drug, statements in labels.items():
        for condition in conditions:
            if condition in _OF_A_DRUG:
                continue
            said = [(s, _role(s, condition)) for s in statements]
            if condition == _QT:
                said += [(s, "warns") for s in statements if _lengthens_qt(s)]
            question = f"Is {drug} contraindicated in patients with {condition.replace('_', ' ')}?"
            naming = [s for s, role in said if role == "warns"]
            made = _finding("contraindication", question, taken[drug], naming)
            causing = [s for s, role in said if role == "related"]
            if not naming and causing:
                made = _finding("contraindication", question, taken[drug], causing)
                made = made.model_copy(update={"verdict": "related"})
            yield made


def _allergies(
    taken: Mapping[str, SummaryItem],
    allergies: Sequence[str],
    labels: Mapping[str, Sequence[_LabelStatement]],
) -> Iterator[GuidelineFinding]:
    """Yield what labels say to a patient allergic to a drug, or another drug of its class."""
    for drug, statements in labels.items():
        for allergy in allergies:
            shared = _CLASS_OF.get(drug)
            is_same = drug == allergy or (shared and shared in (_CLASS_OF.get(allergy), allergy))
            naming = [
                s
                for s in statements
                if note_cues().labels.allergy.search(s.folded)
                and s.statement.group in _GRAVE
                and (is_same or allergy in s.folded)
            ]
            if is_same or naming:
                question = f"Is {drug} contraindicated in patients allergic to {allergy}?"
                yield _finding("contraindication", question, taken[drug], naming)


def _role(one: _LabelStatement, condition: str) -> Literal["warns", "related"] | None:
    """Return how a statement names a condition: of patients who have it, or as a harm."""
    cues = note_cues().labels
    if cues.allowed.search(one.folded):
        return None
    expression = {condition: patient_conditions()[condition]}
    role: Literal["related"] | None = None
    for span in concept_spans(one.statement.said, expression):
        lead = _LEAD.match(one.folded, span.start)
        begin = lead.end() if lead else span.start  # "avoid it | in pregnancy"
        before = one.folded[max(0, span.start - _PREFIX) : begin]
        clause = cues.ends.split(before)[-1]
        is_of_patient = cues.patients.search(clause) and not cues.caused.search(clause)
        around = one.folded[max(0, span.start - _PREFIX) : span.end + _PREFIX]
        if condition not in _PASSING and cues.worsens.search(around):
            return "warns"
        if one.statement.group == "contraindications" or is_of_patient:
            return "warns"
        if one.statement.group in ("boxed_warning", "warnings") and condition not in _PASSING:
            role = "related"
    return role


def _finding(
    kind: str, question: str, item: SummaryItem, naming: Sequence[_LabelStatement]
) -> GuidelineFinding:
    """Return what statements of labels say, the gravest sections first."""
    ordered = sorted(naming, key=lambda s: _GROUPS.index(s.statement.group or _GROUPS[-1]))
    evidence = {
        " ".join(s.statement.said.split()): CitedEvidence(
            text=" ".join(s.statement.said.split()),
            document=s.statement.document_title,
            section=" > ".join(s.statement.headings),
        )
        for s in ordered
    }
    return GuidelineFinding(
        about=item.text,
        source=item.source,
        kind="interaction" if kind == "interaction" else "contraindication",
        question=question,
        verdict="warns" if evidence else "no guideline evidence",
        evidence=tuple(evidence.values())[:MOST_EVIDENCE],
    )
