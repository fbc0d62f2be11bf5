"""Typed records from the JSON replies of the label services."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from clinrag_core.acquire.urls import shown_url
from clinrag_core.errors import FetchError

_Reply = TypeVar("_Reply", bound="ApiRecord")


class ApiRecord(BaseModel):
    """Base class of reply records: only the keys that are used, all others are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def first_problem(error: ValidationError) -> tuple[str, str]:
    """Return the place of the first problem, e.g. 'results.0.version', and what is wrong there."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])) or "the top level", first["msg"]


def read_reply(model: type[_Reply], reply: object, url: str) -> _Reply:
    """Return a reply as a record.

    `reply` is JSON bytes, or a part of a reply that is decoded already.

    Raises:
        FetchError: the reply has another structure; the message names the first such place.
    """
    try:
        if isinstance(reply, bytes):
            return model.model_validate_json(reply)
        return model.model_validate(reply)
    except ValidationError as error:
        place, problem = first_problem(error)
        raise FetchError(
            f"{shown_url(url)}: unexpected reply at {place}: {problem}; the service may have "
            "changed its format"
        ) from error
