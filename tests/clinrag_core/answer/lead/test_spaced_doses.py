"""Doses further apart than a guideline advises. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.lead.spaced_doses import spaced_doses
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
TITLE = {"headings": ("Regimens with a rifamycin",)}
OLD = statement("Rifampin twice weekly is recommended in HIV.", year=1998, **TITLE)
BOTH = statement(
    "Persons with HIV-TB should not be treated with once- or twice-weekly regimens.",
    **TITLE,
    year=2002,
)
DAILY = statement(f"{BOTH.said} They receive daily therapy.", **TITLE, year=2002)
LATENT = statement(
    "It is not recommended once weekly in HIV.",
    headings=("Latent TB infection with a rifamycin",),
    year=2025,
)


def leads(question: str) -> list:
    sources = sources_of([OLD, BOTH, DAILY, LATENT], DRUGS)
    return [one.statement for one in spaced_doses(read_slots(question, DRUGS), sources)]


@pytest.mark.parametrize(
    "question",
    [
        "Twice-weekly rifampin in advanced HIV",
        "Can rifampin be given once a week for TB with HIV?",
    ],
)
def test_the_newest_advice_against_doses_so_far_apart_leads(question: str):
    """What an older text had recommended was shown, and what came of it left out."""
    assert leads(question) == [DAILY]


@pytest.mark.parametrize(
    "question",
    [
        "Rifampin three times a week in HIV",
        "Daily rifampin in HIV",
        "Twice-weekly rifampin in TB",
        "Twice-weekly zolumycin in HIV",
        "Once-weekly rifampin for latent TB in HIV",
    ],
    ids=["oftener", "daily", "others", "other-class", "latent"],
)
def test_it_says_nothing_elsewhere(question: str):
    assert leads(question) == []
