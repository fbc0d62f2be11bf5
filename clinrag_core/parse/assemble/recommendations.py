"""Formal recommendations of any publisher, found in running text: number, statement and grade.

What makes one: a grade that closes the statement (`grades`), a label ('Recommendation 4:'), a
number of three parts before an order as NICE prints them, or a year mark. A verb, class or grade
alone is none. A statement and its grade are one block, however they were printed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clinrag_core.model.section import Recommendation
from clinrag_core.parse.assemble.conditions import conditions_of
from clinrag_core.parse.assemble.flow import MARKED, Heading, Piece, joined, part_of
from clinrag_core.parse.assemble.graded_tables import graded_pieces
from clinrag_core.parse.assemble.grades import Grading, grade_line, gradings, is_gradable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.parse.assemble.flow import Item

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
_ORDER = re.compile(
    r"(?:do\s+not\s+|be\s+aware|only\s+)?(?:offer|consider|advise|ensure|discuss|refer|give|use|assess|"
    r"start|stop|arrange|provide|explain|tell|ask|monitor|measure|review|test|treat|screen|prescribe|"
    r"perform|include|make|take|follow|encourage|inform|record|identify|avoid)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*(?:key\s+)?recommendations?\s*:\s+(?=[A-Z])", re.IGNORECASE)
_PROSE = ("paragraph", "list_item")
_REST = 3  # characters next to a grading that say nothing: a number, a bracket, a call
_TITLE = 8  # words of a heading that may be a statement; seven guidelines do not depend on it
_LONG = 80  # words before a grading, beyond which it does not grade all of them
# What may follow the grading in a recommendation: brackets, a full stop, '(no change)', calls.
_TAIL = re.compile(
    r"[^\S\n]*[)\].;,]*(?:\s*\((?:no change|new|updated)[^)]*\))?[)\].;,]*"
    rf"(?:{MARKED.pattern}[)\].;,]*)*"
)


_STOP = re.compile(r"[)\].;]*(?=\s+[A-Z(•]|\s*$)")


def graded(pieces: Sequence[Piece], title: str) -> list[Piece]:
    """Return the pieces of a section with recommendations marked.

    A grade on a line of its own joins the text that it grades, above it or below it. `title` is
    that of the section: the number it states is that of the section's recommendations.
    """
    out: list[Piece] = []
    waiting: Piece | None = None  # a grade line with no text above it
    for piece in graded_pieces(pieces):
        if piece.kind not in (*_PROSE, "recommendation") or piece.recommendation is not None:
            out.append(piece)
            continue
        if not piece.text.strip():
            continue
        cut, last = _cut(piece), out[-1] if out else None
        grade = grade_line(cut[0].text)
        if grade is not None and last is not None and last.kind in _PROSE:
            out[-1:] = [*_joined(last, last, cut[0], grade), *cut[1:]]
        elif grade is not None and last is None and waiting is None and not cut[1:]:
            waiting = piece
        elif waiting is not None and is_gradable(piece.text):
            above = grade_line(waiting.text)
            assert above is not None  # noqa: S101 - only grade lines wait
            out.extend(_joined(piece, waiting, piece, above))
            waiting = None
        else:
            out.extend([*_cut_waiting(waiting), *cut])
            waiting = None
    out.extend(_cut_waiting(waiting))
    named = _NAMED.match(title)
    return list(map(_with_conditions, _with_number(out, named) if named else out))


def join_graded_titles(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items with statements that were set as headings joined to the grade right below."""
    held: Heading | None = None
    for item in items:
        if held is not None:
            if isinstance(item, Piece) and item.kind in _PROSE and grade_line(item.text):
                title = replace(item, text=held.title, place=held.place, places=())
                yield joined(title, item, "\n")
                held = None
                continue
            yield held
            held = None
        if isinstance(item, Heading) and _is_statement(item.title):
            held = item
        else:
            yield item
    if held is not None:
        yield held


def _is_statement(title: str) -> bool:
    return len(title.split()) >= _TITLE and is_gradable(title)


