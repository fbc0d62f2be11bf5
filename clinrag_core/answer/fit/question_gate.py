"""The question gate: whether a statement is about what a question asks.

The claim gates compare a claim with its evidence; this one compares the evidence with the question.
Where a statement is silent it fits, except on the owner of a dose and on people for whom doses
differ: for those a dose must be said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.aspect import aspect_misfits
from clinrag_core.answer.fit.classes import involves_part
from clinrag_core.answer.fit.misfit import Misfit
from clinrag_core.answer.fit.people import people_misfits
from clinrag_core.answer.fit.ranges import in_words
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.strains import TUBERCULOSIS, strains_misfits
from clinrag_core.answer.fit.subject import subject_misfits
from clinrag_core.answer.question.asking import asked_matters
from clinrag_core.facts.completed_courses import is_after_course
from clinrag_core.facts.indications import agree, disease_name, facet_values, meets
from clinrag_core.facts.missed_doses import missed_doses
from clinrag_core.facts.routes import route_words, stated_routes
from clinrag_core.facts.switches import switches
from clinrag_core.facts.treatment_months import treatment_months
from clinrag_core.lexicon.drugs import other_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.statement import IndexedStatement

_STRAINS = lazy_re(r"\b(?:(?:m|x|pre-?x)dr|[rh]r)\b(?:[-/ ]?tb\b)?")
_ORAL = frozenset({"oral"})
_BY_MOUTH = frozenset({"tuberculosis", "leprosy"})
LATENT = frozenset({"latent"})
_PREVENTION = frozenset({"prevention"})
_OPERATIONS = frozenset({"joint_replacement"})
"""What a drug is given after to prevent, not to treat."""
_RESULTS = ("smear", "culture", "amplification")
"""Facets of a question that tells what a sample showed."""
_TOLD_APART = frozenset({"nontuberculous_mycobacteria"})
_RESISTANT = frozenset({"resistant"})
_SUSCEPTIBLE = frozenset({"susceptible"})
_FIRST = frozenset({"first"})
_BOTH_PHASES = frozenset({"first", "later"})
OF_FIELD = (TUBERCULOSIS, "pneumonia")
"""What a guideline's dose is for where a question names no disease: the diseases of the field."""


def misfits(
    slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon
) -> tuple[Misfit, ...]:
    """Return the slots in which a statement does not fit a question; empty: it may be quoted.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    own = statement_slots(statement, drugs)
    subject = tuple(subject_misfits(slots, own))
    if any(not one.is_qualifier for one in subject):
        return subject  # another drug's statement needs no further reading
    return (
        *subject,
        *people_misfits(slots, own),
        *_opposites(slots, own),
        *_route(slots, own),
        *_indication(slots, own),
        *_phase(slots, own),
        *aspect_misfits(slots, own),
    )


def each_misfit(
    slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon
) -> Iterator[Misfit]:
    """Yield the misfits of a statement, those that are found fastest first.

    For who stops at the first that rejects it: whom a statement is for takes longest to read.
    """
    own = statement_slots(statement, drugs)
    for read in (
        subject_misfits,
        aspect_misfits,
        _route,
        _phase,
        _opposites,
        _indication,
        people_misfits,
    ):
        yield from read(slots, own)


def is_fit(slots: QuestionSlots, statement: IndexedStatement, drugs: DrugLexicon) -> bool:
    """Return whether a statement has no misfit: it may be quoted for a question."""
    return next(each_misfit(slots, statement, drugs), None) is None


def _opposites(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if a statement is for what is not what the question says, or goes back."""
    if word := opposite(slots.text, own.statement.said):
        yield Misfit("people", word, f"non-{word}")
    asked = switches(slots.text)
    if any(one.reverses(other) for one in asked for other in switches(own.statement.said)):
        yield Misfit("phase", "the change of schedule asked about", "the change back")


