"""What an evaluation is known by: whatever changes its numbers changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.evaluate import evaluation
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.evaluation import evaluation_fingerprint
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    import pytest


def test_answers_of_other_code_are_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings()
    benchmark = load_benchmark(settings.benchmark)

    def now() -> str:
        return evaluation_fingerprint(
            {"kb": "1"}, benchmark, settings.retrieval, settings.answer, settings.multistage
        )

    before = now()
    assert before == now()
    monkeypatch.setattr(evaluation, "answering_code", lambda: "other code")
    assert before != now()
