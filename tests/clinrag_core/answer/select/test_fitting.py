"""What is missing is said as it is: not in the sources, or there and not to be quoted."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.fitting import in_unsure_tables
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
MISSING = "No dose of zolumycin in these sources."
SURE = statement("Zolumycin: 50 mg", statement_kind="row")
UNSURE = SURE.model_copy(update={"unfit": ("unsure_binding",)})


@pytest.mark.parametrize(
    ("row", "missing", "expected"),
    [
        (UNSURE, MISSING, "No dose of zolumycin that can be quoted: tables whose headings are not "
         "sure name it, in Invented text."),
        (SURE, MISSING, MISSING),
        (UNSURE, "No dose of zolumycin in these sources; they have it for adults.",
         "No dose of zolumycin in these sources; they have it for adults."),
    ],
    ids=["unsure", "sure", "something-else"],
)  # fmt: skip
def test_a_drug_in_a_table_that_cannot_be_quoted_is_not_said_to_be_absent(row, missing, expected):
    slots = read_slots("What is the dose of zolumycin?", DRUGS)
    assert in_unsure_tables(slots, missing, sources_of([row], DRUGS)) == expected
