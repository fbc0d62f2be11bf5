"""A reasoner that asks a model; the model's choice counts only if it states exactly one option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clinrag_core.errors import GenerationError
from clinrag_core.reason.context import CHOICE_SCHEMA, choice_prompt
from clinrag_core.reason.read_choice import stated_choice
from clinrag_core.reason.records import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.reason.records import ChoiceQuestion


class ChatModel(Protocol):
    """Completes a conversation; `answer.generate.chat_server.ChatServer` is one."""

    model: str

    def complete(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object]) -> str:
        """Return what the model writes.

        Raises:
            GenerationError: it does not answer.
        """
        ...


class GeneratedReasoner:
    """Chooses by a model over retrieved passages.

    Args:
        chat: the model.
        retrieve: passages for a question; it never gets the options.
    """

    def __init__(self, chat: ChatModel, retrieve: Callable[[str], Sequence[Chunk]]) -> None:
        self._chat = chat
        self._retrieve = retrieve
        self.name = f"generated:{chat.model}"

    def choose(self, question: ChoiceQuestion) -> Choice:
        """See `Reasoner`."""
        chunks = self._retrieve(question.question)
        read = tuple(chunk.id for chunk in chunks)
        if not chunks:
            return Choice(letter=None, reason="no_evidence")
        try:
            written = self._chat.complete(choice_prompt(question, chunks), CHOICE_SCHEMA)
        except GenerationError:
            return Choice(letter=None, reason="generation_failed", evidence=read)
        letter = stated_choice(written, "".join(question.options))
        reason = "unreadable" if letter is None else "chosen"
        return Choice(letter=letter, reason=reason, evidence=read)
