"""The prompt of generating models, and the reading of what they write back.

Evidence and question go in as one JSON object. What comes out is data too: a quote that is not in
its passage, letter by letter, becomes no citation, and a claim without one does not pass the gates.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from clinrag_core.answer.citations import cite
from clinrag_core.answer.generate.protocol import Draft, DraftClaim
from clinrag_core.errors import GenerationError
from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.generate.protocol import Task
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation

MAX_CLAIMS = 20
MAX_CHARACTERS = 1_000


class _Quote(Record):
    """A quote from the passage with this number."""

    id: int
    quote: str = Field(max_length=4_000)


class _Claim(Record):
    """A claim with its quotes."""

    text: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    quotes: tuple[_Quote, ...] = Field(max_length=10)


class _Written(Record):
    """What a model is to write."""

    claims: tuple[_Claim, ...] = Field(max_length=MAX_CLAIMS)


@cache
def system_prompt() -> str:
    """Return the instructions, the same for every question."""
    folder = resources.files("clinrag_core.answer.generate") / "prompts"
    return (folder / "answer.txt").read_text(encoding="utf-8")


def prompt_revision() -> str:
    """Return the fingerprint of the instructions and the form of the answer."""
    return fingerprint(system_prompt(), _Written.model_json_schema())


def answer_schema() -> dict[str, object]:
    """Return the JSON schema of what a model is to write."""
    return _Written.model_json_schema()


def messages(task: Task) -> list[dict[str, str]]:
    """Return the conversation: instructions, then the question with its evidence as data."""
    data = {
        "question": task.question,
        "sentences": task.sentences,
        "evidence": [
            {
                "id": number,
                "source": " > ".join((chunk.document_title, *chunk.section_path)),
                "text": chunk.text,
            }
            for number, chunk in enumerate(task.evidence, start=1)
        ],
    }
    return [
        {"role": "system", "content": system_prompt()},
        {"role": "user", "content": json.dumps(data, ensure_ascii=False)},
    ]


def read_draft(written: str, evidence: Sequence[Chunk]) -> Draft:
    """Return the claims of what a model wrote.

    Raises:
        GenerationError: it is not the JSON asked for. The text itself is not repeated.
    """
    start, end = written.find("{"), written.rfind("}")
    try:
        written_claims = _Written.model_validate_json(written[start : end + 1])
    except ValidationError as error:
        raise GenerationError(
            f"the model did not write the JSON it was asked for ({error.error_count()} problems)"
        ) from None
    return Draft(
        tuple(
            DraftClaim(
                claim.text.strip(),
                tuple(c for q in claim.quotes if (c := _citation(q, evidence)) is not None),
            )
            for claim in written_claims.claims
        )
    )


def _citation(quote: _Quote, evidence: Sequence[Chunk]) -> Citation | None:
    if not 1 <= quote.id <= len(evidence) or not quote.quote.strip():
        return None
    chunk = evidence[quote.id - 1]
    at = chunk.text.find(quote.quote)
    return cite(chunk, at, at + len(quote.quote)) if at >= 0 else None
