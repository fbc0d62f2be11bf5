"""Figures of plans, of symptoms with their status and of names that are hidden."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from note_figures.corpora import PLAN_LABELS, Key, PublishedNote, rows_of_symptoms
from note_figures.places import count, covers, hash_of, holds, ratio, shared

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.name_finder import NameFinder
from clinrag_core.notes.phi import Deidentified
from clinrag_core.notes.records import NoteResult

SYMPTOMS = {
    "dyspnea": {"dyspnea"},
    "cough": {"cough", "sputum"},
    "fever": {"fever"},
    "respiratory pain": {"pain", "chest_pain", "sore_throat", "myalgia"},
    "nasal symptoms": {"nasal_symptoms"},
}


def measure_plan(
    notes: dict[Key, PublishedNote], results: dict[Key, NoteResult], *, show: bool
) -> None:
    """Print which labelled statements under a plan are recommendations."""
    listed: dict[str, Counter[bool]] = {
        name: Counter() for name in ("recommendation", "reasoning", "problem", "planned problem")
    }
    with PLAN_LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        key = row["corpus"], row["note"]
        if key not in results or "|" in row["label"]:
            continue
        start, end = int(row["start"]), int(row["end"])
        said = notes[key].text[start:end]
        if hash_of(said) != row["sha256"]:
            continue
        plan = results[key].plan
        sources = [parse_source(r.source) for r in (plan.recommendations if plan else ())]
        label = row["label"]
        is_wanted = label == "recommendation"  # which may begin with a label, or be part of an item
        is_listed = any(
            s is not None
            and (shared(s.start, s.end, start, end) if is_wanted else s.start == start)
            for s in sources
        )
        ok = is_listed == (label == "recommendation")
        count(listed[label], ok, show, f"{label} {key[1]}", said)
        if label == "problem":
            items = [i for _, i in results[key].summary.filed() if covers(i, start, end)]
            listed["planned problem"][all(i.status != "planned" for i in items)] += 1
    for name, text in (
        ("recommendation", "recommendations in the plan"),
        ("reasoning", "reasoning not listed as a recommendation"),
        ("problem", "names of problems not listed as a recommendation"),
        ("planned problem", "names of problems not marked as planned"),
    ):
        print(text, ratio(listed[name][True], listed[name].total()))


def measure_symptoms(
    notes: list[tuple[PublishedNote, NoteResult]], split: str, *, show: bool
) -> None:
    """Print annotated symptoms that lie in an item and are a finding of the labelled status."""
    labels = {
        (f"{row['note']}-{row['form']}", int(row["place"])): row["status"]
        for row in rows_of_symptoms()
        if row["split"] == split
    }
    inside = right = n = 0
    for note, result in notes:
        for place, span in enumerate(note.symptoms):
            status = labels.get((note.name, place), "unnamed")
            if status == "unnamed":
                continue
            n += 1
            start, end = int(span["start"]), int(span["end"])
            items = [i for _, i in result.summary.filed()]
            inside += any(holds(i, start, end) for i in items)
            found = {
                "absent" if f.status == "absent" else "present"
                for i in items
                for f in i.findings
                if f.name in SYMPTOMS[span["symptom"]] and f.start < end and start < f.end
            }
            right += found == {status}
            if show and found != {status}:
                print(
                    "    symptom",
                    note.name,
                    status,
                    found,
                    span["symptom"],
                    repr(span["text"][:80]),
                )
    print("symptom spans inside one item", ratio(inside, n))
    print("symptom spans with a finding of their status", ratio(right, n))


def measure_names(folder: Path, notes: dict[Key, PublishedNote], model: str | None) -> None:
    """Print how many names of patients, from the metadata of ACI-Bench, are hidden everywhere."""
    finder = NameFinder(model) if model else None
    hidden = n = 0
    for path in sorted(folder.rglob("*_metadata.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                note = notes.get(("aci-bench", row["encounter_id"]))
                names = {row.get("patient_firstname", ""), row.get("patient_familyname", "")}
                for name in names if note else ():
                    word = re.compile(rf"\b{re.escape(name.strip())}\b")
                    if name.strip() and note is not None and word.search(note.text):
                        n += 1
                        found = finder.identifiers(note.text) if finder else ()
                        hidden += not word.search(Deidentified(note.text, found).hide(note.text))
    print("names of patients hidden by rules", f"and {model}" if model else "", ratio(hidden, n))
