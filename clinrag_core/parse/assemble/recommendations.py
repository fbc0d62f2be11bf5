"""Finds formal recommendations and how strongly they are made, in running text.

Knows the wordings of GRADE panels (WHO before and after 2013, ATS, IDSA, ERS, CDC): a strength, the
word recommendation or a slash, a certainty. Strength and certainty are taken as printed. Documents
that grade by verb (NICE) or by standard (ISTC) are recognised by their numbering.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clinrag_core.model.section import Recommendation
from clinrag_core.parse.assemble.flow import MARKED, joined, part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.parse.assemble.flow import Piece

_LEVEL = (
    r"(?:very[\s-]+low|low|moderate|high|very[\s-]+high|insufficient|strong|weak|"
    r"not\s+graded|ungraded|(?-i:I{1,3}|[A-D1-4])\b)"
)
_CERTAINTY = rf"{_LEVEL}(?:[\s-]*(?:to|and|or|/|–)[\s-]*{_LEVEL})?"
_NOUN = r"(?:certainty|quality|grade|confidence|strength|level)"
_GRADED = re.compile(
    rf"\b(?P<strength>strong|conditional|weak|discretionary|qualified)\s+recommendations?"
    rf"(?:\s*[,;:–—-]\s*|\s+based\s+on\s+|\s+with\s+|\s+and\s+|\s*/\s*|\s+)"
    rf"(?:(?:{_NOUN}\s+(?:of\s+(?:the\s+)?evidence\s*)?:?\s*)?(?P<certainty>{_CERTAINTY})"
    rf"(?:[\s-]+{_NOUN})?(?:\s+(?:of|in|evidence)\b[^().;,]{{0,80}})?|(?P<none>no\s+evidence[^().;,]{{0,80}}))",
    re.IGNORECASE,
)
_SLASHED = re.compile(
    rf"\((?P<strength>strong|conditional|weak)\s*/\s*(?P<certainty>{_CERTAINTY})"
    r"(?:\s+(?:grade|quality|certainty))?(?:\s+(?:of\s+)?evidence)?(?P<more>[^)]*)\)",
    re.IGNORECASE,
)
_PRACTICE = re.compile(
    r"\(?(?P<strength>(?:ungraded\s+)?(?:best|good)[\s-]practice\s+(?:statement|recommendation))\)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"^\s*(?:•\s*)?(?:(?:(?:key\s+)?recommendation|standard|statement)\s*)?"
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){1,3}[a-z]?(?=[.:)]?\s)|(?:\d{1,2}[a-z]?|[A-Z]\d{1,2})(?=[.:)]\s))",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"^\s*(?:•\s*)?(?:key\s+)?(?P<word>recommendation|standard)\s+"
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,2}[a-z]?)\s*[.:)–—-]?(?=\s|$)",
    re.IGNORECASE,
)
_NICE = re.compile(r"^(?P<number>\d{1,2}\.\d{1,2}\.\d{1,3})\s+(?=[A-Z])")
_NICE_TAG = re.compile(r"\[(?:19|20)\d\d(?:,\s*amended\s+(?:19|20)\d\d)?\]\s*$")
_RESTART = re.compile(r"(?<=\s)(?:[a-z]\.|\d{1,2}\.\d{1,2}\.?)\s+(?=[A-Z])")
_SENTENCE = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[A-Z(•])")
_REST = 3  # characters next to a grading that say nothing: a number, a bracket, a call
_LONG = 80  # words before a grading, beyond which it does not grade all of them
# What may follow the grading in a recommendation: brackets, a full stop, '(no change)', calls.
_TAIL = re.compile(
    r"[^\S\n]*[)\].;,]*(?:\s*\((?:no change|new|updated)[^)]*\))?[)\].;,]*"
    rf"(?:{MARKED.pattern}[)\].;,]*)*"
)


@dataclass(frozen=True, slots=True)
class Grading:
    """A strength and a certainty as printed, and their span in the text."""

    strength: str
    certainty: str | None
    start: int
    end: int


def graded(pieces: Sequence[Piece], title: str) -> list[Piece]:
    """Return the pieces of a section with recommendations marked.

    A strength on its own line joins the text that it grades. `title` is that of the section.
    """
    out: list[Piece] = []
    for piece in pieces:
        if piece.kind not in ("paragraph", "list_item", "recommendation"):
            out.append(piece)
            continue
        if not piece.text.strip():
            continue
        cut = _cut(piece)
        last = out[-1] if out else None
        if last and last.kind in ("paragraph", "list_item") and is_grading_only(cut[0].text):
            out[-1:] = _cut(joined(last, cut[0], "\n"))
            cut = cut[1:]
        out.extend(cut)
    number = named_number(title)
    return [_numbered(p, number) for p in out] if number else out


def gradings(text: str) -> tuple[Grading, ...]:
    """Every strength-with-certainty wording, in order; the span includes its brackets."""
    found: dict[int, Grading] = {}
    for pattern in (_SLASHED, _GRADED, _PRACTICE):
        for match in pattern.finditer(text):
            start, end = match.span()
            opened = text[:start].rstrip()
            if opened.endswith(("(", "[")):
                start = len(opened) - 1
            groups = match.groupdict()
            certainty = groups.get("certainty") or groups.get("none")
            found[start] = Grading(
                _tidy(groups["strength"]), _tidy(certainty) if certainty else None, start, end
            )
    return tuple(found[key] for key in sorted(found))


def split_recommendations(text: str) -> list[tuple[str, Recommendation | None]]:
    """Cut a paragraph into recommendations and what stands between them.

    A recommendation is text that *closes* with its grading: in brackets, or as its last words.
    A grading mentioned in the middle of a sentence ('the panel made a strong recommendation,
    despite low certainty, because ...') makes no recommendation.

    Returns:
        pieces in order; joined by single spaces they are the paragraph.
    """
    pieces: list[tuple[str, Recommendation | None]] = []
    start = 0
    for grading in gradings(text):
        end = _close(text, grading)
        if end is None or grading.start < start:
            continue
        head = _restart(text, start, grading.start)
        if before := text[start:head].strip():
            pieces.append((before, None))
        body = text[head:end].strip()
        pieces.append((body, _record(body, grading)))
        start = end
    if rest := text[start:].strip():
        pieces.append((rest, _ungraded(rest) if not pieces else None))
    return pieces


def is_grading_only(text: str) -> bool:
    """Whether the text is nothing but a strength and a certainty: it grades what precedes it."""
    found = gradings(text)
    if not found:
        return False
    rest = text[: found[0].start] + text[found[-1].end :]
    return len(re.sub(r"[\W_]+", "", rest)) <= _REST


def named_number(title: str) -> str | None:
    """Number of a heading such as 'Recommendation 5. ...' or 'Standard 7.'."""
    match = _NAMED.match(title)
    return match["number"] if match else None


def _close(text: str, grading: Grading) -> int | None:
    bracketed = text[grading.start] in "(["
    tail = _TAIL.match(text, grading.end)
    end = tail.end() if tail else grading.end
    if bracketed:
        closing = text.find(")" if text[grading.start] == "(" else "]", grading.end)
        if 0 <= closing <= grading.end + 120:
            tail = _TAIL.match(text, closing + 1)
            end = max(end, tail.end() if tail else closing + 1)
        return end
    return end if len(text[end:].strip()) <= _REST else None


def _restart(text: str, start: int, stop: int) -> int:
    """Where the recommendation that is graded at `stop` begins, not before `start`.

    At its number, else where the text begins; in a long text at the sentence that is graded.
    """
    numbered = [m.start() for m in _RESTART.finditer(text, start, stop) if m[0][0].isdigit()]
    if numbered:
        return numbered[-1]
    if len(text[start:stop].split()) <= _LONG:
        return start
    return max((m.end() for m in _SENTENCE.finditer(text, start, stop)), default=start)


def _record(text: str, grading: Grading) -> Recommendation:
    match = _NAMED.match(text) or _NUMBER.match(text)
    return Recommendation(
        number=match["number"] if match else None,
        strength=grading.strength,
        certainty=grading.certainty,
    )


def _ungraded(text: str) -> Recommendation | None:
    nice = _NICE.match(text)
    if nice and _NICE_TAG.search(text):
        return Recommendation(number=nice["number"], strength=None, certainty=None)
    named = _NAMED.match(text)
    if named:
        return Recommendation(number=named["number"], strength=None, certainty=None)
    return None


def _tidy(text: str) -> str:
    return " ".join(text.split()).lower()


def _cut(piece: Piece) -> list[Piece]:
    return [
        part_of(piece, text)
        if found is None
        else replace(part_of(piece, text), kind="recommendation", recommendation=found)
        for text, found in split_recommendations(piece.text)
    ]


def _numbered(piece: Piece, number: str) -> Piece:
    found = piece.recommendation
    if found is None or found.number is not None:
        return piece
    return replace(piece, recommendation=found.model_copy(update={"number": number}))
