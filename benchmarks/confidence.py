#!/usr/bin/env python3
"""How well signals separate questions to answer from questions to refuse (ADR 0007, 0008).

For the dev split and the candidates of a profile: the number of questions that each stage refuses
before a signal is computed, and the area under the ROC curve of cosine, word coverage and their
mean for the other questions.

    CLINRAG_HOME=.clinrag python benchmarks/confidence.py --profile sample
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from clinrag_core.answer.confidence import coverage, question_weights
from clinrag_core.pipeline.candidates import answer_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings

CANDIDATES = 40
"""Passages whose best signal counts."""


def auc(positive: list[float], negative: list[float]) -> float:
    """Return the probability that a positive scores above a negative; ties count half."""
    pairs = np.subtract.outer(positive, negative)
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


def main() -> None:
    """Print the refusals of each stage and the areas under the curves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    args = parser.parse_args()
    pipeline = Pipeline(load_settings(args.profile))
    judgements = pipeline.retrieval_runs.read().value.judgements
    unjudged = {*judgements.unjudged, *judgements.answerable}
    dev = [
        q
        for q in pipeline.benchmark.read().value.questions
        if q.split == "dev" and q.id not in unjudged
    ]
    answers = {a.question_id: a for a in pipeline.benchmark_answers.read().value.answers}
    engine = answer_engine(pipeline, read_candidates(pipeline), pipeline.thresholds.read().value)
    stages = Counter((q.expect, answers[q.id].reason or "answered") for q in dev)
    for (expect, reason), count in sorted(stages.items()):
        print(f"  to {expect:7} {reason:22} {count}")
    signals: dict[str, dict[str, list[float]]] = {}
    for question in dev:
        if not engine.signals(question.text, ("bm25", "dense")):
            continue
        hits = engine.search.search(SearchRequest(query=question.text, top_k=CANDIDATES)).results
        weights = question_weights(
            engine.search.analyse(SearchRequest(query=question.text)).tokens, engine.idf
        )
        scored = [(h.component_scores.get("dense", 0.0), coverage(h.chunk, weights)) for h in hits]
        of_kind = signals.setdefault(question.expect, {})
        of_kind.setdefault("cosine", []).append(max(c for c, _ in scored))
        of_kind.setdefault("coverage", []).append(max(v for _, v in scored))
        of_kind.setdefault("mean", []).append(max((c + v) / 2 for c, v in scored))
    for name in ("cosine", "coverage", "mean"):
        value = auc(signals["answer"][name], signals["refuse"][name])
        print(
            f"  AUC of {name:9} {value:.3f}  ({len(signals['answer'][name])} to answer, "
            f"{len(signals['refuse'][name])} to refuse)"
        )


if __name__ == "__main__":
    main()
