"""Quantities: golden cases, and differences that a dose gate must see."""

import tomllib
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.facts.quantities import Quantity, quantities

GOLDEN = Path(__file__).with_name("golden_quantities.toml")
CASES = tomllib.loads(GOLDEN.read_text(encoding="utf-8"))["case"]
fragments = st.lists(
    st.one_of(
        st.sampled_from([str(case["text"]) for case in CASES]),
        st.text(alphabet="0123456789.,-–/^() ½²⁵·mgkdayhq<≥%µ\n", max_size=12),
        st.text(max_size=5),
    ),
    max_size=6,
).map(" ".join)


def written(quantity: Quantity) -> str:
    values = "..".join(str(value) for value in quantity.values)
    unit = "/".join((quantity.unit, *quantity.per))
    return f"{quantity.comparator}{values} {unit} {quantity.kind}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:40])
def test_golden(case: dict[str, object]) -> None:
    text = str(case["text"])
    assert [[text[q.start : q.end], written(q)] for q in quantities(text)] == case["found"]


@given(fragments)
def test_spans_lie_in_the_text_in_order_and_values_ascend(text: str) -> None:
    found = quantities(text)
    for quantity in found:
        assert 0 <= quantity.start < quantity.end <= len(text)
        assert text[quantity.start : quantity.end].strip() == text[quantity.start : quantity.end]
        assert 1 <= len(quantity.values) <= 2
        assert list(quantity.values) == sorted(set(quantity.values))
    assert [q.start for q in found] == sorted(q.start for q in found)


@given(st.integers(1, 10_000), st.sampled_from(["mg", "mL", "days", "mg/kg", "%", "tablets"]))
def test_any_number_with_a_unit_is_read(value: int, unit: str) -> None:
    for text in (f"{value} {unit}", f"{value}{unit}", f"{value:,} {unit}", f"{value}.0 {unit}"):
        (quantity,) = quantities(f"Give {text} now.")
        assert quantity.values == (Decimal(value),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 g", "1000 mg"),
        ("0.6 g", "600 mg"),
        ("500 mcg", "0.5 mg"),
        ("1 L", "1000 mL"),
        ("7 days", "1 week"),
        ("24 hours", "1 day"),
        ("12 months", "1 year"),
        ("every 8 hours", "three times a day"),
        ("q12h", "twice daily"),
        ("b.i.d.", "2 times daily"),
        ("2-monthly", "every 2 months"),
        ("the every-2-month schedule", "every 2 months"),
        ("six-monthly", "every six months"),
        ("five mg", "5 mg"),
    ],
)
def test_equal_quantities_have_equal_keys(one: str, other: str) -> None:
    (left,), (right,) = quantities(one), quantities(other)
    assert left.key == right.key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("600 mg", "6000 mg"),
        ("600 mg", "600 g"),
        ("600 mg", "600 mcg"),
        ("10 mg", "10 mg/kg"),
        ("10 mg/kg", "10 mg/kg/day"),
        ("0.5 mg", "5 mg"),
        ("once daily", "once weekly"),
        ("once daily", "twice daily"),
        ("6 months", "6 weeks"),
        ("6 months", "9 months"),
        ("10-15 mg", "10-20 mg"),
        ("250 mg/5 mL", "250 mg/mL"),
        ("5 days per week", "5 days"),
    ],
)
def test_quantities_a_patient_would_notice_have_different_keys(one: str, other: str) -> None:
    assert [q.key for q in quantities(one)] != [q.key for q in quantities(other)]
    assert quantities(one)
    assert quantities(other)


def test_time_grows_linearly() -> None:
    assert len(quantities("5 mg twice daily, " * 5_000)) == 10_000
    assert quantities("5 / " * 20_000) == []
