"""Reads the patient of a note: the age and the diseases of the field, which decide what applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.indications import agree, diseases, facet_values
from clinrag_core.facts.people import read_people

if TYPE_CHECKING:
    from clinrag_core.notes.records import NoteSummary

OF_FIELD = {
    "tuberculosis": ("tuberculosis", "tb"),
    "pneumonia.community": ("community-acquired pneumonia", "cap"),
}
"""Diseases of the guidelines: how a question names them, and the area of drugs for them alone."""
NOT_THEIRS = frozenset({"absent", "family"})
"""Status of what is not the patient's."""
_UNKNOWN_AGE = 40.0
"""Age of a patient whose note prints none: notes of children do."""


class NotePatient(NamedTuple):
    """What decides which passages are about the patient of a note."""

    age: float
    diseases: frozenset[str]
    """Keys of `OF_FIELD`."""
    is_latent: bool


def disease_words(disease: str, patient: NotePatient) -> str:
    """Return a disease of the field as a question names it; "" for none."""
    if not disease:
        return ""
    words, area = OF_FIELD[disease]
    return f"latent {words} infection" if patient.is_latent and area == "tb" else words


def read_patient(summary: NoteSummary) -> NotePatient:
    """Return the age of the patient and the diseases of the field that the note is about."""
    ages = (
        age.low
        for item in (*summary.patient_snapshot, *summary.key_problems, *summary.pertinent_history)
        if item.status not in NOT_THEIRS
        for age in read_people(item.text).ages
        if age.low == age.high
    )
    named: set[str] = set()
    is_latent = False
    present = (item for item in summary.patient_snapshot if item.status == "present")
    for item in (*summary.key_problems, *summary.assessment, *present):
        if item.status not in NOT_THEIRS:
            own = diseases(item.text)
            named |= {key for key in OF_FIELD if any(agree(key, one) for one in own)}
            is_latent |= "latent" in facet_values(item.text, "stage")
    return NotePatient(next(ages, _UNKNOWN_AGE), frozenset(named), is_latent)
