"""Which passages are on the subject of a question; the others rank behind them (ADR 0016).

A passage that names none of the drugs asked about is off the subject. A label is about its own
drug: if the question names a disease, the label of a drug that the question does not name is on
the subject only if its own indications name that disease.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from clinrag_core.facts.reader import read_facts
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.lexicon.domain import Condition
    from clinrag_core.retrieve.analyse import QueryAnalysis

Rows = dict[str, "NDArray[np.bool_] | None"]
"""By knowledge base: True for rows on the subject; None where all are."""


class SubjectTable:
    """Finds the passages of a knowledge base that are on the subject of a question.

    Indications are read on first use; drug names are looked up in the lexical index.
    """

    def __init__(self, base: KnowledgeBase, drugs: DrugLexicon) -> None:
        self._base = base
        self._drugs = drugs

    def rows(self, analysis: QueryAnalysis) -> NDArray[np.bool_] | None:
        """Return, by row, if a passage is on the subject; None if all are."""
        mask: NDArray[np.bool_] | None = None
        if analysis.ingredients:
            mask = self._of_labels(analysis.drugs)
            for name in self._drugs.names_of(analysis.ingredients):
                mask[self._base.bm25.rows_with(tokenize(name))] = True
        if analysis.conditions and self._base.manifest.kind == "label":
            wanted = frozenset(analysis.conditions)
            keys = [key for key, named in self._indications.items() if named & wanted]
            about = self._of_labels((*analysis.drugs, *keys))
            mask = about if mask is None else mask & about
        return mask

    def _of_labels(self, keys: Iterable[str]) -> NDArray[np.bool_]:
        """Return a mask of the passages of some labels, by partition key of their drug."""
        mask = np.zeros(len(self._base.ids), dtype=bool)
        for key in keys:
            mask[self._label_rows.get(key, [])] = True
        return mask

    @cached_property
    def _label_rows(self) -> dict[str, list[int]]:
        """Rows of each label, by partition key of its drug."""
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self._base.table.column("drug").to_pylist()):
            if key:
                rows.setdefault(key, []).append(row)
        return rows

    @cached_property
    def _indications(self) -> dict[str, frozenset[Condition]]:
        """Diseases that the indications of each drug's labels name, by partition key."""
        texts: dict[str, list[str]] = {}
        for row in self._base.table.select(["drug", "group", "text"]).to_pylist():
            if row["drug"] and row["group"] == "indications":
                texts.setdefault(row["drug"], []).append(row["text"])
        return {
            key: frozenset(read_facts("\n".join(parts), self._drugs).conditions)
            for key, parts in texts.items()
        }


def rows_on_subject(tables: Mapping[str, SubjectTable], analysis: QueryAnalysis) -> Rows:
    """Return the rows on the subject of a question, by knowledge base.

    If no passage of any knowledge base is on the subject, all are: a drug that no source names
    must not hide what the words of the question find.
    """
    rows = {name: table.rows(analysis) for name, table in tables.items()}
    if any(mask is None or mask.any() for mask in rows.values()):
        return rows
    return dict.fromkeys(rows)
