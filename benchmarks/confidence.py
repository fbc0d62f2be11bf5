#!/usr/bin/env python3
"""What separates questions to answer from questions to refuse, on the dev split (ADR 0007, 0008).

Over the candidates of a profile: how many questions each stage refuses before a signal exists, and
the area under the ROC curve of cosine, word coverage and their mean among the rest.

    CLINRAG_HOME=.clinrag python benchmarks/confidence.py --profile sample
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from clinrag_core.answer.signal import coverage, question_weights
from clinrag_core.pipeline.candidates import read_candidates
from clinrag_core.pipeline.evaluation import answer_engine
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings


def auc(positive: list[float], negative: list[float]) -> float:
    """Probability that a question to answer scores above one to refuse; ties count half."""
    pairs = np.subtract.outer(positive, negative)
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


def main() -> None:
    """Measure the dev split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    args = parser.parse_args()
    pipeline = Pipeline(load_settings(args.profile))
    judgements = pipeline.retrieval_runs.read().value.judgements
    left_out = {*judgements.unjudged, *judgements.answerable}
    dev = [
        q
        for q in pipeline.benchmark.read().value.questions
        if q.split == "dev" and q.id not in left_out
    ]
    answers = {a.question_id: a for a in pipeline.benchmark_answers.read().value.answers}
    engine = answer_engine(pipeline, read_candidates(pipeline), pipeline.thresholds.read().value)
    stages = Counter((q.expect, answers[q.id].reason or "answered") for q in dev)
    for (expect, reason), count in sorted(stages.items()):
        print(f"  to {expect:7} {reason:22} {count}")
    found: dict[str, dict[str, list[float]]] = {}
    for question in dev:
        if not engine.signals(question.text, ("bm25", "dense")):
            continue
        hits = engine.search.search(SearchRequest(query=question.text, top_k=40)).hits
        weights = question_weights(
            engine.search.analyse(SearchRequest(query=question.text)).tokens, engine.idf
        )
        scored = [(h.component_scores.get("dense", 0.0), coverage(h.chunk, weights)) for h in hits]
        own = found.setdefault(question.expect, {})
        own.setdefault("cosine", []).append(max(c for c, _ in scored))
        own.setdefault("coverage", []).append(max(v for _, v in scored))
        own.setdefault("mean", []).append(max((c + v) / 2 for c, v in scored))
    for name in ("cosine", "coverage", "mean"):
        value = auc(found["answer"][name], found["refuse"][name])
        print(
            f"  AUC of {name:9} {value:.3f}  ({len(found['answer'][name])} to answer, "
            f"{len(found['refuse'][name])} to refuse)"
        )


if __name__ == "__main__":
    main()
