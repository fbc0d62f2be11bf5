"""Writes the claims of an answer: a draft for each part of the question, through all gates.

A claim in a generator's own words goes through the question gate as its statements did. A generator
fails if it raises, writes nothing, or writes nothing that the gates accept; the statements
themselves are shown then, with a notice that says so.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.abstain import Abstain
from clinrag_core.answer.check import check_draft
from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.fit.slot_words import slots_in_words
from clinrag_core.answer.generate.extractive import ExtractiveGenerator, warnings_of
from clinrag_core.answer.generate.protocol import Draft, Task, join_drafts
from clinrag_core.errors import GenerationError, log_failure
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.answer.check import CheckedDraft
    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.answer.generate.protocol import DraftClaim, Generator
    from clinrag_core.answer.select.part_selection import PartSelection
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.facts.drugs import DrugLexicon


logger = logging.getLogger(__name__)


class CheckedAnswer(NamedTuple):
    """Checked claims and who wrote them."""

    checked: CheckedDraft
    generator: str
    """Name and revision of what wrote the claims."""
    notice: str
    """Why that is not the configured generator; empty where it is."""


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


def checked_answer(
    generator: Generator,
    draft: Callable[[Generator], Draft],
    check: Callable[[Draft], CheckedDraft],
    complete: Callable[[Draft], Draft],
) -> CheckedAnswer:
    """Return the checked draft of a generator, or that of the extractive one if it fails.

    Args:
        generator: the configured one.
        draft: asks a generator for its draft of the question at hand.
        check: runs the question gate and the claim gates on a draft.
        complete: adds the warnings that a model must not leave out. They are the sources' words: a
            draft of which nothing else passes has failed.

    Raises:
        GenerationError: the extractive generator failed, so that nothing is left to fall back to.
    """
    named = _named(generator)
    if isinstance(generator, ExtractiveGenerator):
        return CheckedAnswer(check(_drafted(generator, draft)), named, "")
    try:
        written = _drafted(generator, draft)
    except GenerationError as error:
        why = f"{named} failed ({error})"
    else:
        if check(written).accepted:
            return CheckedAnswer(check(complete(written)), named, "")
        why = f"nothing that {named} wrote passed the checks"
    extractive = ExtractiveGenerator()
    notice = f"{why}: the sources are quoted instead"
    return CheckedAnswer(check(_drafted(extractive, draft)), _named(extractive), notice)


def _drafted(generator: Generator, draft: Callable[[Generator], Draft]) -> Draft:
    """Return the draft of a generator.

    Raises:
        GenerationError: it failed, whatever it raised.
    """
    try:
        return draft(generator)
    except GenerationError as error:
        logger.warning("generation failed: %s", error)
        raise
    except Exception as error:  # e.g. CUDA out of memory in a local model
        log_failure(logger, "generation failed", error)
        raise GenerationError(type(error).__name__) from error


def _named(generator: Generator) -> str:
    return f"{generator.name}:{generator.revision}"
