"""`clinrag ask --questions`: a list of questions in, one answer per line out.

The list is tab-separated with a header; `question` is the only column that must be there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.reader import usable
from clinrag_core.errors import QueryError, QuestionListError
from clinrag_core.text.tsv import parse_tsv
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.answer.records import Answer

QUESTION = "question"
ANSWER = "answer"


class QuestionList(NamedTuple):
    """The usable rows of a list by column, and what is wrong with the others."""

    rows: tuple[dict[str, str], ...]
    problems: tuple[str, ...]
    """Each with its line; never with its text."""


def read_questions(file: Path) -> QuestionList:
    """Read a list of questions.

    Raises:
        QuestionListError: it cannot be read, or its header is of no use.
    """
    try:
        table = parse_tsv(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionListError(f"{file} cannot be read: {error}") from error
    if QUESTION not in table.header:
        raise QuestionListError(
            f"{file.name}: the first line names no column {QUESTION!r}; "
            "columns are separated by tabs"
        )
    if ANSWER in table.header or len(set(table.header)) < len(table.header):
        raise QuestionListError(
            f"{file.name}: each column needs a name of its own, other than {ANSWER!r}"
        )
    rows: list[dict[str, str]] = []
    problems: list[str] = []
    for row in table.rows:
        try:
            rows.append(_columns(table.header, row.cells))
        except QueryError as error:
            problems.append(f"{file.name}, line {row.line}: {error}")
    return QuestionList(tuple(rows), tuple(problems))


def answer_file(
    questions: QuestionList,
    ask: Callable[[str], Answer],
    out: Path,
    on_progress: Callable[[int, int], None],
) -> None:
    """Write one JSON object per row: its columns and, as `answer`, the answer.

    The file is written at the end, whole or not at all.
    """
    lines: list[str] = []
    for done, row in enumerate(questions.rows, start=1):
        answer = ask(row[QUESTION]).model_dump(mode="json")
        lines.append(json.dumps(row | {ANSWER: answer}, ensure_ascii=False) + "\n")
        on_progress(done, len(questions.rows))
    write_atomic(out, "".join(lines).encode())


def _columns(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row by column.

    Raises:
        QueryError: the question cannot be used, or the row has more cells than the header.
    """
    if len(cells) > len(header):
        raise QueryError(f"{len(cells)} cells, the header has {len(header)}")
    columns = dict(zip(header, cells, strict=True))
    return columns | {QUESTION: usable(columns[QUESTION])}
