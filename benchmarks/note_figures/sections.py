"""Figures of headings, of sentences by section and of highlights."""

from __future__ import annotations

import re
from collections import Counter

from note_figures.corpora import MOST, Key, PublishedNote
from note_figures.places import hash_of, holds, ratio, shared

from clinrag_core.notes.classify import classify_units
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteResult

LATE = re.compile(
    r"(?mi)^\W*(?:imp(?:ression)?|plns?|plans?|dx|ddx|diagnosis|assessment|a/p|treatment|mx)\b"
)
SECTION_OF_LINE = re.compile(
    r"(?mi)^\W*(pmhx?|dhx?|shx?|fhx?|allerg\w*|medication\w*|ex|o/e|exam\w*)\b"
)


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
        fresh = [
            r for r in own if hash_of(note.text[int(r["start"]) : int(r["end"])]) == r["sha256"]
        ]
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
            if s.kind != "overview"
            and not s.inferred
            and (at := note.text.index(s.title, s.start)) >= 0
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
            classes = {name or "none" for u, name in primary if shared(u.start, u.end, a, b)}
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
            holding = [name for name, i in result.summary.filed() if holds(i, at, end)]
            inside += bool(holding)
            fitting += bool(set(holding) & _fitting(note.text, at))
    print("highlights inside an item", ratio(inside, n))
    print("highlights inside an item of a fitting section", ratio(fitting, n))


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
