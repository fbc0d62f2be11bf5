"""Rows of tables as claims: never a figure without the heading of its column."""

from __future__ import annotations

import pytest

from clinrag_core.answer.generate.table_rows import row_claim

HEAD = "Patient\tDaily dose\tTwice a week"
ROW = "Children\t10 mg/kg\t30 mg/kg"
JOINED = "Patient: Children; Daily dose: 10 mg/kg; Twice a week: 30 mg/kg"


def test_a_row_carries_its_headings_and_cites_both(passage):
    text = f"Table 1. Dose\n{HEAD}\nAdults\t5 mg/kg\t15 mg/kg\n{ROW}"
    chunk = passage(text, embed_text=f"Patient | Daily dose | Twice a week\n{JOINED}")
    row = row_claim(chunk, text.index(ROW), len(text))
    assert row.text == JOINED
    assert [text[a:b] for a, b in row.spans] == [HEAD, ROW]


def test_a_row_with_figures_whose_headings_are_not_there_is_no_claim(passage):
    assert row_claim(passage(ROW, embed_text=JOINED), 0, len(ROW)) is None
    assert row_claim(passage(ROW), 0, len(ROW)) is None


def test_a_row_of_words_may_be_a_claim_by_itself(passage):
    text = "Eye\tOptic neuritis, scotoma"
    assert row_claim(passage(text), 0, len(text)).text == text


@pytest.mark.parametrize(
    "question", ["isoniazid dose in children", "rifapentine weekly dose by weight"]
)
def test_no_answer_shows_a_bare_row_with_figures(engine_with, question: str):
    for claim in engine_with().ask(question).claims:
        if "\t" in claim.citations[-1].snippet:
            assert ": " in claim.text
            assert len(claim.citations) == 2
