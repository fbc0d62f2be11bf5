"""Folding of characters and the lookup of benchmark terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.normalise import (
    contains_term,
    fold,
    fold_chars,
    normalise_for_match,
    plain_letters,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Anémie", "anemie"),
        ("β-lactam", "beta-lactam"),
        ("TNF-α", "tnf-alpha"),
        ("5 µg / 5 μmol / μ-opioid", "5 ug / 5 umol / mu-opioid"),
        ("Ⅳ ﬁbrosis", "iv fibrosis"),
        ("≥ 35 kg", ">= 35 kg"),
        ("2½ and ½", "2.5 and 0.5"),
        ("10⁵ and 10⁻³", "10^5 and 10^-3"),
        ("kg/m² at 600 mg²", "kg/m2 at 600 mg 2"),
        ("cured¹²", "cured 12"),
        ("H₂O", "h2o"),
        ("0·5 mg", "0.5 mg"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("“don’t” – it’s", "\"don't\" - it's"),
        ("STRAẞE ŒDEMA Ægis", "strasse oedema aegis"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_fold_chars_keeps_every_position(text: str) -> None:
    assert len(fold_chars(text)) == len(text)


@pytest.mark.parametrize(
    "sign", ["–", "’", "”", "\u00a0", "µ", "×", "`", "\uff21", "\U0001d400", "İ"]
)
def test_a_sign_is_folded_wherever_it_is(sign: str) -> None:
    folded = fold_chars(f"é{sign}")[1]
    assert folded.isascii()
    assert fold_chars(f"{sign} is in a text, Ä{sign}") == f"{folded} is in a text, ä{folded}"


def test_fold_chars_folds_what_quantities_are_written_with() -> None:
    assert fold_chars("10–15\u00a0µG/ML İ") == "10-15 ug/ml i"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("600mg", "600 mg"),
        ("600\u00a0mg", "600 MG"),
        ("600-mg", "600 mg"),
        ("1,200 mg", "1200 mg"),
        ("1,200 patients", "1200 patients"),
        ("5 micrograms/mL", "5 µg / ml"),
        ("10 – 15 mg", "10-15 mg"),
        ("≥ 35 kg", ">=35kg"),
        ("10 mg per kg", "10mg/kg"),
        ("drug\u2011resistant", "Drug-Resistant"),
        ("twice\n daily ", "twice daily"),
        ("6-month", "6 months"),
    ],
)
def test_spellings_of_the_same_thing_match(one: str, other: str) -> None:
    assert normalise_for_match(one) == normalise_for_match(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("6000 mg", "600 mg"), ("0.5 mg", "5 mg"), ("5 mg", "5 mcg"), ("10 mg", "10 mg/kg")],
)
def test_different_doses_stay_different(one: str, other: str) -> None:
    assert normalise_for_match(one) != normalise_for_match(other)
    assert not contains_term(normalise_for_match(one), other)


@given(st.text())
def test_normalise_for_match_is_idempotent(text: str) -> None:
    assert normalise_for_match(normalise_for_match(text)) == normalise_for_match(text)


@pytest.mark.parametrize(
    ("text", "term", "found"),
    [
        ("Give 600mg once daily.", "600 mg", True),
        ("Give 600 mg.", "600mg", True),
        ("Give 6600 mg.", "600 mg", False),
        ("Give 0.600 mg.", "600 mg", False),
        ("Give 10 mg/kg.", "10 mg", False),
        ("Give 10 mg/kg/day.", "10 mg/kg", False),
        ("Give 10 mg/kg.", "10 mg/kg", True),
        ("Give 5 mg of it.", "5", True),
        ("Give 5.5 mg of it.", "5", False),
        ("Give 2,5 of it.", "5", False),
        ("Isoniazid-resistant", "isoniazid", True),
        ("isoniazids", "isoniazid", False),
        ("antituberculosis", "tuberculosis", False),
        ("Treat for 6\u00a0months", "6 months", True),
        ("Treat for 16 months", "6 months", False),
        ("HIV+ (adults)", "hiv+", True),
        ("C++ (x)", "(x)", True),
        ("β-lactam allergy", "beta-lactam", True),
        ("anything", "", False),
        ("", "x", False),
    ],
)
def test_terms_are_found_as_whole_words(text: str, term: str, found: bool) -> None:
    assert contains_term(normalise_for_match(text), term) is found


@given(st.text(alphabet="abc 012.,-/mgk", min_size=1).filter(str.strip))
def test_a_separate_term_is_found(term: str) -> None:
    assert contains_term(normalise_for_match(term), term) or not normalise_for_match(term)


def test_full_width_and_styled_letters_are_plain_at_the_same_positions() -> None:
    wide = "\uff24\uff4f\uff53\uff45\u3000\uff14 \U0001d426\U0001d420, 2\u00bd \u00b5g"
    assert plain_letters(wide) == "Dose 4 mg, 2\u00bd \u00b5g"
    assert fold_chars(wide) == "dose 4 mg, 2\u00bd ug"
    assert len(fold_chars(wide)) == len(wide)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("N\u0435lfin\u0430vir", "Nelfinavir"),
        ("t\u0430bl\u0435ts of 5 mg", "tablets of 5 mg"),
        ("\u0434\u043e\u0437\u0430 isoniazid", "\u0434\u043e\u0437\u0430 isoniazid"),
        ("5 \u03bcg of \u03b2-lactam", "5 \u03bcg of \u03b2-lactam"),
    ],
    ids=["cyrillic", "in-words", "a-whole-word", "signs"],
)
def test_letters_that_look_like_latin_ones_are_read_as_those(written: str, read: str):
    assert plain_letters(written) == read


def test_invisible_characters_of_a_question_are_left_out() -> None:
    assert plain_letters("Vori\u200bcon\u2060azole with rifa\u00adbutin") == (
        "Voriconazole with rifabutin"
    )
