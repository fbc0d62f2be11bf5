"""Figures of doses, vital signs, complaints, follow-up and the status of medicines."""

from __future__ import annotations

import csv
import re
from collections import Counter

from note_figures.corpora import MEDICINE_LABELS, Key, PublishedNote
from note_figures.places import count, covers, holds, ratio

from clinrag_core.notes.records import NoteResult

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
STATUSES = {
    "ongoing": {"current", "continued"},
    "new": {"started", "planned"},
    "changed": {"increased", "decreased", "switched"},
    "stopped": {"stopped"},
}


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
            count(counts["doses"], ok, show, "dose", match.group())
        values = {v.value.replace(" ", "") for i in items for v in i.vitals}
        for match in VITAL.finditer(note.text):
            value = next(g for g in match.groups() if g)
            count(counts["vital signs"], value in values, show, "vital", match.group())
        for match in COMPLAINT.finditer(note.text):
            said = re.split(r"\.(?:\s|,|$)", match[1])[0].strip()
            ok = any(said in i.text for i in result.summary.key_problems)
            count(counts["chief complaint"], ok, show, "complaint", match.group())
        fields = [
            r.recommendation
            for r in (result.plan.recommendations if result.plan else ())
            if "follow_up" in r.kinds
        ]
        for match in FOLLOW_UP.finditer(note.text):
            start, end = match.span()
            in_plan = any(
                covers(i, start, end) for i in result.summary.assessment if i.text in fields
            )
            if any(s.kind == "plan" and s.start <= start < s.end for s in result.sections):
                count(counts["follow-up"], in_plan, show, "follow-up", match.group())
    for name, counted in counts.items():
        print(name, ratio(counted[True], counted.total()))


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
            if holds(i, start, end)
            for m in i.medications
        )
    print("medicines with the labelled status", ratio(right, n))
