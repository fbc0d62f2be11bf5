"""What is missing is said as it is: not in the sources, or there and not to be quoted."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.fitting import MOST_READ, in_unsure_tables, that_fit_after
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
MISSING = "No dose of zolumycin in these sources."
SURE = statement("Zolumycin: 50 mg", statement_kind="row")
UNSURE = SURE.model_copy(update={"unfit": ("unsure_binding",)})


def test_what_tells_the_story_of_a_child_is_not_hidden_by_a_trial_in_children():
    orange = label("Zolumycin gel with peroxide may turn the skin orange for a time.")
    trial = label("Zolumycin gel was studied in adolescents of 12 to 17 years.")
    ranked = [RankedStatement(one, 6.0, "kb", 0.7) for one in (orange, trial)]
    slots = read_slots("Teenager on zolumycin gel and peroxide, skin gone orange. Bad?", DRUGS)
    sources = sources_of([orange, trial], DRUGS)
    fitting, _ = that_fit_after([], ranked, slots, sources, forbid_pair=False)
    assert orange.said in [one.statement.said for one in fitting]


def test_the_nearest_on_a_rare_harm_is_not_hidden_by_who_the_patient_is():
    harm = label("When calciphylaxis is diagnosed, discontinue zolumycin.")
    dose = label("Zolumycin needs no change on dialysis.")
    ranked = [RankedStatement(one, "kb", 6.0, 0.7) for one in (harm, dose)]
    slots = read_slots("Dialysis patient on zolumycin has calciphylaxis. Keep it?", DRUGS)
    fitting, _ = that_fit_after([], ranked, slots, sources_of([harm, dose], DRUGS),
                                forbid_pair=False)  # fmt: skip
    assert harm.said in [one.statement.said for one in fitting]


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


def test_a_row_for_the_weight_asked_about_is_read_however_far_its_words_are():
    row = statement(
        "Weight: 16-24 kg; Start – zolumycin – 75 mg: 4; Later – zolumycin – 50 mg: 2",
        statement_kind="row",
        caption="Doses for children with TB",
        aspects=("dose",),
    )
    others = [statement(f"Tuberculosis is seen in ward {n}.") for n in range(MOST_READ)]
    ranked = [RankedStatement(one, "kb", 6.0, 0.7) for one in (*others, row)]
    sources = sources_of([*others, row], DRUGS)
    for kilograms, is_read in ((18, True), (30, False)):
        slots = read_slots(f"Child with TB, {kilograms} kg. How many tablets?", DRUGS)
        fitting, _ = that_fit_after([], ranked, slots, sources, forbid_pair=False)
        assert (row.said in [one.statement.said for one in fitting]) == is_read
