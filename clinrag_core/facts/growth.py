"""What children of an age weigh."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Growth(NamedTuple):
    """Kilograms of children from an age in years to the next one of the chart."""

    age: float
    lightest: float
    median: float
    heaviest: float


_CHART = tuple(
    _Growth(*row)
    for row in (
        (0.0, 2.0, 3.3, 8.5),
        (0.5, 5.0, 7.6, 12.0),
        (1.0, 6.5, 9.6, 15.0),
        (2.0, 8.5, 12.5, 19.0),
        (3.0, 10.0, 14.5, 22.0),
        (4.0, 11.5, 16.5, 26.0),
        (5.0, 13.0, 18.5, 30.0),
        (6.0, 14.0, 20.7, 35.0),
        (7.0, 15.5, 23.0, 41.0),
        (8.0, 17.0, 25.5, 48.0),
        (9.0, 18.5, 28.5, 55.0),
        (10.0, 20.0, 32.0, 63.0),
        (11.0, 22.0, 36.0, 71.0),
        (12.0, 24.0, 41.0, 79.0),
        (13.0, 27.0, 46.0, 87.0),
        (14.0, 30.0, 51.0, math.inf),
    )
)
"""The 3rd and 97th percentiles of the WHO child growth standards and of the CDC growth charts of
2000, moved apart by about a tenth for thin and heavy children and rounded by hand; and the median
at each age, of boys and girls together.
"""
_LAST = 15.0
"""Years up to which an age tells a weight."""


def plausible_weight(ages: Sequence[Interval]) -> Interval | None:
    """Return the kilograms that children of one age in years may weigh; None where any may.

    A range of more than a year, such as that of all children, tells no weight.
    """
    if len(ages) != 1 or ages[0].high > _LAST or ages[0].high - ages[0].low > 1:
        return None
    oldest = ages[0].high if ages[0].with_high else math.nextafter(ages[0].high, 0.0)
    heaviest = _at(oldest).heaviest
    return Interval(
        0, 0, "weight", _at(ages[0].low).lightest, heaviest, True, not math.isinf(heaviest)
    )


def usual_weight(ages: Sequence[Interval]) -> float | None:
    """Return the median weight in kilograms of children of an age; None as for plausible ones."""
    return None if plausible_weight(ages) is None else _at(ages[0].low).median


def _at(age: float) -> _Growth:
    return _CHART[bisect_right(_CHART, age, key=lambda row: row.age) - 1]
