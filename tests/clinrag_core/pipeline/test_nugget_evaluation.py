"""The evaluation asks nugget questions; traps said and lost nuggets stop a release."""

import re

import pytest

from clinrag_core.evaluate.limits import answer_limits
from clinrag_core.evaluate.report import TableBlock
from clinrag_core.evaluate.safety import load_paraphrases
from clinrag_core.pipeline.nugget_questions import evaluate_nuggets
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.release import publish_release
from clinrag_core.pipeline.reports import sample_safety

PLACE = re.compile(r"[\w-]{16,80}:\d{1,9}-\d{1,9}")
NUGGETS = """
[[question]]
of = "l-002"
topic = "tb"
kind = "dose"
[[question.nugget]]
terms = ["isoniazid|mg|tablet|day|dose"]
document = "*"
[[question.nugget]]
terms = ["zantriva"]
document = "*"
[[question.nugget]]
terms = ["only elsewhere"]
document = "not-in-this-corpus"
[[question.trap]]
terms = ["isoniazid|mg|tablet|day|dose"]
why = "whatever is said"

[[question]]
id = "nq-elsewhere"
text = "a question on a document of another corpus"
split = "test"
topic = "tb"
kind = "dose"
[[question.nugget]]
terms = ["mg"]
document = "not-in-this-corpus"
"""


@pytest.fixture(scope="module")
def pipeline(make_tiny_settings, build_reports, tmp_path_factory) -> Pipeline:
    """The tiny corpus, evaluated with the nugget questions."""
    _, settings = make_tiny_settings(tmp_path_factory.mktemp("nuggets"))
    folder = settings.benchmark / "nuggets"
    folder.mkdir()
    (folder / "doses.toml").write_text(NUGGETS)
    return build_reports(settings)


def table(report, name: str) -> TableBlock:
    return next(b for b in report.blocks if isinstance(b, TableBlock) and b.name == name)


def test_answers_are_judged_by_the_documents_there_are(pipeline):
    made = pipeline.benchmark_answers.read().value
    (result,) = made.nuggets
    assert (result.question_id, result.status) == ("l-002", "answered")
    assert (result.vital, result.vital_said, result.traps_said) == (2, 1, (0,))
    answers = {answer.question_id: answer.answer for answer in made.answers}
    assert result.claims == tuple(claim.text for claim in answers["l-002"].claims)


def test_a_trap_fails_the_gate_and_the_report_names_what_was_missing(pipeline):
    report = pipeline.report("answer_report").read().value
    checks = {check.name: check for check in report.checks}
    assert checks["traps_not_said"].gate
    assert not checks["traps_not_said"].passed
    assert "l-002" in checks["traps_not_said"].description
    half = 0.5
    assert report.metrics["nuggets/test/vital_recall"] == half
    worst = table(report, "worst_answers")
    (row,) = (dict(zip(worst.columns, row, strict=True)) for row in worst.rows)
    assert (row["question"], row["should have come"], row["from"]) == ("l-002", "zantriva", "*")
    assert "whatever is said" in row["traps said"]
    assert PLACE.fullmatch(row["said at"].split(" ¶ ")[0])  # opens on the question page
    assert {"text", "should have come", "was said"} <= set(worst.page_columns)


def test_a_sample_of_the_pairs_of_drugs_is_asked_and_nothing_is_stored(pipeline):
    stored = pipeline.report("safety_report").read().value
    most = int(stored.metrics["safety/drug_questions"]) - 1
    report = sample_safety(pipeline, most)
    assert report.metrics["safety/drug_questions"] == most
    evidence = {p.evidence for p in load_paraphrases(pipeline.settings.benchmark)}
    claims = int(report.facts["true claims passed"].split()[-1])
    assert claims > len(evidence)  # those of the answers as well
    assert pipeline.report("safety_report").read().value == stored


def test_a_profile_may_allow_traps(pipeline):
    answers = pipeline.benchmark_answers.read().value
    settings = pipeline.settings.acceptance.model_copy(update={"traps_said": 1})
    limits = {x.name: x for x in answer_limits(answers.answers, settings, answers.nuggets)}
    assert limits["traps_not_said"].passed
    assert not limits["absent_refused"].judged


def test_the_served_release_is_judged_the_same(pipeline):
    made = pipeline.benchmark_answers.read().value
    publish_release(pipeline)
    report = evaluate_nuggets(pipeline.settings)
    assert report.results == made.nuggets
    assert [question.id for question in report.questions] == ["l-002"]
    assert set(report.figures) == {"test", "test, dose", "test, tb"}
    assert not evaluate_nuggets(pipeline.settings, "dev").results
