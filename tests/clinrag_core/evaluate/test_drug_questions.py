"""The questions on drugs and pairs of drugs: all of them, or a sample that stays the same."""

from collections.abc import Sequence
from types import SimpleNamespace

from clinrag_core.evaluate.drug_pairs import (
    DRUGS_AT_ONCE,
    DrugAnswer,
    DrugQuestion,
    drug_questions,
    measure_drug_pairs,
)

DRUGS = ["zolumycin", "velotrib", "isoniazid", "rifampin", "ethambutol"]


def test_every_drug_and_every_pair_is_asked_about():
    asked = drug_questions(DRUGS)
    assert len(asked) == 2 * 5 + 10
    assert all(all(drug in text for drug in drugs) for drugs, text in asked)
    assert len({text for _, text in asked}) == len(asked)
    assert drug_questions(DRUGS, len(asked)) == asked


def test_a_sample_is_the_same_each_time_and_changes_little_with_another_drug():
    some = drug_questions(DRUGS, 8)
    assert len(some) == 8
    assert some == drug_questions(reversed(DRUGS), 8)
    assert set(some) < set(drug_questions(DRUGS))
    assert {len(drugs) for drugs, _ in some} == {1, 2}
    more = drug_questions([*DRUGS, "linezolid"], 8)
    known = {(drugs, text) for drugs, text in more if "linezolid" not in drugs}
    assert known <= set(some)


def test_each_group_of_questions_needs_few_labels_and_the_answers_come_in_order():
    names = [f"drug{number:02}" for number in range(20)]
    groups: list[Sequence[DrugQuestion]] = []

    def spread(work, batches):
        groups.extend(batches)
        return ([DrugAnswer(one.text, 1) for one in batch] for batch in batches)

    engine = SimpleNamespace(drugs=SimpleNamespace(labelled=frozenset(names)))
    pairs, answers = measure_drug_pairs(engine, spread=spread)
    assert all(
        len({name for one in g for name in one.targets}) <= 2 * DRUGS_AT_ONCE for g in groups
    )
    assert len(groups) < len(names)
    assert answers == list(pairs.wrong_in) == [one.text for one in drug_questions(names)]
