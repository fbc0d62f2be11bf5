"""Undoes what PDF-to-Markdown conversion does to headings.

A 'heading' that is the middle of a sentence is text: filed as a title it would be lost to search,
and a recommendation cut in two could be quoted without its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clinrag_core.parse.assemble.assembler import Heading, Piece
from clinrag_core.parse.lines.markdown_running import drop_running

_NUMBERED = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2})*\.?|[A-Z]\.|annex|appendix|chapter|section)\s", re.IGNORECASE
)
_FRAGMENT = re.compile(r"^(?:[a-z(]|\d+(?:\.\d+)?\s*(?:%|[a-zµ]+\b))")
_SENTENCE_END = re.compile(r"[.!?:;)\]\"”’]$")
_OPEN_WORD = re.compile(
    r"\b(?:a|an|the|and|or|of|for|to|in|on|at|by|with|from|aged|is|are|be|not|than|that|as)$"
)
_LONG = 7  # words: a longer title that the next line continues is a sentence


@dataclass(frozen=True, slots=True)
class Mended:
    """Items with their headings set right, and what was done."""

    items: list[Heading | Piece]
    running: int = 0
    demoted: int = 0


def mend(items: list[Heading | Piece]) -> Mended:
    """Drop running headers, turn broken-off sentences back into text, join what they cut."""
    kept, running = drop_running(items)
    out: list[Heading | Piece] = []
    demoted = 0
    for index, item in enumerate(kept):
        following = kept[index + 1] if index + 1 < len(kept) else None
        previous = out[-1] if out else None
        if isinstance(item, Heading) and _is_text(item.title, previous, following):
            demoted += 1
            out.append(Piece("paragraph", item.title, item.place))
        else:
            out.append(item)
    return Mended(_join(out), running, demoted)


def _is_text(
    title: str, previous: Heading | Piece | None, following: Heading | Piece | None
) -> bool:
    """Whether a heading is a broken-off piece of a sentence."""
    words = len(title.split())
    if _FRAGMENT.match(title) or (title.endswith((";", ",", ".", ":")) and words > _LONG + 1):
        return True
    if _OPEN_WORD.search(title):
        return True
    after = following.text if isinstance(following, Piece) else ""
    ended = bool(_SENTENCE_END.search(title))
    if not ended and (after[:1].islower() or (words >= _LONG and after[:1] in "(0123456789")):
        return bool(after)
    return isinstance(previous, Piece) and _is_open(previous) and not _NUMBERED.match(title)


def _is_open(piece: Piece) -> bool:
    return not _SENTENCE_END.search(piece.text) and len(piece.text.split()) > _LONG + 1


def _join(items: list[Heading | Piece]) -> list[Heading | Piece]:
    """Join paragraphs that one sentence was cut into."""
    out: list[Heading | Piece] = []
    for item in items:
        last = out[-1] if out else None
        if (
            isinstance(item, Piece)
            and isinstance(last, Piece)
            and item.kind == "paragraph"
            and last.kind in ("paragraph", "list_item")
            and not _SENTENCE_END.search(last.text)
            and _goes_on(last.text, item.text)
        ):
            glue = "" if re.search(r"[a-z]-$", last.text) else " "
            out[-1] = replace(last, text=f"{last.text}{glue}{item.text}")
        else:
            out.append(item)
    return out


def _goes_on(last: str, text: str) -> bool:
    if text[:1].islower() or last[-1:] in ",-–/(" or _OPEN_WORD.search(last):
        return True
    return len(last.split()) >= _LONG and text[:1] in "(0123456789"
