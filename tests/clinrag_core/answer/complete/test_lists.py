"""Items of one list are shown together, as far as they fit the question."""

from __future__ import annotations

from clinrag_core.answer.complete.lists import (
    after_what_they_refer_to,
    join_lists,
    list_around,
)
from clinrag_core.answer.sources import RankedStatement
from tests.fakes.statements import statement

STOP = "Stop zolumycin if:"


def item(own: str, lead_in: str = STOP):
    made = statement(f"{lead_in} {own}", statement_kind="item")
    return made.model_copy(update={"text": f"• {own}"})


def ranked(one, score: float = 1.0) -> RankedStatement:
    return RankedStatement(one, "guidelines", score, score)


def joined(chosen, section, fits=lambda _: True, *, asks_stop=False) -> list[RankedStatement]:
    def siblings(one):
        return list_around(section, section.index(one.statement))

    return join_lists(chosen, siblings, fits, asks_stop=asks_stop)


def test_one_item_brings_the_others_of_its_list_in_their_order():
    first, second, other = item("the rash spreads"), item("vision fails"), item("in summer", "Go:")
    section = [statement("Before."), first, second, other]
    (one,) = joined([ranked(second, 0.9), ranked(first, 0.5)], section)
    assert one.statement.said == "Stop zolumycin if: the rash spreads; vision fails"
    assert one.score == 0.9
    assert one.statement.quotes == (*first.quotes, *second.quotes)
    assert one.statement.id not in {first.id, second.id}


def test_an_item_that_does_not_fit_the_question_stays_out():
    section = [item("600 mg in adults"), item("10 mg/kg in children"), item("300 mg in dialysis")]
    (one,) = joined([ranked(section[0])], section, lambda s: "children" not in s.said)
    assert "children" not in one.statement.said
    assert "dialysis" in one.statement.said


def test_all_that_calls_for_stopping_is_shown_where_that_is_asked():
    section = [item("ALT is 5 times the limit"), item("ALT is 8 times the limit")]
    first, *_ = section
    for asks_stop, shown in ((True, 2), (False, 1)):
        (one,) = joined([ranked(first)], section, lambda s: s is first, asks_stop=asks_stop)
        assert one.statement.said.count("limit") == shown
    other = [item("rice", "Take with:"), item("tea", "Take with:")]
    (one,) = joined([ranked(other[0])], other, lambda s: s is other[0], asks_stop=True)
    assert one.statement == other[0]


def test_a_long_list_stays_in_items():
    section = [item(" ".join(["word"] * 30)) for _ in range(4)]
    assert [one.statement for one in joined([ranked(section[1])], section)] == [section[1]]


def test_sentences_and_single_items_are_left_as_they_are():
    section = [statement("A sentence."), item("alone"), statement("Another.")]
    chosen = [ranked(one) for one in section]
    assert joined(chosen, section) == chosen


def test_of_a_list_that_is_counted_no_item_is_left_out():
    lead_in = "Zolumycin is halved with at least two of the following:"
    section = [item("age of 80 years", lead_in), item("weight of 60 kg", lead_in)]
    (one,) = joined([ranked(section[0])], section, lambda s: "weight" not in s.said)
    assert "weight of 60 kg" in one.statement.said


def test_where_who_is_asked_all_who_are_meant_are_named():
    lead_in = "Blood is tested in patients with any of the following factors:"
    section = [item("liver disease", lead_in), item("pregnancy", lead_in), item("HIV", lead_in)]
    siblings = list_around(section, 0)
    (one,) = join_lists(
        [ranked(section[0])], lambda _: siblings, lambda s: "HIV" not in s.said, asks_who=True
    )
    assert one.statement.said == f"{lead_in} liver disease; pregnancy; HIV"


def test_of_a_regimen_no_drug_is_left_out():
    lead_in = "The standard regimen for skin tuberculosis is:"
    section = [item("zolumycin 100 mg", lead_in), item("velotrib 50 mg", lead_in)]
    (one,) = joined([ranked(section[0])], section, lambda s: "velotrib" not in s.said)
    assert one.statement.said == f"{lead_in} zolumycin 100 mg; velotrib 50 mg"


def test_what_refers_to_the_list_above_comes_right_after_it():
    texts = ("Elsewhere.", "5 mm if the child is ill.", "10 mm in all but the above listed.")
    other, five, ten = (
        ranked(statement(said).model_copy(update={"order": n})) for n, said in enumerate(texts)
    )
    assert after_what_they_refer_to([ten, other, five]) == [other, five, ten]
    assert after_what_they_refer_to([five, ten, other]) == [five, ten, other]
    assert after_what_they_refer_to([five, other]) == [five, other]


def test_steps_of_a_course_are_shown_together():
    """A schedule without its second dose is another one."""
    said = ("First dose: 15 mg", "Second dose: 45 mg after two weeks", "Subsequent doses: 45 mg")
    steps = [statement(one, statement_kind="item") for one in (*said, "With food: see above")]
    (one,) = joined([ranked(steps[2]), ranked(steps[0])], steps)
    assert one.statement.said == "; ".join(said)


def test_who_must_not_have_a_drug_is_listed_whole_where_nobody_is_asked_about():
    """Two of four who must not have a regimen had been shown as if they were all."""
    lead_in = "Zolumycin is not recommended for:"
    section = [item("children", lead_in), item("pregnant women", lead_in)]
    for is_for_anyone, shown in ((True, 2), (False, 1)):
        (one,) = join_lists(
            [ranked(section[0])],
            lambda _: section,
            lambda s: s is section[0],
            is_for_anyone=is_for_anyone,
        )
        assert ("pregnant" in one.statement.said) == (shown == len(section))
