from collections import Counter
from pathlib import Path

import pytest

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.settings import data_folder

QUESTION = """
[[question]]
id = "{id}"
family = "{family}"
split = "{split}"
intent = "DOSAGE"
knowledge_bases = ["labels"]
text = "isoniazid dose"
expect = "answer"
relevant = [{{ grade = 2, drug = "isoniazid", terms = ["300 mg|5 mg/kg"] }}]
"""


def write(folder: Path, *questions: str) -> Path:
    (folder / "labels.toml").write_text("\n".join(questions))
    return folder


def question(number: int, family: str = "f", split: str = "dev") -> str:
    return QUESTION.format(id=f"l-{number:03d}", family=family, split=split)


def test_the_shipped_benchmark_is_as_large_and_as_split_as_promised():
    questions = load_benchmark(data_folder() / "benchmark").questions
    assert len(questions) >= 160
    kinds = Counter(q.id[0] for q in questions)
    assert kinds["g"] >= 60
    assert kinds["l"] >= 50
    assert kinds["m"] >= 20
    assert kinds["x"] >= 30
    splits = Counter(q.split for q in questions)
    assert min(splits.values()) >= 0.35 * len(questions)
    assert len({q.text.casefold() for q in questions}) == len(questions)


def test_a_family_in_both_splits_is_refused(tmp_path: Path):
    """Paraphrases of one question in dev and test would let tuning leak into the figures."""
    with pytest.raises(BenchmarkError, match=r"labels.toml, l-002.*both splits"):
        load_benchmark(write(tmp_path, question(1), question(2, split="test")))


def test_an_id_used_twice_is_refused(tmp_path: Path):
    with pytest.raises(BenchmarkError, match="used twice"):
        load_benchmark(write(tmp_path, question(1), question(1)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('terms = ["300 mg|5 mg/kg"]', "terms = []", "terms"),
        ('terms = ["300 mg|5 mg/kg"]', 'terms = ["300 mg|"]', "empty"),
        ("grade = 2,", 'grade = 2, section = "(",', "regular expression"),
        ('expect = "answer"', 'expect = "refuse"', "locators"),
        ("grade = 2", "grade = 3", "grade"),
        ('split = "dev"', 'split = "train"', "split"),
    ],
)
def test_a_malformed_question_is_named(tmp_path: Path, old: str, new: str, message: str):
    with pytest.raises(BenchmarkError, match=rf"labels.toml, l-001(.|\n)*{message}"):
        load_benchmark(write(tmp_path, question(1).replace(old, new)))


def test_an_empty_folder_and_a_broken_file_are_named(tmp_path: Path):
    with pytest.raises(BenchmarkError, match="no benchmark"):
        load_benchmark(tmp_path)
    (tmp_path / "x.toml").write_text("[[question]")
    with pytest.raises(BenchmarkError, match=r"x\.toml"):
        load_benchmark(tmp_path)
