"""Treatment of tuberculosis that another drug is given with is read as its drugs."""

from __future__ import annotations

import pytest
from fakes.statements import LABELS

from clinrag_core.answer.question.first_line import first_line_sentence, with_first_line
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)


@pytest.mark.parametrize(
    "question",
    [
        "Can apixaban be continued during TB treatment?",
        "Man on apixaban develops pulmonary TB. Any interactions?",
        "TB patient on apixaban starts treatment: what to monitor?",
        "Which dose of dolutegravir in patients with TB?",
    ],
)
def test_first_line_treatment_is_named_where_it_is_meant(question: str) -> None:
    read = with_first_line(question, DRUGS)
    assert "RHZE" in read
    assert frozenset({"rifampin"}) in read_slots(read, DRUGS).partners
    assert "rifampin" in first_line_sentence(read, question)


@pytest.mark.parametrize(
    "question",
    [
        "When may adalimumab start after TB treatment?",
        "Can apixaban be given during MDR-TB treatment?",
        "Man on apixaban had a contact with TB. Any interactions?",
        "Which dose of prednisolone in patients with TB?",
        "Can apixaban be continued during RHZE?",
        "Which dose of isoniazid during TB treatment?",
    ],
)
def test_other_questions_are_left_as_they_are(question: str) -> None:
    assert with_first_line(question, DRUGS) == question
    assert first_line_sentence(question, question) == ""
