"""Generation by any OpenAI-compatible server: vLLM, llama.cpp, Ollama and others.

The answer is streamed so that a server that hangs is noticed, but kept back whole: nothing leaves
before the gates have seen all of it.
"""

from __future__ import annotations

import json
import os
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from clinrag_core.answer.generate.prompt import (
    answer_schema,
    messages,
    prompt_revision,
    read_draft,
)
from clinrag_core.errors import ConfigurationError, GenerationError

if TYPE_CHECKING:
    from clinrag_core.answer.generate.protocol import Draft, Task
    from clinrag_core.settings import GeneratorSettings

_DONE = "[DONE]"
MAX_WRITTEN = 100_000
"""Characters after which a server is cut off."""


class _TransientError(GenerationError):
    """The server may answer the next time."""


class OpenAIGenerator:
    """Drafts answers with a server that speaks the OpenAI protocol.

    Raises:
        ConfigurationError: no address or no model is set.
    """

    name = "openai"

    def __init__(
        self, settings: GeneratorSettings, transport: httpx.BaseTransport | None = None
    ) -> None:
        if settings.url is None or settings.model is None:
            raise ConfigurationError("the openai generator needs generator.url and generator.model")
        self._settings = settings
        self._url = f"{settings.url.rstrip('/')}/chat/completions"
        self._client = httpx.Client(timeout=settings.timeout_s, transport=transport)
        self.revision = f"{settings.model}/{prompt_revision()}"

    def generate(self, task: Task) -> Draft:
        """Return a draft; retries transient errors of the server."""
        retrying = Retrying(
            stop=stop_after_attempt(self._settings.attempts),
            wait=wait_exponential(multiplier=0.5, max=10),
            retry=retry_if_exception_type(_TransientError),
            reraise=True,
        )
        return read_draft(retrying(self._written, task), task.evidence)

    def _written(self, task: Task) -> str:
        """Return what the model writes."""
        key = os.environ.get(self._settings.api_key_env)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = {
            "model": self._settings.model,
            "messages": messages(task),
            "temperature": 0,
            "seed": 0,
            "max_tokens": self._settings.max_tokens,
            "stream": True,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": answer_schema()},
            },
        }
        try:
            with self._client.stream("POST", self._url, json=body, headers=headers) as response:
                status = response.status_code
                if status >= httpx.codes.BAD_REQUEST:
                    transient = response.is_server_error or status == HTTPStatus.TOO_MANY_REQUESTS
                    kind = _TransientError if transient else GenerationError
                    raise kind(f"the generator's server answered {status}")
                return _collected(response)
        except httpx.TransportError as error:
            raise _TransientError(f"the generator's server: {type(error).__name__}") from error


def _collected(response: httpx.Response) -> str:
    """Return the text of a stream of server-sent events, or of one plain answer."""
    written: list[str] = []
    length = 0
    for line in response.iter_lines():
        payload = line.removeprefix("data:").strip()
        if not payload or payload.startswith(":") or payload == _DONE:
            continue
        piece = _piece(payload)
        length += len(piece)
        if length > MAX_WRITTEN:
            raise GenerationError(f"the generator wrote more than {MAX_WRITTEN} characters")
        written.append(piece)
    return "".join(written)


def _piece(payload: str) -> str:
    try:
        event: Any = json.loads(payload)
        choice = event["choices"][0]
        part = choice.get("delta") or choice.get("message") or {}
        return part.get("content") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise GenerationError("the generator's server sent something unreadable") from None
