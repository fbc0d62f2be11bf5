"""BEIR folders: reading them, ranking them, scoring them, with the published figures.

A figure that is not reproduced shows a broken tokeniser, index or metric before anything else
does. The recipe of published BM25 figures (English stop words, Snowball stemmer) has a separate
tokeniser; answering uses the clinical one.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.metrics import Run, evaluate_run, means
from clinrag_core.index.bm25 import BM25Index
from clinrag_core.retrieve.fuse import reciprocal_rank_fusion, weighted_fusion
from clinrag_core.settings import BM25Settings, data_folder
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

QRELS_COLUMNS = 3
"""Query, document, score."""
DEPTH = 1_000
"""Hits scored per question, as in the published runs of BEIR."""
WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Weights of BM25 tried on the training questions; dense has the rest."""
_WORD = re.compile(r"(?u)\b\w\w+\b")
# Lucene's English stop words, 33 of them.
_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then "  # noqa: SIM905 - a list of words reads better so
    "there these they this to was will with".split()
)

Scored = dict[str, list[tuple[str, float]]]
"""Query id to (document id, score), best first."""


class BeirSet(NamedTuple):
    """A BEIR folder: texts are title and text joined by a space."""

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]
    """Of one split: query id to document id to grade."""


class PublishedFigure(NamedTuple):
    """A published figure and its source."""

    system: str
    pipeline: str
    ndcg_at_10: float
    source: str


def read_beir(folder: Path, split: str = "test") -> BeirSet:
    """Read a BEIR folder.

    Raises:
        BenchmarkError: a file is missing or a line malformed; names both.
    """
    documents = {
        str(row["_id"]): f"{row.get('title') or ''} {row.get('text') or ''}".strip()
        for row in _lines(folder / "corpus.jsonl")
    }
    queries = {str(row["_id"]): str(row.get("text")) for row in _lines(folder / "queries.jsonl")}
    relevant = read_qrels(folder / "qrels" / f"{split}.tsv")
    if unknown := [q for q in relevant if q not in queries]:
        raise BenchmarkError(f"{split}.tsv judges query {unknown[0]!r}, which is not in queries")
    return BeirSet(folder.name, documents, {q: queries[q] for q in relevant}, relevant)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Judgements of a split, those above 0.

    Raises:
        BenchmarkError: missing or malformed.
    """
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in path.parent.glob("*.tsv"))) or "none"
        raise BenchmarkError(f"{path.name} is missing from {path.parent}; splits there: {there}")
    relevant: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        parts = line.split("\t")
        if number == 1 and parts[-1] == "score":
            continue
        if len(parts) != QRELS_COLUMNS or not parts[2].strip().lstrip("-").isdigit():
            raise BenchmarkError(f"{path.name}, line {number}: not query, document, score")
        if int(parts[2]) > 0:
            relevant.setdefault(parts[0], {})[parts[1]] = int(parts[2])
    return relevant


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON records of a file, one per line."""
    if not path.is_file():
        raise BenchmarkError(f"{path.name} is missing from {path.parent}: is it a BEIR folder?")
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise BenchmarkError(f"{path.name}, line {number}: {error}") from error
            if not isinstance(row, dict) or "_id" not in row:
                raise BenchmarkError(f"{path.name}, line {number}: no object with an _id")
            yield row


def published_tokens(text: str) -> list[str]:
    """Tokens of the published recipe: lower case, 33 stop words, Snowball English stemmer."""
    stem = _stemmer()
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP_WORDS]


@cache
def _stemmer() -> Callable[[str], str]:
    from Stemmer import Stemmer

    return cache(Stemmer("english").stemWord)


def bm25_run(beir: BeirSet, *, published: bool) -> Scored:
    """BM25 with k1 = 1.5, b = 0.75, with the clinical tokeniser or the published recipe."""
    tokens: Callable[[str], list[str]] = published_tokens if published else tokenize
    settings = BM25Settings(k1=1.5, b=0.75)
    index = BM25Index.build(
        list(beir.documents), beir.documents.values(), settings, tokenizer=tokens
    )
    return {q: index.top(tokens(text), DEPTH) for q, text in beir.queries.items()}


def fused_runs(lexical: Scored, dense: Scored, weight: float) -> dict[str, Run]:
    """RRF and weighted fusion of two runs; `weight` is BM25's share."""
    runs: dict[str, Run] = {"rrf": {}, "weighted": {}}
    shares = {"bm25": weight, "dense": 1 - weight}
    for query in lexical:
        lists = {"bm25": lexical[query], "dense": dense[query]}
        ids = {name: [i for i, _ in hits] for name, hits in lists.items()}
        runs["rrf"][query] = [hit.id for hit in reciprocal_rank_fusion(ids)][:DEPTH]
        runs["weighted"][query] = [hit.id for hit in weighted_fusion(lists, shares)][:DEPTH]
    return runs


def best_weight(lexical: Scored, dense: Scored, relevant: Mapping[str, Mapping[str, int]]) -> float:
    """BM25's share with the best nDCG@10 on training questions; the lowest of equals."""
    scores = {
        weight: score(relevant, fused_runs(lexical, dense, weight)["weighted"])["ndcg_at_10"]
        for weight in WEIGHTS
    }
    return max(WEIGHTS, key=lambda weight: (scores[weight], -weight))


def ids_of(scored: Scored) -> Run:
    """Return a run without its scores."""
    return {query: [i for i, _ in hits] for query, hits in scored.items()}


def score(relevant: Mapping[str, Mapping[str, int]], run: Run) -> dict[str, float]:
    """Mean of each metric over all judged queries."""
    return means(evaluate_run(relevant, run), sorted(relevant))


def published_figures(name: str) -> list[PublishedFigure]:
    """Return figures published for a set, by its folder's name."""
    path = data_folder() / "benchmark" / "published" / "beir.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get(name, [])
    return [PublishedFigure(**row) for row in rows]