def _joined(whole: Piece, first: Piece, second: Piece, grade: Grading) -> list[Piece]:
    """Return a statement and its grade line as one recommendation, at the place of `whole`."""
    both = joined(first, second, "\n")
    merged = replace(whole, text=both.text, places=both.places)
    cut = _cut(merged)
    if any(piece.recommendation is not None for piece in cut):
        return cut
    if grade.is_code and not is_gradable(whole.text):
        return cut  # the rest of a statement whose beginning is in another column
    return [replace(merged, kind="recommendation", recommendation=_record(whole.text, grade))]


def _cut_waiting(waiting: Piece | None) -> list[Piece]:
    return [] if waiting is None else _cut(waiting)


def _with_number(pieces: list[Piece], named: re.Match[str]) -> list[Piece]:
    """Return pieces with the number of their section; without any grade its first text has it."""
    marked = [_numbered(p, named["number"]) for p in pieces]
    found = any(p.recommendation is not None for p in marked)
    if found or named["word"].casefold() != "recommendation":
        return marked
    first = next((n for n, p in enumerate(marked) if p.kind in _PROSE), None)
    if first is not None:
        record = Recommendation(number=named["number"])
        marked[first] = replace(marked[first], kind="recommendation", recommendation=record)
    return marked


def split_recommendations(text: str) -> list[tuple[str, Recommendation | None]]:
    """Cut a paragraph into recommendations and what is between them.

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
        head = start if grading.is_code else _restart(text, start, grading.start)
        statement = text[head : grading.start]
        if grading.is_code and not (is_gradable(statement) or _LABEL.match(statement)):
            continue
        if before := text[start:head].strip():
            pieces.append((before, None))
        body = text[head:end].strip()
        pieces.append((body, _record(body, grading)))
        start = end
    if rest := text[start:].strip():
        pieces.append((rest, _ungraded(rest) if not pieces else None))
    return pieces


def _close(text: str, grading: Grading) -> int | None:
    """Return where a recommendation ends whose grade is in a text; None if it goes on."""
    bracketed = text[grading.start] in "(["
    if grading.is_code and not bracketed:
        return _sentence_end(text, grading.end)
    tail = _TAIL.match(text, grading.end)
    end = tail.end() if tail else grading.end
    if bracketed:
        closing = text.find(")" if text[grading.start] == "(" else "]", grading.end)
        if 0 <= closing <= grading.end + 120:
            tail = _TAIL.match(text, closing + 1)
            end = max(end, tail.end() if tail else closing + 1)
        return end
    return end if len(text[end:].strip()) <= _REST else None


def _sentence_end(text: str, at: int) -> int | None:
    """Return the end of a sentence that closes with a grade; None if it goes on."""
    match = _STOP.match(text, at)
    return match.end() if match else None


def _restart(text: str, start: int, stop: int) -> int:
    """Return where the recommendation that is graded at `stop` begins, not before `start`.

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
    if nice and (_NICE_TAG.search(text) or _ORDER.match(text, nice.end())):
        return Recommendation(number=nice["number"], strength=None, certainty=None)
    named = _NAMED.match(text)
    if named:
        return Recommendation(number=named["number"], strength=None, certainty=None)
    return Recommendation() if _LABEL.match(text) else None


def _cut(piece: Piece) -> list[Piece]:
    return [
        part_of(piece, text)
        if found is None
        else replace(part_of(piece, text), kind="recommendation", recommendation=found)
        for text, found in split_recommendations(piece.text)
    ]


def _with_conditions(piece: Piece) -> Piece:
    found = piece.recommendation
    if found is None:
        return piece
    conditions = conditions_of(piece.text)
    return replace(piece, recommendation=found.model_copy(update={"conditions": conditions}))


def _numbered(piece: Piece, number: str) -> Piece:
    found = piece.recommendation
    if found is None or found.number is not None:
        return piece
    return replace(piece, recommendation=found.model_copy(update={"number": number}))
