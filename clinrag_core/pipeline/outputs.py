"""Stored outputs of stages: what one stage writes and the next ones read.

An output is one JSON file, `outputs/<stage>.json` in the workspace. It records the key of what it
was made from, so that an unchanged stage is not computed again, and its lineage, so that no stage
combines outputs that were made from different states.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from clinrag_core.errors import MissingInputError, StaleInputError, WorkspaceError
from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint, read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

logger = logging.getLogger(__name__)
FOLDER = "outputs"
T = TypeVar("T")


class OutputFile(Record):
    """The file of an output."""

    key: str
    """Fingerprint of everything that decides the value."""
    lineage: dict[str, str]
    """Stage to digest of its output, for every stage this one was made from."""
    value: Any


@dataclass(frozen=True, slots=True)
class Given(Generic[T]):
    """An output as another stage reads it."""

    stage: str
    value: T
    digest: str
    lineage: dict[str, str]


class Output(Generic[T]):
    """The stored output of one stage in a workspace's folder."""

    def __init__(self, home: Path, stage: str, schema: type[T]) -> None:
        self.stage = stage
        self.path = home / FOLDER / f"{stage}.json"
        self._adapter = TypeAdapter(schema)

    @property
    def relative(self) -> str:
        """Path relative to the workspace."""
        return f"{FOLDER}/{self.stage}.json"

    def read(self) -> Given[T]:
        """The stored output.

        Raises:
            MissingInputError: it was never made, or by another version of this project.
        """
        if not self.path.exists():
            raise MissingInputError(self.relative, self.stage)
        try:
            file, value = self._read()
        except (ValidationError, WorkspaceError) as error:
            reason = "cannot be read"
            raise MissingInputError(self.relative, self.stage, reason) from error
        return Given(self.stage, value, fingerprint(file.value), file.lineage)

    def keep(
        self,
        inputs: Sequence[Given[Any]],
        config: object,
        make: Callable[[], T],
        *,
        reuse: bool = True,
        lineage: bool = True,
    ) -> T:
        """The value for these inputs: the stored one if they are unchanged, else made and stored.

        Args:
            inputs: outputs of other stages.
            config: JSON value of everything else that decides the value.
            make: computes the value.
            reuse: whether a stored value may be used.
            lineage: record what it was made from; False for a value that names that itself.

        Raises:
            StaleInputError: the inputs were made from different states of a stage.
        """
        merged = merge_lineages(inputs)
        key = fingerprint({given.stage: given.digest for given in inputs}, config)
        lines = merged if lineage else {}
        stored = self._stored() if reuse else None
        if stored is not None and stored[0].key == key:
            file, value = stored
            if file.lineage != lines:
                self._write(OutputFile(key=key, lineage=lines, value=file.value))
            return value
        value = make()
        dumped = self._adapter.dump_python(value, mode="json")
        self._write(OutputFile(key=key, lineage=lines, value=dumped))
        return value

    def _stored(self) -> tuple[OutputFile, T] | None:
        if not self.path.exists():
            return None
        try:
            return self._read()
        except (ValidationError, WorkspaceError) as error:
            logger.info("%s is made again: %s", self.relative, type(error).__name__)
            return None

    def _read(self) -> tuple[OutputFile, T]:
        file = OutputFile.model_validate(read_json(self.path))
        return file, self._adapter.validate_python(file.value)

    def _write(self, file: OutputFile) -> None:
        write_atomic(self.path, file.model_dump_json().encode())


def merge_lineages(inputs: Sequence[Given[Any]]) -> dict[str, str]:
    """Stage to digest over inputs and everything they were made from.

    Raises:
        StaleInputError: two inputs disagree on a stage.
    """
    merged: dict[str, str] = {}
    source: dict[str, str] = {}
    for given in inputs:
        for stage, digest in {**given.lineage, given.stage: given.digest}.items():
            if merged.setdefault(stage, digest) != digest:
                raise StaleInputError(
                    f"{given.stage} and {source[stage]} were made from different states of "
                    f"{stage}: materialize both again"
                )
            source.setdefault(stage, given.stage)
    return merged
