"""Tells the statement that says who the patient is from one with the age of a relative."""

from __future__ import annotations

from clinrag_core.notes.lexicon import note_cues


def is_of_patient(text: str) -> bool:
    """Return whether a folded statement says who the patient is: the age is no relative's."""
    cues = note_cues()
    found = cues.sections["patient_snapshot"].search(text)
    if found is None:
        return False
    return cues.assertion.relatives.search(text, 0, found.start()) is None
