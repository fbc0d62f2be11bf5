"""Query parameters of `GET /v1/search`, and the request they make."""

from __future__ import annotations

from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clinrag_core.reason.open import PipelineName
from clinrag_core.retrieve.request import SearchRequest

_LISTS = ("knowledge_bases", "components")
_FILTERS = ("sources", "topics", "drugs", "loinc", "groups", "document_ids")


class SearchParameters(BaseModel):
    """Lists are values by commas; `weights` is `bm25:0.3,dense:0.7`."""

    model_config = ConfigDict(extra="forbid")

    question: str | None = Field(default=None, description="question or keywords; needed")
    q: str | None = Field(default=None, description="earlier name of `question`", deprecated=True)
    knowledge_bases: str | None = None
    components: str | None = Field(default=None, description="bm25, splade, dense")
    fusion_method: str | None = Field(default=None, description="rrf or weighted")
    rrf_k: int | None = Field(default=None, description="rank constant of rrf")
    pipeline: PipelineName = "hybrid"
    weights: str | None = None
    boost: bool | None = None
    subject_first: bool | None = None
    by_statements: bool | None = None
    query_intent: str | None = None
    rerank: bool | None = None
    top_k: int | None = None
    min_similarity: float | None = None
    diversity: float | None = None
    expand: bool = False
    sources: str | None = Field(default=None, description="publishers, e.g. WHO,FDA")
    topics: str | None = None
    drugs: str | None = None
    loinc: str | None = None
    groups: str | None = None
    document_ids: str | None = None
    year_from: int | None = None
    year_to: int | None = None
    tables_only: bool = False

    def request(self) -> SearchRequest:
        """Return the search request of these parameters.

        Raises:
            RequestValidationError: a value cannot be used.
        """
        given: dict[str, Any] = self.model_dump(exclude_none=True, exclude={"pipeline"})
        filters: dict[str, Any] = {
            name: _split(given.pop(name)) for name in _FILTERS if name in given
        }
        for name in ("year_from", "year_to", "tables_only"):
            if name in given:
                filters[name] = given.pop(name)
        named = [given.pop(name) for name in ("question", "q") if name in given]
        if len(named) != 1:
            message = "give the question once, as `question`"
            raise RequestValidationError([{"loc": ("query", "question"), "msg": message}])
        fields: dict[str, Any] = {"question": named[0], "filter": filters, **given}
        for name in _LISTS:
            if name in fields:
                fields[name] = _split(fields[name])
        try:
            if "weights" in fields:
                fields["weights"] = _weights(fields["weights"])
            return SearchRequest.model_validate(fields)
        except ValidationError as error:
            raise RequestValidationError(error.errors(include_context=False)) from error


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _weights(text: str) -> dict[str, str]:
    """Numbers are left to the request's validation."""
    return {name.strip(): value for name, _, value in (p.partition(":") for p in _split(text))}
