"""Parses untrusted files in child processes with limits (ADR 0031).

`parse_bounded` is what the pipeline and uploads call; `registry.parse_document` is the same without
limits, in this process, for files that the caller trusts.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from clinrag_core import errors
from clinrag_core.bounded import ChildPool, Limits
from clinrag_core.errors import ChildFailedError, DocumentError, OverLimitError, ParseError
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import OF_A_CORPUS

if TYPE_CHECKING:
    from clinrag_core.settings import ParseLimits


@functools.cache
def _pool(niceness: int) -> ChildPool:
    return ChildPool("clinrag_core.parse.child:parse", os.cpu_count() or 1, niceness=niceness)


def parse_bounded(
    data: bytes, source: DocumentSource, limits: ParseLimits = OF_A_CORPUS, *, niceness: int = 0
) -> Document:
    """Parse a document as `parse_document` does, in a child process with limits.

    `niceness` lowers its priority, where others wait for an answer.

    Raises:
        DocumentError: the bytes are not a usable document of `source.format`. Its code is
            `parse_timeout`, `parse_memory` or `parser_failed` where the child was ended.
    """
    name = source.file.name
    bounds = Limits(limits.seconds, limits.megabytes)
    try:
        header, parsed = _pool(niceness).run(source.model_dump(mode="json"), data, bounds)
    except OverLimitError as error:
        code = "parse_timeout" if error.limit == "time" else "parse_memory"
        reason = f"reading it {error}; split the file or simplify it"
        raise ParseError(reason, code=code, file=name) from error
    except ChildFailedError as error:
        raise ParseError(f"its parser failed ({error})", code="parser_failed", file=name) from error
    if "error" in header:
        raise _document_error(header["error"])
    return Document.model_validate_json(parsed)


def parse(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Parse in the child; a refusal is a result."""
    try:
        document = parse_document(data, DocumentSource.model_validate(header))
    except DocumentError as error:
        fields = ("reason", "code", "file", "place")
        values = {name: getattr(error, name) for name in fields}
        return {"error": values | {"type": type(error).__name__}}, b""
    return {}, document.model_dump_json().encode()


def _document_error(values: dict[str, Any]) -> DocumentError:
    """Return the error that a child reported."""
    kind: type[DocumentError] = getattr(errors, values["type"])
    return kind(values["reason"], code=values["code"], file=values["file"], place=values["place"])
