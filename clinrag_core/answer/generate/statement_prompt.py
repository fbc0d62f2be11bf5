"""The prompt over numbered statements, and the reading of the claims that a model writes.

Question and statements go in as one JSON object, so that no text of a document can end its string
and pass for an instruction; a statement that gives orders to a model is left out. What comes out is
data too: a claim that names no statement, one that was not shown or too many cites nothing, and the
gates reject what cites nothing.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from pydantic import Field, ValidationError

from clinrag_core.answer.citations import date_of
from clinrag_core.answer.generate.protocol import Draft, DraftClaim, context
from clinrag_core.errors import GenerationError
from clinrag_core.lexicon.model_orders import gives_orders
from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from clinrag_core.answer.generate.protocol import QuotableStatement, Task
    from clinrag_core.model.statement import IndexedStatement

MAX_CLAIMS = 20
MAX_CHARACTERS = 1_000
MOST_CITED = 3
"""Statements that one claim may cite: the more it cites, the less the gates hold it to."""


class _StatementClaim(Record):
    """A claim with the numbers of its statements."""

    text: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    statements: tuple[int, ...]


class _WrittenAnswer(Record):
    """What a model is to write."""

    claims: tuple[_StatementClaim, ...] = Field(max_length=MAX_CLAIMS)


class NumberedClaim(NamedTuple):
    """A claim that a model wrote, with the places of its statements in the pack."""

    text: str
    cited: tuple[int, ...]
    """Positions from 0; empty where the numbers cannot be believed."""


@cache
def statement_instructions() -> str:
    """Return the instructions, the same for every question."""
    folder = resources.files("clinrag_core.answer.generate") / "prompts"
    return (folder / "statements.txt").read_text(encoding="utf-8")


def claim_schema() -> dict[str, object]:
    """Return the JSON schema of what a model is to write."""
    return _WrittenAnswer.model_json_schema()


def statement_prompt_revision() -> str:
    """Return the fingerprint of the instructions and of the form of the answer."""
    return fingerprint(statement_instructions(), claim_schema())


def build_prompt(
    question: str, statements: Sequence[IndexedStatement], slots_in_words: str, most_claims: int
) -> list[dict[str, str]]:
    """Return the conversation: instructions, then the question with its statements as data.

    Args:
        question: as the user asked it.
        statements: the evidence pack, best first; numbered from 1.
        slots_in_words: what the question says, e.g. "drug: isoniazid; people: 5 to 10 kg".
        most_claims: claims wanted at most.
    """
    data = {
        "question": question,
        "asked": slots_in_words,
        "most_claims": most_claims,
        "statements": [
            {
                "number": number,
                "document": statement.document_title,
                "date": date_of(statement),
                "headings": " > ".join((*statement.headings, *filter(None, [statement.run_in]))),
                "says": statement.said,
            }
            for number, statement in _shown(statements).items()
        ],
    }
    return [
        {"role": "system", "content": statement_instructions()},
        {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
    ]


def read_claims(written: str, statements: Sequence[IndexedStatement]) -> tuple[NumberedClaim, ...]:
    """Return the claims of what a model wrote about the statements of its prompt, each once.

    Raises:
        GenerationError: it is not the JSON asked for. The text itself is not repeated.
    """
    start, end = written.find("{"), written.rfind("}")
    try:
        answer = _WrittenAnswer.model_validate_json(written[start : end + 1])
    except ValidationError as error:
        raise GenerationError(
            f"the model did not write the JSON it was asked for ({error.error_count()} problems)"
        ) from None
    shown = _shown(statements).keys()
    claims = (
        NumberedClaim(" ".join(claim.text.split()), _positions(claim.statements, shown))
        for claim in answer.claims
    )
    return tuple(dict.fromkeys(claim for claim in claims if claim.text))


def prompt_of(task: Task) -> list[dict[str, str]]:
    """Return the conversation about a task."""
    statements = [one.statement for one in task.statements]
    return build_prompt(task.question, statements, task.asked, task.sentences)


def draft_of(written: str, task: Task) -> Draft:
    """Return what a model wrote about a task as claims with the places of their statements.

    Raises:
        GenerationError: it is not the JSON asked for.
    """
    claims = read_claims(written, [one.statement for one in task.statements])
    return Draft(tuple(_draft_claim(claim, task.statements) for claim in claims))


def _draft_claim(claim: NumberedClaim, pack: Sequence[QuotableStatement]) -> DraftClaim:
    cited = [pack[position] for position in claim.cited]
    citations = tuple(dict.fromkeys(place for one in cited for place in one.citations))
    is_repeated = [one.statement.said for one in cited] == [claim.text]
    return DraftClaim(
        claim.text,
        citations,
        context(cited[0].statement) if cited else "",
        tuple(one.statement.said for one in cited),
        cited[0].statement.statement_kind if is_repeated else None,
    )


def _shown(statements: Sequence[IndexedStatement]) -> dict[int, IndexedStatement]:
    """Return the statements that a model sees, by their numbers from 1."""
    numbered = enumerate(statements, start=1)
    return {number: one for number, one in numbered if not gives_orders(one.said)}


def _positions(numbers: Sequence[int], shown: Collection[int]) -> tuple[int, ...]:
    """Return positions in the pack; none where a number is wrong or there are too many."""
    cited = tuple(dict.fromkeys(numbers))
    if len(cited) > MOST_CITED or not set(cited) <= set(shown):
        return ()
    return tuple(number - 1 for number in cited)
