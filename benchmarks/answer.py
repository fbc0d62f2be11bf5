#!/usr/bin/env python3
"""Latency of answers, per stage, compared with the search behind them in the same run.

The engine is warmed up as the service does before it is ready.

Questions are those of the benchmark and its nuggets on the dev split, each asked once: statements
that a question judges for the first time take longest. The audit record is included. Processor time
is that of the asking thread, for machines that do other work.

CLINRAG_HOME=.clinrag python benchmarks/answer.py --profile sample
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import TYPE_CHECKING

import numpy as np
from latency import MS_PER_S, percentiles, timed

from clinrag_core.answer.readiness import warm_up_answers
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.retrieve.readiness import warm_up
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import load_settings
from clinrag_core.users.answering import open_answering

if TYPE_CHECKING:
    from clinrag_core.evaluate.benchmark import Benchmark

WARM_UP = 5
"""Questions asked first and not measured: they load models and tables."""
UNSURE = "What is the best way to travel?"
"""Names nothing of the field: its route needs the vectors of the example questions."""
KIB_PER_MIB = 1_024


def dev_questions(benchmark: Benchmark) -> list[str]:
    """Return the questions of the dev split, each once."""
    every = (*benchmark.questions, *benchmark.nuggets)
    return list(dict.fromkeys(question.text for question in every if question.split == "dev"))


def main() -> None:
    """Answer and search the same questions, and print percentiles and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    settings = load_settings(args.profile)
    answering = open_answering(settings)
    texts = dev_questions(load_benchmark(settings.benchmark))[: args.questions + WARM_UP]
    warm_up(answering.engine.search)
    started = time.perf_counter()
    warm_up_answers(answering.engine)
    print(f"answering was warmed up in {time.perf_counter() - started:.1f} s")
    timed(answering.ask, [UNSURE, *texts[:WARM_UP]])
    questions = texts[WARM_UP:]
    started = time.thread_time()
    answer_ms, answers = timed(answering.ask, questions)
    processor_ms = MS_PER_S * (time.thread_time() - started) / len(questions)
    requests = [SearchRequest(query=question) for question in questions]
    search_ms, _ = timed(answering.engine.search.search, requests)
    answered = sum(answer.status == "answered" for answer in answers)
    print(f"{len(questions)} questions, {answered} answered")
    print(percentiles("answer", answer_ms))
    for stage in ("evidence", "select", "write"):
        times = [answer.timings_ms[stage] for answer in answers if stage in answer.timings_ms]
        print(percentiles(stage, times))
    print(percentiles("search", search_ms))
    ratio = np.median(answer_ms) / np.median(search_ms)
    print(f"  an answer takes {ratio:.2f} times a search (medians)")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_MIB
    print(f"  {processor_ms:.1f} ms of processor time an answer, {memory:.0f} MiB of memory")


if __name__ == "__main__":
    main()
