"""The title of a PDF that no manifest names: its metadata if they hold one, else its cover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.pdf.page import Line, Page

_LONGEST = 30
"""Words: the longest title of the reference corpus has 27; metadata of labels hold whole
paragraphs."""
_NO_TITLE = re.compile(
    r"^untitled|^microsoft |^(?:slide|layout|document|binder)\s*\d*$|"
    r"\.(?:docx?|pdf|indd|pptx?|qxp)\b",
    re.IGNORECASE,
)
_LARGE = 1.2  # of the body's size: what is smaller is no cover
_SAME_BLOCK = 0.75  # of the largest type of the page: 'WHO guidelines on ...' above '2019 update'
_GAP = 1.0  # of the type size: lines further apart are two blocks


def title_of(metadata: str, pages: Sequence[Page], body_size: float) -> str:
    """Return the title of a file: of its metadata, else of its first page; empty without any.

    Metadata often hold a file name or the name of the program instead.
    """
    stated = " ".join(metadata.split())
    words = 0 if _NO_TITLE.search(stated) else len(stated.split())
    if 1 < words <= _LONGEST:
        return stated
    first = next((page for page in pages if page.lines), None)
    printed = _largest_block(first.lines, body_size) if first is not None else ""
    return printed or (stated if words == 1 else "")


def _largest_block(lines: Sequence[Line], body_size: float) -> str:
    """Return the text set in the largest type; of several blocks the one with most letters."""
    top = max(line.size for line in lines)
    if top < _LARGE * body_size:
        return ""
    large = sorted((i for i in lines if i.size >= _SAME_BLOCK * top), key=lambda i: (i.y0, i.x0))
    blocks: list[list[Line]] = []
    for line in large:
        if blocks and line.y0 - blocks[-1][-1].y1 <= _GAP * line.size:
            blocks[-1].append(line)
        else:
            blocks.append([line])
    texts = [" ".join(" ".join(line.text for line in block).split()) for block in blocks]
    best = max(texts, key=len)
    return best if len(best.split()) <= _LONGEST else ""
