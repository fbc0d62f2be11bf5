"""True claims from SciFact's original release: the sentences that bear its claims out.

Wadden et al. 2020. A claim of SciFact itself says more than its sentences do, and is no claim that
lexical gates could pass; the rationale sentences are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.safety import sample_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clinrag_core.evaluate.gate_rates import Sample

CORPUS = "corpus_sentences.jsonl"
CLAIMS = ("claims_train.jsonl", "claims_validation.jsonl")


def scifact_samples(folder: Path) -> list[Sample]:
    """Each rationale sentence of a supported claim, once, citing itself.

    Raises:
        BenchmarkError: a file is missing or malformed.
    """
    try:
        abstracts = {str(row["doc_id"]): row["abstract"] for row in _rows(folder / CORPUS)}
        sentences: dict[str, None] = {}
        for name in CLAIMS:
            for claim in _rows(folder / name):
                for document, rationales in claim["evidence"].items():
                    for rationale in rationales:
                        if rationale["label"] == "SUPPORT":
                            for number in rationale["sentences"]:
                                sentences[abstracts[document][number].strip()] = None
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise BenchmarkError(f"{folder.name}: not SciFact's original release: {error}") from error
    return [sample_of(sentence, sentence) for sentence in sentences if sentence]


def _rows(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
