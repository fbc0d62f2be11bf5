"""A note of every kind of heading, written for these tests, and what reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.notes.citations import CitationChecker, ReadNote
from clinrag_core.notes.extractive import extractive_summary
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteSummary
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.settings import Settings, load_settings

NOTE = """Seen at home with her son.

CC: cough for three weeks

HPI: Mrs. Orla Fenwick is a 67-year-old woman with a productive cough and night sweats. She denies \
haemoptysis. No chest pain on the left side.
PMH: gout, previous stroke in 2011
DH: allopurinol 100 mg once daily, ramipril 5 mg bd, vitamin D
Allergies: penicillin
FH - mother had tuberculosis
SH: lives with her husband
O/E
BP 142/88, HR 96, SpO2 94%, temp 38.2 C
Crackles in the right upper zone.
CXR: right upper zone shadow
Impression: ?pulmonary tuberculosis
Plan:
1. Send three sputum samples
2. Start isoniazid 300 mg daily
3. Review in 2 weeks, earlier if fever
4. Refer to the chest clinic today
"""


@pytest.fixture
def note() -> ReadNote:
    return read_note(NOTE, 10_000)


@pytest.fixture
def summary(note: ReadNote) -> NoteSummary:
    return extractive_summary(note).summary


@pytest.fixture
def checker(note: ReadNote) -> CitationChecker:
    return CitationChecker(note, quoting=True)


@pytest.fixture
def note_settings(tmp_path: Path) -> Settings:
    """Settings of a profile in an empty home; notes need no corpus."""
    return load_settings("sample", {"CLINRAG_HOME": str(tmp_path / "home")})


@pytest.fixture
def summariser(note_settings: Settings) -> NoteSummariser:
    return NoteSummariser(note_settings)
