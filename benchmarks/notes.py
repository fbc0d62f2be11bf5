#!/usr/bin/env python3
"""Figures of summaries and plans of clinical notes, on a folder of published notes.

    python benchmarks/notes.py --notes ../shared/notes --split dev

Reads PriMock57 (.json), ACI-Bench (.csv), MTSamples (.jsonl) and the annotated sample of SimSUM
(.txt). The held-out half is for the last reading. Without the folder it says so and ends.

What is measured, and how:
- headings, sentences: labels by place in notes_labels.tsv, made before any rule; a label whose text
  differs here is left out and counted. A heading counts with its exact characters.
- highlights: verbatim in the note (case ignored) and inside one item; fitting by the printed
  line they are under: impression and plan lead to assessment, problems or medicines.
- doses, vital signs, complaint, follow-up: found in the note by plain expressions of this file,
  which share nothing with the reader; each must be in a field, or an item of its section.
- status of medicines: sixty of those doses, labelled by place in notes_medicines.tsv.
- plan: statements under a plan, labelled in notes_plan.tsv as the name of a problem, reasoning, or
  a recommendation, before any rule distinguished them; a label of two counts for neither. A
  recommendation counts that is most of one of the plan; reasoning, that one of them begins with it.
- symptoms: spans that name their symptom; the status is a label of notes_symptoms.tsv, which a
  finding that overlaps the span must have.
- names: of patients, in the metadata of ACI-Bench, where the note prints them.
- mutants: citations and texts of emitted items, changed; each must be refused with its code.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from note_figures.corpora import MOST, Key, in_split, read_corpora, rows_of_labels
from note_figures.fields import measure_fields, measure_medicines
from note_figures.mutants import measure_mutants, measure_time
from note_figures.places import ratio
from note_figures.sections import measure_highlights, measure_labels
from note_figures.status import measure_names, measure_plan, measure_symptoms

from clinrag_core.errors import ClinragError
from clinrag_core.notes.citations import CitationChecker, parse_source
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteResult
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.settings import load_settings


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--notes", type=Path, required=True)
    parser.add_argument("--split", choices=("dev", "held-out"), default="dev")
    parser.add_argument("--name-model", help="spaCy model for names; needs clinrag[deidentify]")
    parser.add_argument("--brief", action="store_true", help="neither mutants nor time")
    parser.add_argument("--show", action="store_true", help="what is missed, on dev only")
    return parser.parse_args()


def main() -> int:
    """Print every figure of one half."""
    given = arguments()
    if not given.notes.is_dir():
        print(f"nothing measured: {given.notes} is absent")
        return 0
    labels = rows_of_labels()
    notes = [n for n in read_corpora(given.notes) if in_split(n, given.split, labels)]
    if not notes:
        print(f"nothing measured: no note of a known form in {given.notes}")
        return 0
    summariser = NoteSummariser(load_settings())
    results: dict[Key, NoteResult] = {}
    errors: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    dropped = items = inexact = 0
    times: list[float] = []
    for note in notes:
        try:
            started = time.perf_counter()
            result = summariser.summarise(note.text, with_plan=True)
        except ClinragError as error:
            errors[type(error).__name__] += 1
            continue
        times.append((time.perf_counter() - started) * 1_000)
        results[note.corpus, note.name] = result
        checker = CitationChecker(read_note(note.text, MOST), quoting=True)
        for _, item in result.summary.filed():
            codes[checker.problem(item.text, item.source) or "valid"] += 1
            place = parse_source(item.source)
            inexact += place is None or note.text[place.start : place.end] != item.text
        items += result.figures.items
        dropped += len(result.dropped)
    print(f"split {given.split}:", dict(Counter(n.corpus for n in notes)), "errors:", dict(errors))
    print("citations:", dict(codes), "inexact:", inexact)
    print("coverage", ratio(items - dropped, items))
    print(f"time per note: median {statistics.median(times):.1f} ms, most {max(times):.1f} ms")
    kept = {(n.corpus, n.name): n for n in notes if (n.corpus, n.name) in results}
    pairs = [(n, results[key]) for key, n in kept.items()]
    show = given.show and given.split == "dev"
    measure_labels(kept, results, labels, show=show)
    measure_highlights([p for p in pairs if p[0].highlights])
    measure_fields([p for p in pairs if p[0].clean], show=show)
    measure_medicines(kept, results)
    measure_plan(kept, results, show=show)
    measure_symptoms([p for p in pairs if p[0].symptoms], given.split, show=show)
    measure_names(given.notes, kept, given.name_model)
    if not given.brief:
        measure_mutants(pairs)
        measure_time(summariser, list(kept.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
