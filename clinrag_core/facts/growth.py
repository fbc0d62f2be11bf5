"""What children of an age weigh."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from clinrag_core.facts.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

_AGES = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0)
_LOWEST = (
    2.0,
    5.0,
    6.5,
    8.5,
    10.0,
    11.5,
    13.0,
    14.0,
    15.5,
    17.0,
    18.5,
    20.0,
    22.0,
    24.0,
    27.0,
    30.0,
)
_HIGHEST = (8.5, 12.0, 15.0, 19.0, 22.0, 26.0, 30.0, 35.0, 41.0, 48.0, 55.0, 63.0, 71.0, 79.0, 87.0)
_USUAL = (
    3.3,
    7.6,
    9.6,
    12.5,
    14.5,
    16.5,
    18.5,
    20.7,
    23.0,
    25.5,
    28.5,
    32.0,
    36.0,
    41.0,
    46.0,
    51.0,
)
"""Years; the kilograms between which nearly all children weigh from each age to the next; and the
median at each age, of boys and girls together.

The first two are the 3rd and 97th percentiles of the WHO child growth standards and of the CDC
growth charts of 2000, moved apart by about a tenth for thin and heavy children; from 14 years there
is no upper end.
"""


def plausible_weight(ages: Sequence[Interval]) -> Interval | None:
    """Return the kilograms that children of some ages in years may weigh; None where any may.

    Ages are a point ("a 10-year-old") or a range; the range of all children tells no weight.
    """
    if len(ages) != 1 or ages[0].high > _AGES[-1] + 1 or ages[0].high - ages[0].low > 1:
        return None
    first, last = (bisect_right(_AGES, age) - 1 for age in (ages[0].low, ages[0].high))
    if last >= len(_HIGHEST):
        return Interval(0, 0, "weight", _LOWEST[first], float("inf"), True, False)
    return Interval(0, 0, "weight", _LOWEST[first], _HIGHEST[last], True, True)


def usual_weight(ages: Sequence[Interval]) -> float | None:
    """Return the median weight in kilograms of children of an age; None as for plausible ones."""
    if plausible_weight(ages) is None:
        return None
    return _USUAL[bisect_right(_AGES, ages[0].low) - 1]
