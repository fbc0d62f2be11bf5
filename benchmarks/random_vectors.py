#!/usr/bin/env python3
"""Vital nuggets found with random unit vectors, next to those found with the real ones.

A ruler that sees retrieval loses at least half of them. Vectors of passages and statements are
replaced in memory, the candidates of the home stay as they are; questions keep their vectors.
Further arms leave out more of the ranking (`answer/rank/scoring.py`), to see what finds the rest:
the last one orders by chance what the drug filter and the gates admit. Questions of dev by default.

    CLINRAG_HOME=.clinrag python benchmarks/random_vectors.py
    CLINRAG_HOME=.clinrag python benchmarks/random_vectors.py --arms real random
"""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.answer.rank import scoring
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.nugget_answers import answer_nuggets
from clinrag_core.evaluate.nugget_figures import by_part, nugget_figures
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.stores.faiss_store import FaissStore
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.evaluate.nugget_metrics import NuggetResult
    from clinrag_core.retrieve.engine import SearchEngine

SEED = 13
LEAST = 5
"""Questions of a part that is shown: fewer say nothing."""
WORDS = ("LEXICAL", "OWN_WORDS")
KINDS = ("ASPECT", "ADVICE", "FIGURE", "ROW", "RECOMMENDATION", "ASIDE")


class Arm(NamedTuple):
    """A way of ranking: with random vectors or not, and the weights that are set to 0."""

    is_random: bool = True
    without: tuple[str, ...] = ()


ARMS = {
    "real": Arm(is_random=False),
    "random": Arm(),
    "no-words": Arm(without=WORDS),
    "chance": Arm(without=(*WORDS, *KINDS)),
}


def randomise(search: SearchEngine, seed: int) -> None:
    """Replace the vectors of an engine's passages and statements by random ones of norm 1."""
    rng = np.random.default_rng(seed)
    for base in search.knowledge_bases.values():
        passages = unit_vectors(rng, len(base.ids), base.manifest.dimension)
        base.dense = DenseIndex.build(passages, base.ids)
        base.store = FaissStore(base.dense, base.table)
        if (statements := base.statements) is not None:
            statements.vectors = unit_vectors(rng, len(statements), base.manifest.dimension)


def unit_vectors(rng: np.random.Generator, count: int, dimension: int) -> Vectors:
    """Return vectors that point anywhere with equal probability."""
    vectors = rng.standard_normal((count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@contextmanager
def weights_left_out(names: Sequence[str]) -> Generator[None]:
    """Set weights of the ranking to 0."""
    kept = {name: getattr(scoring, name) for name in names}
    for name in kept:
        setattr(scoring, name, 0.0)
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(scoring, name, value)


def show(name: str, arms: Sequence[Sequence[NuggetResult]]) -> None:
    """Print vital recall and the share refused in each arm, with the cost against the first."""
    figures = [{f.name: f.value or 0.0 for f in nugget_figures(results)} for results in arms]
    first = figures[0]["vital_recall"]
    cells = [f"{one['vital_recall']:.3f} ({one['wrongly_refused']:.2f})" for one in figures]
    costs = [f"{1 - one['vital_recall'] / first:.0%}" if first else "-" for one in figures[1:]]
    shown = " ".join(f"{cell:>14s}" for cell in cells)
    print(f"{name:22s} {len(arms[0]):4d} {shown}  {' '.join(f'{c:>5s}' for c in costs)}")


def main() -> None:
    """Answer the nugget questions in each arm and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="dev", choices=("dev", "test"))
    parser.add_argument("--seed", default=SEED, type=int)
    parser.add_argument("--arms", nargs="+", default=tuple(ARMS), choices=tuple(ARMS))
    arguments = parser.parse_args()
    pipeline = Pipeline(load_settings())
    benchmark = load_benchmark(pipeline.settings.benchmark)
    questions = [q for q in benchmark.nuggets if q.expect == "answer"]
    candidates, thresholds = read_candidates(pipeline), pipeline.thresholds.read().value
    arms: list[list[NuggetResult]] = []
    drugs = None
    for name in arguments.arms:
        search = candidate_engine(pipeline, candidates)
        drugs = search.drugs
        if ARMS[name].is_random:
            randomise(search, arguments.seed)
        engine = AnswerEngine(search, pipeline.settings.answer, thresholds)
        with weights_left_out(ARMS[name].without):
            arms.append(
                answer_nuggets(engine, questions, benchmark.statements, split=arguments.split)
            )
    naming = {q.id for q in questions if drugs is not None and drugs.ingredients(q.text)}
    print(f"vital recall (refused): {', '.join(arguments.arms)}; cost against the first")
    show("all", arms)
    parts: tuple[Callable[[NuggetResult], str], ...] = (
        lambda r: "names a drug" if r.question_id in naming else "names no drug",
        lambda r: f"kind: {r.kind}",
        lambda r: f"topic: {r.topic}",
    )
    for part in parts:
        divided = [by_part(results, part) for results in arms]
        for name, members in divided[0].items():
            if len(members) >= LEAST:
                show(name, [one[name] for one in divided])


if __name__ == "__main__":
    main()
