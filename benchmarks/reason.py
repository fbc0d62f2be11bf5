#!/usr/bin/env python3
"""Multiple choice: published accuracies from recorded outputs, and the extractive reasoner's.

The first part needs no model. The second chooses options by the statements of the candidates of the
home that are nearest to each question; retrieval never sees the options.

    python benchmarks/reason.py --mirage FOLDER
    CLINRAG_HOME=.clinrag python benchmarks/reason.py --mirage FOLDER --vectors FOLDER --reason
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.encode.embed import embed_passages
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.encode.vector_cache import VectorCache, passage_key
from clinrag_core.evaluate.mirage import choice_figures, read_mirage, reproduce
from clinrag_core.lexicon.concepts.open import open_recogniser
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.reason.extractive import EvidenceStatement, ExtractiveReasoner
from clinrag_core.reason.statement_order import StatementOrder
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clinrag_core.reason.records import Choice, ChoiceQuestion

NEAREST = 10
"""Statements that each question is compared with."""
MAX_TOKENS = 256
SUBSET = "subset_tb_cap.json"
"""Ids of questions on tuberculosis or pneumonia, as set:id, with where they are named."""


class Vectors:
    """Vectors of texts, kept in a folder."""

    def __init__(self, folder: Path, texts: Sequence[str]) -> None:
        settings = load_settings().encoder.model_copy(update={"max_tokens": MAX_TOKENS})
        encoder = load_encoder(settings)
        self._cache = VectorCache(folder, encoder.dimension)
        passages = [Passage("", text) for text in texts]
        started = time.perf_counter()
        done = embed_passages(passages, self._cache, lambda: encoder)
        print(f"{done.encoded} texts encoded in {time.perf_counter() - started:.0f} s")

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts."""
        return self._cache.get([passage_key(Passage("", text)) for text in texts])


def with_options(question: ChoiceQuestion) -> list[str]:
    """Return the texts of a question that are encoded: alone, and with each option."""
    return [question.question, *(f"{question.question} {t}" for t in question.options.values())]


def reasoner(vectors: Vectors, compiled: Path) -> ExtractiveReasoner:
    """Return the reasoner over the statements of the candidates."""
    pipeline = Pipeline(load_settings())
    engine = candidate_engine(pipeline, read_candidates(pipeline))
    indexes = [b.statements for b in engine.knowledge_bases.values() if b.statements is not None]
    matrices = [np.asarray(index.vectors) for index in indexes]

    def retrieve(question: str) -> list[EvidenceStatement]:
        """Return the statements of all knowledge bases that are nearest to a question."""
        vector = vectors([question])[0]
        scored: list[tuple[float, int, int]] = []
        for number, matrix in enumerate(matrices):
            scores = matrix @ vector
            rows = np.argpartition(-scores, NEAREST)[:NEAREST].tolist()
            scored += [(-float(scores[row]), number, row) for row in rows]
        found: list[EvidenceStatement] = []
        for _, number, row in sorted(scored)[:NEAREST]:
            (statement,) = indexes[number].statements([row])
            quoted = statement.quotes[0].chunk_id
            found.append(EvidenceStatement(statement.said, quoted, matrices[number][row]))
        return found

    idf = StatementOrder(engine).idf
    return ExtractiveReasoner(retrieve, vectors, engine.drugs, idf, open_recogniser((), compiled))


def reason_part(folder: Path, vectors_folder: Path, compiled: Path) -> None:
    """Print how the extractive reasoner does on each set."""
    sets = read_mirage(folder)
    texts = [t for asked in sets.values() for q in asked for t in with_options(q)]
    chooser = reasoner(Vectors(vectors_folder, texts), compiled)
    on_field = set[str]()
    if (folder / SUBSET).is_file():
        on_field = set(json.loads((folder / SUBSET).read_text(encoding="utf-8")))
    choices: dict[str, dict[str, Choice]] = {}
    for name, asked in sets.items():
        started = time.perf_counter()
        choices[name] = {q.id: chooser.choose(q) for q in asked}
        figures = choice_figures(asked, choices[name])
        show(f"{name} ({time.perf_counter() - started:.0f} s)", figures.model_dump())
        reasons: dict[str, int] = {}
        for choice in choices[name].values():
            reasons[choice.reason] = reasons.get(choice.reason, 0) + 1
        print(f"  {reasons}")
    every = [q.model_copy(update={"id": f"{n}:{q.id}"}) for n, asked in sets.items() for q in asked]
    chosen = {f"{n}:{i}": c for n, found in choices.items() for i, c in found.items()}
    show("all", choice_figures(every, chosen).model_dump())
    if subset := [q for q in every if q.id in on_field]:
        show("on tuberculosis or pneumonia", choice_figures(subset, chosen).model_dump())


def show(name: str, figures: dict[str, float]) -> None:
    """Print figures in one line."""
    shown = ", ".join(
        f"{k} {v:.4f}" if isinstance(v, float) else f"{k} {v}" for k, v in figures.items()
    )
    print(f"{name}: {shown}")


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirage", type=Path, required=True)
    parser.add_argument("--reason", action="store_true", help="run the extractive reasoner too")
    parser.add_argument("--vectors", type=Path, default=Path(".clinrag") / "vectors" / "mirage")
    parser.add_argument("--compiled", type=Path, default=Path(".clinrag") / "thesauri")
    args = parser.parse_args()
    cells = reproduce(args.mirage)
    for cell in cells:
        print(
            f"{cell.system}, {cell.set}: published {cell.published}, here {cell.reproduced}; "
            f"without a letter by default {cell.stated}, {cell.abstained} state none"
        )
    print(f"{sum(cell.exact for cell in cells)} of {len(cells)} exact")
    if args.reason:
        reason_part(args.mirage, args.vectors, args.compiled)


if __name__ == "__main__":
    main()
