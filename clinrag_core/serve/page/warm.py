"""Loads what the first answer needs while a person still types.

The first answer of a process takes seconds: tables are read and code is compiled. Opening the page
asks three questions that nobody reads: they are not recorded, not counted and not shown.
"""

from __future__ import annotations

from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clinrag_core.answer.engine import AnswerEngine

QUESTIONS = (
    "What is the dose of isoniazid?",
    "How long is tuberculosis treated in adults?",
    "What is the dose of wonderdrugine in pneumonia?",
)
"""On a label, on guidelines, with an unknown word: they need different tables."""
WARM_UP = "answer-warm-up"
"""Name of the thread."""


class AnswerWarmer:
    """Warms each answer engine up once, in a thread of its own."""

    def __init__(self) -> None:
        self._warmed: AnswerEngine | None = None
        self._lock = Lock()

    def start(self, engine: AnswerEngine) -> Thread | None:
        """Return the thread that warms an engine up; None if that was done or is in progress."""
        with self._lock:
            if self._warmed is engine:
                return None
            self._warmed = engine
        thread = Thread(target=_ask, args=(engine.unaudited(),), name=WARM_UP, daemon=True)
        thread.start()
        return thread


def _ask(engine: AnswerEngine) -> None:
    for question in QUESTIONS:
        engine.ask(question)
