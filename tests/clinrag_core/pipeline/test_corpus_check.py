"""`clinrag corpus check` and `clinrag evaluate questions`: problems with file and place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.cli.main import app
from clinrag_core.pipeline.corpus_questions import evaluate_questions
from tests.paper import label_pdf


def check(corpus: Path):
    return CliRunner().invoke(app, ["corpus", "check", str(corpus), "--json"])


def checked(corpus: Path) -> dict:
    result = check(corpus)
    assert result.exit_code in {0, 1}, result.output
    return json.loads(result.stdout)


def test_a_sound_corpus_has_no_problem(tiny_corpus):
    assert check(tiny_corpus.folder).exit_code == 0
    found = checked(tiny_corpus.folder)
    assert found["problems"] == []
    assert {d["key"] for d in found["documents"]} == {
        "tb-care", "tb-tests", "isoniazid", "pyrazinamide",
    }  # fmt: skip


def test_every_broken_file_is_named_with_its_reason(tiny_corpus):
    (tiny_corpus.folder / "tb-care.txt").write_bytes(b"\0\1")
    (tiny_corpus.folder / "isoniazid.xml").unlink()
    (tiny_corpus.folder / "questions.toml").write_text("[[question]]\nid = 'a'\n")
    result = check(tiny_corpus.folder)
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["problems"]
    assert len(problems) == 3
    assert any("tb-care.txt: contains binary data" in p for p in problems)
    assert any("isoniazid.xml is missing" in p for p in problems)
    assert any(p.startswith("questions.toml, a: text") for p in problems)


def test_problems_of_the_manifest_and_of_the_questions_are_shown_together(tiny_corpus):
    file = tiny_corpus.folder / "corpus.toml"
    file.write_text(file.read_text().replace("year = 2026", "year = 26"))
    (tiny_corpus.folder / "questions.toml").write_text("[[question]]\nid = 'a'\n")
    result = check(tiny_corpus.folder)
    assert result.exit_code == 1
    shown = " ".join(result.stderr.split())
    assert "guideline 1 (tb-care): year" in shown
    assert "guideline 2 (tb-tests): year" in shown
    assert "questions.toml, a: text" in shown


def test_what_a_person_may_not_have_meant_is_noted(tiny_corpus):
    file = tiny_corpus.folder / "corpus.toml"
    text = file.read_text().replace('drug = "isoniazid"', 'drug = "linezolid"')
    text = text.replace('topics = ["tb"]', 'topics = ["other"]', 1)
    file.write_text(text.replace('format = "text"\n', "").replace('format = "spl"\n', ""))
    notes = checked(tiny_corpus.folder)["notes"]
    assert "label linezolid: the file is a label of isoniazid" in notes
    assert any("tb-care: not indexed: topic other" in note for note in notes)


def test_a_label_listed_as_a_guideline_is_a_problem(tiny_corpus):
    file = tiny_corpus.folder / "corpus.toml"
    entry = '\n[[guideline]]\nid = "x"\ntitle = "X"\npath = "isoniazid.xml"\n'
    file.write_text(file.read_text() + entry)
    problems = checked(tiny_corpus.folder)["problems"]
    assert any("a drug label (spl): list it as [[label]]" in p for p in problems)


def listed_as(corpus, table: str, fields: str, data: bytes):
    """A corpus with one more file, in a table of its manifest."""
    (corpus.folder / "z.pdf").write_bytes(data)
    file = corpus.folder / "corpus.toml"
    file.write_text(f'{file.read_text()}\n[[{table}]]\n{fields}\npath = "z.pdf"\n')
    return checked(corpus.folder)


def test_a_label_in_print_listed_as_a_guideline_is_noted(tiny_corpus):
    found = listed_as(
        tiny_corpus, "guideline", 'id = "z"\ntitle = "Z"', label_pdf("ZAPID- zapidine")
    )
    assert any("list it as [[label]]" in note for note in found["notes"])
    assert found["problems"] == []


def test_a_label_in_print_is_a_label(tiny_corpus):
    found = listed_as(
        tiny_corpus, "label", 'drug = "zapidine"', label_pdf("ZAPID- zapidine tablet")
    )
    assert found["problems"] == []
    assert [d["kind"] for d in found["documents"] if d["file"] == "z.pdf"] == ["label"]


def test_a_guideline_listed_as_a_label_is_a_problem(tiny_corpus):
    data = label_pdf(mains=["1 Purpose", "2 Scope"])
    found = listed_as(tiny_corpus, "label", 'drug = "zapidine"', data)
    assert any(
        "not those of a drug label: list it as [[guideline]]" in p for p in found["problems"]
    )


def test_a_query_finds_no_pdf(tiny_corpus):
    file = tiny_corpus.folder / "corpus.toml"
    entry = '[[label]]\ndrug = "zapidine"\nformat = "pdf"\nquery = { drug_name = "zapidine" }\n'
    file.write_text(f"{file.read_text()}\n{entry}")
    result = check(tiny_corpus.folder)
    assert result.exit_code == 1
    assert "a query finds no PDF" in " ".join(result.stderr.split())


def test_a_corpus_without_labels_says_that_their_base_is_empty(tiny_corpus):
    tiny_corpus.labels = {}
    tiny_corpus.write()
    assert (
        "no label in this corpus: kb_druglabels_minilm is empty"
        in (checked(tiny_corpus.folder)["notes"])
    )


QUESTIONS = """
[[question]]
id = "dose"
text = "isoniazid dose in adults"
relevant = [{ grade = 2, document = "tb-*", terms = ["300 mg"] }]

[[question]]
id = "misspelt"
text = "which test confirms tuberculosis"
relevant = [{ grade = 2, document = "tb-*", terms = ["sputum kulture"] }]

[[question]]
id = "absent"
text = "sumatriptan for migraine"
expect = "refuse"
reason = "out_of_domain"
"""


@pytest.fixture
def released(tiny_parts, build_release):
    corpus, settings = tiny_parts
    (corpus.folder / "questions.toml").write_text(QUESTIONS)
    build_release(settings)
    return corpus.folder, settings


def test_the_questions_of_a_corpus_are_put_to_the_served_release(released):
    folder, settings = released
    report = evaluate_questions(settings, folder)
    found = {q.id: q for q in report.questions}
    assert found["corpus/dose"].relevant > 0
    assert found["corpus/dose"].best_rank is not None
    assert found["corpus/absent"].status != "answered"
    assert (report.counts["ndcg_at_10"], report.counts["refused"]) == (1, 1)
    assert report.figures["refused"] == 1.0
    assert 0 < report.figures["ndcg_at_10"] <= 1


def test_a_locator_that_matches_nothing_shows_which_condition_fails(released):
    folder, settings = released
    (problem,) = {q.id: q.problems for q in evaluate_questions(settings, folder).questions}[
        "corpus/misspelt"
    ]
    assert "term 'sputum kulture' in 0" in problem
    assert "document 'tb-*' in 0" not in problem


def test_without_a_judged_question_the_figures_say_so(released):
    folder, settings = released
    (folder / "questions.toml").write_text(QUESTIONS.replace("300 mg", "301 mg"))
    report = evaluate_questions(settings, folder)
    assert report.figures["ndcg_at_10"] is None
    assert report.counts["ndcg_at_10"] == 0


def test_the_evaluation_of_a_run_asks_them_too(released):
    _, settings = released
    stored = json.loads((settings.home / "outputs" / "retrieval_runs.json").read_text())
    relevant = stored["value"]["judgements"]["relevant"]
    assert {"corpus/dose", "g-001"} <= set(relevant)
