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
  a recommendation, before any rule distinguished them; a label of two counts for neither.
- symptoms: spans that name their symptom; the status is a label of notes_symptoms.tsv, which a
  finding that overlaps the span must have.
- names: of patients, in the metadata of ACI-Bench, where the note prints them.
- mutants: citations and texts of emitted items, changed; each must be refused with its code.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import json
import random
import re
import resource
import statistics
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from clinrag_core.errors import ClinragError
from clinrag_core.notes.citations import CitationChecker, ReadNote, parse_source, source_of
from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.name_finder import NameFinder
from clinrag_core.notes.phi import Deidentified
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteResult, SummaryItem
from clinrag_core.notes.summarise import NoteSummariser
from clinrag_core.settings import load_settings

LABELS = Path(__file__).with_name("notes_labels.tsv")
MEDICINE_LABELS = Path(__file__).with_name("notes_medicines.tsv")
PLAN_LABELS = Path(__file__).with_name("notes_plan.tsv")
SYMPTOM_LABELS = Path(__file__).with_name("notes_symptoms.tsv")
READ = Path(__file__).with_name("notes_read.tsv")
"""Notes whose summaries others judged, and rules were corrected by: never held out again."""
MOST = 10_000_000
LONG = 5_000
FLAT = 1_000
MUTANTS = 2_000
SEED = 15
DOSE = re.compile(
    r"\b([A-Z]?[a-z]{4,}(?:-[a-z]+)?)\s+(\d+(?:[.,]\d+)*)\s?(mg|mcg|micrograms?|units?|g)\b(?!/)"
)
NO_DRUG = frozenset(
    [
        *("about", "dose", "total", "takes", "taking", "take", "took", "with", "from", "over"),
        *("than", "given", "measured", "used"),
    ]
)
VITAL = re.compile(
    r"(?i)\b(?:bp|blood pressure)\D{0,20}(\d{2,3}/\d{2,3})"
    r"|\b(?:hr|heart rate|pulse)\D{0,12}(\d{2,3})\b(?!/)"
    r"|\b(?:temp|temperature)\D{0,12}(\d{2,3}(?:\.\d)?)"
    r"|\b(?:o2|oxygen|spo2|sats?)[^\d\n]{0,25}(\d{2,3}) ?%"
    r"|\b(?:rr|respiratory rate|respirations)\D{0,12}(\d{1,2})\b"
)
COMPLAINT = re.compile(r"(?mi)^(?:CHIEF COMPLAINT|CC)\s*:?\s*,?\s*(\S[^\n]+)")
FOLLOW_UP = re.compile(
    r"(?i)[^.\n]*\b(?:follow(?:ing)?[- ]?up (?:with|in|appointment|visit)"
    r"|return (?:in|to (?:the )?clinic)"
    r"|see (?:him|her|them|you) back|will follow up)\b[^.\n]*"
)
LATE = re.compile(
    r"(?mi)^\W*(?:imp(?:ression)?|plns?|plans?|dx|ddx|diagnosis|assessment|a/p|treatment|mx)\b"
)
SECTION_OF_LINE = re.compile(
    r"(?mi)^\W*(pmhx?|dhx?|shx?|fhx?|allerg\w*|medication\w*|ex|o/e|exam\w*)\b"
)


Key = tuple[str, str]
Mutant = tuple[str, str, str, tuple[str, ...]]


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
    """Return whether no list of keywords is glued to the end of a text (reference/notes.md)."""
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


def ratio(hits: int, n: int) -> str:
    """Return a share with its counts."""
    return f"{hits / n:.3f} ({hits} of {n})" if n else "not measured: nothing of the kind here"


