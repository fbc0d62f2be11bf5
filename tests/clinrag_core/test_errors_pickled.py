"""An error of a worker is the same error where it is waited for."""

from __future__ import annotations

import pickle

import pytest

from clinrag_core.errors import (
    BusyError,
    CalibrationError,
    ClinragError,
    MissingInputError,
    ParseError,
)


@pytest.mark.parametrize(
    "error",
    [
        MissingInputError("partitions/label/a/acquired.json", "label_files"),
        ParseError("has no pages", code="empty", file="a.pdf", place="page 1"),
        CalibrationError("another encoder", code="other"),
        BusyError("later", retry_after=3),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_being_pickled(error: ClinragError):
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - what was pickled here
    assert type(copy) is type(error)
    assert (str(copy), copy.args, vars(copy)) == (str(error), error.args, vars(error))
