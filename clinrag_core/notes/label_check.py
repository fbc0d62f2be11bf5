"""Reads the labels of a note's medicines for interactions and contraindications.

The statements of the sections that warn are read themselves: one that names the other drug, its
class, or a condition that the patient has. What lists a reaction to the drug warns of nobody's
condition, and is no evidence.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from clinrag_core.lexicon.drugs import hiv_drugs, other_class_words, wider_classes
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.clipped import whole_name
from clinrag_core.notes.label_conditions import (
    WARNING_SECTIONS,
    age_warnings,
    allergy_warnings,
    contraindications,
    lengthens_qt,
)
from clinrag_core.notes.label_statements import (
    CLASS_OF,
    DOSAGE,
    KNOWN,
    MOST_EVIDENCE,
    combination_statements,
    label_finding,
    label_statements,
)
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.passages import drugs_passages
from clinrag_core.notes.patient import NOT_THEIRS
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.facts.drugs import Mention
    from clinrag_core.notes.degrees import Degrees
    from clinrag_core.notes.label_statements import LabelStatement
    from clinrag_core.notes.records import SummaryItem

MOST_PAIRS = 60
"""Findings without evidence that are listed; what warns is always listed."""
_ROW = re.compile(r"\b(?:drug|medicine|medication)s?: ")
_PARTNER = re.compile(r"\b(?:drugs?|medicines?|medications?)\b[^:;]{0,60}: (?P<cell>[^:;]+)")
"""The cell of a row that says with what its drug is given; what heads the table names a class."""
_BRACKETS = re.compile(r"\([^()]*\)")
_PREFIX = 90
"""Characters before a drug that say whether it is given as well."""
_BEFORE_CLASS = r"(?:^|[,;:(/]\s*|\b(?:and|or|of|with|to|as|other|oral|by|on|for|taking)\s+)"
_CLASSES = {
    name: re.compile(rf"{_BEFORE_CLASS}{re.escape(name)}s(?!\w)") for name in CLASS_OF.values()
}
"""The plural of a drug's class, as labels name it: "anticoagulants", but no part of a class."""
_OTHERS_INDUCE = re.compile(
    r"\b(?:drugs?|agents?|medicines?|medications?|products?) (?:that|which) (?:\w+ )?induc"
    r"|\b(?:with|by|of|other) (?:[\w-]+ ){0,3}inducers?\b"
)
"""What a label says of other medicines that induce enzymes, and not of its own."""
_MADE_OF = re.compile(r"\b(?:which|that) contains? (?P<drugs>[^;.]*)|\bcontaining (?P<more>[^;.]*)")
"""What a combination is made of, which names its drugs and warns of none of them."""
_SLASHED = re.compile(r"\b[a-z][\w-]+(?: ?/ ?[a-z][\w-]+)+")
"""The drugs of one tablet: "abacavir/lamivudine"."""
_LISTS = re.compile(
    r"(?:\s*,\s*)?(?:\s*(?:and|or)\s+(?:the (?:\w+ ){1,2})?)?(?:\[[^\[\]]{1,12}\])?\s*,?\s*"
)
"""What is between the drugs of a list."""
_INTERACTIONS = ("interactions", "contraindications")
"""Sections whose statements are about what is given as well."""


def label_findings(
    taken: Mapping[str, SummaryItem],
    conditions: Sequence[str],
    engine: AnswerEngine,
    allergies: Sequence[str] = (),
    age: float | None = None,
    degrees: Degrees | None = None,
) -> tuple[GuidelineFinding, ...]:
    """Return what labels say of the drugs taken together, the conditions, allergies and the age.

    What warns comes first; the other pairs follow as 'no guideline evidence'.
    """
    whole = [s for s in combination_statements(taken, engine) if _is_one(s, taken)]
    labels = {
        drug: (*label_statements(drug, engine), *(s for s in whole if _is_first(drug, s, taken)))
        for drug in taken
        if drug in engine.drugs.labelled
    }
    found = [
        *_interactions(taken, labels, engine),
        *contraindications(taken, conditions, labels, degrees),
        *allergy_warnings(taken, allergies, labels),
        *(age_warnings(taken, age, labels) if age is not None else ()),
    ]
    warns = sorted((one for one in found if one.evidence), key=lambda one: one.verdict != "warns")
    silent = [one for one in found if not one.evidence]
    return (*warns, *silent[:MOST_PAIRS])


