"""`clinrag ask --questions`: every usable row is answered, every other row is named."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clinrag_core.answer.records import Answer
from clinrag_core.cli.ask_file import answer_file, read_questions
from clinrag_core.cli.main import app
from clinrag_core.errors import AuditError, QuestionListError

ANSWERS = Answer(status="abstained", reason="no_evidence")


def listed(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "questions.tsv"
    file.write_text(text, encoding="utf-8")
    return file


def test_columns_are_carried_over_in_order(tmp_path: Path):
    file = listed(
        tmp_path,
        '\ufeffid\tquestion\tnote\r\n1\t isoniazid dose? \tα\r\n2\t"what is ""BPaL""?"\r\n',
    )
    asked: list[str] = []
    out = tmp_path / "new" / "out.jsonl"
    progress: list[tuple[int, int]] = []

    def ask(question: str) -> Answer:
        asked.append(question)
        return ANSWERS

    answer_file(read_questions(file), ask, out, lambda *at: progress.append(at))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert asked == ["isoniazid dose?", 'what is "BPaL"?']
    assert [list(row) for row in rows] == [["id", "question", "note", "answer"]] * 2
    assert [row["note"] for row in rows] == ["α", ""]
    assert [Answer.model_validate(row["answer"]) for row in rows] == [ANSWERS, ANSWERS]
    assert progress == [(1, 2), (2, 2)]


def test_rows_that_cannot_be_used_are_named_without_their_text(tmp_path: Path):
    secret = "x" * 20_000
    rows = ["id\tquestion", "1\tfine", "2\t", "", f"3\t{secret}", "4\ta\tb", "5\talso fine", ""]
    found = read_questions(listed(tmp_path, "\n".join(rows)))
    assert [row["id"] for row in found.rows] == ["1", "5"]
    assert [problem.split(":")[0] for problem in found.problems] == [
        f"questions.tsv, line {number}" for number in (3, 5, 6)
    ]
    assert secret not in "".join(found.problems)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no column 'question'"),
        ("id,question\n1,x", "separated by tabs"),
        ("question\tquestion\nx\ty", "a name of its own"),
        ("question\tanswer\nx\ty", "other than 'answer'"),
    ],
    ids=["empty", "commas", "twice", "answer"],
)
def test_a_header_that_is_of_no_use_is_an_error(tmp_path: Path, text: str, problem: str):
    with pytest.raises(QuestionListError, match=problem):
        read_questions(listed(tmp_path, text))


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path):
    file = tmp_path / "questions.tsv"
    file.write_bytes(b"question\n\xff\xfe")
    with pytest.raises(QuestionListError, match="cannot be read"):
        read_questions(file)
    with pytest.raises(QuestionListError, match="cannot be read"):
        read_questions(tmp_path / "missing.tsv")


def test_a_failure_leaves_the_file_of_before(tmp_path: Path):
    out = tmp_path / "out.jsonl"
    out.write_text("before")

    def fails(_: str) -> Answer:
        raise AuditError("the audit trail cannot be written")

    rows = read_questions(listed(tmp_path, "question\nx"))
    with pytest.raises(AuditError):
        answer_file(rows, fails, out, lambda *_: None)
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "questions.tsv"]


@pytest.mark.parametrize(
    "arguments",
    [[], ["a question", "--questions", "f.tsv"], ["--questions", "f.tsv"], ["q", "--out", "f"]],
    ids=["nothing", "both", "no_out", "out_alone"],
)
def test_one_of_the_two_ways_must_be_chosen(arguments: list[str]):
    result = CliRunner().invoke(app, ["ask", *arguments])
    assert result.exit_code == 2
    assert "--questions and --out" in " ".join(result.stderr.replace("│", " ").split())


def test_the_command_answers_from_the_release(tmp_path: Path, released, monkeypatch):
    monkeypatch.setenv("CLINRAG_HOME", str(released.home))
    file = listed(tmp_path, "question\tid\nisoniazid dose in adults\ta\n\tb\n")
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(app, ["ask", "--questions", str(file), "--out", str(out)])
    assert result.exit_code == 2, result.output
    assert "line 3" in result.stderr
    assert not result.stdout
    (row,) = (json.loads(line) for line in out.read_text().splitlines())
    answer = Answer.model_validate(row["answer"])
    assert row["id"] == "a"
    assert answer.release
    assert answer.audit_id
