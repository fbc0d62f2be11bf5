"""A sentence is shown with those of its paragraph that fit the question. Invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, statement

from clinrag_core.answer.complete.paragraphs import with_antecedent, with_paragraphs
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)


def shown(question: str, section: list[IndexedStatement], *ranked: tuple[int, float]) -> list[str]:
    fitting = [RankedStatement(section[n], "guideline", score, score) for n, score in ranked]
    slots, sources = read_slots(question, DRUGS), sources_of(section, DRUGS)
    return [one.statement.said for one in with_paragraphs(fitting, slots, sources)]


def test_what_goes_on_is_joined_in_the_order_of_the_text():
    section = [statement(s) for s in ("Zolumycin is red.", "Zolumycin tires.", "Sleep helps.")]
    assert shown("Does zolumycin tire?", section, (1, 2.0)) == ["Zolumycin tires. Sleep helps."]


def test_what_comes_before_is_joined_only_where_it_answers_too():
    section = [statement("Zolumycin harms the ear."), statement("Zolumycin makes people deaf.")]
    (one,) = shown("Does zolumycin deafen?", section, (1, 2.0), (0, 1.8))
    assert one == "Zolumycin harms the ear. Zolumycin makes people deaf."
    assert shown("Does zolumycin deafen?", section, (1, 2.0), (0, 0.5))[0] == section[1].said


def test_what_points_back_comes_with_what_it_points_to():
    section = [
        statement(said)
        for said in (
            "People whose liver tests were raised fivefold took part.",
            "Zolumycin is not reduced in people with this degree of harm to the liver.",
        )
    ]
    joined = " ".join(one.said for one in section)
    assert shown("Is zolumycin reduced for the liver?", section, (1, 2.0)) == [joined]


def test_a_rule_is_shown_with_its_exceptions_from_the_same_paragraph():
    rule, between = "Zolumycin is halved in the first week.", "Water " * 60 + "helps."
    exceptions = "There are exceptions to the above rule: children, who get all of it."
    section = [statement(said) for said in (rule, between, exceptions)]
    assert shown("Is zolumycin halved?", section, (0, 2.0)) == [f"{rule} {exceptions}"]
    both = shown("Is zolumycin halved?", section, (2, 2.0), (0, 1.8))
    assert both == [exceptions, rule]  # not twice
    section[2] = section[2].model_copy(update={"block": 7})
    assert shown("Is zolumycin halved?", section, (0, 2.0)) == [rule]


def test_how_a_treatment_is_given_comes_after_that_it_may_be_needed():
    section = [
        statement(said)
        for said in (
            "A patient on zolumycin may require urgent treatment with velotrib.",
            f"If nothing else {'really ' * 60}helps, stop zolumycin promptly.",
            "Watch the patient for two weeks.",
        )
    ]
    (one,) = shown("Velotrib with zolumycin?", section, (0, 2.0))
    assert one == " ".join(part.said for part in section)


@pytest.mark.parametrize(
    "other",
    [
        statement("Children take half of it."),
        statement("See below.", statement_kind="item"),
        statement("In another paragraph.").model_copy(update={"block": 7}),
        statement("Torn off at", unfit=("incomplete",)),
        statement(" ".join(["word"] * 60)),
    ],
    ids=["other-people", "item", "other-paragraph", "torn", "too-long"],
)
def test_what_is_for_others_or_no_sentence_of_it_stays_out(other: IndexedStatement):
    first = statement("Adults take one tablet of zolumycin.")
    assert shown("zolumycin in adults", [first, other], (0, 2.0)) == [first.said]


def test_what_goes_on_about_these_patients_is_about_those_before_it():
    section = [
        statement("Persons with CD4 cell counts <100/mm³ should not take zolumycin twice a week."),
        statement("These patients should take it daily in the first phase."),
        statement("Children take half of it."),
    ]
    (one,) = shown("zolumycin with CD4 60, how often?", section, (0, 2.0))
    assert one == f"{section[0].said} {section[1].said}"


def test_of_a_sentence_that_repeats_the_one_before_it_only_the_rest_counts():
    said = " ".join(["Zolumycin", *["tires"] * 40]) + "."
    after = statement(f"{said} Therefore velotrib is preferred.")
    (one,) = shown("Does zolumycin tire?", [statement(said), after], (0, 2.0))
    assert one.endswith("Therefore velotrib is preferred.")


def test_a_sentence_is_shown_once():
    section = [statement("Zolumycin tires."), statement("Zolumycin tires people at night.")]
    assert len(shown("Does zolumycin tire?", section, (0, 2.0), (1, 1.9))) == 1


def test_a_title_is_shown_with_what_it_is_the_title_of():
    section = [
        statement("b) Contacts of others", statement_kind="item"),
        statement("Zolumycin is not for them.").model_copy(update={"block": 1}),
        statement("c) Elderly", statement_kind="item").model_copy(update={"block": 2}),
    ]
    found = shown("zolumycin for contacts?", section, (0, 2.0), (1, 1.9), (2, 1.0))
    assert found == ["b) Contacts of others Zolumycin is not for them.", "c) Elderly"]


def test_the_next_item_of_a_labels_highlights_stays_out():
    section = [
        statement("Zolumycin is not for the blood."),
        statement("( 5.1 ) Reactions of the skin were seen."),
    ]
    assert shown("zolumycin in the blood", section, (0, 2.0)) == [section[0].said]


def test_a_label_of_several_words_begins_another_matter():
    section = [
        statement("The lower dose of zolumycin is 75 mg/kg daily."),
        statement("Prophylaxis in Adults: The dose of zolumycin is 1 tablet daily."),
        statement("Prophylaxis Adults: The dose of zolumycin is 1 tablet daily."),
    ]
    assert shown("Dose of zolumycin?", section, (2, 2.0), (1, 1.9), (0, 1.9))[0] == section[2].said


@pytest.mark.parametrize(("asked", "count"), [("What do we do?", 2), ("Is it red?", 1)])
def test_more_steps_are_shown_where_it_is_asked_what_to_do(asked: str, count: int):
    steps = [f"Stop zolumycin {'at once ' * 20}.", f"Put ice on the arm {'for long ' * 20}."]
    (one,) = shown(f"Zolumycin leaked into the arm. {asked}", [*map(statement, steps)], (0, 2.0))
    assert one == " ".join(steps[:count])


@pytest.mark.parametrize("opening", ["Otherwise", "If not,"])
def test_the_other_branch_of_what_is_to_be_done_is_always_shown(opening: str):
    section = [
        statement("Take a forgotten dose of zolumycin within six hours."),
        statement(f"{opening} children wait for the next one."),
    ]
    (one,) = shown("Zolumycin forgotten, take it?", section, (0, 2.0))
    assert one == " ".join(part.said for part in section)


def test_how_something_is_prepared_is_shown_with_its_later_steps():
    section = [statement(s) for s in ("Draw up zolumycin with water.", f"Shake it {'well ' * 70}.")]
    (one,) = shown("How do I prepare zolumycin?", section, (0, 2.0))
    assert one == " ".join(part.said for part in section)
    (short,) = shown("Is zolumycin drawn up with water?", section, (0, 2.0))
    assert short == section[0].said


def test_what_takes_the_place_of_a_stopped_drug_is_shown_with_it():
    section = [
        statement("With rifampin, zolumycin should be stopped."),
        statement("In children zolumycin should be substituted with velotrib."),
    ]
    (one,) = shown("Zolumycin with rifampin?", section, (0, 2.0))
    assert one.endswith("substituted with velotrib.")
    section[1] = statement("In children isoniazid should be substituted with velotrib.")
    assert shown("Zolumycin with rifampin?", section, (0, 2.0)) == [section[0].said]


def test_a_sentence_that_refers_to_the_one_before_it_brings_it():
    section = [
        statement(said)
        for said in ("Hepatitis B came back.", "Some cases ended in death.", "Watch the liver.")
    ]
    sources = sources_of(section, DRUGS)
    found = [
        with_antecedent(RankedStatement(one, "guideline", 1.0, 1.0), sources).statement.said
        for one in section
    ]
    assert found[1:] == ["Hepatitis B came back. Some cases ended in death.", "Watch the liver."]


def test_what_to_do_after_a_missed_dose_is_shown_whole():
    section = [
        statement("If a dose of zolumycin is missed, take it as soon as possible."),
        statement("Do not double the next one."),
    ]
    whole = (
        "If a dose of zolumycin is missed, take it as soon as possible. Do not double the next one."
    )
    assert shown("Missed a dose of zolumycin: what now?", section, (0, 5.0)) == [whole]


@pytest.mark.parametrize(
    ("before", "joins"),
    [
        ("A hernia delays the catheter.", True),
        ("A hernia is rare.", False),
    ],
)
def test_what_comes_before_is_joined_where_it_says_more_of_the_same(before: str, joins: bool):
    """Also where it gives no dose; what shares no word with the first answers something else."""
    section = [statement(before), statement("After the catheter is out, take 5 mg of zolumycin.")]
    asked = "Catheter after a hernia: when to pull it, and which dose of zolumycin?"
    (one,) = shown(asked, section, (1, 2.0))
    assert one == (" ".join(part.said for part in section) if joins else section[1].said)


def test_a_sentence_that_says_more_of_the_question_may_be_longer():
    words = "word " * 55
    section = [statement(f"Zolumycin {words}tires."), statement(f"The skin {'dries ' * 20}up.")]
    assert shown("Does zolumycin tire?", section, (0, 2.0)) == [section[0].said]
    (one,) = shown("Does zolumycin tire, and the skin?", section, (0, 2.0))
    assert one == " ".join(part.said for part in section)


def test_kinds_that_a_sentence_announces_are_shown_with_it():
    said = (
        "Zolumycin clears the air.",
        "This takes two types of air filters.",
        "Coarse filters catch the dust.",
        "Fine filters catch the rest.",
    )
    section = [statement(one) for one in said]
    section[2:] = [one.model_copy(update={"block": 7}) for one in section[2:]]
    assert shown("How does zolumycin clear the air?", section, (0, 2.0)) == [" ".join(said)]
    section[3] = statement("Open a window.").model_copy(update={"block": 7})
    assert shown("How does zolumycin clear the air?", section, (0, 2.0)) == [" ".join(said[:2])]


def test_what_is_then_done_is_shown_with_what_comes_before_it():
    given, kept = "If the child is well, give zolumycin for a week.", "A child may be breastfed."
    then = "The vaccine of the child should then be postponed until zolumycin ends."
    section = [statement(one) for one in (given, kept, then)]
    assert shown("When is the vaccine given?", section, (2, 2.0)) == [f"{given} {kept} {then}"]
    section[1] = statement("Adults may work.")  # what is before it is on others
    assert shown("When is the vaccine given?", section, (2, 2.0)) == [then]


def test_what_is_done_by_what_a_step_shows_is_shown_with_it():
    said = (
        "b. If the smear is positive, look for inhibitors.",
        "1. If inhibitors are seen, send another specimen.",
        "2. If there are no inhibitors, presume another infection.",
        "c. If the smear is negative, wait.",
    )
    section = [statement(one, statement_kind="item") for one in said]
    (one,) = shown("Smear positive. What next?", section, (0, 2.0))
    assert one == " ".join(said[:3])
    (alone,) = shown("Is the smear positive?", section, (0, 2.0))
    assert alone == said[0]


def test_orders_that_begin_alike_are_shown_together():
    """What is given before an infusion had ended after the first of two drugs."""
    first, second = (
        f"Pre-medicate with {drug} {'slowly ' * 34}before zolumycin."
        for drug in ("velotrib", "isoniazid")
    )
    other = f"Use {'warm ' * 34}water for zolumycin."
    for after, is_joined in ((second, True), (other, False)):
        section = [statement(first), statement(after)]
        (one,) = shown("Premedication before zolumycin?", section, (0, 2.0))
        assert (after in one) == is_joined
