#!/usr/bin/env python3
"""Vital nuggets found with random unit vectors, next to those found with the real ones.

A ruler that sees retrieval loses at least half of them. Vectors of passages and statements are
replaced in memory, the candidates of the home stay as they are; questions keep their vectors.
`--without` sets weights of the ranking (`answer/select.py`) to 0 as well, to see what finds the
rest. Questions of dev by default.

    CLINRAG_HOME=.clinrag python benchmarks/random_vectors.py
    CLINRAG_HOME=.clinrag python benchmarks/random_vectors.py --without LEXICAL OWN_WORDS ALL_WORDS
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.answer import select
from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.nugget_answers import answer_nuggets
from clinrag_core.evaluate.nugget_figures import by_part, nugget_figures
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.stores.faiss_store import FaissStore
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.evaluate.nugget_metrics import NuggetResult
    from clinrag_core.retrieve.engine import SearchEngine

SEED = 13
SHOWN = ("vital_recall", "complete", "first_claim", "wrongly_refused")
WEIGHTS = tuple(sorted(n for n, v in vars(select).items() if n.isupper() and isinstance(v, float)))


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


def show(name: str, real: Sequence[NuggetResult], random: Sequence[NuggetResult]) -> None:
    """Print the figures of both, and what share of the vital recall the real vectors are worth."""
    values = [{f.name: f.value for f in nugget_figures(results)} for results in (real, random)]
    found = [one["vital_recall"] for one in values]
    if found[0] is None or found[1] is None:
        return
    cost = f"{1 - found[1] / found[0]:.0%}" if found[0] else "-"
    cells = [f"{both[0]:.3f} / {both[1]:.3f}" for both in pairs(values)]
    print(f"{name:28s} {len(real):4d}  " + "  ".join(f"{cell:15s}" for cell in cells) + f"  {cost}")


def pairs(values: Sequence[dict[str, float | None]]) -> list[tuple[float, float]]:
    """Return the shown figures, real and random; NaN where there is nothing to judge by."""
    real, random = ([np.nan if (v := one[name]) is None else v for name in SHOWN] for one in values)
    return list(zip(real, random, strict=True))


def main() -> None:
    """Answer the nugget questions twice and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="dev", choices=("dev", "test"))
    parser.add_argument("--seed", default=SEED, type=int)
    parser.add_argument("--without", nargs="*", default=(), choices=WEIGHTS, metavar="WEIGHT")
    arguments = parser.parse_args()
    for name in arguments.without:
        setattr(select, name, 0.0)
    pipeline = Pipeline(load_settings())
    benchmark = load_benchmark(pipeline.settings.benchmark)
    candidates, thresholds = read_candidates(pipeline), pipeline.thresholds.read().value
    arms: list[list[NuggetResult]] = []
    for is_random in (False, True):
        search = candidate_engine(pipeline, candidates)
        if is_random:
            randomise(search, arguments.seed)
        engine = AnswerEngine(search, pipeline.settings.answer, thresholds)
        questions = [q for q in benchmark.nuggets if q.expect == "answer"]
        arms.append(answer_nuggets(engine, questions, benchmark.statements, split=arguments.split))
    real, random = arms
    names = {
        q.id: "names a drug" if search.drugs.ingredients(q.text) else "names no drug"
        for q in benchmark.nuggets
    }
    print(f"real / random: {', '.join(SHOWN)}; cost in vital recall")
    show("all", real, random)
    for label, part in (
        ("", lambda r: names[r.question_id]),
        ("kind: ", lambda r: r.kind),
        ("topic: ", lambda r: r.topic),
    ):
        parts = [by_part(results, part) for results in arms]
        for name, members in parts[0].items():
            show(f"{label}{name}", members, parts[1][name])


if __name__ == "__main__":
    main()