def _is_one(one: LabelStatement, taken: Mapping[str, SummaryItem]) -> bool:
    """Return whether one item of the note gives all drugs of a combination."""
    return len({taken[drug].source for drug in one.statement.ingredients}) == 1


def _is_first(drug: str, one: LabelStatement, taken: Mapping[str, SummaryItem]) -> bool:
    """Return whether a combination's label says something of a drug, which is shown once.

    That is the only one of its drugs that it names alone, else the first that is given.
    """
    own = set(one.statement.ingredients)
    alone = {next(iter(m.ingredients)) for m in one.mentions if len(m.ingredients) == 1} & own
    shown = alone if len(alone) == 1 else own
    return next(d for d in taken if d in shown) == drug


def allergies_of(items: Sequence[SummaryItem], engine: AnswerEngine) -> list[str]:
    """Return the drugs, or classes of drugs, that the patient is allergic to."""
    named = (
        drug
        for item in items
        if item.status not in NOT_THEIRS
        for medication in item.medications
        if medication.status == "allergy"
        for name in (whole_name(medication.name),)
        for drug in sorted(engine.drugs.ingredients(name)) or [fold_chars(name).removesuffix("s")]
    )
    return list(dict.fromkeys(named))


def _interactions(
    taken: Mapping[str, SummaryItem],
    labels: Mapping[str, Sequence[LabelStatement]],
    engine: AnswerEngine,
) -> Iterator[GuidelineFinding]:
    """Yield what the labels of two drugs say of each other, else what guidelines do.

    An effect that joins both is looked for where neither names the pair.
    """
    for one, other in combinations(taken, 2):
        if (one not in labels and other not in labels) or _are_of_label(one, other, labels):
            continue
        naming = [s for s in labels.get(one, ()) if _names(s, other)]
        naming += [s for s in labels.get(other, ()) if _names(s, one)]
        question = f"Does {one} interact with {other}?"
        said = () if naming else _by_guidelines(one, other, engine)
        naming += _joined_by_effect(one, other, labels) if not naming else []
        is_partner = _is_of_tb(one, engine) and not _is_of_tb(other, engine)
        about = taken[other if is_partner else one]  # what is given as well is what may change
        made = label_finding("interaction", question, about, naming)
        evidence = (*said, *made.evidence)[:MOST_EVIDENCE]
        verdict = "warns" if evidence else made.verdict
        yield made.model_copy(update={"evidence": evidence, "verdict": verdict})


def _is_of_tb(drug: str, engine: AnswerEngine) -> bool:
    """Return whether a drug is against tuberculosis; the table has antiretrovirals there too."""
    return engine.drugs.area(drug) == "tb" and drug not in hiv_drugs()


def _are_of_label(one: str, other: str, labels: Mapping[str, Sequence[LabelStatement]]) -> bool:
    """Return whether a combination is made of two drugs, whose label names both all the time."""
    return any(
        {one, other} <= set(s.statement.ingredients)
        for drug in (one, other)
        for s in labels.get(drug, ())
    )


def _by_guidelines(one: str, other: str, engine: AnswerEngine) -> tuple[CitedEvidence, ...]:
    """Return what guidelines say that one drug does to another, of a pair that no regimen joins."""
    if engine.drugs.area(one) == engine.drugs.area(other) == "tb":
        return ()
    cues, joins = note_cues().labels, note_care().joins
    return tuple(
        CitedEvidence(text=" ".join(p.text.split()), document=p.title, section=" > ".join(p.path))
        for p in drugs_passages(one, other, engine)
        if joins.search(folded := fold_chars(p.text))
        and not cues.harmless.search(folded)
        and not _are_listed(p.text, one, other, engine)
    )


def _are_listed(text: str, one: str, other: str, engine: AnswerEngine) -> bool:
    """Return whether a text only names two drugs of a class in one list of several."""
    if one not in CLASS_OF or CLASS_OF[one] != CLASS_OF.get(other):
        return False
    run: list[Mention] = []
    lists: list[frozenset[str]] = []
    for mention in sorted(engine.drugs.mentions(text), key=lambda m: m.start):
        if run and not _LISTS.fullmatch(text, run[-1].end, mention.start):
            run = []
        run.append(mention)
        lists.append(frozenset(name for m in run for name in m.ingredients))
    named = {one, other}
    return any(named < names for names in lists)


