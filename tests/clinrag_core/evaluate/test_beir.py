"""BEIR folders: validated, scored exactly, and compared with published figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.beir import best_weight, published_tokens, read_beir
from clinrag_core.pipeline.beir import evaluate_beir
from clinrag_core.settings import Settings, load_settings

DOCUMENTS = {
    "d1": ("Isoniazid", "The usual dose of isoniazid is taken once a day."),
    "d2": ("Cough", "People with a cough wait apart from others."),
    "d3": ("Masks", "Masks are worn by people with a cough."),
}
QUERIES = {"q1": "isoniazid dose", "q2": "masks and cough", "q3": "nothing judged"}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": i, "title": t, "text": x} for i, (t, x) in DOCUMENTS.items()]
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    rows = [{"_id": i, "text": t} for i, t in QUERIES.items()]
    (folder / "queries.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    lines = ["query-id\tcorpus-id\tscore", "q1\td1\t1", "q2\td3\t1", "q2\td2\t0"]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines))
    return folder


def test_only_judged_queries_and_grades_above_zero_count(beir: Path):
    found = read_beir(beir)
    assert found.relevant == {"q1": {"d1": 1}, "q2": {"d3": 1}}
    assert set(found.queries) == {"q1", "q2"}
    assert found.documents["d2"].startswith("Cough People")


def test_every_pipeline_is_scored(beir: Path, tiny_settings: Settings):
    report = evaluate_beir(beir, tiny_settings)
    rows = {row.pipeline: row.metrics for row in report.rows}
    assert set(rows) >= {"bm25 (published recipe)", "bm25 (clinical tokens)", "rrf", "weighted"}
    assert rows["bm25 (published recipe)"]["ndcg_at_10"] == 1.0
    assert (report.queries, report.documents, report.bm25_weight) == (2, 3, 0.5)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("corpus.jsonl", '{"_id": "d1"}\n{broken', "corpus.jsonl, line 2"),
        ("corpus.jsonl", '["no object"]', "corpus.jsonl, line 1"),
        ("qrels/test.tsv", "q1\td1\tgood", "test.tsv, line 1"),
        ("qrels/test.tsv", "q9\td1\t1", "'q9'"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(beir: Path, file: str, text: str, message: str):
    (beir / file).write_text(text)
    with pytest.raises(BenchmarkError, match=message):
        read_beir(beir)


def test_a_missing_split_names_those_there(beir: Path):
    with pytest.raises(BenchmarkError, match="splits there: test"):
        read_beir(beir, "dev")
    result = CliRunner().invoke(app, ["evaluate", "beir", str(beir / "nowhere")])
    assert result.exit_code == 1


def test_the_published_recipe_stems_and_drops_stop_words():
    assert published_tokens("The Treatments of a patient were randomized") == [
        "treatment",
        "patient",
        "were",
        "random",
    ]


def test_the_weight_is_the_best_on_training_questions_and_the_lowest_of_equals():
    lexical = {"q": [("good", 3.0), ("bad", 1.0)]}
    dense = {"q": [("bad", 0.9), ("good", 0.1)]}
    assert best_weight(lexical, dense, {"q": {"good": 1}}) == 0.5  # at 0.5 the tie goes to BM25
    assert best_weight(lexical, lexical, {"q": {"good": 1}}) == 0.2


@pytest.mark.slow
def test_scifact_comes_out_as_published(tmp_path: Path, reference_bench: Path):
    folder = reference_bench / "scifact"
    settings = load_settings("sample", {"CLINRAG_HOME": str(tmp_path)})
    rows = {row.pipeline: row for row in evaluate_beir(folder, settings).rows}
    for name in ("bm25 (published recipe)", "dense (minilm)"):
        row = rows[name]
        assert row.metrics["ndcg_at_10"] == pytest.approx(row.published, abs=0.005)
    best = max(rows[name].metrics["ndcg_at_10"] for name in ("rrf", "weighted"))
    assert best > max(row.published or 0 for row in rows.values())