def measure_labels(
    notes: dict[Key, PublishedNote],
    results: dict[Key, NoteResult],
    labels: list[dict[str, str]],
    *,
    show: bool,
) -> None:
    """Print headings and sentences against the labels."""
    right = wrong = missing = stale = hits = 0
    by_corpus: dict[str, tuple[int, int]] = {}
    sentences: Counter[bool] = Counter()
    for key, note in notes.items():
        own = [r for r in labels if (r["corpus"], r["note"]) == key]
        if not own:
            continue
        fresh = [r for r in own if _hash(note.text[int(r["start"]) : int(r["end"])]) == r["sha256"]]
        stale += len(own) - len(fresh)
        gold = {(int(r["start"]), int(r["end"])) for r in fresh if r["kind"] == "header"}
        result = results[key]
        read = read_note(note.text, MOST)
        primary = list(
            zip(read.units, classify_units(read.text, read.sections, read.units), strict=True)
        )
        found = {
            (at, at + len(s.title))
            for s in result.sections
            if s.kind != "overview" and (at := note.text.index(s.title, s.start)) >= 0
        }
        hits += len(gold & found)
        right += len(found & gold)
        wrong += len(found - gold)
        missing += len(gold - found)
        kept, lost = by_corpus.get(note.corpus, (0, 0))
        by_corpus[note.corpus] = (kept + len(gold & found), lost + len(gold - found))
        if show:
            for a, b in sorted(found ^ gold):
                print(
                    "   heading",
                    "extra" if (a, b) in found else "missed",
                    key,
                    repr(note.text[a:b]),
                )
        for r in fresh:
            if r["kind"] != "sentence":
                continue
            a, b = int(r["start"]), int(r["end"])
            classes = {name or "none" for u, name in primary if _shared(u.start, u.end, a, b)}
            ok = bool(classes & set(r["label"].split("|")))
            sentences[ok] += 1
            if show and not ok:
                print("   sentence", key, r["label"], classes, repr(note.text[a:b][:70]))
    print("headings precision", ratio(right, right + wrong))
    print("headings recall", ratio(right, right + missing))
    for corpus, (kept, lost) in sorted(by_corpus.items()):
        print(f"    {corpus}: recall", ratio(kept, kept + lost))
    print("sentences in a labelled section", ratio(sentences[True], sentences.total()))
    print("labels whose text differs here:", stale)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _covers(item: SummaryItem, start: int, end: int) -> bool:
    """Return whether a place and an item are mostly the same characters."""
    place = parse_source(item.source)
    return place is not None and _shared(place.start, place.end, start, end)


def _shared(a: int, b: int, start: int, end: int) -> bool:
    shared = min(end, b) - max(start, a)
    return shared > 0 and shared >= 0.5 * min(end - start, b - a)


def measure_highlights(notes: list[tuple[PublishedNote, NoteResult]]) -> None:
    """Print how many highlights lie inside one item of a fitting section."""
    inside = fitting = n = 0
    for note, result in notes:
        for marked in note.highlights:
            at = note.text.lower().find(marked.lower().strip())
            if at < 0:
                continue
            n += 1
            end = at + len(marked.strip())
            holding = [name for name, i in result.summary.filed() if _holds(i, at, end)]
            inside += bool(holding)
            fitting += bool(set(holding) & _fitting(note.text, at))
    print("highlights inside an item", ratio(inside, n))
    print("highlights inside an item of a fitting section", ratio(fitting, n))


def _holds(item: SummaryItem, start: int, end: int) -> bool:
    place = parse_source(item.source)
    return place is not None and place.start <= start and end <= place.end


def _fitting(text: str, at: int) -> set[str]:
    """Return the sections that fit a place, by the printed line it is under."""
    late = [m.start() for m in LATE.finditer(text) if m.start() <= at]
    other = [(m.start(), m[1].lower()) for m in SECTION_OF_LINE.finditer(text) if m.start() <= at]
    if late and (not other or late[-1] > other[-1][0]):
        return {"assessment", "key_problems", "medicines_allergies"}
    if other and other[-1][1].startswith(("ex", "o/e")):
        return {"objective_findings", "labs_imaging"}
    if other and other[-1][1].startswith(("dh", "allerg", "medication")):
        return {"medicines_allergies"}
    return {"key_problems", "pertinent_history", "patient_snapshot", "medicines_allergies"} | (
        set() if other else {"objective_findings", "labs_imaging"}
    )


