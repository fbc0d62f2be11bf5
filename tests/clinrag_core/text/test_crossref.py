"""Cross references are found, and nothing that states something is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.crossref import cross_reference_spans


def without(text: str) -> str:
    for start, end in reversed(cross_reference_spans(text)):
        text = text[:start] + text[end:]
    return text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("QT prolongation [see Warnings and Precautions (5.1)].", "QT prolongation."),
        ("Rash [ see Adverse Reactions (6.1) and Use (8.4) ] .", "Rash ."),
        ("Reduce it (see DOSAGE AND ADMINISTRATION).", "Reduce it."),
        ("Avoid (See Drug Interactions (7.1), Warnings (5.2)).", "Avoid."),
        ("Hepatotoxicity may occur. (5.1, 8.1)", "Hepatotoxicity may occur."),
        ("Monitor hearing ( 5.2 and 5.3 ).", "Monitor hearing."),
        ("Line one [see\nBoxed Warning].", "Line one."),
    ],
)
def test_references_are_found(text, left):
    assert without(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Take 300 mg (5 mg/kg) daily.",
        "The mean was 2.3 (1.5) and 40% (5.1).",
        "Headache\t12 (5.1)\nrash (5.1)\t3",
        "Reduce the dose (see Table 2; not over 600 mg).",
        "[see Dosage: 4 mg once weekly]",
        "A score (10) and (2024) and (18.1).",
        "oversee [seeds] (seen often)",
    ],
)
def test_statements_are_kept(text):
    assert without(text) == text


@given(st.text(alphabet="[]()see 5.1,ab\n\t", max_size=80))
def test_spans_are_ordered_and_inside(text):
    last = 0
    for start, end in cross_reference_spans(text):
        assert last <= start < end <= len(text)
        last = end
