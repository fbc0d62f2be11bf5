"""Notes of a folder, one after the other: summaries into files, or figures alone.

A batch that was stopped goes on where it was: a note whose result is there, made from the same
bytes by the same generator, is not read again. A note that fails does not stop the others.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from clinrag_core.errors import ClinragError, NoteError
from clinrag_core.model.base import Record
from clinrag_core.notes.citations import CitationChecker, parse_source
from clinrag_core.notes.generated import plan_problem
from clinrag_core.notes.read import NOTE_FORMATS, note_text, read_note
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clinrag_core.notes.records import NoteResult
    from clinrag_core.notes.summarise import NoteSummariser

COVERAGE = 0.99
"""Least share of what a generator writes that is cited validly (seed 003 claims .9899)."""


class NoteFigures(Record):
    """What a folder of notes came to. Holds no names of files and no text."""

    notes: int
    failed: int
    failures: dict[str, int]
    items: int
    recommendations: int
    coverage: float
    invalid: dict[str, int]
    """Citations of results that a second check refuses, by code; every one is a defect."""
    dropped: dict[str, int]
    inexact: int
    """Items that quote and differ from the characters they cite."""
    sections: int
    milliseconds: dict[str, float]
    """Time per note: median, 95th percentile and most."""

    @property
    def passed(self) -> bool:
        """Whether every note was read, every citation is valid and enough was cited."""
        sound = not self.failed and not self.invalid and not self.inexact
        return sound and bool(self.notes) and self.coverage >= COVERAGE


def note_files(folder: Path) -> list[Path]:
    """Return the notes of a folder, by name.

    Raises:
        NoteError: there is no folder, or no note in it.
    """
    if not folder.is_dir():
        raise NoteError(f"{folder} is no folder")
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in NOTE_FORMATS)
    if not files:
        raise NoteError(f"{folder}: no file ends with one of {', '.join(sorted(NOTE_FORMATS))}")
    return files


class FolderFigures:
    """Adds up the figures of notes, one result after the other."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[str, int] = {}
        self._invalid: dict[str, int] = {}
        self._dropped: dict[str, int] = {}
        self._failures: dict[str, int] = {}
        self._times: list[float] = []

    def add(self, text: str, result: NoteResult, milliseconds: float) -> None:
        """Check a result once more against its note and count it."""
        note = read_note(text, self._most)
        quotes = result.generator == "extractive"
        checker = CitationChecker(note, quoting=quotes)
        items = result.summary.filed()
        sources = frozenset(item.source for _, item in items)
        codes = [checker.problem(item.text, item.source) for _, item in items]
        recommendations = result.plan.recommendations if result.plan else ()
        codes += [
            plan_problem(checker, sources, t, s) for r in recommendations for t, s in r.cited()
        ]
        _count(self._invalid, *(code for code in codes if code))
        _count(self._dropped, *(one.code for one in result.dropped))
        for _, item in items:
            place = parse_source(item.source)
            if quotes and (place is None or text[place.start : place.end] != item.text):
                self._add("inexact", 1)
        self._add("items", result.figures.items)
        self._add("valid", result.figures.valid)
        self._add("recommendations", len(recommendations))
        self._add("sections", len(result.sections))
        self._times.append(milliseconds)

    def fail(self, error: Exception) -> None:
        """Count a note that could not be read, by the type of its error."""
        _count(self._failures, type(error).__name__)

    def figures(self) -> NoteFigures:
        """Return the figures of all notes so far."""
        counts = self._counts
        times = sorted(self._times) or [0.0]
        items = counts.get("items", 0)
        return NoteFigures(
            notes=len(self._times),
            failed=sum(self._failures.values()),
            failures=self._failures,
            items=items,
            recommendations=counts.get("recommendations", 0),
            coverage=round(counts.get("valid", 0) / items, 4) if items else 0.0,
            invalid=self._invalid,
            dropped=self._dropped,
            inexact=counts.get("inexact", 0),
            sections=counts.get("sections", 0),
            milliseconds={
                "median": round(times[len(times) // 2], 3),
                "p95": round(times[math.ceil(0.95 * len(times)) - 1], 3),
                "most": round(times[-1], 3),
            },
        )

    def _add(self, name: str, count: int) -> None:
        self._counts[name] = self._counts.get(name, 0) + count


def _count(counts: dict[str, int], *names: str) -> None:
    for name in names:
        counts[name] = counts.get(name, 0) + 1


def evaluate_notes(
    folder: Path,
    summariser: NoteSummariser,
    most: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> NoteFigures:
    """Return the figures of a folder of notes, each summarised and planned.

    Raises:
        NoteError: there is no folder, or no note in it.
    """
    files = note_files(folder)
    figures = FolderFigures(most)
    for done, path in enumerate(files, start=1):
        try:
            text = note_text(path)
            started = time.perf_counter()
            result = summariser.summarise(text, with_plan=True)
            figures.add(text, result, (time.perf_counter() - started) * 1_000)
        except ClinragError as error:
            figures.fail(error)
        on_progress(done, len(files))
    return figures.figures()


def result_name(path: Path, folder: Path, generator: str, *, with_plan: bool, checked: bool) -> str:
    """Return the name of a note's result: of its bytes, its place and what makes the result."""
    made = f"{path.relative_to(folder)}\0{generator}\0{with_plan}\0{checked}".encode()
    return f"{path.stem}.{sha256_hex(path.read_bytes() + made)[:12]}"
