"""What changed between a release and a candidate."""

from pathlib import Path

from clinrag_core.evaluate.drift import DocumentState, compare_documents
from clinrag_core.index.release import ReleaseStore
from clinrag_core.index.release_folder import ReleaseDraft
from clinrag_core.pipeline.candidates import candidate_directory, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.pipeline.reports import ANSWERS, make_corpus_report

OLD = DocumentState("label", "isoniazid", 3, "a" * 64)


def no_diff(old: DocumentState, new: DocumentState) -> None:
    return None


def test_documents_that_came_went_and_stayed():
    before = {"a": OLD, "b": OLD._replace(name="rifampin")}
    now = {"b": before["b"], "c": DocumentState("guideline", "TB care", None, "c" * 64)}
    drift = compare_documents(before, now, no_diff)
    assert [(d.document_id, d.change, d.severity) for d in drift] == [
        ("a", "removed", "HIGH"),
        ("c", "added", None),
    ]


def test_a_label_whose_old_version_cannot_be_read_counts_as_the_worst():
    (drift,) = compare_documents({"a": OLD}, {"a": OLD._replace(sha256="b" * 64)}, no_diff)
    assert (drift.change, drift.severity) == ("changed", "HIGH")


def publish(pipeline: Pipeline) -> None:
    manifests = [given.value for given in read_candidates(pipeline)]
    ReleaseStore(pipeline.workspace.releases).publish(
        ReleaseDraft(
            {m.name: candidate_directory(pipeline, m) for m in manifests},
            pipeline.workspace.models / manifests[0].encoder,
            profile="tiny",
            corpus="tiny",
            records={ANSWERS: pipeline.benchmark_answers.read().value.model_dump(mode="json")},
        )
    )


def test_a_changed_dose_is_found_with_its_section_and_its_questions(
    make_tiny_settings, build_candidates, tmp_path: Path
):
    corpus, settings = make_tiny_settings(tmp_path)
    publish(build_candidates(settings))
    label = corpus.folder / "isoniazid.xml"
    text = label.read_text()
    assert "300 mg" in text
    label.write_text(text.replace("300 mg", "250 mg"))
    changed = build_candidates(settings)
    report = make_corpus_report(changed)
    tables = {block.name: block for block in report.blocks if block.kind == "table"}
    (document,) = tables["changed_documents"].rows
    assert (document[0], document[2], document[5]) == ("isoniazid", "changed", "HIGH")
    assert "HIGH changed" in document[6]
    assert report.facts["unchanged documents"] == "3"
    assert report.state == "warning"
    answers = changed.benchmark_answers.read().value.answers
    cited = {row[0] for row in tables["affected_questions"].rows}
    parsed = changed.partition("label", "isoniazid").parsed()
    assert parsed is not None
    isoniazid = parsed.documents[0].id
    answered = {
        a.question_id
        for a in answers
        if any(c.document_id == isoniazid for c in a.answer.citations)
    }
    assert answered <= cited
    publish(changed)
    assert make_corpus_report(changed) == report, "the report made before the release stays"
    stored = changed.benchmark_answers.read().value
    others = stored.model_copy(update={"answers": ()})
    changed.benchmark_answers.keep((), "others", lambda: others)
    assert make_corpus_report(changed) != report, "other answers are another report"


def test_everything_is_new_before_the_first_release(tiny_settings, build_candidates):
    report = make_corpus_report(build_candidates(tiny_settings))
    assert report.facts["since"] == "the first release"
    (summary,) = [block for block in report.blocks if block.name == "summary"]
    assert [row[3] for row in summary.rows] == [2, 2]
    assert report.state == "passed"
