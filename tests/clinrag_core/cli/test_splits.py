"""The evaluation reads the test split only where it is asked for by name."""

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.pipeline import nugget_questions


class AskedError(Exception):
    """Stops the command once the split that it evaluates is known."""


@pytest.mark.parametrize(
    ("options", "split"),
    [
        ([], "dev"),
        (["--split", "dev"], "dev"),
        (["--split", "test"], "test"),
        (["--split", "both"], None),
    ],
)
def test_nuggets_are_those_of_dev_unless_test_is_named(monkeypatch, options, split):
    def evaluate(settings, chosen, progress):
        raise AskedError(chosen)

    monkeypatch.setattr(nugget_questions, "evaluate_nuggets", evaluate)
    done = CliRunner().invoke(app, ["evaluate", "nuggets", *options])
    assert isinstance(done.exception, AskedError)
    assert done.exception.args == (split,)


def test_a_split_that_is_none_is_an_error():
    done = CliRunner().invoke(app, ["evaluate", "nuggets", "--split", "all"])
    assert done.exit_code == 2
    assert "dev, test or both" in done.output
