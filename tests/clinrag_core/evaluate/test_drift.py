"""What changed between a release and a candidate."""

from pathlib import Path

from clinrag_core.pipeline.drift import measure_drift

from clinrag_core.evaluate.drift import DocumentState, compare_documents
from clinrag_core.index.release import ReleaseStore

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


def test_a_changed_dose_is_found_with_its_section_and_its_questions(
    make_tiny_settings, build_candidates, tmp_path: Path
):
    corpus, settings = make_tiny_settings(tmp_path)
    evaluation = build_candidates(settings)
    evaluation.release()
    label = corpus.folder / "isoniazid.xml"
    text = label.read_text()
    assert "300 mg" in text
    label.write_text(text.replace("300 mg", "250 mg"))
    changed = build_candidates(settings)
    drift = changed.drift()
    (document,) = drift.documents
    assert (document.name, document.change, document.severity) == ("isoniazid", "changed", "HIGH")
    assert any(s.severity == "HIGH" for s in document.sections)
    assert drift.unchanged == 3
    cited = {q.question_id for q in drift.questions}
    answered = {
        a.question_id
        for a in changed.answers()
        if any(c.document_id == document.document_id for c in a.answer.citations)
    }
    assert answered <= cited
    changed.release()
    assert changed.drift() == drift, "what was found stays once it is released"


def test_everything_is_new_before_the_first_release(tiny_settings, build_candidates):
    evaluation = build_candidates(tiny_settings)
    workspace = evaluation.pipeline.workspace
    assert ReleaseStore(workspace.releases).pointer() is None
    drift = measure_drift(workspace, None, evaluation.directories.values(), evaluation.answers())
    assert drift.release is None
    assert {d.change for d in drift.documents} == {"added"}
