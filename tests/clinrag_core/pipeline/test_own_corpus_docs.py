"""What docs/own-corpus.md shows is valid, and what it says about defaults is true."""

from __future__ import annotations

import re
from pathlib import Path

from clinrag_core.acquire.entries import GuidelineEntry, LabelEntry
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.evaluate.benchmark import BenchmarkQuestion, load_questions

PAGE = (Path(__file__).parents[3] / "docs" / "own-corpus.md").read_text(encoding="utf-8")
MANIFEST, QUESTIONS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def documented(heading: str) -> set[str]:
    """Names in the first column of the table after a heading of the table's first cell."""
    table = PAGE.split(f"| {heading} |")[1].split("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines()[2:]]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_shown_files_are_valid(tmp_path):
    (tmp_path / "corpus.toml").write_text(MANIFEST)
    (tmp_path / "questions.toml").write_text(QUESTIONS)
    manifest = load_manifest(tmp_path)
    assert [e.id for e in manifest.guidelines] == ["tb-care-2024"]
    assert [e.drug for e in manifest.labels] == ["isoniazid"]
    assert [q.expect for q in load_questions(tmp_path).questions] == ["answer", "refuse"]


def test_every_field_of_a_manifest_is_documented():
    fields = GuidelineEntry.model_fields.keys() | LabelEntry.model_fields.keys()
    needed = {"id", "title", "drug"}
    assert fields - needed <= documented("optional field")


def test_every_field_of_a_question_is_documented_with_its_default():
    assert documented("field") == set(BenchmarkQuestion.model_fields)
    for name, field in BenchmarkQuestion.model_fields.items():
        (row,) = [r for r in PAGE.splitlines() if r.startswith(f"| `{name}` |")]
        if isinstance(field.default, str) and field.default:
            assert f"`{field.default}`" in row.split("|")[-2]
        if field.is_required():
            assert "needed" in row.split("|")[-2]
