"""What pipelines rank high and nobody has judged is pooled once; judgements become locators."""

from pathlib import Path

import pytest

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import BenchmarkQuestion, load_benchmark
from clinrag_core.evaluate.judge import Judgements
from clinrag_core.evaluate.pooled_judgements import write_judgements
from clinrag_core.evaluate.pooling import (
    DEPTH,
    PooledPassage,
    PoolText,
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


def question(number: int, split: str = "test") -> BenchmarkQuestion:
    locator = {"grade": 2, "terms": ["x"]}
    fields = {"id": f"q-{number}", "split": split, "text": "dose?", "relevant": [locator]}
    return BenchmarkQuestion.model_validate(fields)


PASSAGES = {
    f"c{n:02d}": PoolText(f"doc-{n}", "Doses > Adults", f"text\t{n}\n mg") for n in range(30)
}
RUNS = {
    "default": {"q-1": [f"c{n:02d}" for n in range(20)], "q-2": ["c01"], "q-3": ["c01"]},
    "bm25": {"q-1": ["c19", "c00"]},
}


def pooled(done=()) -> list[PooledPassage]:
    judgements = Judgements(relevant={"q-1": {"c03": 2}}, unjudged=(), answerable=())
    asked = [question(1), question(2, "dev"), question(3)]
    return pool(RUNS, asked, judgements, done, PASSAGES)


def filled(*rows: tuple[str, str]) -> str:
    """The table with grade and terms in its first rows."""
    lines = to_judge(pooled()).splitlines()
    for number, row in enumerate(rows, start=1):
        lines[number] = "\t".join((*row, *lines[number].split("\t")[2:]))
    return "\n".join(lines)


def test_the_first_of_every_pipeline_are_pooled_but_not_what_is_judged():
    found = [(p.question.id, p.passage.document_id) for p in pooled()]
    first = [n for n in range(DEPTH) if n != 3]
    expected = sorted(first[1:], key=lambda n: (n, n))
    assert found[:2] == [("q-1", "doc-0"), ("q-1", "doc-19")]
    assert found[2:] == [("q-1", f"doc-{n}") for n in expected] + [("q-3", "doc-1")]


def test_what_was_judged_is_not_pooled_again():
    judged = read_judged(filled(("0", ""), ("2", "19 mg; text")), "pool.tsv")
    assert [(j.grade, j.document, j.terms) for j in judged] == [
        (0, "doc-0", ()),
        (2, "doc-19", ("19 mg", "text")),
    ]
    left = {p.passage.document_id for p in pooled(judged) if p.question.id == "q-1"}
    assert not left & {"doc-0", "doc-19"}
    assert len(pooled(judged)) == len(pooled()) - len(judged)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("3", ""), "pool.tsv, line 2: the grade is 0, 1 or 2"),
        (("2", ""), "line 2: Value error, a relevant passage, and only that, has terms"),
        (("0", "text"), "line 2: Value error, a relevant passage, and only that, has terms"),
        (("1", "5 mg"), "line 2: '5 mg' is not in the passage"),
    ],
    ids=["grade", "no_terms", "terms", "elsewhere"],
)
def test_a_row_that_makes_no_sense_is_named(row: tuple[str, str], problem: str):
    with pytest.raises(BenchmarkError) as raised:
        read_judged(filled(row), "pool.tsv")
    assert problem in str(raised.value)


def test_kept_judgements_hold_no_text_and_become_locators(tmp_path: Path):
    (tmp_path / "a.toml").write_text(BENCHMARK)
    before = load_benchmark(tmp_path)
    table = to_judge(
        [PooledPassage(before.questions[0], PoolText("vel-1", "", "Secret words: 5 mg"))]
    )
    header, row = table.splitlines()
    judged = read_judged("\n".join((header, f"1\t5 mg{row[1:]}")), "pool.tsv")
    (tmp_path / "judged").mkdir()
    kept = tmp_path / "judged" / "first.tsv"
    kept.write_text(write_judgements(judged))
    assert "Secret" not in kept.read_text()
    after = load_benchmark(tmp_path)
    assert after.fingerprint != before.fingerprint
    added = after.questions[0].relevant[-1]
    assert (added.grade, added.document, added.terms) == (1, "vel-1", ("5 mg",))
    kept.write_text(kept.read_text().replace("g-1", "g-9"))
    with pytest.raises(BenchmarkError, match="g-9 is no question to answer"):
        load_benchmark(tmp_path)
