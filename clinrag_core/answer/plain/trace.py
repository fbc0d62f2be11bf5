"""Traces a patient's lines to the claim, word by word: nothing changed, lost, added or moved.

The lines must have the words, figures and signs of the claim in plain words, all of them and in
their order. A claim's sentence may end earlier only where both parts stand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.plain.rows import BESIDES, is_row
from clinrag_core.answer.plain.split import LINE, sentences_of, stand_alone
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = lazy_re(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[<>≤≥=±×+%/↑↓↔]|-(?=\d)|[()\[\]]")
_REASON = ["this", "is", "because"]


def departure(lines: Sequence[str], plain: str) -> str | None:
    """Return the first word where lines depart from a claim in plain words; None if nowhere.

    `plain` is the whole claim in plain words. "cut" and "joined" are for sentences that were.
    """
    row = is_row(plain)
    if row and not all(line.startswith(LINE) for line in lines[1:]):
        return "cut"
    wanted = _tokens(plain)
    ends: list[int] = []
    at = 0
    for line in lines:
        goes_on = line.startswith(LINE)
        said = _tokens(line.removeprefix(LINE))
        if not goes_on:
            ends.append(at)
            if said[:3] == _REASON and wanted[at] == _REASON[-1]:
                said = said[2:]
            elif at and wanted[at : at + 1] == ["and"] and said[:1] != ["and"]:
                at += 1
        for word in said:
            if wanted[at : at + 1] == [word]:
                at += 1
            elif not (row and goes_on and word in BESIDES):
                return word
    if at < len(wanted):
        return wanted[at]
    return None if row else _wrong_end([*ends[1:], at], plain, lines)


def _wrong_end(ends: Sequence[int], plain: str, lines: Sequence[str]) -> str | None:
    """Return "cut" or "joined" if sentences end where those of the claim do not.

    A sentence may be cut where its parts stand alone, or before its reason.
    """
    stops: list[int] = []
    for start, end in sentence_spans(plain):
        stops.append((stops[-1] if stops else 0) + len(_tokens(plain[start:end])))
    if set(stops) - set(ends):
        return "joined"
    sentences = sentences_of(lines)
    first = 0
    for stop in stops:
        last = ends.index(stop) + 1
        parts = sentences[first:last]
        if len(parts) > 1 and not (_gives_reason(parts) or stand_alone(parts)):
            return "cut"
        first = last
    return None


def _gives_reason(parts: Sequence[str]) -> bool:
    return len(parts) == len(_REASON) - 1 and tuple(_tokens(parts[1])[:3]) == tuple(_REASON)


def _tokens(text: str) -> list[str]:
    """Return the words, figures and signs of a text, with letters of one case."""
    return _TOKEN.findall(fold_chars(text))
