"""The answers to the questions about a note: few of them, each asked once while a release is open.

Questions are of drugs, care and diseases alone; claims are kept in memory, never on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Claim
    from clinrag_core.retrieve.engine import SearchEngine

MOST_QUESTIONS = 12
"""Questions about one note, so that a long list of medicines does not hold up a request."""
_ANSWERS: WeakKeyDictionary[SearchEngine, dict[str, tuple[Claim, ...]]] = WeakKeyDictionary()
"""Claims by question, as long as a release is open: questions are of drugs and diseases alone."""
_MOST_ANSWERS = 512


class AskedAnswers:
    """The claims that an engine gives to the questions about one note."""

    def __init__(self, engine: AnswerEngine) -> None:
        self.engine = engine
        self._known = _ANSWERS.setdefault(engine.search, {})
        self._asked: set[str] = set()

    def may_ask(self, question: str) -> bool:
        """Count a question; return whether it may be asked about this note."""
        if question not in self._asked and len(self._asked) == MOST_QUESTIONS:
            return False
        self._asked.add(question)
        return True

    def claims(self, question: str) -> tuple[Claim, ...]:
        """Return the claims of the answer to a question, asked once while a release is open."""
        if question not in self._known:
            if len(self._known) == _MOST_ANSWERS:
                self._known.clear()
            self._known[question] = self.engine.ask(question).claims
        return self._known[question]
