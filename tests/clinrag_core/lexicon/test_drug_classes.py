"""Classes of drugs as labels name them: by other words, and one within another."""

import pytest

from clinrag_core.lexicon.drugs import class_words, classes_of, members_of, wider_classes


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("ace inhibitor", "angiotensin converting enzyme (ace) inhibitors raise potassium", True),
        ("ace inhibitor", "an ace inhibitor", True),
        ("ace inhibitor", "inhibitors of the enzyme", False),
        ("mao inhibitor", "within 14 days of an maoi", True),
        ("alpha blocker", "with an alpha-blocker or an alpha-adrenergic blocking agent", True),
        ("alpha blocker", "alpha-1 acid glycoprotein", False),
        ("statin", "hmg-coa reductase inhibitors", True),
        ("statin", "nystatin", False),
        ("antidepressant", "other antidepressants", True),
        ("antidepressant", "tricyclic antidepressants", False),
        ("tricyclic antidepressant", "tricyclic antidepressants", True),
        ("ssri antidepressant", "selective serotonin reuptake inhibitors (ssris)", True),
    ],
)
def test_a_class_is_named_by_its_own_words_and_not_by_those_of_a_class_within_it(
    name: str, text: str, named: bool
) -> None:
    assert (class_words(name).search(text) is not None) == named


def test_a_drug_is_of_its_class_and_of_those_that_it_is_within() -> None:
    assert classes_of("sertraline") == {"ssri antidepressant", "antidepressant"}
    assert classes_of("unheard-of") == frozenset()
    assert (classes_of("apomorphine"), classes_of("miconazole")) == (
        {"dopamine agonist"},
        {"antifungal"},
    )
    assert wider_classes("statin") == {"statin"}


def test_the_members_of_a_class_are_those_of_the_classes_within_it_too() -> None:
    assert {"sertraline", "amitriptyline"} <= members_of("antidepressant")
    assert "amitriptyline" not in members_of("ssri antidepressant")
