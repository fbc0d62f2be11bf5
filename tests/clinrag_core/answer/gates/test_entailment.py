"""The optional entailment gate on tiny random classifiers: it decides, or it does not pass."""

from __future__ import annotations

import json
from pathlib import Path

from clinrag_core.answer.gates.entailment import EntailmentGate
from clinrag_core.answer.gates.runner import run_gates


def test_a_classifier_decides_by_its_probability(context, tiny_two_label_reranker: Path):
    claim = context("Take 300 mg daily.", "Take 300 mg daily.")
    (low,) = run_gates([EntailmentGate(str(tiny_two_label_reranker), 0.0)], claim)
    (high,) = run_gates([EntailmentGate(str(tiny_two_label_reranker), 1.01)], claim)
    assert low.passed
    assert (high.passed, high.code) == (False, "not_entailed")
    assert low.value == high.value
    assert 0 <= low.value <= 1


def test_missing_weights_and_unreadable_labels_never_pass(
    context, tiny_two_label_reranker: Path, tmp_path: Path
):
    import shutil

    claim = context("Take 300 mg daily.", "Take 300 mg daily.")
    (missing,) = run_gates([EntailmentGate(str(tmp_path / "none"), 0.0)], claim)
    assert (missing.passed, missing.code) == (False, "gate_error")
    odd = tmp_path / "odd"
    shutil.copytree(tiny_two_label_reranker, odd)
    config = json.loads((odd / "config.json").read_text())
    config["id2label"] = {"0": "cat", "1": "dog"}
    (odd / "config.json").write_text(json.dumps(config))
    (unreadable,) = run_gates([EntailmentGate(str(odd), 0.0)], claim)
    assert (unreadable.passed, unreadable.code) == (False, "gate_error")
