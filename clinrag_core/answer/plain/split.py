"""Clinical text as short sentences: rows of tables written out, long sentences cut where safe.

Safe is where both sides stand alone and neither has a condition that might be meant for the other:
"In children, A; B" stays whole, since B may be for children only.
"""

from __future__ import annotations

import re
from itertools import pairwise

from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.text.sentences import sentence_spans

MOST_WORDS = 20
"""Words from which a sentence is cut: plain-language guides advise 15 to 20 (plainlanguage.gov)."""
FEWEST_WORDS = 4
"""Words of the shortest part that is a sentence."""

_BREAK = re.compile(
    r";\s+(?:and\s+)?|,?\s+(?:and|but)\s+"
    # a subject of up to four words with its verb
    r"(?=(?:[\w/-]+\s+){1,4}?(?:is|are|was|were|has|have|can|may|might|should|must|will|do|does)\b)"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|may|might|should|must|will|would|does|do)\b"
)
# Words by which one part of a sentence limits another.
_CONDITION = re.compile(
    r"\b(?:if|when(?:ever)?|unless|until|only|except|provided|while|whereas|because|since|where"
    r"|although|though|either|neither|nor|both|following|whichever|which|who|whom|whose|that|than"
    r"|between|otherwise)\b|:",
    re.IGNORECASE,
)
_FRONTED = re.compile(
    r"(?:in|for|among|during|with|after|before|at|on|to|by|as|under|within|from)\b", re.IGNORECASE
)
# "X is forbidden, because Y"; but "do not stop because you feel better" is one thought.
_REASON = re.compile(r",\s+because\s+")
_DENIAL = re.compile(r"\b(?:not|no|never|nor|without|none|cannot)\b|n't\b", re.IGNORECASE)
_MEMBER = re.compile(r"; +(?=\S)")
_MARKED_HEADING = re.compile(r"[\d–<>≤≥%=/]|\bn\b")


def short_sentences(text: str) -> list[str]:
    """Return the sentences of a text, long ones cut where both parts say the same alone."""
    sentences: list[str] = []
    for start, end in sentence_spans(text):
        for part in _reason_apart(text[start:end]):
            sentences += _cut(part)
    return sentences


def _reason_apart(sentence: str) -> list[str]:
    """Return a sentence and, if it gives one reason after a comma, the reason as a second."""
    parts = _REASON.split(sentence)
    if len(parts) != 2 or not _says_something_alone(parts[0]) or _DENIAL.search(parts[0]):  # noqa: PLR2004
        return [sentence]
    return [_as_sentence(parts[0]), f"This is because {parts[1]}"]


def _cut(sentence: str) -> list[str]:
    """Return a sentence in its parts, or whole where a cut might change what it says."""
    if len(sentence.split()) <= MOST_WORDS and ";" not in sentence:
        return [sentence]
    ends = [0, *(m.end() for m in _BREAK.finditer(sentence)), len(sentence)]
    starts = [*(m.start() for m in _BREAK.finditer(sentence)), len(sentence)]
    parts = [sentence[a:b].strip() for (a, _), b in zip(pairwise(ends), starts, strict=True)]
    if len(parts) == 1 or not all(map(_says_something_alone, parts)):
        return [sentence]
    people = [names_of(population_spans(part)) for part in parts]
    if any(whom != people[0] for whom in people):
        return [sentence]  # "A is given and B is stopped in pregnancy": perhaps both are
    return [_as_sentence(part) for part in parts]


def _says_something_alone(part: str) -> bool:
    """Return whether a part has a verb of its own and nothing that limits, or is limited."""
    return (
        len(part.split()) >= FEWEST_WORDS
        and _VERB.search(part) is not None
        and _CONDITION.search(part) is None
        and _FRONTED.match(part) is None
        and part.count("(") == part.count(")")
        and part.count("[") == part.count("]")
    )


def _as_sentence(part: str) -> str:
    begun = part[:1].upper() + part[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def is_fragment(text: str) -> bool:
    """Return whether a text is perhaps no sentence: an item or heading that needs what is above."""
    return not text.rstrip().endswith((".", "!", "?")) and _VERB.search(text) is None


def is_row(text: str) -> bool:
    """Return whether a text is a row of a table: cells apart by tabs, or several with a heading."""
    return "\t" in text or sum(": " in cell for cell in _MEMBER.split(text)) > 1


def row_sentences(text: str) -> list[str] | None:
    """Return "Heading: cell; Heading: cell" as a sentence for each cell, None for anything else.

    Every sentence repeats what the row is about, its first cell: no figure is without its owner.
    """
    cells = [cell.strip() for cell in _MEMBER.split(text.rstrip(". "))]
    first, *rest = cells
    pairs = [cell.split(": ") for cell in rest]
    headings = [first.rpartition(": ")[0], *(pair[0] for pair in pairs)]
    if not rest or any(len(pair) != 2 for pair in pairs) or first.count(": ") > 2:  # noqa: PLR2004
        return None  # a heading or a cell with a colon of its own
    if len(set(headings)) < len(headings):
        return None  # which of two cells with one heading is which, nobody knows
    about = ", ".join(_lowered(part) for part in first.rstrip(":").split(": "))
    return [f"For {about}: {_said_of(heading, cell)}" for heading, cell in pairs]


def _said_of(heading: str, cell: str) -> str:
    """Return a cell with its heading, as what is said of the row."""
    plural = heading.endswith("s") and not heading.endswith("ss")
    whole = _VERB.search(cell) or (cell[:1].isupper() and not cell[1:2].isupper())
    if whole or heading.casefold().endswith("ly") or _MARKED_HEADING.search(heading):
        return f"{_lowered(heading)}: {cell.rstrip('.')}."
    return f"the {_lowered(heading)} {'are' if plural else 'is'} {cell.rstrip('.')}."


def _lowered(words: str) -> str:
    """Return words with a small first letter, unless the first word has more capitals."""
    first = words.split(maxsplit=1)[0] if words else ""
    return words[:1].lower() + words[1:] if first[1:].islower() else words
