"""Writes the claims of an answer: a draft for each part of the question, through all gates.

A claim in a generator's own words goes through the question gate as its statements did; what fails
falls back to the statements themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.abstain import Abstain
from clinrag_core.answer.check import check_draft
from clinrag_core.answer.generate.extractive import warnings_of
from clinrag_core.answer.generate.fallback import checked_answer
from clinrag_core.answer.generate.protocol import Draft, Task, join_drafts
from clinrag_core.answer.question_gate import is_fit
from clinrag_core.answer.slot_words import slots_in_words
from clinrag_core.errors import GenerationError
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.check import CheckedDraft
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.generate.fallback import CheckedAnswer
    from clinrag_core.answer.generate.protocol import DraftClaim, Generator
    from clinrag_core.answer.selection import PartSelection, Selection
    from clinrag_core.facts.drugs import DrugLexicon


def write_claims(
    selection: Selection,
    generator: Generator,
    gates: Sequence[Gate],
    drugs: DrugLexicon,
    sentences: int,
) -> CheckedAnswer:
    """Return the checked claims for all parts of a question, `sentences` at most, and their writer.

    Raises:
        Abstain: nothing could be drafted.
    """
    chunks = [passage.chunk for passage in selection.passages]
    parts = [part for part in selection.parts if part.statements]
    most = max(sentences // len(parts), 1)
    tasks = [
        Task(part.slots.text, slots_in_words(part.slots), part.statements, most) for part in parts
    ]

    def draft(one: Generator) -> Draft:
        return join_drafts([one.generate(task) for task in tasks])

    def check(drafted: Draft) -> CheckedDraft:
        fitting = tuple(claim for claim in drafted.claims if _fits(claim, parts, drugs))
        return check_draft(Draft(fitting), chunks, gates, drugs)

    def complete(drafted: Draft) -> Draft:
        return join_drafts([drafted, *(warnings_of(task) for task in tasks)])

    try:
        return checked_answer(generator, draft, check, complete)
    except GenerationError as error:
        raise Abstain("generation_failed") from error


def _fits(claim: DraftClaim, parts: Sequence[PartSelection], drugs: DrugLexicon) -> bool:
    """Return whether a claim fits a part of the question, as the statements it cites do.

    What a statement says word for word was judged with its frame already.
    """
    if claim.text in claim.sources:
        return True
    for part in parts:
        for one in part.statements:
            if one.statement.said in claim.sources:
                said = {"id": sha256_hex(claim.text.encode()), "said": claim.text}
                worded = one.statement.model_copy(update=said)
                if is_fit(part.slots, worded, drugs):
                    return True
    return not claim.sources  # it cites nothing, which the citation gate rejects
