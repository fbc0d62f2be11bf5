"""External question sets as retrieval test sets: MedicationQA and LiveQA-Med.

Both are pools: every answer of the set is a document. They test retrieval on questions that people
ask; neither has published figures for this task.
"""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from clinrag_core.errors import BenchmarkError
from clinrag_core.evaluate.beir import BeirSet, bm25_run, ids_of, score

if TYPE_CHECKING:
    from pathlib import Path

MEDICATIONQA = "medicationqa.jsonl"
LIVEQA = "TREC-2017-LiveQA-Medical-Test-Questions-w-summaries.xml"
RELEVANT_FROM = 3
"""Grade "Incomplete" and "Excellent"; "Incorrect" and "Related" answers do not answer."""
LONGEST_FIELD = 1 << 20
"""Characters of an answer, at most."""


class QuestionSetRow(NamedTuple):
    """BM25 on a question set, by the recipe that published figures are made with."""

    name: str
    questions: int
    unanswerable: int
    """Questions without a relevant answer in the pool; not part of the means."""
    documents: int
    metrics: dict[str, float]


def read_medicationqa(folder: Path) -> BeirSet:
    """Read the questions about drugs; each has its own answer as the one relevant document.

    Raises:
        BenchmarkError: the file is missing or malformed.
    """
    path = folder / MEDICATIONQA
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        answered = {str(n): row for n, row in enumerate(rows) if (row["Answer"] or "").strip()}
        return BeirSet(
            "medicationqa",
            {key: row["Answer"] for key, row in answered.items()},
            {key: row["Question"] for key, row in answered.items()},
            {key: {key: 1} for key in answered},
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{path}: {type(error).__name__}: {error}") from error


def read_liveqa(folder: Path) -> tuple[BeirSet, int]:
    """Read LiveQA-Med with NLM's summaries as questions; return how many have no right answer too.

    Raises:
        BenchmarkError: a file is missing or malformed.
    """
    try:
        root = etree.parse(folder / LIVEQA, etree.XMLParser(resolve_entities=False)).getroot()
        queries = {
            (question.get("qid") or "").removeprefix("TQ"): " ".join(
                (question.findtext("NLM-Summary") or "").split()
            )
            for question in root.iterfind("NLM-QUESTION")
        }
        csv.field_size_limit(LONGEST_FIELD)
        with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
            documents = {row["AnswerID"]: row["Answer"] for row in csv.DictReader(file)}
        relevant: dict[str, dict[str, int]] = {}
        judged: set[str] = set()
        for line in (folder / "qrels_raw.txt").read_text(encoding="utf-8").splitlines():
            query, grade, document = line.split()
            judged.add(query)
            if int(grade[0]) >= RELEVANT_FROM:
                relevant.setdefault(query, {})[document] = int(grade[0]) - RELEVANT_FROM + 1
        asked = {query: queries[query] for query in relevant}
    except (OSError, ValueError, KeyError, etree.XMLSyntaxError) as error:
        raise BenchmarkError(f"{folder}: {type(error).__name__}: {error}") from error
    return BeirSet("liveqa-med", documents, asked, relevant), len(judged) - len(relevant)


def question_set_rows(root: Path) -> list[QuestionSetRow]:
    """Return BM25's figures on the question sets that are below a folder.

    Raises:
        BenchmarkError: a set is malformed.
    """
    rows: list[QuestionSetRow] = []
    for folder in sorted({root, *(p for p in root.glob("*") if p.is_dir())}):
        if (folder / MEDICATIONQA).is_file():
            rows.append(_row(read_medicationqa(folder), 0))
        if (folder / LIVEQA).is_file():
            rows.append(_row(*read_liveqa(folder)))
    return rows


def _row(read: BeirSet, unanswerable: int) -> QuestionSetRow:
    run = ids_of(bm25_run(read, published=True))
    metrics = score(read.relevant, run)
    return QuestionSetRow(read.name, len(read.relevant), unanswerable, len(read.documents), metrics)
