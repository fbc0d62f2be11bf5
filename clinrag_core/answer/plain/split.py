"""Clinical prose as short sentences, and long sentences as lines.

A sentence is cut in two only where both sides stand alone and neither has a condition that might
be meant for the other: "In children, A; B" stays whole, since B may be for children only. Lines are
layout: every word stays in its order, so that no condition can get lost.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.facts.negation import denies
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import names_of
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_WORDS = 20
"""Words from which a sentence is cut: plain-language guides advise 15 to 20 (plainlanguage.gov)."""
FEWEST_WORDS = 4
"""Words of the shortest part that is a sentence."""
LINE = "– "
"""What a line begins with that goes on with the sentence of the line above."""
MOST_IN_LINE = 15
"""Words from which a line is broken."""
FEWEST_IN_LINE = 3
"""Words on each side of a break of a line: with 1, one line in 16 of the reference corpus's
statements is one or two words torn off, with 3 one in 63; with 6, lines over 20 words are 5 % and
not 3 %."""

_VERBS = r"(?:is|are|was|were|has|have|had|can|may|might|should|must|will|would|does|do)\b"
# a subject of up to four words with its verb
_CLAUSE = rf"(?=(?:[\w/-]+\s+){{1,4}}?{_VERBS})"
_BREAK = lazy_re(rf";\s+(?:and\s+)?|,?\s+and\s+{_CLAUSE}|,?\s+(?=but\s+{_CLAUSE})")
_VERB = lazy_re(rf"\b{_VERBS}")
# No noun: "use with rifampin" may be an item of a list of what is forbidden.
_ORDER = lazy_re(
    r"(?:do|instruct|tell|discontinue|give|take|avoid|administer|inform|advise|initiate|consider"
    r"|assess|apply|continue|withhold)\s+(?!of\b)",
    re.IGNORECASE,
)
_OTHER_VERB = lazy_re(r"\b(?:includes?|consists?|lasts?|occurs?|develops?|fall|receives?)\b")
# Words by which one part of a sentence limits another.
_CONDITION = lazy_re(
    r"\b(?:if|when(?:ever)?|unless|until|only|except|provided|while|whereas|because|since|where"
    r"|although|though|either|neither|nor|both|following|whichever|which|who|whom|whose|that|than"
    r"|between|otherwise)\b|:",
    re.IGNORECASE,
)
_FRONTED = lazy_re(
    r"(?:in|for|among|during|with|after|before|at|on|to|by|as|under|within|from|and|or)\b",
    re.IGNORECASE,
)
# "X is forbidden, because Y"; but "do not stop because you feel better" is one thought.
_REASON = lazy_re(r",\s+because\s+")
# Where a long sentence may go on in a new line, the best places first.
_NEW_LINE = tuple(
    lazy_re(expression, re.IGNORECASE)
    for expression in (
        rf"(?<=[,;:])\s+(?:(?=(?:and|but|or)\s+{_CLAUSE})|{_CLAUSE})|(?<=[;:])\s+",
        r"(?<!only)(?<!even)(?<!not)(?<!except)(?<!\band)(?<!\bor)(?<!\bbut)\s+"
        r"(?=(?:(?:and|or|but)\s+)?(?:only\s+|even\s+|except\s+)?"
        r"(?:if|unless|when|until|because|whereas|although|provided|so that|while)\b)",
        rf"\s+(?=(?:and|but|or)\s+{_CLAUSE})|(?<=,)\s+(?=(?:which|who|whose|where|but|with|such"
        r"|including|especially)\b)",
        r"\s+(?=(?:in|for|among|with)\s+(?:[\w-]+\s+){0,2}(?:patients|people|children|adults"
        r"|infants|women|those)\b)|\s+(?=\((?:[^()\s]+\s+){4,}[^()]*\))",
        r"(?<=,)\s+(?!(?:(?:and|or)\s+)?\d)",
        r"(?<!\band)(?<!\bor)\s+(?=(?:who|which|that|in order to|after|before|during|until|within"
        r"|to reduce|to prevent|to avoid|to make)\b)",
        r"\s+(?=(?:(?:and|or)(?!\s+(?:more|less|older|younger|above|below|over|higher|lower|up)\b)"
        r"|by|upon|plus|compared|rather than|instead of|thereby|used|given|intended|during"
        r"|at(?!\s+(?:least|most)\b))\b)",
    )
)
# "Dosage in Kidney Disease The dose is", "WARNING: LIVER HARM Glumarin can": no full stop between.
_IN_A_LIST = lazy_re(rf"(?!(?:and\s+|or\s+|but\s+)?{_CLAUSE[3:-1]})[^.;:]*?(?:,|\b(?:and|or)\b)")
_TITLED = r"[A-Z][\w,-]*"
_RUN_IN = lazy_re(
    rf"(?P<heading>[A-Z][^a-z.;]{{8,}}?"
    rf"|(?:(?:{_TITLED}|in|of|with|and|for|or|the|by|to|on)\s+)*?{_TITLED})\s+"
    r"(?=(?:The|In|If|For|When|After|During|Do|A|An|There|Use|See)\s+[a-z]"
    rf"|(?<=\w\s)[A-Z][\w-]+\s+{_VERBS})"
)


def short_sentences(text: str) -> list[str]:
    """Return the sentences of a text, long ones cut where both parts say the same alone."""
    sentences: list[str] = []
    for start, end in sentence_spans(text):
        for part in _reason_apart(text[start:end]):
            sentences += _cut(part)
    return sentences


def lines_of(sentence: str) -> list[str]:
    """Return a sentence in lines, all but the first beginning with `LINE`; the words stay."""
    first, *more = _lines(sentence)
    return [first, *(LINE + line for line in more)]


def sentences_of(lines: Sequence[str]) -> list[str]:
    """Return lines joined to the sentences that they are of."""
    sentences: list[str] = []
    for line in lines:
        if line.startswith(LINE) and sentences:
            sentences[-1] += f" {line.removeprefix(LINE)}"
        else:
            sentences.append(line)
    return sentences


def _lines(text: str) -> list[str]:
    """Return a text broken at the best places, until no line is too long or none is left."""
    if len(text.split()) <= MOST_IN_LINE:
        return [text]
    for places in _NEW_LINE:
        breaks = [m for m in places.finditer(text) if _may_break(text, m)]
        if breaks:
            best = min(breaks, key=lambda m: abs(m.start() - len(text) / 2))
            return _lines(text[: best.start()]) + _lines(text[best.end() :])
    return [text]


def _may_break(text: str, match: re.Match[str]) -> bool:
    """Return whether both sides of a place are long enough to read and have whole brackets."""
    before, after = text[: match.start()], text[match.end() :]
    return (
        min(len(before.split()), len(after.split())) >= FEWEST_IN_LINE
        and before.count("(") == before.count(")")
        and before.count("[") == before.count("]")
        # "without A, / B or C" reads as if B were given
        and not (_IN_A_LIST.match(after) and denies(before))
    )


def run_in_heading(text: str) -> tuple[str, str]:
    """Return the heading in capitals that a text begins with, or "", and the rest."""
    match = _RUN_IN.match(text)
    return (match["heading"], text[match.end() :]) if match else ("", text)


def _reason_apart(sentence: str) -> list[str]:
    """Return a sentence and, if it gives one reason after a comma, the reason as a second."""
    parts = _REASON.split(sentence)
    # A sentence that gives several reasons stays whole.
    if len(parts) != 2 or not _says_something_alone(parts[0]) or denies(parts[0]):  # noqa: PLR2004
        return [sentence]
    return [_as_sentence(parts[0]), f"This is because {parts[1]}"]


def _cut(sentence: str) -> list[str]:
    """Return a sentence in its parts, or whole where a cut might change what it says."""
    if len(sentence.split()) <= MOST_WORDS and ";" not in sentence:
        return [sentence]
    ends = [0, *(m.end() for m in _BREAK.finditer(sentence)), len(sentence)]
    starts = [*(m.start() for m in _BREAK.finditer(sentence)), len(sentence)]
    parts = [sentence[a:b].strip() for (a, _), b in zip(pairwise(ends), starts, strict=True)]
    if len(parts) == 1 or not stand_alone(parts):
        return [sentence]
    return [_as_sentence(part) for part in parts]


def stand_alone(parts: Sequence[str]) -> bool:
    """Return whether parts of a sentence say the same as sentences of their own.

    "A is given and B is stopped in pregnancy" does not: perhaps both are for pregnancy.
    """
    people = [names_of(population_spans(part)) for part in parts]
    return all(map(_says_something_alone, parts)) and all(whom == people[0] for whom in people)


def _says_something_alone(part: str) -> bool:
    """Return whether a part has a verb of its own and nothing that limits, or is limited."""
    return (
        len(part.split()) >= FEWEST_WORDS
        and _VERB.search(part) is not None
        and _CONDITION.search(part) is None
        and _FRONTED.match(part) is None
        and not part.endswith((",", ":", "–"))
        and part.count("(") == part.count(")")
        and part.count("[") == part.count("]")
    )


def _as_sentence(part: str) -> str:
    begun = part[:1].upper() + part[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def is_fragment(text: str) -> bool:
    """Return whether a text is perhaps no sentence: an item or heading that needs what is above."""
    says = _VERB.search(text) or _ORDER.match(text) or _OTHER_VERB.search(text)
    ended = text.rstrip().endswith((".", "!", "?"))
    return not says and not (ended and len(text.split()) >= FEWEST_WORDS)
