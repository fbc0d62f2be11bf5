"""The clinical tokeniser: golden cases and the invariants retrieval rests on."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.tokens import NEGATIONS, STOP_WORDS, tokenize

GOLDEN = Path(__file__).with_name("golden_tokens.toml")
CASES = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))["case"]
VARIANTS = [(other, case["tokens"]) for case in CASES for other in case.get("same", [])]

PLAIN = sorted(
    {
        token
        for case in CASES
        for token in case["tokens"]
        if len(token) > 1 and token.isalpha() and token.isascii()
    }
)
plain = st.lists(st.sampled_from(PLAIN), max_size=10).map(" ".join)
clinical = st.lists(
    st.sampled_from([str(case["text"]) for case in CASES]), min_size=1, max_size=6
).map(" . ".join)
# a section number loses its last zero when tokens put a unit next to it
without_sections = clinical.filter(lambda text: "section" not in text)
western = st.text(
    alphabet=st.characters(max_codepoint=0x17F, exclude_categories=("Cc", "Cf"))
    | st.sampled_from("αβγμωµ≥≤–—’\u00a0\u202f½²⁵ﬁ")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["text"])[:40])
def test_golden(case: dict[str, object]) -> None:
    assert tokenize(str(case["text"])) == case["tokens"]


@pytest.mark.parametrize(("text", "expected"), VARIANTS)
def test_other_ways_of_writing_give_the_same_tokens(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


def test_golden_file_is_not_thinned_out() -> None:
    assert len(CASES) >= 80


def test_stop_words_leave_out_everything_that_turns_a_recommendation_around() -> None:
    kept = (
        "no not nor never none neither without less more than least most above below before after"
    )
    modals = "should may must can or if only until unless except who"
    assert not STOP_WORDS & (set(kept.split()) | set(modals.split()) | NEGATIONS)


@pytest.mark.parametrize("negation", sorted(NEGATIONS))
def test_every_negation_survives(negation: str) -> None:
    assert tokenize(f"is {negation} recommended") != tokenize("is recommended")


def test_doses_of_other_size_or_unit_share_no_quantity() -> None:
    quantities = [
        {token for token in tokenize(text) if "_" in token}
        for text in ("600 mg", "6000 mg", "60 mg", "600 g", "600 mcg", "600 mg/kg", "6.00 mg")
    ]
    for i, one in enumerate(quantities):
        assert one
        assert all(one.isdisjoint(other) for other in quantities[i + 1 :])


@given(st.text())
def test_any_text_gives_clean_tokens(text: str) -> None:
    for token in tokenize(text):
        assert token
        assert token == "".join(token.split())
        assert token not in {"the", "of", "is"}


@given(western)
def test_case_does_not_matter(text: str) -> None:
    assert tokenize(text.upper()) == tokenize(text)


@given(clinical)
def test_case_does_not_matter_in_clinical_text(text: str) -> None:
    assert tokenize(text.lower()) == tokenize(text) == tokenize(text.upper())


@given(western)
def test_a_no_break_space_is_a_space(text: str) -> None:
    assert tokenize(text.replace(" ", "\u00a0")) == tokenize(text)


@given(without_sections)
def test_tokens_are_found_again_in_their_own_text(text: str) -> None:
    """A query built from a passage's tokens must hit that passage with all of them."""
    tokens = tokenize(text)
    assert set(tokens) <= set(tokenize(" ".join(tokens)))


@given(plain)
def test_tokens_of_plain_words_are_stable(text: str) -> None:
    once = tokenize(text)
    assert tokenize(" ".join(once)) == once


@given(clinical, clinical)
def test_sentences_are_independent(first: str, second: str) -> None:
    assert tokenize(first + " . " + second) == tokenize(first) + tokenize(second)
