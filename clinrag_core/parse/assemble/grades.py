"""Grades of recommendations as printed: how strongly they are made, how certain the evidence is.

Knows the wordings of GRADE panels (WHO before and after 2013, ATS, IDSA, ERS, CDC), grade lines
with labels, and the letter codes of ACC/AHA, USPSTF, KDIGO and older IDSA guidelines. A code says
nothing alone: it grades only the statement that it closes, and only if that advises something.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clinrag_core.parse.assemble.wording import begins_sentence

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
_CLASS = r"(?:I{1,3}[ab]?|[123][ab]?)"
_EVIDENCE = r"(?:[A-D](?:-(?:R|NR|LD|EO))?|I{1,3}|IV|[1-4][ab+-]*)"
_CLASSED = re.compile(
    rf"[(\[]?(?P<class>(?:class|COR)(?:\s+of\s+recommendation)?\s*:?\s+{_CLASS})\b[\s,;.:]*"
    rf"(?:(?:level(?:\s+of\s+evidence)?|LOE|evidence\s+level)\s*:?\s*(?P<certainty>{_EVIDENCE}))?"
    r"(?=[)\]\s.;,]|$)[)\]]?",
    re.IGNORECASE,
)
_CATEGORY = re.compile(
    r"\b(?:level\s+of\s+evidence|evidence\s+(?:category|level|grade)|LOE)\s*:?\s+"
    rf"(?P<certainty>{_EVIDENCE})(?=[)\]\s.;,]|$)",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"[(\[](?:grade\s*:?\s+(?P<a>[A-DI])(?:\s+recommendation)?|(?P<b>[A-DI])\s+(?:recommendation|statement))"
    r"[)\]]|^\W*(?:USPSTF\s+)?(?:recommendation\s+)?grade\s*:\s*(?P<c>[A-DI])(?:\s+recommendation)?\W*$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[(\[](?:[Gg]rade\s+)?(?:(?P<strength>[12])(?P<certainty>[A-D])|(?P<s>[A-E])(?:-|(?=II))(?P<c>I{1,3}))[)\]]"
)
_LABELLED = re.compile(
    r"(?P<label>(?:strength|grade|class)(?:\s+of\s+(?:the\s+)?recommendations?)?|"
    r"(?:certainty|quality|level|strength)\s+of\s+(?:the\s+)?evidence)\s*[:–—]\s*"
    rf"(?P<value>strong|conditional|weak|{_CERTAINTY})",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"^\W*(?P<strength>strong|conditional|weak)\s+recommendation"
    r"(?:\s+(?:for|against)(?:\s+(?:the\s+)?(?:intervention|use|option))?)?\W*$",
    re.IGNORECASE,
)
_ADVISES = re.compile(
    r"\b(?:should|must|recommend(?:s|ed)?|suggests?|suggested|offer(?:ed)?|consider(?:ed)?|advised?|"
    r"indicated|reasonable|beneficial|useful|option|avoid(?:ed)?|contraindicated|harm(?:ful)?|"
    r"may\s+be|can\s+be|is\s+not|are\s+not|preferred|necessary|needs?\s+to|screen(?:ing)?|treat|give|use)\b",
    re.IGNORECASE,
)
_STATES = re.compile(r"^\W*(?:evidence\s+statement|rationale|evidence|remarks?)\s*:", re.IGNORECASE)
_REST = 3  # characters next to a grading that say nothing: a number, a bracket, a call
# Words of a statement that a letter code can grade; the seven guidelines tried do not depend on it.
_FEWEST = 6


@dataclass(frozen=True, slots=True)
class Grading:
    """A strength and a certainty as printed, and their span in the text."""

    strength: str | None
    certainty: str | None
    start: int
    end: int
    is_code: bool = False
    """Whether it is a letter or class: such codes occur in other places, too."""


def gradings(text: str) -> tuple[Grading, ...]:
    """Return every wording of a grade, in order; the span includes its brackets."""
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
                tidy(groups["strength"]), tidy(certainty) if certainty else None, start, end
            )
    taken = [(g.start, g.end) for g in found.values()]
    for grading in _codes(text):
        if all(grading.end <= a or grading.start >= b for a, b in taken):
            found[grading.start] = grading
            taken.append((grading.start, grading.end))
    return tuple(found[key] for key in sorted(found))


def grade_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of grades are in a text, in order."""
    return [(g.start, g.end) for g in gradings(text)]


def _codes(text: str) -> list[Grading]:
    """Return the classes, letters and categories of a text, the longest wordings first."""
    out: list[Grading] = []
    for match in _CLASSED.finditer(text):
        strength = "class " + match["class"].split()[-1].strip(":").lower()
        certainty = match["certainty"]
        out.append(Grading(strength, certainty.lower() if certainty else None, *match.span(), True))
    for match in _LETTER.finditer(text):
        letter = next(g for g in match.groups() if g)
        out.append(Grading(letter.lower(), None, *match.span(), True))
    for match in _CODE.finditer(text):
        strength, certainty = match["strength"] or match["s"], match["certainty"] or match["c"]
        out.append(Grading(strength.lower(), certainty.lower(), *match.span(), True))
    categories = _CATEGORY.finditer(text)
    return [*out, *(Grading(None, m["certainty"].lower(), *m.span(), True) for m in categories)]


def grade_line(text: str) -> Grading | None:
    """Return the grade of a text that holds nothing else: it grades the statement next to it."""
    alone = _ALONE.match(text)
    if alone is not None:
        return Grading(tidy(alone["strength"]), None, 0, len(text))
    labelled = list(_LABELLED.finditer(text))
    rest = _LABELLED.sub("", text)
    if labelled and _is_nothing(rest):
        return _labelled(labelled, len(text))
    found = gradings(text)
    if not found or not _is_nothing(text[: found[0].start] + text[found[-1].end :]):
        return None
    return found[0]


def _labelled(matches: list[re.Match[str]], end: int) -> Grading:
    strength = certainty = None
    for match in matches:
        label, value = match["label"].casefold(), tidy(match["value"])
        if "evidence" in label:
            certainty = value
        else:
            strength = f"class {value}" if label.startswith("class") else value
    return Grading(strength, certainty, 0, end)


def is_gradable(statement: str) -> bool:
    """Return True if a text is advice that a letter code can grade: the whole of a sentence."""
    return (
        len(statement.split()) >= _FEWEST
        and begins_sentence(statement.lstrip("• "))
        and not _STATES.match(statement)
        and bool(_ADVISES.search(statement))
    )


def tidy(text: str) -> str:
    """Return a grade in small letters with single spaces."""
    return " ".join(text.split()).lower()


def _is_nothing(rest: str) -> bool:
    return len(re.sub(r"[\W_]+", "", rest)) <= _REST
