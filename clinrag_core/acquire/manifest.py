"""A corpus and the reading of its `corpus.toml`: every complaint names the file and the entry."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import Field, ValidationError

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry, Text
from clinrag_core.errors import ManifestError
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MANIFEST_NAME = "corpus.toml"
_Entry = TypeVar("_Entry", bound=Record)


class Manifest(Record):
    """A corpus: its entries in the order of the file."""

    name: Text
    description: str = ""
    root: Path = Field(description="folder all paths are relative to")
    guidelines: tuple[GuidelineEntry, ...] = ()
    labels: tuple[LabelEntry, ...] = ()

    @cached_property
    def drugs(self) -> Mapping[str, tuple[LabelEntry, ...]]:
        """Labels by partition key, keys sorted, entries in the order of the file."""
        groups: dict[str, list[LabelEntry]] = {}
        for label in self.labels:
            groups.setdefault(label.key, []).append(label)
        return {key: tuple(groups[key]) for key in sorted(groups)}

    def guideline(self, guideline_id: str) -> GuidelineEntry:
        """The publication of an id.

        Raises:
            ManifestError: the corpus has none of that id.
        """
        for entry in self.guidelines:
            if entry.id == guideline_id:
                return entry
        raise ManifestError(f"corpus {self.name!r} has no guideline {guideline_id!r}")


def load_manifest(path: Path) -> Manifest:
    """Read a corpus manifest.

    Args:
        path: the `corpus.toml` or its folder.

    Raises:
        ManifestError: it is missing, is not TOML, has an unknown key or a bad value, names
            nothing, names something twice, or reaches outside its folder.
    """
    file = path / MANIFEST_NAME if path.is_dir() else path
    tree = _read_toml(file)
    if unknown := sorted(set(tree) - {"corpus", "guideline", "label"}):
        raise ManifestError(
            f"{file.name}: unknown table {', '.join(unknown)}; "
            "there are [corpus], [[guideline]] and [[label]]"
        )
    root = file.absolute().parent
    guidelines = _entries(file.name, tree, "guideline", GuidelineEntry)
    labels = _entries(file.name, tree, "label", LabelEntry)
    if not guidelines and not labels:
        raise ManifestError(f"{file.name}: the corpus is empty; add [[guideline]] or [[label]]")
    _check_unique(file.name, guidelines, labels)
    _check_successors(file.name, guidelines)
    _check_inside(file.name, root, guidelines, labels)
    head = tree.get("corpus")
    if not isinstance(head, dict):
        raise ManifestError(f"{file.name}: a [corpus] table with a name is missing")
    head = cast("dict[str, object]", head)
    if unknown := sorted(set(head) - {"name", "description"}):
        raise ManifestError(f"{file.name}, [corpus]: unknown key {', '.join(unknown)}")
    fields = head | {"root": root, "guidelines": guidelines, "labels": labels}
    return _validated(f"{file.name}, [corpus]", Manifest, fields)


def _read_toml(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise ManifestError(f"{file.name} is missing from {file.parent}") from error
    except OSError as error:
        raise ManifestError(f"{file.name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ManifestError(f"{file.name} is not UTF-8 at byte {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{file.name} is not TOML: {error}") from error


def _name(entry: dict[str, object] | Record, kind: str) -> str:
    key = {"guideline": "id", "label": "drug"}.get(kind, "path")
    value = getattr(entry, key) if isinstance(entry, Record) else entry.get(key)
    return str(value) if value else f"no {key}"


def _entries(
    file: str, tree: dict[str, object], kind: str, model: type[_Entry]
) -> tuple[_Entry, ...]:
    rows = tree.get(kind, [])
    if not isinstance(rows, list) or not all(
        isinstance(r, dict) for r in cast("list[object]", rows)
    ):
        raise ManifestError(f"{file}: write [[{kind}]] (two brackets), one per entry")
    return tuple(
        _validated(f"{file}, {kind} {n} ({_name(row, kind)})", model, row)
        for n, row in enumerate(cast("list[dict[str, object]]", rows), 1)
    )


def _validated(where: str, model: type[_Entry], fields: dict[str, object]) -> _Entry:
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}" if e["loc"] else e["msg"]
            for e in error.errors(include_url=False, include_context=False)
        )
        raise ManifestError(f"{where}: {problems}") from error


def _check_unique(
    file: str, guidelines: Iterable[GuidelineEntry], labels: Iterable[LabelEntry]
) -> None:
    seen: dict[object, str] = {}
    for n, entry in enumerate(guidelines, 1):
        where = f"guideline {n} ({entry.id})"
        first = seen.setdefault(entry.id, where)
        if first != where:
            raise ManifestError(f"{file}, {where}: the id is taken by {first}")
    for n, label in enumerate(labels, 1):
        where = f"label {n} ({label.drug})"
        query = label.query.model_dump_json() if label.query else None
        first = seen.setdefault((label.format, label.path, label.url, query, label.set_id), where)
        if first != where:
            raise ManifestError(f"{file}, {where}: the same label as {first}")


def _check_successors(file: str, guidelines: tuple[GuidelineEntry, ...]) -> None:
    ids = {entry.id for entry in guidelines}
    for n, entry in enumerate(guidelines, 1):
        if entry.superseded_by is not None and entry.superseded_by not in ids - {entry.id}:
            raise ManifestError(
                f"{file}, guideline {n} ({entry.id}): superseded_by names "
                f"{entry.superseded_by!r}, which is no other guideline of this corpus"
            )


def _check_inside(
    file: str, root: Path, guidelines: Iterable[GuidelineEntry], labels: Iterable[LabelEntry]
) -> None:
    """Symbolic links are followed, so that a link cannot reach outside the folder either."""
    home = root.resolve()
    for kind, entries in (("guideline", guidelines), ("label", labels)):
        for n, entry in enumerate(entries, 1):
            if entry.path is not None and not (root / entry.path).resolve().is_relative_to(home):
                raise ManifestError(
                    f"{file}, {kind} {n} ({_name(entry, kind)}): {entry.path!r} leads outside "
                    "the corpus folder"
                )