def opposite(asked: str, said: str) -> str:
    """Return the word of a question that a text has with "non-" only; else nothing.

    What is said of "non-refractory" disease is the reverse of what holds for a refractory one.
    """
    if "non" not in (said := fold_chars(said)):
        return ""
    asked = fold_chars(asked)
    for match in _NON.finditer(said):
        word = match["word"]
        plain = rf"(?<!non)(?<!non[- ])\b{word}\b"
        if re.search(plain, asked) and not (re.search(plain, said) or match[0] in asked):
            return word
    return ""


def _route(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if the route asked about is not the statement's; a dose must name it."""
    if not slots.routes or slots.routes & own.routes:
        return
    asked = route_words(slots.routes)
    if own.routes:
        # Whether it can be given by a route is answered by the one that it is given by.
        gives_no_dose = not (slots.asks_dosing or own.has_regimen)
        is_open = gives_no_dose and not asked_matters(slots.text)
        if not (is_open and stated_routes(own.statement.said)):
            yield Misfit("route", asked, route_words(own.routes))
    elif (own.has_regimen or slots.asks_dosing) and not (
        slots.routes == _ORAL and _is_oral_course(own)
    ):
        yield Misfit("route", asked, "", is_qualifier=not own.has_regimen)


def _is_oral_course(own: StatementSlots) -> bool:
    """Return whether a guideline's dose against mycobacteria is by mouth, as it is unless said."""
    injected = slot_lexicon().resistance.ingredients["injectable"]
    is_on_them = any(name in _BY_MOUTH for name in own.diseases)
    return own.statement.kind == "guideline" and is_on_them and own.said_drugs.isdisjoint(injected)


_NON = lazy_re(r"\bnon-? ?(?P<word>[a-z]{6,})\b")
_OF_HARMS = ("boxed_warning", "contraindications", "warnings", "interactions", "adverse_reactions")
"""Section groups of a label whose diseases are what a drug does, not what it is for."""


def _diseases_of(own: StatementSlots, slots: QuestionSlots) -> frozenset[str]:
    """Return the diseases of a statement; none where a result is asked about that may be another.

    "Presumed to have NTM" answers what a negative test for tuberculosis means.
    """
    is_told_apart = own.diseases <= _TOLD_APART and any(map(slots.facet, _RESULTS))
    return frozenset() if is_told_apart else own.diseases


def _is_on_harm_of_pair(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a label warns of the very pair: whom else it harms, the disease asked or not.

    "Fatal respiratory depression with opioids" is what "X plus morphine in COPD?" asks for.
    """
    is_harm = own.statement.group in _OF_HARMS and not slots.asks_dosing
    return is_harm and any(involves_part(own, one) for one in slots.partners)


def _is_for_the_field(slots: QuestionSlots) -> bool:
    """Return whether what guidelines say of other diseases than the field's is not meant.

    Of a drug of the field its dose against these is; next to another drug none is for leprosy.
    """
    is_other = any(drug <= other_drugs() for drug in slots.drugs)
    return (slots.asks_dosing and not is_other) or len(slots.drugs) > 1


def _indication(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of disease, stage, resistance and site."""
    if own.label and slots.names_no_drug and not slots.diseases:
        yield Misfit("subject", "no drug", _listed(own.label))  # what is said of one drug only
        return
    if slots.not_for & own.diseases and not slots.diseases & own.diseases:
        yield Misfit("indication", "another disease", _listed(map(disease_name, own.diseases)))
        return
    is_on_drugs = slots.drugs or slots.regimens or slots.classes
    if own.label and slots.diseases and not (own.diseases or is_on_drugs):
        # A label that does not name the disease is no answer to a question about it.
        yield Misfit("indication", _listed(map(disease_name, slots.diseases)), "")
        return
    if slots.diseases:
        known = frozenset[str]() if _is_on_harm_of_pair(slots, own) else _diseases_of(own, slots)
        if known and not any(meets(one, other) for one in slots.diseases for other in known):
            yield Misfit(
                "indication",
                _listed(map(disease_name, slots.diseases)),
                "" if own.statement.group in _OF_HARMS else _listed(map(disease_name, known)),
            )
            return
    elif (
        own.statement.kind == "guideline"
        and own.diseases
        and _is_for_the_field(slots)
        and not any(agree(one, other) for one in OF_FIELD for other in own.diseases)
    ):
        yield Misfit(
            "indication",
            _listed(OF_FIELD),
            _listed(map(disease_name, own.diseases)),
            is_qualifier=slots.asks_dosing,
        )
    yield from strains_misfits(slots, own)
    yield from _facets(slots, own)
    if (
        slots.asks_dosing
        and slots.diseases
        and _PREVENTION.isdisjoint(slots.facet("purpose"))
        and not (slots.facet("stage") or slots.diseases <= _OPERATIONS)
        and own.facet("purpose") == _PREVENTION
        and not is_after_course(slots.text, own.statement.said)
    ):
        yield Misfit("indication", "treatment", "prevention", is_qualifier=True)
    if (
        slots.asks_dosing
        and TUBERCULOSIS in slots.diseases
        and not slots.facet("stage")
        and own.facet("stage") == LATENT
    ):
        yield Misfit("indication", "tuberculosis", "latent tuberculosis", is_qualifier=True)
    if (
        slots.asks_dosing
        and TUBERCULOSIS in slots.diseases
        and not (slots.drugs or slots.regimens or slots.facet("resistance") or slots.resistance.to)
        and own.facet("resistance") == _RESISTANT
    ):
        yield Misfit("indication", "tuberculosis", "drug-resistant disease", is_qualifier=True)


def _facets(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield misfits of stage, resistance, site and other values that exclude each other."""
    named = dict(slots.facets)
    for facet in (*_EXCLUDING, *_purpose(slots)):
        if not (asked := named.get(facet)):
            continue
        if facet == "resistance" and slots.resistance.to & own.resistance.to:
            continue  # "isoniazid-resistant but rifampin-susceptible" is resistant disease
        if facet == "stage" and not _is_on_treatment(slots, own):
            continue
        if facet == "purpose" and own.facet("stage") == LATENT:
            continue  # to treat the infection prevents the disease
        has = own.facet(facet)
        if facet == "regimen_length" and "duration" in slots.aspects:
            has = own.timed_regimens or has
        is_on_drug = slots.drugs or slots.regimens
        of_product = facet == "skin_test" and not is_on_drug and (own.label or own.said_drugs)
        excluded = facet == "site" and asked & own.sites_left_out
        if excluded or (not asked & has and (has or of_product)):
            yield Misfit("indication", _of_facet(facet, asked), _of_facet(facet, has))
        elif not has and (
            (facet == "purpose" and _is_row_of_doses(own))
            or (asked == _SHORTER and "duration" in slots.aspects)
        ):
            yield Misfit("indication", _of_facet(facet, asked), "")
        elif facet == "stage" and asked == LATENT and not has and _is_of_disease(slots, own):
            yield Misfit("indication", "latent tuberculosis", "tuberculosis disease")


def _is_row_of_doses(own: StatementSlots) -> bool:
    """Return whether a row of a label gives doses: without a heading they are for treatment."""
    return own.statement.statement_kind == "row" and bool(own.label) and own.has_regimen


_EXCLUDING = (
    "stage", "resistance", "site", "hiv_status", "risk", "skin_test", "smear", "culture",
    "amplification", "bacillary", "reaction", "ordinal", "occurrence", "regimen_length",
)  # fmt: skip
"""Facets of which a statement of another value does not fit."""
_SHORTER = frozenset({"shorter"})
_TB_DRUGS = lazy_re(r"\b(?:anti-?|non-)?tb (?:drugs?|medications?|medicines?)\b")
"""Drugs for the disease, or those besides them: no text calls those for the infection so."""


def _is_of_disease(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement that names no stage is about tuberculosis disease.

    Texts that treat "tuberculosis" mean the disease, and so do regimens of a guideline that name
    neither. What names a test for the infection is on that.
    """
    if TUBERCULOSIS in own.diseases or _TB_DRUGS.search(fold_chars(own.statement.said)):
        return not own.facet("skin_test")
    return slots.asks_dosing and own.has_regimen and own.statement.kind == "guideline"


def _is_on_treatment(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether the stage of disease tells question and statement apart.

    A question that only names strains is about all they concern: staff and contacts, too.
    """
    if slots.drugs or slots.regimens or slots.asks_dosing or slots.is_case or own.has_regimen:
        return True
    if "regimen" in slots.aspects and own.statement.kind == "guideline":
        return True
    return bool(facet_values(_STRAINS.sub(" ", fold_chars(slots.text)), "stage"))


def _purpose(slots: QuestionSlots) -> tuple[str, ...]:
    """Return the facet of the purpose if prevention is asked: "treatment" alone narrows nothing."""
    return ("purpose",) if slots.facet("purpose") == _PREVENTION else ()


def _phase(slots: QuestionSlots, own: StatementSlots) -> Iterator[Misfit]:
    """Yield a misfit if another phase, month, or other weeks, of the course are meant."""
    months = treatment_months(slots.text)
    headed = next(filter(None, map(treatment_months, own.levels[1:])), months) if months else months
    if not months & headed and months:
        yield Misfit("phase", _in_months(months), _in_months(headed))
        return
    asked, has = slots.facet("phase"), frozenset[str]()
    if asked:
        has = own.facet("phase")
    if (
        asked == _FIRST
        and own.course
        and all(one.low > 0 for one in own.course)
        and has != _BOTH_PHASES
    ):
        yield Misfit("phase", _of_facet("phase", asked), in_words(own.course))
    elif asked and has and not asked & has:
        yield Misfit("phase", _of_facet("phase", asked), _of_facet("phase", has))
    elif (
        slots.course
        and own.course
        and own.facet("phase") != _BOTH_PHASES
        and not any(one.meets(other) for one in slots.course for other in own.course)
        # "if 4 doses are missed, restart with day 1" holds in every month
        and not (missed_doses(slots.text) and missed_doses(own.statement.said))
    ):
        yield Misfit("phase", in_words(slots.course), in_words(own.course))


def _in_months(months: frozenset[int]) -> str:
    return f"month {' or '.join(map(str, sorted(months)))}"


_FACET_WORDS = {
    "latent": "latent tuberculosis",
    "active": "active tuberculosis",
    "resistant": "drug-resistant disease",
    "susceptible": "drug-susceptible disease",
    "first": "loading or intensive phase",
    "later": "maintenance or continuation phase",
    "prevention": "prevention",
    "treatment": "treatment",
    "positive": "people with HIV",
    "negative": "people without HIV",
    "at_risk": "people with risk factors",
    "not_at_risk": "people without risk factors",
    "smear_positive": "positive smears",
    "smear_negative": "negative smears",
    "culture_positive": "positive cultures",
    "culture_negative": "negative cultures",
    "naa_positive": "positive nucleic acid tests",
    "naa_negative": "negative nucleic acid tests",
    "paucibacillary": "paucibacillary leprosy",
    "multibacillary": "multibacillary leprosy",
    "reversal": "reversal reactions",
    "nodosum": "erythema nodosum leprosum",
    "tuberculin": "the tuberculin skin test",
    "antigen": "antigen-based skin tests",
    "blood": "blood tests (IGRA)",
    "longer": "longer regimens",
    "shorter": "shorter regimens",
    "dose_1": "the first dose",
    "dose_2": "the second dose",
    "dose_3": "the third dose",
    "dose_later": "later doses",
    "occurrence_1": "the first occurrence",
    "occurrence_2": "the second occurrence",
    "occurrence_3": "the third occurrence",
}


def _of_facet(facet: str, values: Iterable[str]) -> str:
    if facet == "site":
        return _listed(f"disease of the {value.replace('_', ' ')}" for value in values)
    return _listed(_FACET_WORDS[value] for value in values)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
