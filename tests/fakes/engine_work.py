"""Work on an answer engine that says in which process it was done, or ends its process."""

import os
from collections.abc import Sequence

from clinrag_core.answer.engine import AnswerEngine


def where(engine: AnswerEngine, batch: Sequence[int]) -> tuple[int, list[int], int]:
    """Return the process, the batch, and how many drugs have a label."""
    return os.getpid(), list(batch), len(engine.drugs.labelled)


def end_elsewhere(engine: AnswerEngine, parent: int) -> int:
    """End this process unless it is the parent; there return the number of drugs."""
    if os.getpid() != parent:
        os._exit(1)
    return len(engine.drugs.labelled)


def fail(engine: AnswerEngine, message: str) -> None:
    """Raise an error."""
    del engine
    raise LookupError(message)
