"""The drug-class table: which pharmacologic classes a drug belongs to, from FDA's index files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import ValidationError

from clinrag_core.acquire.folder import read_corpus_file
from clinrag_core.errors import ClinragError, DocumentError, WorkspaceError
from clinrag_core.lexicon.drug_names import name_variants
from clinrag_core.model import Record
from clinrag_core.parse.drug_classes import DrugClass, read_drug_classes
from clinrag_core.workspace import read_json, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from clinrag_core.build.pipeline import Pipeline
    from clinrag_core.workspace import Workspace


class DrugClassTable(Record):
    """Classes by substance, sorted; `failures` names files that could not be read, and why."""

    classes: tuple[DrugClass, ...] = ()
    failures: tuple[str, ...] = ()

    def classes_of(self, drug: str) -> tuple[DrugClass, ...]:
        """Classes of a drug by UNII or by any of its names; empty where it is not in the table."""
        found = self._by_key.get(drug.strip().upper(), ())
        if found:
            return found
        for name in name_variants(drug):
            if name in self._by_key:
                return self._by_key[name]
        return ()

    @cached_property
    def _by_key(self) -> Mapping[str, tuple[DrugClass, ...]]:
        table: dict[str, list[DrugClass]] = {}
        for entry in self.classes:
            for key in {entry.substance, *name_variants(entry.substance), entry.unii}:
                if key is not None:
                    table.setdefault(key, []).append(entry)
        return {key: tuple(entries) for key, entries in table.items()}


def build_drug_classes(pipeline: Pipeline) -> DrugClassTable:
    """Read the index files of the manifest and write the table; a broken one stops no other."""
    classes: set[DrugClass] = set()
    failures: list[str] = []
    for entry in pipeline.manifest.drug_class_indexes:
        try:
            data = read_corpus_file(pipeline.manifest.root, entry.path, "drug class index")
            if entry.sha256 is not None and sha256_hex(data) != entry.sha256:
                failures.append(f"{entry.path}: another sha256 than the manifest states")
                continue
            classes.update(read_drug_classes(data, entry.path.rpartition("/")[2]))
        except DocumentError as error:
            failures.append(str(error))
        except ClinragError as error:
            failures.append(f"{entry.path}: {error}")
    table = DrugClassTable(
        classes=tuple(sorted(classes, key=lambda c: (c.substance, c.type, c.name, c.code))),
        failures=tuple(failures),
    )
    write_json(_path(pipeline.workspace), table.model_dump(mode="json"))
    return table


def read_drug_class_table(workspace: Workspace) -> DrugClassTable:
    """The table as it was last built; an empty one before.

    Raises:
        WorkspaceError: the file is malformed.
    """
    path = _path(workspace)
    if not path.exists():
        return DrugClassTable()
    try:
        return DrugClassTable.model_validate(read_json(path))
    except ValidationError as error:
        raise WorkspaceError(f"{path.name} cannot be read: {error}") from error


def _path(workspace: Workspace) -> Path:
    return workspace.home / "drug_classes.json"
