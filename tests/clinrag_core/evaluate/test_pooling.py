"""What rankings put first is pooled once, in blind order; judgements become locators or grades."""

from pathlib import Path
from typing import NamedTuple

import pytest

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.evaluate.pooled_judgements import Unit, text_digest, write_judgements
from clinrag_core.evaluate.pooling import (
    PooledText,
    PoolText,
    first_of,
    pool,
    read_judged,
    to_judge,
)

BENCHMARK = """
[[question]]
id = "g-1"
text = "How is zantriva given?"
relevant = [{ grade = 2, document = "zan-*", terms = ["zantriva"] }]
"""


NUGGETS = """
[[question]]
of = "g-1"
topic = "tb"
kind = "dose"
[[question.nugget]]
terms = ["40 mg"]
document = "zan-*"
"""


class PoolQuestion(NamedTuple):
    """A question, of which the pool reads id and text."""

    id: str
    text: str


QUESTIONS = [PoolQuestion(f"q-{n}", "dose?") for n in (1, 2, 3)]
PASSAGES = {
    f"c{n:02d}": PoolText(f"doc-{n}", "Doses > Adults", f"text\t{n}\n mg") for n in range(30)
}
RUNS = {
    "default": {"q-1": [f"c{n:02d}" for n in range(20)], "q-2": ["c01"], "q-3": ["c01"]},
    "bm25": {"q-1": ["c19", "c00"]},
}


def pooled(done=()) -> list[PooledText]:
    first = first_of(RUNS.values(), 10)
    return pool("passage", QUESTIONS, first, PASSAGES, done)


def filled(rows: dict[str, tuple[str, str]]) -> str:
    """The table of the pool with grade and terms of some documents of question 1."""
    header, *lines = to_judge(pooled()).splitlines()
    cells = [line.split("\t") for line in lines]
    for row in cells:
        if row[3] == "q-1":
            row[:2] = rows.get(row[5], ("", ""))
    return "\n".join((header, *("\t".join(row) for row in cells)))


def test_the_first_of_every_ranking_are_pooled():
    assert first_of(RUNS.values(), 2) == {
        "q-1": {"c00", "c01", "c19"},
        "q-2": {"c01"},
        "q-3": {"c01"},
    }
    documents = {p.source.document_id for p in pooled() if p.question.id == "q-1"}
    assert documents == {f"doc-{n}" for n in (*range(10), 19)}


def test_the_order_of_the_pool_says_nothing_of_who_ranked_it():
    """A reader who sees that the first row is the best no longer judges blind."""
    turned = {name: {q: ranked[::-1] for q, ranked in run.items()} for name, run in RUNS.items()}
    again = pool("passage", QUESTIONS[::-1], first_of(turned.values(), 20), PASSAGES, ())
    shown = [(p.question.id, p.source) for p in pooled()]
    assert [(p.question.id, p.source) for p in again if (p.question.id, p.source) in shown] == shown
    ranks = [p.source.document_id for p in pooled() if p.question.id == "q-1"]
    assert ranks != sorted(ranks, key=lambda name: int(name.split("-")[1]))


def test_a_text_of_two_documents_is_judged_once_a_question():
    twice = {"a": PoolText("d1", "", "600 mg daily"), "b": PoolText("d2", "", "600 mg  daily")}
    found = pool("statement", QUESTIONS, {"q-1": ["a", "b"], "q-2": ["b"]}, twice, ())
    assert sorted((p.question.id, p.source.document_id) for p in found) == [
        ("q-1", "d1"),
        ("q-2", "d2"),
    ]


def test_what_was_judged_is_not_pooled_again():
    judged = read_judged(filled({"doc-0": ("0", ""), "doc-19": ("2", "19 mg; text")}), "pool.tsv")
    assert {(j.unit, j.grade, j.document, j.terms) for j in judged} == {
        ("passage", 0, "doc-0", ()),
        ("passage", 2, "doc-19", ("19 mg", "text")),
    }
    left = {p.source.document_id for p in pooled(judged) if p.question.id == "q-1"}
    assert not left & {"doc-0", "doc-19"}
    assert len(pooled(judged)) == len(pooled()) - len(judged)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("3", ""), ": the grade is 0, 1 or 2"),
        (("2", ""), ": Value error, a relevant passage, and only that, has terms"),
        (("0", "text"), ": Value error, a relevant passage, and only that, has terms"),
        (("1", "5 mg"), ": '5 mg' is not in the passage"),
    ],
    ids=["grade", "no_terms", "terms", "elsewhere"],
)
def test_a_row_that_makes_no_sense_is_named(row: tuple[str, str], problem: str):
    with pytest.raises(BenchmarkError) as raised:
        read_judged(filled({"doc-0": row}), "pool.tsv")
    line = next(n for n, p in enumerate(pooled(), 2) if p.source == PASSAGES["c00"])
    assert f"pool.tsv, line {line}{problem}" in str(raised.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark with a question that has nuggets as well, and no judgements yet."""
    (tmp_path / "a.toml").write_text(BENCHMARK)
    (tmp_path / "nuggets").mkdir()
    (tmp_path / "nuggets" / "doses.toml").write_text(NUGGETS)
    (tmp_path / "judged").mkdir()
    return tmp_path


def judge(folder: Path, unit: Unit, text: str, grade: str, terms: str = "") -> Path:
    """Keep one judgement of a text for question g-1; returns the table."""
    asked = PoolQuestion("g-1", "How is zantriva given?")
    table = to_judge([PooledText(unit, asked, PoolText("vel-1", "", text))])
    header, row = table.splitlines()
    cells = [grade, terms, *row.split("\t")[2:]]
    judged = read_judged("\n".join((header, "\t".join(cells))), "pool.tsv")
    kept = folder / "judged" / f"{unit}s.tsv"
    kept.write_text(write_judgements(judged))
    return kept


def test_kept_passages_hold_no_text_and_become_locators(folder: Path):
    before = load_benchmark(folder)
    kept = judge(folder, "passage", "Secret words: 5 mg", "1", "5 mg")
    assert "Secret" not in kept.read_text()
    after = load_benchmark(folder)
    assert after.fingerprint != before.fingerprint
    added = after.questions[0].relevant[-1]
    assert (added.grade, added.document, added.terms) == (1, "vel-1", ("5 mg",))
    assert not after.statements
    kept.write_text(kept.read_text().replace("g-1", "g-9"))
    with pytest.raises(BenchmarkError, match="g-9 is no question to answer"):
        load_benchmark(folder)


def test_kept_statements_hold_no_text_and_become_grades(folder: Path):
    kept = judge(folder, "statement", "Secret words: 5 mg", "1")
    assert "Secret" not in kept.read_text()
    after = load_benchmark(folder)
    assert after.statements == {"g-1": {text_digest("Secret words:\n5 mg"): 1}}
    assert len(after.questions[0].relevant) == 1  # no locator
    again = folder / "judged" / "again.tsv"
    again.write_text(kept.read_text().replace("1\t", "2\t", 1))
    with pytest.raises(BenchmarkError, match=r"g-1, .*judged twice with different grades"):
        load_benchmark(folder)
    again.unlink()
    kept.write_text(kept.read_text().replace("g-1", "g-9"))
    with pytest.raises(BenchmarkError, match="g-9 is no nugget question"):
        load_benchmark(folder)


def test_a_statement_needs_no_terms(folder: Path):
    with pytest.raises(BenchmarkError, match="a relevant passage, and only that, has terms"):
        judge(folder, "statement", "5 mg", "2", "5 mg")
