"""Reads the patient of a note: the age and the diseases of the field, which decide what applies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import agree, diseases, facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.resistance import resists_several, without_absent_resistance
from clinrag_core.facts.ruled_out import without_other_disease
from clinrag_core.facts.stated_ages import before_relative, sure_ages
from clinrag_core.notes.assertion import affirmed_names
from clinrag_core.notes.care_lexicon import note_care, patient_conditions
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.notes.records import NoteSummary, SummaryItem

OF_FIELD = {
    "tuberculosis": ("tuberculosis", "tb"),
    "pneumonia.community": ("community-acquired pneumonia", "cap"),
}
"""Diseases of the guidelines: how a question names them, and the area of drugs for them alone."""
_TUBERCULOSIS, _ACTIVE = "tuberculosis", "active"
NOT_THEIRS = frozenset({"absent", "family"})
"""Status of what is not the patient's."""
SEVERE = re.compile(r"(?<!non)(?<!non-)\bsevere\b")
_GRAVE = re.compile(
    r"(?<!non)(?<!non-)\bsevere (?:community|cap\b|pneumonia)|\b(?:icu|intensive care)\b"
)
MILD = re.compile(r"\bnon-?severe\b")
"""How severe the pneumonia is that a recommendation is for."""
_BAND = re.compile(
    r"\b(?:body )?weight: (?:above |over )?(?P<low>\d+(?:\.\d+)?)(?: ?(?:to|-|\u2013) ?"
    r"(?:under )?(?P<high>\d+(?:\.\d+)?))? ?kg"
)
_ACTIVE_DRUGS = frozenset({"ethambutol", "bedaquiline", "pretomanid"})
"""Drugs that no regimen of preventive treatment has."""
_NOT_GIVEN = frozenset({"absent", "allergy", "avoided", "considered", "stopped", "tried"})
_BARE_WEIGHT = re.compile(
    r"(?:^|[,(;] ?|\bnow |\bweigh(?:s|ing)(?: \w+)? )(\d{1,3}(?:\.\d)?) ?kgs?\b"
    r"(?!\s*(?:/|per|loss|gain|weight|in))"
)
"""A weight among the facts of a patient: "45 kg, cough", but no "7 kg weight loss"."""
_CHANGED = re.compile(
    r"\b(?:weight|wt) (?:loss|gain\w*|up|down|fell|change\w*)\b[^.;,\d]{0,15}\d"
    r"|\b(?:lost|gained|loss of|gain of)\b[^.;,\d]{0,15}\d"
)
"""What a weight has changed by, which is no weight."""
_CONDITIONS = {
    "pregnancy": frozenset({"pregnancy"}),
    "kidney_disease": frozenset({"renal_impairment", "dialysis"}),
    "liver_disease": frozenset({"hepatic_impairment"}),
}
"""Names of a passage's people for conditions that make a dose of its own."""
_HAD = frozenset({"present", "past", "mixed"})
"""Status of what the patient has or had."""
_AT_HOME = re.compile(r"\boutpatients?\b")
_CLEARANCE = re.compile(
    r"\b(?:crcl|clcr|creatinine clearance|e?gfr)\b(?: \([^()]*\))?:?[^.;,\d]{0,12}"
    r"(\d{1,3})(?!\d|\.\d)(?! then\b)"
)
_CONCLUDES = re.compile(r"\b(?:assessment|impression|diagnosis|conclusion)\b")
"""Words of a letter that say what the patient has, outside of any list of problems."""
_UNKNOWN_AGE = 40.0
"""Age of a patient whose note prints none: notes of children do."""


class NotePatient(NamedTuple):
    """What decides which passages are about the patient of a note."""

    age: float
    diseases: frozenset[str]
    """Keys of `OF_FIELD`."""
    is_latent: bool
    is_severe: bool = False
    """Whether the note calls the pneumonia severe, or the patient goes to intensive care."""
    weight: float | None = None
    """In kg, where the note prints one."""
    conditions: frozenset[str] = frozenset()
    """Kidney or liver disease and pregnancy, as `facts.people` names them."""
    has_hiv: bool = False
    is_comorbid: bool = False
    """Whether the note names a chronic disease that decides treatment of pneumonia."""
    is_admitted: bool = False
    resistance: frozenset[str] = frozenset()
    """Whether the tuberculosis is called susceptible or resistant."""
    is_multiresistant: bool = False
    """Whether the tuberculosis is called resistant to rifampicin."""
    clearance: float | None = None
    """Creatinine clearance or filtration rate in mL/min, where the note prints one."""

    def is_of_course(self, places: Sequence[str]) -> bool:
        """Return whether a passage may be on such a course: its stage, setting and weight.

        The first of its places (text, section, title) that says one of them decides.
        """
        stages = next((s for s in (facet_values(p, "stage") for p in places) if s), frozenset())
        if stages and ("latent" in stages) != self.is_latent and len(stages) == 1:
            return False
        text = fold_chars(places[0])
        if self.is_severe and _AT_HOME.search(text) and not SEVERE.search(text):
            return False
        band = _BAND.search(text)
        if self.weight is None or band is None:
            return True
        low, high = float(band["low"]), float(band["high"] or "inf")
        return low <= self.weight <= high


