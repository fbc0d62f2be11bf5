"""Reads the published notes and the labels of them, and says which half a note is in."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_LABELLED = Path(__file__).parents[1]
Key = tuple[str, str]
LABELS = _LABELLED.joinpath("notes_labels.tsv")
MEDICINE_LABELS = _LABELLED.joinpath("notes_medicines.tsv")
PLAN_LABELS = _LABELLED.joinpath("notes_plan.tsv")
SYMPTOM_LABELS = _LABELLED.joinpath("notes_symptoms.tsv")
READ = _LABELLED.joinpath("notes_read.tsv")
"""Notes whose summaries others judged, and rules were corrected by: never held out again."""
MOST = 10_000_000


class PublishedNote(NamedTuple):
    """A note of a corpus, with what its publishers annotated."""

    corpus: str
    name: str
    text: str
    highlights: tuple[str, ...] = ()
    symptoms: tuple[dict[str, Any], ...] = ()
    clean: bool = True
    """Whether it is fit to measure content on."""


def read_corpora(folder: Path) -> list[PublishedNote]:
    """Return every note that a file of the folder has, by the shape of its records."""
    notes: dict[Key, PublishedNote] = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        for note in _of_file(path):
            if note.text.strip():
                notes.setdefault((note.corpus, note.name), note)
    return list(notes.values())


def _of_file(path: Path) -> list[PublishedNote]:
    with path.open(encoding="utf-8", newline="", errors="replace") as file:
        if path.suffix == ".json":
            data = json.load(file)
            marked = tuple(h for h in data.get("highlights") or () if h.strip())
            return [PublishedNote("primock57", path.stem, data["note"], marked)]
        if path.suffix == ".jsonl":
            rows = [json.loads(line) for line in file]
            return [
                PublishedNote("mtsamples", f"{path.stem}-{n}", row["text"], clean=_is_clean(row))
                for n, row in enumerate(rows)
            ]
        if path.suffix == ".csv":
            csv.field_size_limit(MOST)
            found = [row for row in csv.DictReader(file) if row.get("note") and "dialogue" in row]
            return [PublishedNote("aci-bench", row["encounter_id"], row["note"]) for row in found]
        return _of_simsum(file.read()) if path.name == "span_eval_dataset.txt" else []


def _is_clean(row: dict[str, str]) -> bool:
    """Return whether no list of keywords is glued to the end of a text."""
    return row.get("from") != "socd06"


def _of_simsum(text: str) -> list[PublishedNote]:
    parts = re.split(r"(?m)^Note (\d+)\s*\n-{5,}\n", text)[1:]
    found: list[PublishedNote] = []
    for name, block in zip(parts[::2], parts[1::2], strict=True):
        pieces = re.split(r"\n-{5,}\n", block)
        for form, note, listed in (("normal", *pieces[0:2]), ("adv", *pieces[2:4])):
            spans = [ast.literal_eval(line) for line in listed.splitlines() if line.startswith("{")]
            found.append(PublishedNote("simsum", f"{name}-{form}", note, symptoms=tuple(spans)))
    return found


def rows_of_labels() -> list[dict[str, str]]:
    """Return the labels."""
    with LABELS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@cache
def rows_of_symptoms() -> tuple[dict[str, str], ...]:
    """Return the status of annotated symptoms."""
    with SYMPTOM_LABELS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, delimiter="\t"))


@cache
def notes_read() -> frozenset[Key]:
    """Return the notes whose summaries were read."""
    with READ.open(encoding="utf-8", newline="") as file:
        return frozenset((r["corpus"], r["note"]) for r in csv.DictReader(file, delimiter="\t"))


def in_split(note: PublishedNote, split: str, labels: list[dict[str, str]]) -> bool:
    """Return whether a note belongs to a half: as labelled, else by the hash of its name.

    A note that was read for its faults is no longer held out.
    """
    if (note.corpus, note.name) in notes_read():
        return split == "dev"
    named = {r["split"] for r in labels if (r["corpus"], r["note"]) == (note.corpus, note.name)}
    if note.corpus == "simsum":
        number = note.name.split("-")[0]
        named = {r["split"] for r in rows_of_symptoms() if r["note"] == number} or named
    if named:
        return split in named
    half = hashlib.sha256(f"{note.corpus}/{note.name}".encode()).digest()[0] % 2
    return split == ("dev" if half == 0 else "held-out")
