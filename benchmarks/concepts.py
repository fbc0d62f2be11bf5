#!/usr/bin/env python3
"""Concept recognition and expansion: speed, and what each relation adds on a BEIR folder.

Speed needs no data: names are generated. On a folder, words alone are compared with the control
(recognised words times 1.5), with the concept index inside BM25, relation by relation, and with
words of synonyms added to the question. Weights are chosen on the training split and read on the
test split; without one, on each half for the other.

    python benchmarks/concepts.py --speed 1000000
    python benchmarks/concepts.py --beir FOLDER --thesaurus RRF_FOLDER --thesaurus MESH_XML
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.evaluate.beir import BeirSet, read_beir
from clinrag_core.evaluate.compare import compare_paired
from clinrag_core.evaluate.metrics import evaluate_run
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.index.concepts import ConceptIndex
from clinrag_core.index.ranking import best_rows
from clinrag_core.lexicon.concepts.open import open_recogniser, source_of
from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
from clinrag_core.lexicon.concepts.rows import ConceptName
from clinrag_core.lexicon.concepts.thesaurus import Thesaurus, compile_thesaurus
from clinrag_core.retrieve.concept_first import ConceptExpander, Expansion, word_scores
from clinrag_core.settings import BM25Settings, ConceptSettings
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

METRICS = ("ndcg_at_10", "recall_at_100")
"""The first one chooses."""
DEPTH = 100
CONTROL = 1.5
WEIGHTS = (0.1, 0.2, 0.3, 0.5)
"""Of the concept score inside BM25, tried on the training questions."""
LED_TO = (0.2, 0.5)
"""Of what a relation leads to, tried with each of `WEIGHTS`."""
NAMED = 0.2
"""Share of the pieces of a generated text that are names."""
RELATIONS = ("is_a", "narrower", "related")
SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "ki",
    "lo",
    "mu",
    "ne",
    "pa",
    "ro",
    "su",
    "ti",
    "zy",
)


class _Generated:
    """Names of one to five generated words, a concept for each three."""

    name = "generated"

    def __init__(self, count: int) -> None:
        self.count = count
        rng = random.Random(0)  # noqa: S311 - no secret
        self.words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 5))) for _ in range(60_000)]

    def rows(self) -> Iterator[ConceptName]:
        """Yield the names."""
        rng = random.Random(1)  # noqa: S311 - no secret
        for number in range(self.count):
            words = rng.choices(self.words, k=rng.randint(1, 5))
            yield ConceptName(f"C{number // 3:07d}", " ".join(words))


def speed(count: int, beir: list[Path], paths: list[Path]) -> None:
    """Print what compiling, opening and recognising take with a thesaurus of some size.

    With BEIR folders their documents are read, else texts that are generated, most of whose words
    are in a name.
    """
    source = _Generated(count)
    rng = random.Random(2)  # noqa: S311 - no secret
    names = [row.name for row, _ in zip(source.rows(), range(20_000), strict=False)]
    texts = [
        " ".join(
            rng.choice(names) if rng.random() < NAMED else rng.choice(source.words)
            for _ in range(250)
        )
        for _ in range(1_000)
    ]
    for folder in beir:
        texts = list(read_beir(folder).documents.values())
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        directory = compile_thesaurus([*map(source_of, paths), source], Path(folder))
        print(f"compile {count} names: {time.perf_counter() - started:.1f} s")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.perf_counter()
        thesaurus = Thesaurus(directory)
        print(f"open: {1_000 * (time.perf_counter() - started):.2f} ms")
        print(
            f"mapped: {thesaurus.bytes / 2**20:.1f} MiB, of which name hashes "
            f"{thesaurus.hashes.nbytes / 2**20:.1f} MiB; resident grew by "
            f"{(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:.1f} MiB"
        )
        recogniser = ConceptRecogniser(thesaurus)
        size = sum(map(len, texts)) / 1e6
        for run in ("first", "second"):
            started, processor = time.perf_counter(), time.process_time()
            found = sum(len(recogniser.recognise(text)) for text in texts)
            seconds, busy = time.perf_counter() - started, time.process_time() - processor
            print(
                f"{run} run: {size:.2f} MB, {found} names, {size / busy:.2f} MB for a second of "
                f"processor time, {size / seconds:.2f} MB for one of this machine's"
            )


class Arms:
    """One collection, its two indexes, and the ways of searching them."""

    def __init__(self, beir: BeirSet, recogniser: ConceptRecogniser) -> None:
        ids, texts = list(beir.documents), list(beir.documents.values())
        settings = BM25Settings()
        self.ids = ids
        self.words = BM25Index.build(ids, texts, settings)
        started = time.perf_counter()
        self.concepts = ConceptIndex.build(ids, texts, recogniser, settings)
        size = sum(map(len, texts)) / 1e6
        print(f"annotated {size:.1f} MB in {time.perf_counter() - started:.1f} s")
        self.recogniser = recogniser

    def expand(self, question: str, choices: dict[str, float]) -> Expansion:
        """Return the concepts of a question, with a weight by relation."""
        levels = {"narrower": 3}
        relations = {
            name: {"weight": choices.get(name, 0.0), "levels": levels.get(name, 1)}
            for name in RELATIONS
        }
        most = choices.get("common_from", 0.1)
        expander = ConceptExpander(self.recogniser, ConceptSettings.model_validate(relations))
        return expander.expand(question, lambda c: self.concepts.share(c) <= most)

    def run(self, beir: BeirSet, choices: dict[str, float]) -> dict[str, dict[str, float]]:
        """Return each metric by question of one way of searching."""
        ranked: dict[str, list[str]] = {}
        for key, question in beir.queries.items():
            tokens = tokenize(question)
            expansion = self.expand(question, choices)
            if choices.get("synonyms"):
                tokens += [t for added in expansion.concepts for t in tokenize(added.name)]
            factor = choices.get("word_factor", 1.0)
            scores = word_scores(self.words.scores, tokens, expansion, factor)
            scores = scores + choices.get("inside", 0.0) * self.concepts.scores(expansion.weights)
            ranked[key] = [i for i, _ in best_rows(scores, self.ids, DEPTH)]
        values = evaluate_run(beir.relevant, ranked)
        return {metric: values[metric] for metric in METRICS}


def folds(folder: Path) -> list[tuple[BeirSet, BeirSet]]:
    """Return pairs of questions to choose on and questions to read.

    The training and the test split; where there is none, each half with the other.
    """
    test = read_beir(folder, "test")
    if (folder / "qrels" / "train.tsv").is_file():
        return [(read_beir(folder, "train"), test)]
    keys = sorted(test.relevant)
    one, other = (
        test._replace(
            queries={k: test.queries[k] for k in part}, relevant={k: test.relevant[k] for k in part}
        )
        for part in (keys[::2], keys[1::2])
    )
    return [(one, other), (other, one)]


def measure(folder: Path, recogniser: ConceptRecogniser) -> None:
    """Print every way of searching a BEIR folder, against words alone and against the control."""
    pairs = folds(folder)
    arms = Arms(pairs[0][1], recogniser)
    ways: dict[str, list[dict[str, float]]] = {
        "words": [{}],
        "control (recognised words x1.5)": [{"word_factor": CONTROL}],
        "concepts inside": [{"inside": w} for w in WEIGHTS],
        "concepts inside, common ones too": [{"inside": w, "common_from": 1.0} for w in WEIGHTS],
        **{
            f"concepts inside, {name}": [{"inside": w, name: v} for w in WEIGHTS for v in LED_TO]
            for name in RELATIONS
        },
        "concepts inside, and control": [{"inside": w, "word_factor": CONTROL} for w in WEIGHTS],
        "names of synonyms and relations added": [
            {"synonyms": 1.0, "is_a": 1.0, "narrower": 1.0, "related": 1.0}
        ],
        "preferred names added": [{"synonyms": 1.0}],
    }
    read = sum(len(test.queries) for _, test in pairs)
    print(f"{folder.name}: {read} questions read, {len(pairs)} fold(s)")
    results: dict[str, dict[str, dict[str, float]]] = {}
    for name, choices in ways.items():
        chosen: list[dict[str, float]] = []
        found: dict[str, dict[str, float]] = {metric: {} for metric in METRICS}
        for train, test in pairs:
            best = choices[0]
            if len(choices) > 1:
                best = max(
                    choices, key=lambda c: np.mean([*arms.run(train, c)[METRICS[0]].values()])
                )
            chosen.append(best)
            for metric, values in arms.run(test, best).items():
                found[metric] |= values
        results[name] = found
        for metric in METRICS:
            words = compare_paired(found[metric], results["words"][metric])
            control = results.get("control (recognised words x1.5)", found)
            other = compare_paired(found[metric], control[metric])
            print(
                f"  {name}, {metric} {words.mean:.4f}; to words {words.delta:+.4f} "
                f"[{words.low:+.4f}, {words.high:+.4f}]; to the control {other.delta:+.4f} "
                f"[{other.low:+.4f}, {other.high:+.4f}]; {chosen if metric == METRICS[0] else ''}"
            )


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=int, metavar="NAMES")
    parser.add_argument("--beir", type=Path, action="append", default=[])
    parser.add_argument("--thesaurus", type=Path, action="append", default=[])
    parser.add_argument("--compiled", type=Path, help="folder that keeps compiled thesauri")
    args = parser.parse_args()
    if args.speed:
        speed(args.speed, args.beir, args.thesaurus)
    elif args.beir:
        with tempfile.TemporaryDirectory() as folder:
            recogniser = open_recogniser(args.thesaurus, args.compiled or Path(folder))
            for beir in args.beir:
                measure(beir, recogniser)


if __name__ == "__main__":
    main()
