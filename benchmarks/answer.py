#!/usr/bin/env python3
"""Latency of answers, per stage, compared with the search behind them in the same run.

Questions are those of the benchmark, repeated. The audit record is included.

CLINRAG_HOME=.clinrag python benchmarks/answer.py --profile sample
"""

from __future__ import annotations

import argparse

import numpy as np
from latency import percentiles, timed

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

WARM_UP = 50
"""Questions asked first and not measured: they load models and fill caches."""


def main() -> None:
    """Answer and search the same questions, and print percentiles and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--questions", type=int, default=1_000)
    args = parser.parse_args()
    settings = load_settings(args.profile)
    answering = open_answering(settings)
    texts = [q.text for q in load_benchmark(settings.benchmark).questions]
    questions = [texts[number % len(texts)] for number in range(args.questions)]
    timed(answering.ask, questions[:WARM_UP])
    answer_ms, answers = timed(answering.ask, questions)
    requests = [SearchRequest(query=question) for question in questions]
    search_ms, _ = timed(answering.engine.search.search, requests)
    answered = sum(answer.status == "answered" for answer in answers)
    print(f"{args.questions} questions, {answered} answered")
    print(percentiles("answer", answer_ms))
    for stage in ("evidence", "generate", "gates"):
        times = [answer.timings_ms[stage] for answer in answers if stage in answer.timings_ms]
        print(percentiles(stage, times))
    print(percentiles("search", search_ms))
    ratio = np.median(answer_ms) / np.median(search_ms)
    print(f"  an answer takes {ratio:.2f} times a search (medians)")


if __name__ == "__main__":
    main()