def measure_fields(notes: list[tuple[PublishedNote, NoteResult]], *, show: bool) -> None:
    """Print doses, vital signs, complaint and follow-up that the notes print and items hold."""
    names = ("doses", "vital signs", "chief complaint", "follow-up")
    counts: dict[str, Counter[bool]] = {name: Counter() for name in names}
    for note, result in notes:
        items = [item for _, item in result.summary.filed()]
        held = {(m.name.lower(), "".join(m.dose.split())) for i in items for m in i.medications}
        for match in DOSE.finditer(note.text):
            if match[1].lower() in NO_DRUG:
                continue
            ok = any(
                match[1].lower() in name and match[2] + match[3] in dose for name, dose in held
            )
            _count(counts["doses"], ok, show, "dose", match.group())
        values = {v.value.replace(" ", "") for i in items for v in i.vitals}
        for match in VITAL.finditer(note.text):
            value = next(g for g in match.groups() if g)
            _count(counts["vital signs"], value in values, show, "vital", match.group())
        for match in COMPLAINT.finditer(note.text):
            said = re.split(r"\.(?:\s|,|$)", match[1])[0].strip()
            ok = any(said in i.text for i in result.summary.key_problems)
            _count(counts["chief complaint"], ok, show, "complaint", match.group())
        fields = [
            r.recommendation
            for r in (result.plan.recommendations if result.plan else ())
            if "follow_up" in r.kinds
        ]
        for match in FOLLOW_UP.finditer(note.text):
            start, end = match.span()
            in_plan = any(
                _covers(i, start, end) for i in result.summary.assessment if i.text in fields
            )
            if any(s.kind == "plan" and s.start <= start < s.end for s in result.sections):
                _count(counts["follow-up"], in_plan, show, "follow-up", match.group())
    for name, counted in counts.items():
        print(name, ratio(counted[True], counted.total()))


def _count(counter: Counter[bool], ok: bool, show: bool, what: str, text: str) -> None:
    counter[ok] += 1
    if show and not ok:
        print("   ", what, repr(text[:100]))


STATUSES = {
    "ongoing": {"current", "continued"},
    "new": {"started", "planned"},
    "changed": {"increased", "decreased", "switched"},
    "stopped": {"stopped"},
}


def measure_medicines(notes: dict[Key, PublishedNote], results: dict[Key, NoteResult]) -> None:
    """Print printed doses whose medicine has the labelled status in the item that holds them."""
    right = n = 0
    with MEDICINE_LABELS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        key = ("aci-bench", row["note"])
        if key not in results:
            continue
        n += 1
        start, end = int(row["start"]), int(row["end"])
        printed = notes[key].text[start:end].lower()
        expected = set[str]().union(*(STATUSES[one] for one in row["status"].split("|")))
        right += any(
            m.status in expected and m.name.lower() in printed
            for _, i in results[key].summary.filed()
            if _holds(i, start, end)
            for m in i.medications
        )
    print("medicines with the labelled status", ratio(right, n))


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
        if _hash(said) != row["sha256"]:
            continue
        plan = results[key].plan
        sources = [parse_source(r.source) for r in (plan.recommendations if plan else ())]
        is_listed = any(s is not None and (s.start, s.end) == (start, end) for s in sources)
        label = row["label"]
        ok = is_listed == (label == "recommendation")
        _count(listed[label], ok, show, f"{label} {key[1]}", said)
        if label == "problem":
            items = [i for _, i in results[key].summary.filed() if _covers(i, start, end)]
            listed["planned problem"][all(i.status != "planned" for i in items)] += 1
    for name, text in (
        ("recommendation", "recommendations in the plan"),
        ("reasoning", "reasoning not listed as a recommendation"),
        ("problem", "names of problems not listed as a recommendation"),
        ("planned problem", "names of problems not marked as planned"),
    ):
        print(text, ratio(listed[name][True], listed[name].total()))


SYMPTOMS = {
    "dyspnea": {"dyspnea"},
    "cough": {"cough", "sputum"},
    "fever": {"fever"},
    "respiratory pain": {"pain", "chest_pain", "sore_throat", "myalgia"},
    "nasal symptoms": {"nasal_symptoms"},
}


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
            inside += any(_holds(i, start, end) for i in items)
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


