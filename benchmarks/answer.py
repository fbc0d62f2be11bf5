#!/usr/bin/env python3
"""How long an answer takes, per stage, beside the search it is made from, in one run.

CLINRAG_HOME=.clinrag python benchmarks/answer.py --profile sample
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering


def line(name: str, milliseconds: list[float]) -> None:
    """One line of percentiles."""
    p50, p95, p99 = np.quantile(milliseconds, (0.5, 0.95, 0.99))
    print(f"  {name:9} p50 {p50:7.2f}  p95 {p95:7.2f}  p99 {p99:7.2f} ms")


def main() -> None:
    """Ask every question of the benchmark until there are enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--questions", type=int, default=1_000)
    args = parser.parse_args()
    settings = load_settings(args.profile)
    answering = open_answering(settings)
    texts = [q.text for q in load_benchmark(settings.benchmark).questions]
    for text in texts[:50]:
        answering.ask(text)
    answers: list[float] = []
    searches: list[float] = []
    stages: dict[str, list[float]] = {}
    answered = 0
    for number in range(args.questions):
        text = texts[number % len(texts)]
        started = time.perf_counter()
        answer = answering.ask(text)
        answers.append(1_000 * (time.perf_counter() - started))
        answered += answer.status == "answered"
        for stage, ms in answer.timings_ms.items():
            stages.setdefault(stage, []).append(ms)
        started = time.perf_counter()
        answering.engine.search.search(SearchRequest(query=text))
        searches.append(1_000 * (time.perf_counter() - started))
    print(f"{args.questions} questions, {answered} answered, audit record included")
    line("answer", answers)
    for stage in ("evidence", "generate", "gates"):
        line(stage, stages[stage])
    line("search", searches)
    ratio = np.median(answers) / np.median(searches)
    print(f"  an answer takes {ratio:.2f} times a search (medians)")


if __name__ == "__main__":
    main()
