"""Which of two drugs comes and which goes; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.ending_advice import ending_advice
from clinrag_core.answer.lead.forbidden_pairs import pairs_forbidden
from clinrag_core.answer.lead.label_warnings import warnings_for_them
from clinrag_core.answer.question.pair_order import is_on_ending, starts_other_way, tells_switch
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.boosts import CONCLUSIVE
from clinrag_core.answer.rank.turning import on_change, on_term
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

ON_ZOLUMYCIN = "44F on zolumycin for depression, needs velotrib urgently. What about the zolumycin?"
REVERSE = "Starting zolumycin in a patient who is being treated with velotrib is contraindicated."


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        (ON_ZOLUMYCIN, REVERSE, True),
        (ON_ZOLUMYCIN, "Do not start zolumycin in people taking velotrib.", True),
        ("Zolumycin 20 mg pt, needs velotrib today. Wait?", REVERSE, True),
        ("44F on zolumycin; velotrib is the only option. And the zolumycin?", REVERSE, True),
        (ON_ZOLUMYCIN, "Zolumycin with velotrib is contraindicated.", False),
        (ON_ZOLUMYCIN, "Do not start velotrib in patients on zolumycin.", False),
        ("On velotrib, may I start zolumycin?", REVERSE, False),
        ("Zolumycin with velotrib?", REVERSE, False),
    ],
)
def test_starting_one_drug_on_the_other_is_not_the_reverse(
    question: str, said: str, expected: bool, drugs: DrugLexicon
) -> None:
    assert starts_other_way(read_slots(question, drugs), said, drugs) is expected


@pytest.mark.parametrize(("question", "count"), [
    (ON_ZOLUMYCIN, 0), ("Woman of 44 on velotrib. May I start zolumycin?", 1)
])  # fmt: skip
def test_a_contraindication_of_the_reverse_does_not_lead(
    question: str, count: int, drugs: DrugLexicon
) -> None:
    sources = sources_of([label(REVERSE, group="contraindications")], drugs)
    assert len(pairs_forbidden(read_slots(question, drugs), sources)) == count


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        (
            "On zolumycin. Finishes rifampin this week. What should I watch for?",
            "If an inducer is discontinued, consider a lower dose of zolumycin.",
            True,
        ),
        (
            "Zolumycin dose after stopping rifampin?",
            "When discontinuing inducers such as carbamazepine, watch for sedation.",
            True,
        ),
        (
            "Zolumycin dose after stopping rifampin?",
            "If an inhibitor is discontinued, consider a higher dose of zolumycin.",
            False,
        ),
        (
            "Her last rifampin capsule was yesterday. Zolumycin dose now?",
            "If rifampin is permanently discontinued, zolumycin is lowered.",
            True,
        ),
        (
            "Rifampin and the COC: how long a back-up after stopping it?",
            "Use a back-up until 28 days after discontinuing the inducer.",
            True,
        ),
        (
            "Rifampin and the COC: how long a back-up?",
            "Use a back-up until 28 days after discontinuing the inducer.",
            False,
        ),
        (
            "Zolumycin dose when starting rifampin?",
            "If an inducer is discontinued, consider a lower dose of zolumycin.",
            False,
        ),
    ],
)
def test_what_to_do_when_the_other_drug_is_stopped_is_known(
    question: str, said: str, expected: bool, drugs: DrugLexicon
) -> None:
    assert is_on_ending(read_slots(question, drugs), said, drugs) is expected


def test_a_drug_that_only_a_product_has_is_answered_with_what_forbids_the_product() -> None:
    names = ("velotrib and zolumycin", "velotrib", "zolumycin")
    drugs = DrugLexicon({"velotrib-and-zolumycin": names})
    both = read_slots("Zolumycin and velotrib syrup in a child", drugs)
    assert both.drugs == (frozenset({"velotrib", "zolumycin"}),)
    syrup = label("in a child under 4 years", "velotrib", "zolumycin", group="contraindications")
    slots = read_slots("Is velotrib fine for a child of 3 years?", drugs)
    found = warnings_for_them(slots, [], sources_of([syrup], drugs))
    assert [one.statement for one in found] == [syrup]
    alone = label("Velotrib is given to adults.", "velotrib", group="contraindications")
    assert warnings_for_them(slots, [], sources_of([syrup, alone], drugs)) == []


def test_what_a_document_says_of_an_end_before_and_after_some_weeks_is_shown_as_one(
    drugs: DrugLexicon,
) -> None:
    late = label("If rifampin is discontinued after week 4, zolumycin is continued.")
    early = label("If rifampin is discontinued before week 4, zolumycin is discontinued too.")
    ranked = [RankedStatement(one, "label", 5.0, 0.5) for one in (late, early)]
    slots = read_slots("Woman on zolumycin. Rifampin stopped in week 3. Go on?", drugs)
    (found,) = ending_advice(ranked, slots, sources_of([late, early], drugs))
    assert found.statement.said == f"{late.said} {early.said}"
    asked = read_slots("Woman on zolumycin, ill. Should I stop rifampin?", drugs)
    assert ending_advice(ranked, asked, sources_of([late, early], drugs)) == []


def test_what_a_guideline_lists_as_a_contraindication_is_said_where_a_dose_is_not(
    drugs: DrugLexicon,
) -> None:
    row = statement(
        "Drug: Zolumycin; Adult dose: 15 mg/kg; Contraindications: established kidney failure",
        statement_kind="row",
    )
    ranked = [RankedStatement(row, "guideline", 5.0, 0.5)]
    sources = sources_of([row], drugs)
    on_dialysis = read_slots("Zolumycin dose on hemodialysis", drugs)
    assert [one.statement for one in warnings_for_them(on_dialysis, ranked, sources)] == [row]
    pregnant = read_slots("Zolumycin dose in pregnancy", drugs)
    assert warnings_for_them(pregnant, ranked, sources) == []


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("Switching from rifampin to zolumycin: wait for two days.", True),
        ("Switching from zolumycin to rifampin: wait for nine days.", False),
        ("Zolumycin with rifampin: no waiting.", None),
        ("Switching from drugs other than rifampin to zolumycin: no waiting.", None),
        ("Discontinue zolumycin and begin rifampin the next day.", False),
    ],
)
def test_how_one_drug_takes_the_place_of_another_is_told_in_its_order(
    said: str, *, tells: bool | None
) -> None:
    drugs = DrugLexicon(LABELS)
    slots = read_slots("A woman on rifampin is to change to zolumycin. When?", drugs)
    assert tells_switch(slots, said, drugs) is tells


def test_a_change_that_was_measured_is_no_advice_on_one() -> None:
    drugs = DrugLexicon(LABELS)
    slots = read_slots("A woman on rifampin is to change to zolumycin. When?", drugs)
    said = "Switching from rifampin to zolumycin: wait for two days."
    sources = sources_of([], drugs)
    assert on_change(slots, said, sources) > 0
    assert on_change(slots, f"{said} Mean % change: 20.", sources) == 0


@pytest.mark.parametrize(
    ("question", "said", "added"),
    [
        ("Change zolumycin?", "Increase zolumycin to 800 mg with rifampin.", CONCLUSIVE),
        ("Change zolumycin?", "Rifampin and zolumycin are red.", 0.0),
        ("Change zolumycin?", "Increase zolumycin to 800 mg with velotrib.", 0.0),
        ("What does zolumycin do?", "Increase zolumycin to 800 mg with rifampin.", 0.0),
    ],
)
def test_whether_a_drug_is_changed_is_answered_by_its_dose_with_the_other(
    question: str, said: str, added: float
) -> None:
    drugs = DrugLexicon(LABELS)
    slots = read_slots(f"A man on zolumycin needs rifampin. {question}", drugs)
    own = statement_slots(label(said, group="interactions"), drugs)
    assert on_term(slots, own, ()) == added


def test_a_drug_swapped_for_another_is_a_switch(drugs: DrugLexicon) -> None:
    slots = read_slots("On zolumycin, just swap to velotrib tonight?", drugs)
    assert tells_switch(slots, "Switching from zolumycin to velotrib: wait a day.", drugs)


def test_after_an_inducer_contraception_is_doubled_for_as_long_as_any_label_says(drugs) -> None:
    pill = label(
        "Continue back-up contraception for 21 days after discontinuing the enzyme inducer.",
        "ethinyl estradiol",
        group="warnings",
    )
    sources = sources_of([pill], drugs)
    for asked, expected in (
        ("She finished rifampin. When can she rely on the pill again?", [pill]),
        ("She starts rifampin. Can she rely on the pill?", []),
    ):
        found = ending_advice([], read_slots(asked, drugs), sources)
        assert [one.statement for one in found] == expected


def test_how_long_contraception_goes_on_is_what_the_label_of_the_drug_says(drugs) -> None:
    said = "Zolumycin: another method of contraception is needed for one month after treatment."
    own = label(said, group="interactions")
    sources = sources_of([label("Zolumycin weakens the pill.", group="interactions"), own], drugs)
    stopped = read_slots("Stopped zolumycin, how long a backup with the pill?", drugs)
    assert [one.statement for one in ending_advice([], stopped, sources)] == [own]
    starts = read_slots("Starts zolumycin, how long a backup with the pill?", drugs)
    assert ending_advice([], starts, sources) == []


@pytest.mark.parametrize(
    "question",
    [
        "How many hours should I separate zolumycin from rifampin?",
        "What spacing between zolumycin and rifampin?",
    ],
)
def test_drugs_to_be_kept_apart_are_a_pair(question: str, drugs: DrugLexicon) -> None:
    slots = read_slots(question, drugs)
    assert {*slots.drugs, *slots.partners} == {frozenset({"zolumycin"}), frozenset({"rifampin"})}
    assert len(slots.drugs) == 1


def test_what_every_dose_needs_is_no_dose(drugs: DrugLexicon) -> None:
    slots = read_slots("Does every dose of zolumycin need rifampin?", drugs)
    assert not slots.asks_dosing
    assert read_slots("How big is each dose of zolumycin?", drugs).asks_dosing
    assert read_slots("Should each dose of zolumycin be halved?", drugs).asks_dosing


def test_a_space_of_the_body_makes_no_pair(drugs: DrugLexicon) -> None:
    slots = read_slots("Zolumycin and rifampin in infection of the pleural space: dose?", drugs)
    assert "interaction" not in slots.aspects
