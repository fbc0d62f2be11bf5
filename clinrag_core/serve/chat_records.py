"""What `/v1/chat/completions` takes and returns: the supported part of the OpenAI protocol."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MODEL = "clinrag"


class TextContent(BaseModel):
    """A part of a message; only text is read."""

    model_config = ConfigDict(extra="allow")
    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of the conversation."""

    model_config = ConfigDict(extra="allow")
    role: str
    content: str | list[TextContent] | None = None

    @property
    def text(self) -> str:
        """Its text parts, joined."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    """Options of a stream."""

    model_config = ConfigDict(extra="allow")
    include_usage: bool = False


class ChatRequest(BaseModel):
    """A conversation; its last message of the user is the question. Other fields are ignored."""

    model_config = ConfigDict(extra="allow")
    messages: list[ChatMessage] = Field(min_length=1, max_length=200)
    model: str = MODEL
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    response_format: dict[str, Any] | None = None

    @property
    def question(self) -> str:
        """The last message of the user; empty without one."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "").strip()

    @property
    def unsupported(self) -> Literal["n", "tools", "response_format"] | None:
        """A field that asks for what this service does not do."""
        if self.n not in {None, 1}:
            return "n"
        if self.tools:
            return "tools"
        if (self.response_format or {}).get("type", "text") != "text":
            return "response_format"
        return None
