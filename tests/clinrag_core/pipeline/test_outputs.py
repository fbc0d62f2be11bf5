"""Stored outputs: made once per state of their inputs, never combined across states."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.errors import MissingInputError, StaleInputError
from clinrag_core.pipeline.outputs import Output


class Counter:
    """Counts how often a stage computed its value."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> dict[str, int]:
        self.made += 1
        return {"made": self.made}


@pytest.fixture
def output(tmp_path: Path) -> Output[dict[str, int]]:
    return Output(tmp_path, "thresholds", dict[str, int])


def test_an_absent_output_names_its_path_and_its_stage(output):
    with pytest.raises(MissingInputError, match="materialize thresholds first") as error:
        output.read()
    assert (error.value.path, error.value.stage) == ("outputs/thresholds.json", "thresholds")


@pytest.mark.parametrize(
    "damage", ["", "{", '{"key": "x"}', '{"key":"x","lineage":{},"value":[1]}']
)
def test_an_unreadable_output_is_as_good_as_absent_and_is_made_again(output, damage: str):
    output.keep((), 1, Counter())
    output.path.write_text(damage)
    with pytest.raises(MissingInputError, match="cannot be read"):
        output.read()
    again = Counter()
    output.keep((), 1, again)
    assert again.made == 1


def test_an_unchanged_stage_is_not_computed_again(output, tmp_path: Path):
    source = Output(tmp_path, "runs", int)
    source.keep((), 1, lambda: 1)
    count = Counter()
    assert output.keep((source.read(),), "x", count) == output.keep((source.read(),), "x", count)
    assert count.made == 1
    output.keep((source.read(),), "y", count)
    assert count.made == 2
    source.keep((), 2, lambda: 2)
    output.keep((source.read(),), "y", count)
    assert count.made == 3


def test_a_source_made_again_with_the_same_value_changes_nothing(output, tmp_path: Path):
    source = Output(tmp_path, "runs", int)
    source.keep((), 1, lambda: 1)
    count = Counter()
    output.keep((source.read(),), "x", count)
    source.keep((), 2, lambda: 1)
    output.keep((source.read(),), "x", count)
    assert count.made == 1


def test_outputs_of_different_states_are_not_combined(output, tmp_path: Path):
    """Candidates rebuilt by another run must not meet the answers of the earlier ones."""
    source, report = Output(tmp_path, "runs", int), Output(tmp_path, "report", int)
    source.keep((), 1, lambda: 1)
    output.keep((source.read(),), "x", lambda: {"a": 1})
    source.keep((), 2, lambda: 2)
    with pytest.raises(StaleInputError, match="different states of runs"):
        report.keep((source.read(), output.read()), "x", lambda: 0)
    output.keep((source.read(),), "x", lambda: {"a": 1})
    assert report.keep((source.read(), output.read()), "x", lambda: 0) == 0
