"""Thesauri that are published as tables: MeSH names with tree numbers, the DrugBank vocabulary."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from clinrag_core.lexicon.concepts.rows import ConceptRow

MESH_TERMS, MESH_TREE = "terms.tsv", "tree-numbers.tsv"


class MeshTableSource:
    """A folder with terms.tsv (mesh_id, mesh_name) and tree-numbers.tsv (with mesh_tree_number)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = "mesh"

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`."""
        for row in _table(self.folder / MESH_TERMS, ("mesh_id", "mesh_name")):
            yield ConceptName(row["mesh_id"], row["mesh_name"], preferred=True)
        if (self.folder / MESH_TREE).is_file():
            rows = _table(self.folder / MESH_TREE, ("mesh_id", "mesh_tree_number"))
            yield from tree_links({row["mesh_tree_number"]: row["mesh_id"] for row in rows})


class DrugBankSource:
    """The open DrugBank vocabulary, drugbank_vocabulary.csv: names and synonyms of drugs."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = "drugbank"

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`."""
        for row in _table(self.file, ("DrugBank ID", "Common name", "Synonyms")):
            concept = row["DrugBank ID"]
            yield ConceptName(concept, row["Common name"], preferred=True)
            for synonym in filter(None, row["Synonyms"].split(" | ")):
                yield ConceptName(concept, synonym)
            yield ConceptType(concept, "Pharmacologic Substance")


def tree_links(places: Mapping[str, str]) -> Iterator[ConceptLink]:
    """Yield is-a links from tree number to concept: C08.730 is the parent of C08.730.610."""
    links = {
        (concept, places[parent]): None
        for number, concept in places.items()
        if (parent := number.rpartition(".")[0]) in places and places[parent] != concept
    }
    for concept, parent in links:
        yield ConceptLink(concept, "is_a", parent)


def _table(path: Path, columns: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table, by commas or by tabs as its name says."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            if missing := [c for c in columns if c not in (reader.fieldnames or ())]:
                raise ThesaurusError(f"{path}: no column {missing[0]}")
            yield from reader
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ThesaurusError(f"{path}: {error}") from error
