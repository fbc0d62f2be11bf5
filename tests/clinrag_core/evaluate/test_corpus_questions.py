"""Questions of a corpus folder: the shipped format, asked in addition to the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import load_benchmark, load_questions

SHIPPED = """
[[question]]
id = "g-001"
family = "dose"
split = "dev"
intent = "DOSAGE"
knowledge_bases = ["labels"]
text = "isoniazid dose"
expect = "answer"
relevant = [{ grade = 2, terms = ["300 mg"] }]
"""
SHORTEST = """
[[question]]
id = "{id}"
text = "{text}"
relevant = [{{ grade = 2, terms = ["300 mg"] }}]
"""


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    folder = tmp_path / "benchmark"
    folder.mkdir()
    (folder / "shipped.toml").write_text(SHIPPED)
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    return folder


def write(corpus: Path, *questions: tuple[str, str]) -> Path:
    text = "".join(SHORTEST.format(id=id_, text=text) for id_, text in questions)
    (corpus / "questions.toml").write_text(text)
    return corpus


def test_they_are_asked_in_addition_to_the_shipped_ones(shipped, corpus):
    alone = load_benchmark(shipped)
    assert load_benchmark(shipped, corpus) == alone
    both = load_benchmark(shipped, write(corpus, ("g-001", "isoniazid dose")))
    assert [q.id for q in both.questions] == ["corpus/g-001", "g-001"]
    assert both.fingerprint != alone.fingerprint


def test_an_id_and_a_text_with_locators_are_enough(corpus):
    (question,) = load_questions(write(corpus, ("dose", "isoniazid dose"))).questions
    assert (question.family, question.split) == ("corpus/dose", "test")
    assert question.knowledge_bases == ("guidelines", "labels")


def test_a_family_of_the_corpus_never_meets_a_shipped_one(shipped, corpus):
    """The shipped family is in dev: the same name in the corpus must not force a split on it."""
    write(corpus, ("a", "isoniazid dose"))
    file = corpus / "questions.toml"
    file.write_text(file.read_text() + 'family = "dose"\n')
    assert {q.split for q in load_benchmark(shipped, corpus).questions} == {"dev", "test"}


def test_every_problem_is_named_at_once(corpus):
    write(corpus, ("a", "isoniazid dose"), ("a", "another"), ("b", "Isoniazid  DOSE"), ("C", "x y"))
    file = corpus / "questions.toml"
    file.write_text(file.read_text() + 'split = "train"\n')
    with pytest.raises(BenchmarkError) as caught:
        load_questions(corpus)
    problems = caught.value.problems
    assert len(problems) == 3
    assert problems[0].startswith("questions.toml, C: ")
    assert "split" in problems[0]
    assert problems[1] == "questions.toml, corpus/a: the id is used twice"
    assert problems[2] == "questions.toml, corpus/b: the same text as corpus/a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"questions\.toml has no \[\[question\]\]"),
        ("[question]\nid = 'a'\n", r"has no \[\[question\]\]"),
        ("[[questions]]\nid = 'a'\n", "unknown questions; write"),
        ("[[question]", r"questions\.toml: "),
        ("[[question]]\ntext = 'abc'\n", r"questions\.toml, question 1: id: "),
        ("[[question]]\nid = 'a'\ntext = 'abc'\nexpect = 'refuse'\n", "have a reason"),
    ],
)
def test_a_malformed_file_is_named_with_its_place(corpus, text, message):
    (corpus / "questions.toml").write_text(text)
    with pytest.raises(BenchmarkError, match=message):
        load_questions(corpus)


def test_no_file_says_where_it_was_looked_for(corpus):
    with pytest.raises(BenchmarkError, match=rf"questions\.toml is missing from {corpus}"):
        load_questions(corpus)


def test_a_problem_never_repeats_the_question(corpus):
    """A question may hold patient data, and errors are logged."""
    (corpus / "questions.toml").write_text('[[question]]\nid = "a"\ntext = "Jane Doe"\nx = 1\n')
    with pytest.raises(BenchmarkError) as caught:
        load_questions(corpus)
    assert "Jane" not in str(caught.value)
