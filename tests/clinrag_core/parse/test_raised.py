"""Raised runs of text: exponents stay, calls to notes leave the text and are kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.parse.assemble.flow import LOWERED, MARKED, RAISED, raised, unmarked, with_raised
from clinrag_core.parse.assemble.raised import is_note, read, split_notes

SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ", "0123456789+-=()n")


def marked(text: str) -> str:
    """A text in which what is in braces is raised."""
    return re.sub(r"\{(.*?)\}", lambda m: raised(m[1]), text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("0.5 × 10{9}/L", "0.5 × 10⁹/L"),
        ("6.00 × 10 {6} cells", "6.00 × 10⁶ cells"),
        ("1x10{-6 }M", "1x10⁻⁶ M"),
        ("10{-9 }to 1x10{-6}", "10⁻⁹ to 1x10⁻⁶"),
        ("1.73 m{2}", "1.73 m²"),
        ("on a mg/m{ 2} basis", "on a mg/m² basis"),
        ("140 mg/m {2}.", "140 mg/m²."),
        ("< 500 cells/mm{3}).", "< 500 cells/mm³)."),
        ("Change (mm{3})", "Change (mm³)"),
        ("L/hr/m{2} for", "L/hr/m² for"),
        ("CD4{+}", "CD4+"),
        ("Ca{2+} and Ca{++} channels", "Ca2+ and Ca++ channels"),
        ("Cl{-}, and", "Cl-, and"),
        ("25{th}", "25th"),
        ("ELIQUIS{®}", "ELIQUIS®"),
        ("AVONEX{ ®} 30 mcg", "AVONEX® 30 mcg"),
        ("HETERO{TM}", "HETEROTM"),
        ("of {14}C-ponesimod", "of ¹⁴C-ponesimod"),
        ("of [{14}C] SOF", "of [¹⁴C] SOF"),
        ("a {99m}Tc scan and {131}I", "a ⁹⁹mTc scan and ¹³¹I"),
        ("36{o}F to 8{0}C", "36ºF to 8⁰C"),
        ("{whole words set high} here", "whole words set high here"),
        ("1{3}\N{FRACTION SLASH}4 miles", "1¾ miles"),
        ("take {1}/2 tablet", "take ½ tablet"),
        ("2 {1}/4 cups, 1{3}\N{FRACTION SLASH}16 inch", "2 ¼ cups, 1 3\N{FRACTION SLASH}16 inch"),
        ("Fat, {0}\N{FRACTION SLASH}0 kcal", "Fat, % kcal"),
    ],
)
def test_what_belongs_to_a_quantity_or_a_word_stays(text: str, kept: str):
    assert read(marked(text)) == (kept, ())


@pytest.mark.parametrize(
    ("text", "kept", "calls"),
    [
        ("50 mg{b}", "50 mg", [("b", 5)]),
        ("180 weeks{c}", "180 weeks", [("c", 9)]),
        ("0.02{3}", "0.02", [("3", 4)]),
        ("0.02{2}", "0.02", [("2", 4)]),
        ("11,12{a}", "11,12", [("a", 5)]),
        ("↓ 37%{b} (26-46)", "↓ 37% (26-46)", [("b", 5)]),
        ("HUMIRA{a,b}", "HUMIRA", [("a,b", 6)]),
        ("Change{1*}", "Change", [("1*", 6)]),
        ("21%{*}", "21%", [("*", 3)]),
        ("Ketoconazole{‡, †}", "Ketoconazole", [("‡, †", 12)]),
        ("Response {a} (95% CI)", "Response (95% CI)", [("a", 8)]),
        ("(EDSS{3}) score", "(EDSS) score", [("3", 5)]),
        ("Plague {2,3}.", "Plague.", [("2,3", 6)]),
        ("disease.{2,3,19–24} Cohort", "disease. Cohort", [("2,3,19–24", 8)]),
        ("Adverse Reactions{1 }as", "Adverse Reactions as", [("1", 17)]),
        ("QD{a}/pibrentasvir {b}", "QD/pibrentasvir", [("a", 2), ("b", 15)]),
        ("QD{a}for 4 days", "QD for 4 days", [("a", 2)]),
        ("120{1}/80 mmHg", "120/80 mmHg", [("1", 3)]),
    ],
)
def test_calls_leave_the_text_and_are_kept_where_they_were(
    text: str, kept: str, calls: list[tuple[str, int]]
):
    """'0.02' with note 3 must not read 0.023, '50 mg' with note b not '50 mgb'."""
    assert read(marked(text)) == (kept, tuple(calls))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{a} Lower in renal failure.", "a Lower in renal failure."),
        ("{b}Includes rash", "b Includes rash"),
        ("{1} 200 mg daily", "¹ 200 mg daily"),
        ("{3}Denominator used", "³ Denominator used"),
    ],
)
def test_the_label_a_note_begins_with_is_part_of_it(text: str, kept: str):
    """A number as label never joins the number after it: '1 200 mg' is no dose."""
    assert read(marked(text)) == (kept, ())
    assert is_note(marked(text))


def test_a_bare_ten_is_ten_where_its_table_has_such_a_note():
    assert read(marked("10{6}")) == ("10⁶", ())
    assert read(marked("10{2}"), {"2"}) == ("10", (("2", 2),))
    assert read(marked("5 × 10{2}"), {"2"}) == ("5 × 10²", ())
    assert read(marked("10{2}/L"), {"2"}) == ("10²/L", ())


def test_line_breaks_of_the_file_before_a_raised_run_are_not_printed():
    assert unmarked(with_raised("mg/m\n    ", "2")) == "mg/m2"
    assert unmarked(with_raised("CD19\n    ", "+")) == "CD19+"
    assert unmarked(with_raised("bleeding.\n    ", "†")) == "bleeding.\n    †"
    assert unmarked(with_raised("given\n    ", "Note")) == "given\n    Note"
    assert unmarked(with_raised("of\n   ", "14")) == "of\n   14"


def test_a_label_behind_a_full_stop_heads_what_follows_it():
    """'... 70 points. * p<0.001': without its sign the p-value belongs to no row."""
    assert read(marked("of 70 points. {*} p<0.001 {**} p<0.01")) == (
        "of 70 points. * p<0.001 p<0.01",
        (("**", 23),),
    )
    assert read(marked("infants. {(1)} See below")) == ("infants. See below", (("(1)", 8),))


def test_notes_are_parted_at_their_labels():
    text = marked("All analyses. {a}Defined as rate 10{b}. {b} mean (mg/m {2}) {c} p<0.05")
    assert [read(note)[0] for note in split_notes(text)] == [
        "All analyses.",
        "a Defined as rate 10.",
        "b mean (mg/m²)",
        "c p<0.05",
    ]


def test_a_long_raised_text_is_printed_as_it_is():
    assert read(marked("{Note: on 100 patients}")) == ("Note: on 100 patients", ())
    assert read(marked("{©}TG 2024")) == ("©TG 2024", ())


@given(
    st.lists(
        st.tuples(st.text(alphabet="ab10m/ .,(x×", max_size=8), st.text("12ab*+-, ", max_size=4))
    )
)
def test_text_and_calls_together_are_every_character_once(parts: list[tuple[str, str]]):
    source = "".join(plain + raised(run) for plain, run in parts)
    text, calls = read(source)
    source = MARKED.sub(lambda m: m[0] if re.search(r"[^ ,]", m[1]) else "", source)
    for label, at in reversed(calls):
        text = text[:at] + label + text[at:]
    strip = re.compile(r"\s+")
    assert strip.sub("", text.translate(SUPERSCRIPTS)) == strip.sub("", unmarked(source))


def test_marks_without_partner_do_no_harm():
    assert read(f"a{RAISED}b") == ("ab", ())
    assert read(f"a{LOWERED}b") == ("ab", ())


@pytest.mark.timeout(60)
def test_a_long_raised_run_takes_no_time():
    read("x" + raised("1" * 100_000 + "!") + "y")
