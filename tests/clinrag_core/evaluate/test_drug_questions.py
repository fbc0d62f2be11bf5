"""The questions on drugs and pairs of drugs: all of them, or a sample that stays the same."""

from clinrag_core.evaluate.safety import drug_questions

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
