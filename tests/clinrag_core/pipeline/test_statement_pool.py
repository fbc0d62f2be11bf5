"""Statements of nugget questions are pooled from several rankings; judgements of them count."""

import shutil

import pytest

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.nugget_answers import answer_nuggets
from clinrag_core.pipeline.candidates import answer_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.pooling import keep_judged, write_statement_pool
from clinrag_core.text.tsv import parse_tsv, write_tsv

NUGGETS = """
[[question]]
of = "l-002"
topic = "tb"
kind = "dose"
[[question.nugget]]
terms = ["no claim holds this"]
document = "*"

[[question]]
id = "nq-refuse"
text = "What is the dose of zantriva?"
split = "test"
topic = "other"
kind = "dose"
expect = "refuse"
"""


@pytest.fixture(scope="module")
def pipeline(make_tiny_settings, build_candidates, tmp_path_factory) -> Pipeline:
    """The tiny corpus, evaluated, with a nugget question that no claim answers."""
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("pool"))
    folder = settings.benchmark / "nuggets"
    folder.mkdir()
    (folder / "doses.toml").write_text(NUGGETS)
    (settings.benchmark / "judged").mkdir()
    return build_candidates(settings)


def rows(path) -> list[dict[str, str]]:
    table = parse_tsv(path.read_text())
    return [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]


def relevant(pipeline: Pipeline) -> list[tuple[bool, ...]]:
    """Which claims of the answers are relevant."""
    engine = answer_engine(pipeline, read_candidates(pipeline), pipeline.thresholds.read().value)
    benchmark = load_benchmark(pipeline.settings.benchmark)
    return [r.relevant for r in answer_nuggets(engine, benchmark.nuggets, benchmark.statements)]


def test_judged_statements_make_claims_relevant_and_are_not_pooled_again(pipeline, tmp_path):
    assert True not in relevant(pipeline)[0]
    out, filled = tmp_path / "pool.tsv", tmp_path / "filled.tsv"
    count = write_statement_pool(pipeline, out)
    pooled = rows(out)
    assert count == len(pooled) > 1
    assert {row["question_id"] for row in pooled} == {"l-002"}
    assert {row["unit"] for row in pooled} == {"statement"}
    assert len({row["text"] for row in pooled}) == len(pooled)
    assert not write_statement_pool(pipeline, tmp_path / "dev.tsv", "dev")

    header = list(pooled[0])
    graded = [[{**row, "grade": "1"}[name] for name in header] for row in pooled]
    filled.write_text(write_tsv(header, graded))
    kept = pipeline.settings.benchmark / "judged" / "statements.tsv"
    assert keep_judged(filled, kept) == count
    assert relevant(pipeline)[0]
    assert all(relevant(pipeline)[0])
    assert write_statement_pool(pipeline, out) == 0
    shutil.rmtree(kept.parent)


def test_a_statement_with_a_nugget_needs_no_judgement(pipeline, tmp_path):
    file = pipeline.settings.benchmark / "nuggets" / "doses.toml"
    out = tmp_path / "pool.tsv"
    write_statement_pool(pipeline, out)
    word = rows(out)[0]["text"].split()[0].strip(".,;:")
    file.write_text(NUGGETS.replace("no claim holds this", word))
    write_statement_pool(pipeline, out)
    assert not any(word in row["text"].split() for row in rows(out))
    file.write_text(NUGGETS)
