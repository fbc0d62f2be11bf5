"""What labels advise against a pair leads, whatever is asked of it; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.lead.companions import safety_companions
from clinrag_core.answer.lead.forbidden_pairs import (
    advice_of_pair,
    forbidden_together,
    pairs_advised_against,
    pairs_forbidden,
    pairs_warned_of,
)
from clinrag_core.answer.lead.forbidden_words import bars_of_anyone, forbidden_by_word
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.answer.select.part_selection import PartSelection
from clinrag_core.answer.select.selection import may_be_together
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon

DRUGS = DrugLexicon(LABELS)
AVOID = label("Avoid zolumycin with inducers such as rifampin.", group="interactions")
HARMLESS = label("Zolumycin may be given with velotrib.", group="interactions")
OTHER = label("Avoid alcohol. Rifampin colours urine.", group="interactions")
IN_CHILDREN = label("In children avoid zolumycin with rifampin.", group="warnings")


def advised(question: str, *statements) -> list:
    sources = sources_of(statements, DRUGS)
    found = pairs_advised_against(read_slots(question, DRUGS), sources)
    return [one.statement for one in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("zolumycin dose with rifampin, CrCl 34 mL/min", [AVOID]),
        ("A woman of 84 takes zolumycin. She needs rifampin. Is 2.5 mg right?", [AVOID]),
        ("zolumycin dose with velotrib", []),
        ("dose of zolumycin, CrCl 34 mL/min", []),
    ],
)
def test_what_a_label_advises_against_a_pair_is_found_whatever_is_asked(question, expected):
    assert advised(question, HARMLESS, OTHER, AVOID) == expected


def test_a_sentence_that_forbids_something_else_is_none_against_the_pair():
    assert advised("zolumycin dose with rifampin", OTHER) == []


def test_going_over_to_other_drugs_is_none_against_the_pair():
    other = label("On switching to drugs other than velotrib avoid an overlap.", group="dosage")
    assert advised("Switching from velotrib to zolumycin at what INR?", other) == []
    assert advised("zolumycin dose with velotrib", other) == [other]


def test_advice_on_children_is_none_for_a_woman_of_84():
    case = "A woman of 84 takes zolumycin. She needs rifampin. Is 2.5 mg right?"
    assert advised(case, IN_CHILDREN) == []


def test_two_drugs_that_are_answered_apart_are_judged_together():
    sources = sources_of([HARMLESS, AVOID], DRUGS)
    found = forbidden_together("zolumycin and rifampin, CrCl 34 mL/min", sources)
    assert [one.statement for one in found] == [AVOID]
    assert forbidden_together("zolumycin versus rifampin, CrCl 34 mL/min", sources) == []


@pytest.mark.parametrize(
    ("question", "together"),
    [
        ("Dose of zolumycin with rifampin? And if on velotrib?", False),
        ("Dose of zolumycin with rifampin, and of velotrib?", True),
        ("Dose of zolumycin?", False),
    ],
)
def test_partners_that_take_each_others_place_are_not_taken_together(question, together):
    parts = [
        PartSelection(read_slots(one, DRUGS), [], "", ())
        for one in split_questions(question, DRUGS)
    ]
    assert may_be_together(parts) is together


def test_what_is_said_of_a_pair_is_said_of_everybody_it_does_not_leave_out():
    slots = read_slots("interaction of zolumycin with rifampin, CrCl 34 mL/min", DRUGS)
    assert is_fit(slots, AVOID, DRUGS)
    assert not is_fit(slots, label("With rifampin and CrCl over 60 mL/min use half."), DRUGS)
    alone = read_slots("safety of zolumycin, CrCl 34 mL/min", DRUGS)
    assert not is_fit(alone, AVOID, DRUGS)


def test_the_parts_of_a_product_are_no_pair():
    allergy = label(
        "Contraindicated in hypersensitivity to rifampin or zolumycin.",
        *("rifampin", "zolumycin"),
        group="contraindications",
    )
    question = "On velotrib and zolumycin, needs rifampin. What about the rifampin?"
    assert safety_companions(read_slots(question, DRUGS), [allergy], DRUGS) == ()


def test_a_warning_on_children_is_none_for_a_man_of_82():
    young = label(
        "In children of 2 years and more with CrCl under 50, do not use.", group="warnings"
    )
    adults = label("In adults with CrCl under 50 do not use.", group="warnings")
    slots = read_slots("zolumycin dose, man of 82 years, CrCl 42 mL/min", DRUGS)
    assert safety_companions(slots, [young, adults], DRUGS) == (adults,)


def test_what_says_where_the_contraindications_are_is_none():
    other = label(
        "Zolumycin with rifampin is contraindicated in patients for whom rifampin is"
        " contraindicated.",
        group="contraindications",
    )
    assert safety_companions(read_slots("zolumycin with rifampin", DRUGS), [other], DRUGS) == ()


def test_what_another_product_is_forbidden_with_is_not_said_of_this_one():
    both = label(
        "The combination is contraindicated with velotrib.",
        *("rifampin", "zolumycin"),
        group="contraindications",
    )
    sources = sources_of([both, AVOID], DRUGS)
    case = "A man on velotrib needs {}. Can they go together?"
    own = forbidden_together(case.format("zolumycin"), sources)
    assert both not in [one.statement for one in own]
    product = forbidden_together(case.format("rifazol"), sources)
    assert [one.statement for one in product] == [both]
    alone = read_slots("On zolumycin, may velotrib be given?", DRUGS)
    assert not is_fit(alone, both, DRUGS)


FORBIDDEN = label(
    "Contraindicated: in hypersensitivity to zolumycin; with nabrufane, as fits were seen.",
    group="contraindications",
)


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("A man on nabrufane injections, dizzy. Safe to give zolumycin?", True),
        ("zolumycin with nabrufane, dose?", True),
        ("A man not on nabrufane, dizzy. Safe to give zolumycin?", False),
        ("Nabrufane: who makes it? And zolumycin?", False),
        ("A man on velotrib, dizzy. Safe to give zolumycin?", False),
    ],
)
def test_a_drug_of_no_lexicon_that_a_label_forbids_leads(question, leads):
    slots = read_slots(question, DRUGS)
    found = forbidden_by_word(slots, sources_of([HARMLESS, FORBIDDEN], DRUGS))
    assert [one.statement for one in found] == ([FORBIDDEN] if leads else [])


ENZYME = label("Contraindicated in those who lack nabrufase.", group="contraindications")
VOICES = label("Contraindicated in those who hear voices.", group="contraindications")
ALLERGY = label("Contraindicated in hypersensitivity to it.", group="contraindications")


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("A man with nabrufase normal. Can he have zolumycin?", False),
        ("A man, nabrufase was negative. Can he have zolumycin?", False),
        ("A man with low nabrufase. Can he have zolumycin?", True),
    ],
)
def test_what_a_test_did_not_find_bars_nobody(question, leads):
    found = forbidden_by_word(read_slots(question, DRUGS), sources_of([ENZYME], DRUGS))
    assert bool(found) == leads


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Once he talked to people who were not there. Can he have zolumycin?", [ENZYME, VOICES]),
        ("Once he talked to people who were not there. Zolumycin dose?", []),
        ("She is pregnant and well. Can she have zolumycin?", []),
        ("She is well and on rifampin. Can she have zolumycin?", []),
        ("Who can have zolumycin?", []),
        ("He forgot it for two days on a journey. When can he start zolumycin?", []),
        ("He skipped it yesterday by mistake. Can he take zolumycin twice today?", []),
    ],
)
def test_all_that_is_forbidden_leads_where_nothing_of_a_patient_is_known(question, expected):
    statements = [ENZYME, VOICES, ALLERGY]
    found = bars_of_anyone(read_slots(question, DRUGS), sources_of(statements, DRUGS))
    assert [one.statement for one in found] == expected


def test_the_warning_that_names_most_of_a_question_forbids_first():
    care = label("Extreme caution for an epidural in septicemia.", group="contraindications")
    bars = label("Vials with nabrufane must not be used for an epidural.", group="warnings")
    other = label("Nabrufane may stain an epidural tray.", group="warnings")
    question = "Only the vial with nabrufane is here. Is zolumycin from it ok for an epidural?"
    found = forbidden_by_word(read_slots(question, DRUGS), sources_of([care, other, bars], DRUGS))
    assert found[0].statement == bars
    assert other not in [one.statement for one in found]


def test_a_warning_not_to_use_it_so_forbids_before_what_is_said_of_the_pregnant():
    bars = label("Do not use zolumycin as first therapy with nabrufasis.", group="warnings")
    mothers = label(
        "Zolumycin is contraindicated in pregnant women with nabrufasis.",
        group="contraindications",
    )
    asked = "The tests confirm nabrufasis. Can I just switch to zolumycin?"
    found = forbidden_by_word(read_slots(asked, DRUGS), sources_of([mothers, bars], DRUGS))
    assert [one.statement for one in found] == [bars]


def test_what_else_is_forbidden_does_not_lead_where_two_things_are_to_be_taken_together():
    question = "A patient takes chalk every single day plus zolumycin. Can take together?"
    sources = sources_of([ENZYME, VOICES, ALLERGY], DRUGS)
    assert bars_of_anyone(read_slots(question, DRUGS), sources) == []


def test_what_treats_a_condition_is_not_forbidden_with_the_drug():
    said = label(
        "Zolumycin is contraindicated in coma, which should be treated with rifampin.",
        group="contraindications",
    )
    slots = read_slots("Man of 60 on rifampin. May he have zolumycin?", DRUGS)
    assert pairs_forbidden(slots, sources_of([said], DRUGS)) == []


def test_when_one_drug_may_follow_the_other_is_said_in_the_section_on_both():
    on_both = label(
        "Zolumycin may be started the day following discontinuation of it.",
        group="interactions",
        headings=("7 Drug interactions", "7.1 Rifampin"),
    )
    on_one = label("Rashes soon after rifampin were seen within 2 weeks.", group="warnings")
    ranked = [RankedStatement(one, "label", 5.0, 0.5) for one in (on_one, on_both)]
    slots = read_slots("Changing from rifampin to zolumycin: what washout?", DRUGS)
    sources = sources_of([on_one, on_both], DRUGS)
    assert advice_of_pair(ranked, slots, sources)[0].statement is on_both


@pytest.mark.parametrize(("added", "is_barred"), [("condoms", False), ("contraceptives", True)])
def test_condoms_are_no_drug_that_is_taken(added: str, is_barred: bool) -> None:
    bars = label("Zolumycin with other contraceptives is contraindicated.",
                 group="contraindications")  # fmt: skip
    slots = read_slots(f"Missed two of zolumycin. What now, and {added} for how long?", DRUGS)
    found = forbidden_by_word(slots, sources_of([bars], DRUGS))
    assert [one.statement for one in found] == [bars] * is_barred


def test_missed_doses_lift_no_contraindication() -> None:
    bars = label("Zolumycin is contraindicated in porphyria.", group="contraindications")
    slots = read_slots("A woman with porphyria missed two doses. Can she have zolumycin?", DRUGS)
    found = forbidden_by_word(slots, sources_of([bars], DRUGS))
    assert [one.statement for one in found] == [bars]


@pytest.mark.parametrize(
    ("said", "group", "leads"),
    [
        ("Avoid rifamycins with velotrib.", "interactions", True),
        ("Rifamycins may be given with velotrib.", "interactions", False),
        ("Avoid tea. Rifamycins colour urine.", "interactions", False),
        ("Avoid quinolones with velotrib.", "interactions", False),
        ("Avoid velotrib; rifamycins are given instead.", "warnings", False),
    ],
)
def test_a_class_that_a_section_on_pairs_forbids_is_forbidden_for_its_drugs(
    said: str, group: str, *, leads: bool
) -> None:
    one = label(said, "velotrib", group=group)
    assert advised("velotrib dose with rifampin", one) == [one] * leads


def test_a_class_of_the_drug_of_a_label_itself_forbids_no_pair_with_another_of_it() -> None:
    own = label("Avoid rifamycins with food.", "rifampin", group="interactions")
    assert advised("rifabutin dose with rifampin", own) == []


@pytest.mark.parametrize(("is_label", "is_shown"), [(True, False), (False, True)])
def test_a_guideline_on_a_pair_does_not_hide_what_a_label_advises_against(
    *, is_label: bool, is_shown: bool
) -> None:
    avoid = label("Avoid zolumycin with velotrib.", group="interactions")
    said = "No dose of zolumycin need be changed with velotrib."
    on_pair = label(said, group="interactions") if is_label else statement(said)
    slots = read_slots("Zolumycin with velotrib: any change?", DRUGS)
    fitting = [RankedStatement(on_pair, "base", 5.0, 0.5)]
    found = pairs_warned_of(fitting, slots, sources_of([avoid], DRUGS))
    assert [one.statement for one in found] == [avoid] * is_shown


@pytest.mark.parametrize(
    ("question", "leads"),
    [
        ("Can zolumycin be given with protease inhibitors?", True),
        ("HIV, needs a boosted PI. Keep zolumycin?", True),
        ("Dose of zolumycin without protease inhibitors?", False),
        ("Can zolumycin be given with proton pump inhibitors?", False),
        ("Dose of zolumycin?", False),
    ],
)
def test_a_drug_forbidden_with_members_of_a_class_is_shown_where_the_class_is_named(
    question: str, *, leads: bool
) -> None:
    bars = label("Zolumycin is contraindicated with atazanavir or darunavir.",
                 group="contraindications")  # fmt: skip
    found = pairs_forbidden(read_slots(question, DRUGS), sources_of([bars], DRUGS))
    assert [one.statement for one in found] == [bars] * leads
