"""What is shown where a generator fails: the extractive answer, and a notice that says so.

A generator fails if it raises, writes nothing, or writes nothing that the gates accept.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.generate.extractive import ExtractiveGenerator
from clinrag_core.errors import GenerationError, log_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.answer.check import CheckedDraft
    from clinrag_core.answer.generate.protocol import Draft, Generator

logger = logging.getLogger(__name__)


class CheckedAnswer(NamedTuple):
    """Checked claims and who wrote them."""

    checked: CheckedDraft
    generator: str
    """Name and revision of what wrote the claims."""
    notice: str
    """Why that is not the configured generator; empty where it is."""


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