def measure_mutants(notes: list[tuple[PublishedNote, NoteResult]]) -> None:
    """Print how many changed citations and texts are refused, and with which code."""
    chosen = random.Random(SEED)  # noqa: S311 - a sample
    refused: Counter[tuple[str, bool]] = Counter()
    for published, result in notes:
        note = read_note(published.text, MOST)
        checker = CitationChecker(note, quoting=True)
        items = [i for _, i in result.summary.filed()]
        for item in chosen.sample(items, min(len(items), max(2, 400 // len(notes)))):
            for kind, text, source, codes in mutants(note, items, item, chosen):
                refused[kind, checker.problem(text, source) in codes] += 1
    kinds = sorted({kind for kind, _ in refused})
    total = sum(refused.values())
    print(
        "mutants caught with the code expected",
        ratio(sum(v for (_, ok), v in refused.items() if ok), total),
    )
    for kind in kinds:
        print("   ", kind, ratio(refused[kind, True], refused[kind, True] + refused[kind, False]))
    if total < MUTANTS:
        print(f"    fewer than {MUTANTS:,} mutants: the folder is small")


def mutants(
    note: ReadNote, items: list[SummaryItem], item: SummaryItem, chosen: random.Random
) -> list[Mutant]:
    """Return changed items: kind, text, source, the codes that are right for it."""
    place = parse_source(item.source)
    assert place is not None  # noqa: S101 - it was emitted
    title, chunk, a, b = place
    made: list[Mutant] = []
    for kind, shift in (("shifted by one", 1), ("shifted by seven", 7), ("shifted back", -3)):
        at = source_of(title, chunk, max(a + shift, 0), b + shift)
        made.append((kind, item.text, at, ("range_not_a_unit", "range_out_of_bounds")))
    made.append(
        (
            "beyond the chunk",
            item.text,
            source_of(title, chunk, a, b + 100_000),
            ("range_out_of_bounds",),
        )
    )
    made.append(
        ("invented chunk", item.text, source_of(title, "chunk_9999", a, b), ("unknown_chunk",))
    )
    others = [c for c in note.chunks if c.id != chunk and not (c.start <= a and b <= c.end)]
    if others:
        other = chosen.choice(others)
        codes = ("section_mismatch",) if other.section_title != title else ("range_out_of_bounds",)
        made.append(("other chunk", item.text, source_of(title, other.id, a, b), codes))
    made.append(
        ("wrong title", item.text, source_of(title + "S", chunk, a, b), ("section_mismatch",))
    )
    made.append(("no form", item.text, f"{title}, {chunk} {a} to {b}", ("bad_format",)))
    made.append(("no source", item.text, "", ("no_citation",)))
    siblings = [i for i in items if i.text != item.text and f"{chunk}:" in i.source]
    if siblings:
        made.append(("other sentence", item.text, chosen.choice(siblings).source, ("wrong_unit",)))
    for match in list(re.finditer(r"\d", item.text))[:1]:
        digit = str((int(match.group()) + 1) % 10)
        text = item.text[: match.start()] + digit + item.text[match.end() :]
        made.append(("swapped digit", text, item.source, ("number_mismatch", "wrong_unit")))
    for one, other in (("left", "right"), ("right", "left")):
        if re.search(rf"\b{one}\b", item.text):
            text = re.sub(rf"\b{one}\b", other, item.text, count=1)
            made.append(("swapped side", text, item.source, ("side_mismatch", "wrong_unit")))
            break
    for one, other in (
        (r"\b[Nn]o (?=[a-z])", ""),
        (r"\b[Dd]enies\b", "reports"),
        (r"\b(?:has|had)\b", "denies"),
    ):
        if re.search(one, item.text) and not note_cues().assertion.negation_void.search(
            item.text.lower()
        ):
            text = re.sub(one, other, item.text, count=1)
            made.append(("turned denial", text, item.source, ("negation_mismatch", "wrong_unit")))
            break
    return made


def measure_time(summariser: NoteSummariser, notes: list[PublishedNote]) -> None:
    """Print the time of notes, of one of 5,000 characters, and the memory over 1,000 notes."""
    text = ""
    for note in notes:
        text = (text + "\n\n" + note.text).strip()
        if len(text) >= LONG:
            break
    times: list[float] = []
    for n in range(7):
        varied = text[:LONG].replace("the", f"the{' ' * (n + 1)}")  # no cache of texts helps
        started = time.perf_counter()
        summariser.summarise(varied, with_plan=True)
        times.append((time.perf_counter() - started) * 1_000)
    print(f"a note of {len(text[:LONG]):,} characters: {statistics.median(times[1:]):.0f} ms")
    before = 0
    for n in range(FLAT):
        note = notes[n % len(notes)]
        summariser.summarise(f"{note.text}\nSeen {n} times.", with_plan=True)
        if n == FLAT // 2:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"memory after {FLAT // 2} and {FLAT} notes: {before / 1024:.0f} and {after / 1024:.0f} MiB"
    )


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
