"""The overview chart of a report stays short enough to be shown at once, whatever it is given."""

import math
import urllib.parse
from xml.etree import ElementTree as ET

import pytest

from clinrag_core.evaluate.bar_chart import Bar, bar_chart


def test_six_bars_with_long_names_stay_inline():
    """The UI hides Markdown of 1,000 characters and more behind a button."""
    bars = [Bar("guidelines/default/ndcg_at_10", 0.844, 0.794, passed=True)] * 6
    assert len(urllib.parse.quote(bar_chart(bars), safe=" ='/:(),-")) < 920


def test_a_failed_bar_is_drawn_apart():
    chart = bar_chart([Bar("one", 0.5, 0.4, passed=True), Bar("two", 0.1, 0.4, passed=False)])
    green, red = (chart.split(f"fill='{c}' d='")[1].split("'")[0] for c in ("seagreen", "tomato"))
    assert green.startswith("M0 16h")
    assert red.startswith("M0 46h")


@pytest.mark.parametrize("value", [None, math.nan, math.inf, 0.0])
def test_what_was_not_measured_is_said_and_the_chart_stays_sound(value: float | None):
    chart = bar_chart([Bar("a <b> & c", value, None, passed=False)])
    texts = [e.text for e in ET.fromstring(chart).iter() if e.text]  # noqa: S314 - ours
    assert texts == ["a <b> & c 0.000" if value == 0 else "a <b> & c -"]
