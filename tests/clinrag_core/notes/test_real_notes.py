"""Published notes of clinicians: every citation valid and exact, every note read.

Further figures: `benchmarks/notes.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

from clinrag_core.notes.citations import parse_source
from clinrag_core.notes.folder import FolderFigures
from clinrag_core.notes.summarise import NoteSummariser


def test_every_citation_of_real_notes_is_valid_and_exact(
    reference_notes: Path, summariser: NoteSummariser
):
    figures = FolderFigures(100_000)
    files = sorted(reference_notes.glob("primock57-notes/*.json"))
    for path in files:
        text = json.loads(path.read_text(encoding="utf-8"))["note"]
        result = summariser.summarise(text, with_plan=True)
        for _, item in result.summary.filed():
            place = parse_source(item.source)
            assert text[place.start : place.end] == item.text
        figures.add(text, result, result.milliseconds)
    assert figures.figures().notes == len(files) > 0
    assert figures.figures().passed
