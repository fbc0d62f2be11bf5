"""A server that speaks the OpenAI chat protocol: vLLM, llama.cpp, Ollama and others.

The answer is streamed so that a server that hangs is noticed, but kept back whole: nothing leaves
before the gates have seen all of it. One limit of time holds for everything, retries included.
"""

from __future__ import annotations

import json
import os
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx
from tenacity import (
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential,
)

from clinrag_core.errors import ConfigurationError, GenerationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.settings import GeneratorSettings

_DONE = "[DONE]"
MAX_WRITTEN = 100_000
"""Characters after which a server is cut off."""


class _TransientError(GenerationError):
    """The server may answer the next time."""


class ChatServer:
    """Completes conversations by a server; one object serves all threads.

    Raises:
        ConfigurationError: no address or no model is set.
    """

    def __init__(
        self, settings: GeneratorSettings, transport: httpx.BaseTransport | None = None
    ) -> None:
        if settings.url is None or settings.model is None:
            raise ConfigurationError("the openai generator needs generator.url and generator.model")
        self._settings = settings
        self._url = f"{settings.url.rstrip('/')}/chat/completions"
        self._client = httpx.Client(transport=transport)
        self.model = settings.model

    def complete(self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object]) -> str:
        """Return what the model writes, in JSON of a schema if the server keeps to it.

        Raises:
            GenerationError: no answer, an unreadable one, or none within `timeout_s`.
        """
        end = time.monotonic() + self._settings.timeout_s
        retrying = Retrying(
            stop=stop_after_attempt(self._settings.attempts)
            | stop_after_delay(self._settings.timeout_s),
            wait=wait_exponential(multiplier=0.5, max=10),
            retry=retry_if_exception_type(_TransientError),
            reraise=True,
        )
        return retrying(self._written, self._request(messages, schema), end)

    def _request(
        self, messages: Sequence[Mapping[str, str]], schema: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the body of a request: greedy, streamed, JSON of the schema."""
        return {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "seed": 0,
            "max_tokens": self._settings.max_tokens,
            "stream": True,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
        }

    def _written(self, request: dict[str, object], end: float) -> str:
        """Return the text of one answer, before the clock reads `end`."""
        left = end - time.monotonic()
        if left <= 0:
            raise GenerationError("the generator's server took too long")
        key = os.environ.get(self._settings.api_key_env)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            with self._client.stream(
                "POST", self._url, json=request, headers=headers, timeout=left
            ) as response:
                status = response.status_code
                if status != HTTPStatus.OK:
                    transient = response.is_server_error or status == HTTPStatus.TOO_MANY_REQUESTS
                    kind = _TransientError if transient else GenerationError
                    raise kind(f"the generator's server answered {status}")
                return _collected(response, end)
        except httpx.TransportError as error:
            raise _TransientError(f"the generator's server: {type(error).__name__}") from error


def _collected(response: httpx.Response, end: float) -> str:
    """Return the text of a stream of server-sent events, or of one plain answer."""
    written: list[str] = []
    length = 0
    for line in response.iter_lines():
        if time.monotonic() > end:  # each piece came in time, all of them did not
            raise GenerationError("the generator's server took too long")
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
    """Return the text of one event."""
    try:
        event: Any = json.loads(payload)
        choices = event["choices"]
        if not choices:  # the last event of some servers counts tokens only
            return ""
        part = choices[0].get("delta") or choices[0].get("message") or {}
        return part.get("content") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise GenerationError("the generator's server sent something unreadable") from None
