"""Derivations of one word share a root; unrelated words do not."""

import pytest

from clinrag_core.text.families import word_root


@pytest.mark.parametrize(
    "family",
    [
        "inhibit inhibits inhibitor inhibitory inhibition inhibiting",
        "resistance resistant resist",
        "toxic toxicity toxicities",
        "infection infectious infective infect",
        "allergy allergic allergies",
        "pregnant pregnancy",
        "metabolism metabolic metabolise",
    ],
)
def test_derivations_share_a_root(family):
    assert len({word_root(word) for word in family.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rifampin", "rifapentine"),
        ("elephant", "elephantiasis"),
        ("tedizolid", "linezolid"),
        ("cancer", "candida"),
        ("gene", "general"),
    ],
)
def test_unrelated_words_do_not(one, other):
    assert word_root(one) != word_root(other)
