"""`clinrag ask --questions`: a list of questions in, one answer per line out.

The list is tab-separated with a header; `question` is the only column that must be there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question import usable
from clinrag_core.errors import QueryError, QuestionListError
from clinrag_core.workspace import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clinrag_core.answer.records import Answer

QUESTION = "question"
ANSWER = "answer"


class AskedRow(NamedTuple):
    """A usable row of the list."""

    line: int
    columns: dict[str, str]


class QuestionList(NamedTuple):
    """The rows of a list, and what is wrong with the others."""

    rows: tuple[AskedRow, ...]
    problems: tuple[str, ...]
    """Each with its line; never with its text."""


def read_questions(file: Path) -> QuestionList:
    """Read a list of questions.

    Raises:
        QuestionListError: it cannot be read, or its header is of no use.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionListError(f"{file} cannot be read: {error}") from error
    header = _cells(lines[0])
    if QUESTION not in header:
        raise QuestionListError(
            f"{file.name}: the first line names no column {QUESTION!r}; "
            "columns are separated by tabs"
        )
    if ANSWER in header or len(set(header)) < len(header):
        raise QuestionListError(
            f"{file.name}: each column needs a name of its own, other than {ANSWER!r}"
        )
    rows: list[AskedRow] = []
    problems: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            rows.append(AskedRow(number, _columns(header, _cells(line))))
        except QueryError as error:
            problems.append(f"{file.name}, line {number}: {error}")
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
        answer = ask(row.columns[QUESTION]).model_dump(mode="json")
        lines.append(json.dumps(row.columns | {ANSWER: answer}, ensure_ascii=False) + "\n")
        on_progress(done, len(questions.rows))
    write_atomic(out, "".join(lines).encode())


def _columns(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells of a row by column; those missing at its end are empty.

    Raises:
        QueryError: the question cannot be used, or the row has more cells than the header.
    """
    if len(cells) > len(header):
        raise QueryError(f"{len(cells)} cells, the header has {len(header)}")
    padded = [*cells, *[""] * (len(header) - len(cells))]
    columns = dict(zip(header, padded, strict=True))
    return columns | {QUESTION: usable(columns[QUESTION])}


def _cells(line: str) -> list[str]:
    """The cells of a line; a spreadsheet quotes those that hold a quotation mark."""
    return [_unquoted(cell.strip()) for cell in line.split("\t")]


def _unquoted(cell: str) -> str:
    inner = cell[1:-1].replace('""', "")
    is_quoted = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner
    return cell[1:-1].replace('""', '"') if is_quoted else cell