def disease_words(disease: str, patient: NotePatient) -> str:
    """Return a disease of the field as a question names it; "" for none."""
    if not disease:
        return ""
    words, area = OF_FIELD[disease]
    return f"latent {words} infection" if patient.is_latent and area == "tb" else words


def read_patient(summary: NoteSummary) -> NotePatient:
    """Return the age of the patient and the diseases of the field that the note is about."""
    history = (*summary.key_problems, *summary.pertinent_history)
    everything = [item for _, item in summary.filed() if item.status not in NOT_THEIRS]
    ages = (
        *(age for _, item in summary.filed() for age in _sure_ages(item.text)),
        *(
            age
            for item in (*summary.patient_snapshot, *history)
            if item.status not in NOT_THEIRS or item in summary.patient_snapshot
            if item.status != "absent"
            for age in _own_ages(item.text)
        ),
    )
    named: set[str] = set()
    stages: dict[bool, set[str]] = {False: set(), True: set()}
    whom = [item for item in summary.patient_snapshot if item.status == "present"]
    concluded = (item for item in history if concludes(item))
    for item in (*summary.key_problems, *summary.assessment, *whom, *concluded):
        if item.status not in NOT_THEIRS:
            said = without_other_disease(fold_chars(item.text))
            own = diseases(said)
            named |= {key for key in OF_FIELD if any(agree(key, one) for one in own)}
            if any(agree(_TUBERCULOSIS, one) for one in own):  # not "contact investigation"
                is_stated = item.status not in ("planned", "conditional") and item not in whom
                stage = facet_values(said, "stage") or ({_ACTIVE} if is_stated else set[str]())
                stages[item.status == "past"] |= stage
    if not named:  # a letter may say it nowhere else
        own = (diseases(item.text) for item in everything if item.status in _HAD)
        named = {k for one in own for k in OF_FIELD if any(agree(k, d) for d in one)}
    of_patient = [
        fold_chars(item.text)
        for item in (*summary.patient_snapshot, *summary.key_problems, *summary.pertinent_history)
        if item.status in _HAD
    ]
    words = note_care().whom
    return NotePatient(
        next(iter(ages), _UNKNOWN_AGE),
        frozenset(named),
        (stages[False] or stages[True]) == {"latent"} and not _is_treated_as_active(everything),
        is_severe=any(_GRAVE.search(fold_chars(item.text)) for item in everything),
        weight=next(iter(_weights(everything)), None),
        conditions=_conditions(of_patient),
        has_hiv=any(
            words.infected.search(fold_chars(item.text))
            for item in everything
            if item.status in _HAD
        ),
        is_comorbid=any(words.frail.search(text) for text in of_patient),
        is_admitted=any(words.admitted.search(fold_chars(item.text)) for item in everything),
        resistance=frozenset[str]().union(*(_resistance(i.text) for i in everything)),
        is_multiresistant=any(resists_several(i.text) for i in everything),
        clearance=next(
            (float(m[1]) for i in everything for m in _CLEARANCE.finditer(fold_chars(i.text))), None
        ),
    )


def _is_treated_as_active(items: Sequence[SummaryItem]) -> bool:
    """Return whether the patient is given what only disease is treated with."""
    given = (m for item in items for m in item.medications if m.status not in _NOT_GIVEN)
    return any(not _ACTIVE_DRUGS.isdisjoint(m.ingredients) for m in given)


def concludes(item: SummaryItem) -> bool:
    """Return whether a statement says what the patient has: "My assessment is ..."."""
    return item.status == "possible" and _CONCLUDES.search(fold_chars(item.text)) is not None


def _own_ages(text: str) -> Iterator[float]:
    """Yield the ages that a statement gives the patient: those before it names a relative."""
    own = before_relative(text, note_cues().assertion.relatives)
    yield from (age.low for age in read_people(own).ages if age.low == age.high)


def _sure_ages(text: str) -> Iterator[float]:
    """Yield ages before a relative is named that can be no length of an illness."""
    yield from sure_ages(before_relative(text, note_cues().assertion.relatives))


def _resistance(text: str) -> frozenset[str]:
    """Return the resistance that a statement names, and not what a test did not find."""
    return facet_values(without_absent_resistance(text), "resistance")


def _conditions(texts: Sequence[str]) -> frozenset[str]:
    """Return the conditions of a patient that make a dose of its own."""
    known = {name: patient_conditions()[name] for name in _CONDITIONS}
    named = {name for text in texts for name in affirmed_names(text, known)}
    return frozenset[str]().union(*(_CONDITIONS[name] for name in named))


def _weights(items: Sequence[SummaryItem]) -> Iterator[float]:
    """Yield the weights that items print, in kg: as a vital sign, else as a bare figure."""
    for item in items:
        for vital in item.vitals:
            is_weight = vital.name == "weight" and vital.unit.startswith(("kg", "kilo"))
            if is_weight and not _CHANGED.search(fold_chars(item.text)):
                yield float(vital.value)
    for item in items:
        yield from (float(match[1]) for match in _BARE_WEIGHT.finditer(fold_chars(item.text)))
