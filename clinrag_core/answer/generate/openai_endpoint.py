"""Generation by any OpenAI-compatible server: vLLM, llama.cpp, Ollama and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.generate.chat_server import ChatServer
from clinrag_core.answer.generate.statement_prompt import (
    claim_schema,
    draft_of,
    prompt_of,
    statement_prompt_revision,
)

if TYPE_CHECKING:
    import httpx

    from clinrag_core.answer.generate.protocol import Draft, Task
    from clinrag_core.settings import GeneratorSettings


class OpenAIGenerator:
    """Drafts answers with a server that speaks the OpenAI protocol.

    Raises:
        ConfigurationError: no address or no model is set.
    """

    name = "openai"

    def __init__(
        self, settings: GeneratorSettings, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._server = ChatServer(settings, transport)
        self.revision = f"{self._server.model}/{statement_prompt_revision()}"

    def generate(self, task: Task) -> Draft:
        """Return a draft; retries transient errors of the server."""
        return draft_of(self._server.complete(prompt_of(task), claim_schema()), task)
