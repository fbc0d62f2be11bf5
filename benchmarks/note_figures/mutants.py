"""Figures of changed citations, of time and of memory."""

from __future__ import annotations

import random
import re
import resource
import statistics
import time
from collections import Counter

from note_figures.corpora import MOST, PublishedNote
from note_figures.places import ratio

from clinrag_core.notes.citations import CitationChecker, ReadNote, parse_source, source_of
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.read import read_note
from clinrag_core.notes.records import NoteResult, SummaryItem
from clinrag_core.notes.summarise import NoteSummariser

Mutant = tuple[str, str, str, tuple[str, ...]]
LONG = 5_000
FLAT = 1_000
MUTANTS = 2_000
SEED = 15


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
