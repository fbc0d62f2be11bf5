"""The union of expressions matches where one of them does."""

from __future__ import annotations

import re

import pytest

from clinrag_core.text.expressions import any_of

EXPRESSIONS = (re.compile(r"\brenal\b|\bkidney(?:s|\|)?"), re.compile(r"mg/(?:kg|m2)"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the kidneys", True),
        ("adrenal", False),
        ("akidney", False),
        ("5mg/kg", True),
        ("5 mg", False),
    ],
)
def test_it_matches_where_one_does(text: str, expected: bool) -> None:
    assert any(one.search(text) for one in EXPRESSIONS) is expected
    assert (any_of(EXPRESSIONS).search(text) is not None) is expected