def _joined_by_effect(
    one: str, other: str, labels: Mapping[str, Sequence[LabelStatement]]
) -> list[LabelStatement]:
    """Return what a label says of an effect that joins two drugs which it does not name.

    Both lengthen the QT interval, or one induces the enzymes that break the other down.
    """
    care = note_care()
    if {one, other} <= care.qt.drugs:
        return [
            s
            for drug in (one, other)
            for s in labels.get(drug, ())
            if lengthens_qt(s) and not _is_of_others(s, (one, other))
        ]
    return [
        s
        for effect in (care.induction, care.strong_induction)
        for drug, partner in ((one, other), (other, one))
        if partner in effect.drugs
        for s in labels.get(drug, ())
        if s.statement.group in WARNING_SECTIONS
        and effect.says.search(s.own)
        and not _OTHERS_INDUCE.search(s.own)
    ]


def _is_of_others(one: LabelStatement, pair: Sequence[str]) -> bool:
    """Return whether a statement names other drugs, and neither of a pair nor its own."""
    named = {name for m in one.mentions for name in m.ingredients} - {*one.statement.ingredients}
    return bool(named) and named.isdisjoint(pair)


def _names(one: LabelStatement, drug: str) -> bool:
    """Return whether a statement warns of a drug given as well, by its name or its class."""
    cues = note_cues().labels
    if one.statement.group in ("specific_populations", DOSAGE):
        return False
    if any(cues.harmless.search(said) for said in (one.folded, *_headed(one))):
        return False
    places = [
        m.start
        for m in one.mentions
        if drug in m.ingredients and not _is_of_product(one, m.start, drug)
    ]
    if drug not in KNOWN:
        places = [m.start() for m in re.finditer(rf"\b{re.escape(drug)}\b", one.folded)]
    if places or _names_others(one, drug):
        return _is_warned(one, places)
    drug_class = CLASS_OF.get(drug, "")
    if drug_class in {CLASS_OF.get(own) for own in one.statement.ingredients}:
        drug_class = ""  # a label that names its own class says nothing of others of it
    own = set(one.statement.ingredients)
    places += [
        m.start()
        for role in note_care().roles.values()
        if drug in role.drugs and own.isdisjoint(role.drugs)
        for m in role.says.finditer(one.folded)
    ]
    cells = [m.span("cell") for m in _PARTNER.finditer(one.folded)]
    for words in _class_words(drug_class) if drug_class else ():
        found = words.finditer(one.folded)
        # A row on one antiretroviral says nothing of another.
        places += [m.start() for m in found if not cells or any(a < m.end() <= b for a, b in cells)]
    return _is_warned(one, places)


def _class_words(drug_class: str) -> Iterator[re.Pattern[str]]:
    """Yield how labels name a class and those it is within."""
    for name in wider_classes(drug_class):
        yield from filter(None, (_CLASSES.get(name), other_class_words(name)))


def _headed(one: LabelStatement) -> list[str]:
    """Return the heading that a statement is under: "Drugs without significant interactions"."""
    return [fold_chars(heading) for heading in one.statement.headings[-1:]]


def _is_of_product(one: LabelStatement, at: int, drug: str) -> bool:
    """Return whether brackets or strokes name a drug with the label's own: a combination."""
    lists = [m.span() for words in (_MADE_OF, _SLASHED) for m in words.finditer(one.folded)]
    spans = (*(m.span() for m in _BRACKETS.finditer(one.folded)), *lists)
    around = next(((a, b) for a, b in spans if a <= at < b), None)
    own = set(one.statement.ingredients) - {drug}
    return around is not None and any(
        around[0] <= m.start < around[1] and not own.isdisjoint(m.ingredients) for m in one.mentions
    )


def _names_others(one: LabelStatement, drug: str) -> bool:
    """Return whether a row of a table names other drugs of the same class: it is on those."""
    own = CLASS_OF.get(drug)
    named = {name for m in one.mentions for name in m.ingredients}
    others = named - {drug, *one.statement.ingredients}
    is_row = _ROW.search(one.folded) is not None
    return is_row and own is not None and any(CLASS_OF.get(name) == own for name in others)


def _is_warned(one: LabelStatement, places: Sequence[int]) -> bool:
    """Return whether a statement warns of a drug that it names at some places."""
    cues = note_cues().labels
    if one.statement.group == "contraindications" and cues.allergy.search(one.folded):
        return False
    if one.statement.group in _INTERACTIONS:
        return any(not cues.deficiency.match(one.folded, at) for at in places)
    return any(cues.given_with.search(one.folded[max(0, at - _PREFIX) : at]) for at in places)
