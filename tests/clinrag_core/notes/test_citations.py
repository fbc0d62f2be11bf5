"""Every defect of a citation has its code; no shift inside a chunk passes."""

from __future__ import annotations

import re

import pytest

from clinrag_core.notes.citations import parse_source, source_of
from clinrag_core.notes.item_gates import item_problem

CODES = {
    "no_citation": lambda p: "",
    "bad_format": lambda p: f"{p.title}, {p.chunk} at {p.start}",
    "unknown_chunk": lambda p: source_of(p.title, "chunk_99", p.start, p.end),
    "section_mismatch": lambda p: source_of(p.title.lower(), p.chunk, p.start, p.end),
    "range_out_of_bounds": lambda p: source_of(p.title, p.chunk, p.start, p.end + 9_999),
}


def test_a_source_is_read_back():
    source = source_of("ASSESSMENT: section, PLAN", "chunk_3", 12, 40)
    assert source == "ASSESSMENT: section, PLAN section, chunk_3:12-40"
    assert parse_source(source) == ("ASSESSMENT: section, PLAN", "chunk_3", 12, 40)
    assert parse_source("PLAN section, chunk_3:12–40") is None


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_wrong_place_has_its_code(summary, checker, code: str):
    for _, item in summary.filed():
        place = parse_source(item.source)
        if code == "section_mismatch" and place.title == place.title.lower():
            continue
        assert checker.problem(item.text, CODES[code](place)) == code


def test_no_shifted_range_passes(summary, checker):
    for _, item in summary.filed():
        title, chunk, start, end = parse_source(item.source)
        for shift in (-4, -1, 1, 2, 9):
            shifted = source_of(title, chunk, max(start + shift, 0), end + shift)
            assert checker.problem(item.text, shifted) in (
                "range_not_a_unit",
                "range_out_of_bounds",
            )


def test_another_sentence_of_the_chunk_does_not_pass(summary, checker):
    items = [item for _, item in summary.filed()]
    for item in items:
        for other in items:
            if other.text != item.text:
                assert checker.problem(item.text, other.source) == "wrong_unit"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("allopurinol 300 mg once daily", "number_mismatch"),
        ("Crackles in the left upper zone.", "side_mismatch"),
        ("She reports haemoptysis.", "negation_mismatch"),
        ("ranitidine 5 mg bd", "drug_mismatch"),
        ("gout, previous stroke in 2011, and her father", "owner_mismatch"),
        ("lives now with her husband", "time_mismatch"),
        ("Send three samples", "text_mismatch"),
    ],
    ids=lambda value: value if "_" in value else "",
)
def test_a_changed_text_has_its_code(summary, checker, said: str, code: str):
    words = set(re.findall(r"\w+", said))
    items = [item for _, item in summary.filed()]
    nearest = max(items, key=lambda i: len(words & set(re.findall(r"\w+", i.text))))
    assert checker.problem(said, nearest.source) == code


def test_a_side_that_is_named_again_still_counts():
    cited = "Right knee, left hip, right ankle."
    changed = "Left knee, left hip, right ankle."
    assert item_problem(changed, cited, "exam", (), quoting=True) == "side_mismatch"


def test_a_text_in_other_words_passes_the_item_gates_if_it_says_the_same():
    cited = "No chest pain on the left side, 3 days ago."
    assert item_problem("No left-sided pain in the chest 3 days ago", cited, "history", ()) is None
    assert item_problem("Left chest pain 3 days ago", cited, "history", ()) == "negation_mismatch"
