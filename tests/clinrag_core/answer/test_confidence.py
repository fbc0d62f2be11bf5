"""The confidence signal of several passages is that of the passage that fits best."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from clinrag_core.answer.confidence import confidence, fit

WEIGHTS = {"fever": 2.0, "dose": 1.0, "renal": 3.0}
TEXTS = ("Fever dose", "Renal failure", "A fever dose in renal failure", "Nothing", "")


def _hit(text: str, cosine: float) -> Any:
    chunk = SimpleNamespace(text=text, document_title="", section_path=())
    return SimpleNamespace(chunk=chunk, component_scores={"dense": cosine})


def test_passages_that_cannot_fit_better_change_nothing() -> None:
    hits = [_hit(text, cosine) for text in TEXTS for cosine in (-0.2, 0.1, 0.45, 0.8, 1.3)]
    for first in range(len(hits)):
        some = hits[first::3]
        for dense in (True, False):
            best = max(fit(hit, WEIGHTS, dense=dense) for hit in some)
            assert confidence(some, WEIGHTS, dense=dense) == round(best, 6)


def test_the_best_words_are_found_behind_a_better_cosine() -> None:
    hits = [_hit("Nothing", 0.9), _hit("A fever dose in renal failure", 0.5)]
    assert confidence(hits, WEIGHTS, dense=True) == 0.75


def test_without_passages_there_is_none() -> None:
    assert confidence([], WEIGHTS, dense=True) == 0.0
