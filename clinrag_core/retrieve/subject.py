"""How far a passage is from the subject of a question; what is nearer ranks first (ADR 0016).

A passage that names none of the drugs asked about ranks behind those that do. A label is about its
own drug: if the question names a disease, the label of a drug that the question does not name and
whose indications do not name that disease ranks behind everything else.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.facts.reader import read_facts
from clinrag_core.index.filters import MetadataFilter, filter_mask
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.lexicon.intents import Disease
    from clinrag_core.retrieve.analyse import QueryAnalysis

ON_SUBJECT, NO_DRUG_ASKED, OTHER_DISEASE = 0, 1, 2
"""Distances of a passage: none, it names no drug asked about, its label is for other diseases."""


class SubjectTable:
    """Measures how far the passages of a knowledge base are from the subject of a question.

    Indications are read on first use; drug names are looked up in the lexical index.
    """

    def __init__(self, base: KnowledgeBase, drugs: DrugLexicon) -> None:
        self._base = base
        self._drugs = drugs

    def distances(self, analysis: QueryAnalysis) -> NDArray[np.int8]:
        """Return the distance of each row from the subject of a question."""
        distances = np.zeros(len(self._base.ids), dtype=np.int8)
        asked = self._of_labels(analysis.drugs)
        if analysis.ingredients:
            naming = asked.copy()
            for name in self._drugs.names_of(analysis.ingredients):
                naming[self._base.bm25.rows_with(tokenize(name))] = True
            distances[~naming] = NO_DRUG_ASKED
        if analysis.diseases and self._base.manifest.kind == "label":
            wanted = frozenset(analysis.diseases)
            indicated = [key for key, named in self._indications.items() if named & wanted]
            distances[~(asked | self._of_labels(indicated))] = OTHER_DISEASE
        return distances

    def _of_labels(self, keys: Iterable[str]) -> NDArray[np.bool_]:
        """Return a mask of the passages of some labels, by partition key of their drug."""
        mask = np.zeros(len(self._base.ids), dtype=bool)
        for key in keys:
            mask[self._label_rows.get(key, [])] = True
        return mask

    @cached_property
    def _label_rows(self) -> dict[str, NDArray[np.int64]]:
        """Rows of each label, by partition key of its drug."""
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self._base.table.column("drug").to_pylist()):
            if key:
                rows.setdefault(key, []).append(row)
        return {key: np.array(of_key) for key, of_key in rows.items()}

    @cached_property
    def _indications(self) -> dict[str, frozenset[Disease]]:
        """Diseases that the indications of each drug's labels name, by partition key."""
        mask = filter_mask(self._base.table, MetadataFilter(groups=("indications",)))
        table = self._base.table.select(["drug", "text"]).filter(mask)
        texts: dict[str, list[str]] = {}
        for row in table.to_pylist():
            if row["drug"]:
                texts.setdefault(row["drug"], []).append(row["text"])
        return {
            key: frozenset(read_facts("\n".join(parts), self._drugs).diseases)
            for key, parts in texts.items()
        }
