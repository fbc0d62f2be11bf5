"""The union of expressions matches where one of them does."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
import re
from pathlib import Path

import pytest

import clinrag_core
from clinrag_core import answer, chunk, facts, index, lexicon, notes, retrieve, text
from clinrag_core.errors import ConfigurationError
from clinrag_core.text.expressions import LazyExpression, any_of, lazy_re

PACKAGES = (answer, chunk, facts, index, lexicon, notes, retrieve, text)

EXPRESSIONS = (re.compile(r"\brenal\b|\bkidney(?:s|\|)?"), re.compile(r"mg/(?:kg|m2)"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("the kidneys", True),
        ("adrenal", False),
        ("akidney", False),
        ("5mg/kg", True),
        ("5 mg", False),
    ],
)
def test_it_matches_where_one_does(given: str, expected: bool) -> None:
    assert any(one.search(given) for one in EXPRESSIONS) is expected
    assert (any_of(EXPRESSIONS).search(given) is not None) is expected


def test_an_expression_is_compiled_when_it_is_first_used() -> None:
    expression = lazy_re(r"(?P<dose>\d+) mg", re.IGNORECASE)
    assert "search" not in vars(expression)
    compiled = re.compile(expression.pattern, re.IGNORECASE)
    doses = "300 MG or 600 mg"
    assert expression.findall(doses) == compiled.findall(doses)
    assert "search" in vars(expression)
    assert expression.sub(r"\g<dose> g", doses) == "300 g or 600 g"
    assert (expression.flags, expression.groups, dict(expression.groupindex)) == (
        compiled.flags,
        compiled.groups,
        dict(compiled.groupindex),
    )


@pytest.mark.parametrize("used", [False, True])
def test_an_expression_can_be_sent_to_another_process(used: bool) -> None:
    expression = lazy_re("mg", re.IGNORECASE)
    assert not used or expression.search("MG")
    sent = pickle.loads(pickle.dumps(expression))  # noqa: S301 - what was pickled here
    for other in (sent, copy.deepcopy(expression)):
        assert other.fullmatch("Mg")


def test_a_malformed_expression_is_named_when_it_is_used() -> None:
    with pytest.raises(ConfigurationError, match=r"\(mg"):
        lazy_re("(mg").search("mg")


def test_every_expression_of_a_module_is_well_formed() -> None:
    """Nothing else compiles those that no question needs."""
    count = 0
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            values = vars(importlib.import_module(found.name)).values()
            for one in (value for value in values if isinstance(value, LazyExpression)):
                assert re.compile(one.pattern).groups == one.groups, found.name
                count += 1
    assert count > 0


def test_no_match_is_asked_for_the_very_expression_that_made_it() -> None:
    """It is of the compiled one: a match of `_PASSIVE` has another `re` than `_PASSIVE`."""
    core = Path(clinrag_core.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in core.rglob("*.py")}
    assert [path.name for path, text in texts.items() if re.search(r"\.re (?:is|==) ", text)] == []


def test_a_service_compiles_all_before_it_is_asked() -> None:
    expression = LazyExpression(r"\bdoses?\b")
    assert "search" not in vars(expression)
    LazyExpression.compile_all()
    assert "search" in vars(expression)
