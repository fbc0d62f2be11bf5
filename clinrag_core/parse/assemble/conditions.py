"""For whom and when a recommendation holds, as its statement says it.

Only words of the statement are taken, each as printed. What a remark or a table adds is not.
"""

from __future__ import annotations

import re

from clinrag_core.parse.assemble.flow import without_raised
from clinrag_core.parse.assemble.grades import grade_spans

_PEOPLE = (
    r"(?:patients?|people|persons?|adults?|child(?:ren)?|infants?|neonates?|newborns?|women|woman|"
    r"men|adolescents?|individuals?|contacts|those|pregnancy)"
)
_SUBJECT = re.compile(
    rf"(?:(?!(?:in|for|among|of|to|with)\b)[\w/-]+\s+){{0,3}}?(?!patient\b|person\b){_PEOPLE}\b",
    re.I,
)
_MODAL = re.compile(
    r"(?<!who)(?<!that)(?<!which)(?<!or)(?<!and)\s+(?:should|must|may|can|will|shall|is|are|needs?|in\s+order\s+to|"
    r"because|so\s+that)\b",
    re.IGNORECASE,
)
_NESTED = re.compile(r"\b(?:if|when|where|unless|until)\b", re.IGNORECASE)
_OPEN_ENDED = re.compile(r"\b(?:with|without|having|of|or|and)$", re.IGNORECASE)
_ORDERED = re.compile(r"\s+(?:should|must|may|can|needs?)\b")
_ADJECTIVE = re.compile(r"(?:ed|ible|able|ive|ant|ent|ic|al|ary|ere|ute|ous)$", re.IGNORECASE)
_MAIN = re.compile(
    r",\s*(?:an?|the|who|we|it|they|there|clinicians?|providers?|treatment|use|do\s+not|offer|"
    r"consider)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\W*(?:(?:key\s+)?(?:recommendations?|standard|statement)\s*[\w.]*\s*[.:)–—-]\s*)?"
    r"(?:\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|[a-z][.)])\s+)?",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:in|for|among|when|whenever|if|where|unless|until|during|after|before|once|with|only\s+in|"
    r"as\s+long\s+as|provided\s+that)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r",\s*(?:(?:and|or)\b|including\b|suspected\b|such\s+as\b|with(?:out)?\b|who(?:se|m)?\b|"
    r"aged\b|except\b|excluding\b|especially\b|irrespective\b|regardless\b|both\b)",
    re.IGNORECASE,
)
_INNER = re.compile(
    r"\b(?:(?:but\s+)?only\s+(?:if|when|where|in|for|after)|if|when|whenever|unless|until|"
    r"provided\s+that|except|as\s+long\s+as|in\s+the\s+absence\s+of|in\s+whom|where|"
    rf"irrespective\s+of|regardless\s+of|(?P<group>(?:in|for|among)\s+(?:[\w/<>≤≥()-]+\s+){{0,6}}?{_PEOPLE}))\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[;:]|\.(?=\s|$)|,(?=\s)|[(\[](?=(?:strong|conditional|weak)\b)", re.I)
_FEWEST = 2  # words of a condition


def conditions_of(statement: str) -> tuple[str, ...]:
    """Return the clauses of a recommendation that say for whom and when it holds, in order."""
    text = " ".join(without_raised(statement).split())
    for start, end in reversed(grade_spans(text)):
        text = f"{text[:start]}.{' ' * (end - start - 1)}{text[end:]}"
    found: list[tuple[int, int]] = []
    label = _LABEL.match(text)
    at = label.end() if label else 0
    opening = _OPENING.match(text, at)
    end = _opening_end(text, at) if opening is not None else _subject_end(text, at)
    if end is not None:
        found.append((at, end))
        at = end
    while (match := _INNER.search(text, at)) is not None:
        end = _clause_end(text, match.end())
        verb = _MODAL.search(text, match.end(), end) if match["group"] else None
        if verb is not None and not _NESTED.search(text, match.end(), verb.start()):
            end = verb.start()
        found.append((match.start(), end))
        at = max(end, match.end())
    clauses = [" ".join(text[a:b].strip(" ,.(").split()) for a, b in found]
    return tuple(c for c in clauses if len(c.split()) >= _FEWEST)


def _opening_end(text: str, at: int) -> int | None:
    """Return where the clause that begins a statement ends: at a comma its main clause follows."""
    comma = _comma(text, at)
    while comma is not None and (
        _GOES_ON.match(text, comma)
        or (_ADJECTIVE.search(text[at:comma]) and not _MAIN.match(text, comma))
    ):
        comma = _comma(text, comma + 1)
    return comma


def _subject_end(text: str, at: int) -> int | None:
    """Return where the people end that a statement begins with: at what they should do."""
    subject = _SUBJECT.match(text, at)
    verb = _ORDERED.search(text, subject.end()) if subject is not None else None
    if subject is None or verb is None or ". " in text[at : verb.start()]:
        return None
    return verb.start()


def _comma(text: str, at: int) -> int | None:
    """Return the next comma of the sentence outside brackets."""
    depth = 0
    for n in range(at, len(text)):
        depth += (text[n] in "([") - (text[n] in ")]")
        if depth <= 0 and text[n] == "," and not text[n + 1 : n + 2].isdigit():
            return n
        if depth <= 0 and text[n] in ".;" and not text[n + 1 : n + 2].isdigit():
            return None
    return None


def _clause_end(text: str, at: int) -> int:
    """Return where a clause inside a statement ends; a list in it goes on over its commas."""
    while (match := _CLAUSE_END.search(text, at)) is not None:
        inside = text.count("(", at, match.start()) > text.count(")", at, match.start())
        is_open = inside or _OPEN_ENDED.search(text, 0, match.start())
        if match[0] == "," and (is_open or _GOES_ON.match(text, match.start())):
            at = match.end()
            continue
        return match.start()
    return len(text)
