"""A corpus, read from its `corpus.toml`; every error names the file and the entry."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import Field, ValidationError

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry, Text
from clinrag_core.acquire.folder import paths_leaving
from clinrag_core.errors import ManifestError
from clinrag_core.kept import read_values, write_values
from clinrag_core.model.base import Record, described
from clinrag_core.workspace import fingerprint, sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.acquire.entries import CorpusEntry

MANIFEST_NAME = "corpus.toml"
TABLES = "tables/1"
LARGE = 2**16
"""Bytes of a manifest that is parsed in more than some hundredths of a second."""
_Model = TypeVar("_Model", bound=Record)


class Manifest(Record):
    """A corpus: its entries in the order of the file."""

    name: Text
    description: str = ""
    root: Path = Field(description="folder all paths are relative to")
    guidelines: tuple[GuidelineEntry, ...] = ()
    labels: tuple[LabelEntry, ...] = ()

    @cached_property
    def drugs(self) -> Mapping[str, tuple[LabelEntry, ...]]:
        """Label entries by partition key: keys sorted, entries in the order of the file."""
        groups: dict[str, list[LabelEntry]] = {}
        for label in self.labels:
            groups.setdefault(label.key, []).append(label)
        return {key: tuple(groups[key]) for key in sorted(groups)}

    @cached_property
    def digest(self) -> str:
        """Fingerprint of the corpus: its name and what its entries say, without remarks."""
        remarks = {"root": True, "description": True}
        entries = {"guidelines": {"__all__": {"notes"}}, "labels": {"__all__": {"notes"}}}
        return fingerprint(self.model_dump(mode="json", exclude={**remarks, **entries}))


def manifest_file(path: Path) -> Path:
    """Return the `corpus.toml` of a corpus that is given as that file or its folder."""
    return path / MANIFEST_NAME if path.is_dir() else path


def load_manifest(path: Path, parsed: Path | None = None) -> Manifest:
    """Read and validate a corpus manifest, given as the `corpus.toml` or its folder.

    `parsed` is a file for its tables as they were parsed, which takes half of the time for tens of
    thousands of entries; they are taken from there while the bytes are the same.

    Raises:
        ManifestError: the file is missing, is not TOML, has an unknown key or an invalid value,
            has no entry, has an entry twice, or refers to a file outside its folder. Names every
            problem, not just the first.
    """
    if not path.exists():
        raise ManifestError(
            f"the corpus {path} does not exist: name a folder with a {MANIFEST_NAME}, as in "
            "`make run CORPUS=path/to/folder` or CLINRAG_CORPUS=path/to/folder"
        )
    file = manifest_file(path)
    tree = _read_toml(file, parsed)
    problems: list[str] = []
    if unknown := sorted(set(tree) - {"corpus", "guideline", "label"}):
        problems.append(
            f"{file.name}: unknown table {', '.join(unknown)}; "
            "the tables are [corpus], [[guideline]] and [[label]]"
        )
    root = file.absolute().parent
    guidelines = _entries(file.name, tree, "guideline", "id", GuidelineEntry, problems)
    labels = _entries(file.name, tree, "label", "drug", LabelEntry, problems)
    if not tree.get("guideline") and not tree.get("label"):
        problems.append(
            f"{file.name}: the corpus is empty; add [[guideline]] or [[label]], or let "
            "`clinrag corpus init` write the file"
        )
    problems += _problems_between(root, [*guidelines, *labels])
    head = tree.get("corpus")
    if not isinstance(head, dict):
        problems.append(f"{file.name}: a [corpus] table with a name is missing")
        head = {}
    head = cast("dict[str, object]", head)
    if unknown := sorted(set(head) - {"name", "description"}):
        problems.append(f"{file.name}, [corpus]: unknown key {', '.join(unknown)}")
    if problems:
        raise ManifestError(*problems)
    fields = head | {
        "root": root,
        "guidelines": [entry for _, entry in guidelines],
        "labels": [entry for _, entry in labels],
    }
    try:
        return Manifest.model_validate(fields)
    except ValidationError as error:
        raise ManifestError(f"{file.name}, [corpus]: {described(error)}") from error


def _read_toml(file: Path, parsed: Path | None) -> dict[str, object]:
    """Return the tables of a manifest; raises ManifestError as `load_manifest`."""
    try:
        data = file.read_bytes()
        form = f"{TABLES} {sha256_hex(data)}"
        if parsed is not None and (tables := read_values(parsed, form)) is not None:
            return tables
        tables = tomllib.loads(data.decode("utf-8-sig"))
    except FileNotFoundError as error:
        folder = file.absolute().parent
        raise ManifestError(
            f"{file.name} is missing from {folder}; `clinrag corpus init {folder}` writes one"
        ) from error
    except OSError as error:
        raise ManifestError(f"{file.name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ManifestError(f"{file.name} is not UTF-8 at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{file.name} is not TOML: {error}") from error
    if parsed is not None and len(data) > LARGE:
        write_values(parsed, form, tables)
    return tables


def _entries(
    file: str,
    tree: dict[str, object],
    kind: str,
    name: str,
    model: type[_Model],
    problems: list[str],
) -> list[tuple[str, _Model]]:
    """Return the valid entries of a kind, each with its place for messages.

    `name` is the key whose value identifies an entry in messages. What is wrong is added to
    `problems`.
    """
    rows = tree.get(kind, [])
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) for row in cast("list[object]", rows)
    ):
        problems.append(f"{file}: write [[{kind}]] (two brackets), one per entry")
        return []
    entries: list[tuple[str, _Model]] = []
    for number, row in enumerate(cast("list[dict[str, object]]", rows), 1):
        where = f"{file}, {kind} {number} ({row.get(name) or f'no {name}'})"
        try:
            entries.append((where, model.model_validate(row)))
        except ValidationError as error:
            problems.append(f"{where}: {described(error)}")
    return entries


def _problems_between(root: Path, entries: Sequence[tuple[str, CorpusEntry]]) -> list[str]:
    """Return what is wrong between entries: duplicates, successors, links out of the folder."""
    problems: list[str] = []
    seen: dict[object, str] = {}
    leaving = paths_leaving(root, (e.path for _, e in entries if e.path is not None))
    for where, entry in entries:
        if isinstance(entry, GuidelineEntry):
            identity, problem = entry.id, "the id is taken by"
        else:
            query = entry.query.model_dump_json() if entry.query else None
            identity = (entry.format, entry.path, entry.url, query, entry.set_id)
            problem = "the same label as"
        if (first := seen.setdefault(identity, where)) != where:
            problems.append(f"{where}: {problem} {first.partition(', ')[2]}")
        if entry.path in leaving:
            problems.append(f"{where}: {entry.path!r} leads outside the corpus folder")
    for where, entry in entries:
        successor = entry.superseded_by if isinstance(entry, GuidelineEntry) else None
        if successor is not None and (successor not in seen or seen[successor] == where):
            problems.append(
                f"{where}: superseded_by names {successor!r}, which is not another guideline of "
                "this corpus"
            )
    return problems
