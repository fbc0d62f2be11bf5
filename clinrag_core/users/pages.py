"""Pages of users' PDF files, drawn and searched in child processes: nobody has checked the files.

Nothing that is drawn is kept, so deleting a document deletes its pictures.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from clinrag_core.bounded import ChildPool, Limits
from clinrag_core.errors import ChildFailedError, OverLimitError, ParseError
from clinrag_core.parse.pdf.picture import PagePlace, QuotedWords, locate, page_picture
from clinrag_core.users.changes import NICENESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Box
    from clinrag_core.settings import ParseLimits

CHILDREN = 2
"""Processes that draw pages, by judgement: one page that is slow to draw holds up no other."""
NAME = "a user's document"


@functools.cache
def _pool() -> ChildPool:
    return ChildPool("clinrag_core.users.pages:draw", CHILDREN, niceness=NICENESS)


def own_picture(data: bytes, page: int, limits: ParseLimits) -> bytes | None:
    """Return a page, counted from 1, as a WebP picture; None if it cannot be drawn in time."""
    answer, picture = _run({"page": page}, data, limits)
    return picture if "drawn" in answer else None


def own_place(
    data: bytes,
    page: int,
    snippets: Sequence[QuotedWords],
    blocks: Sequence[Box],
    limits: ParseLimits,
) -> PagePlace | None:
    """Return where verbatim snippets are on a page; None if it cannot be read in time."""
    wanted = {"page": page, "snippets": list(snippets), "blocks": list(blocks)}
    answer, _ = _run(wanted, data, limits)
    if "place" not in answer:
        return None
    width, height, boxes, places, found = answer["place"]
    return PagePlace(width, height, _boxes(boxes), _boxes(places), frozenset(found))


def draw(header: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Draw a page, or find words on it, in the child; a page that is not there is a result."""
    try:
        if "snippets" not in header:
            return {"drawn": True}, page_picture(data, NAME, header["page"])
        snippets = [QuotedWords(*one) for one in header["snippets"]]
        blocks = _boxes(header["blocks"])
        found = locate(data, NAME, header["page"], snippets, blocks)
    except ParseError:
        return {}, b""
    return {"place": [*found[:-1], sorted(found.found)]}, b""


def _run(header: dict[str, Any], data: bytes, limits: ParseLimits) -> tuple[dict[str, Any], bytes]:
    try:
        return _pool().run(header, data, Limits(limits.seconds, limits.megabytes))
    except (OverLimitError, ChildFailedError):
        return {}, b""


def _boxes(values: Sequence[Sequence[float]]) -> tuple[Box, ...]:
    return tuple((left, top, right, bottom) for left, top, right, bottom in values)
