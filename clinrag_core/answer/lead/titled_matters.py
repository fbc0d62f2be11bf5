"""What a label says under a heading that names just the matter asked about.

"Zolumycin and seizures" is answered by its box on them and by all of "5.3 Seizures": a ranking has
what is most alike there, which tells the harm three times and not what to do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import with_lists
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.question.facets import HARM
from clinrag_core.answer.question.roles import blanked
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.reader import read_facts
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources

MOST_SHOWN, MOST_WORDS = 6, 150
"""Statements, and words of them, that are shown; by judgement."""
_BOX, _SECTION = "boxed_warning", "warnings"
_OF_ASKING = lazy_re(
    r"\b(?:can|does|do|may|cause[sd]?|causing|give|risks?|dangers?|serious|warnings?|problems?"
    r"|about|tell me|patients?|concerns?|brings? on|triggers?|sets? off)\b"
)
"""Words of a question on a harm that name none."""
_ORDERS = lazy_re(
    r"\b(?:should|must)\b|\b(?:is|are) (?:not )?recommended\b|\bcontraindicated\b"
    r"|(?:^|[,;:] |\b(?:and|or|then) )(?:[a-z]+ly )?(?:screen|monitor|measure|test|assess|evaluate"
    r"|obtain|check|consult|consider|discontinue|stop|withhold|interrupt|avoid|do not|perform"
    r"|institute|initiate|treat|reduce|inquire|advise|limit|reserve|correct|exercise caution)\b",
    re.IGNORECASE,
)
"""What says what to do."""


def titled_matter(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what a label says of the one matter asked about, if a heading of it names that.

    The box on it first; of a long section how it begins and what it says to do, in its order.
    Empty where people, another drug, figures or more than a harm are asked about.
    """
    narrowed = slots.people or slots.partners or slots.suggested or slots.routes or slots.regimens
    if len(slots.drugs) != 1 or narrowed or slots.is_case or not slots.aspects <= HARM:
        return []
    found = list(of_labels(slots, sources, (_BOX, _SECTION)))
    matter, section = frozenset[str](), list[RankedStatement]()
    for matter in _matters(slots, sources):
        if section := _nearest([one for one in found if _is_titled(one, matter)]):
            break
    if not section:
        return []
    box = [
        one
        for one in found
        if one.statement.group == _BOX
        and matter <= {*key_stems(one.statement.said)}
        and not one.statement.said.isupper()
    ][:1]
    every = _distinct([*box, *section])
    if _words(every) > MOST_WORDS:
        first = every[0]
        every = [first, *(one for one in every[1:] if _ORDERS.search(one.statement.said))]
    shown = (n for n in range(len(every)) if n == 0 or _words(every[: n + 1]) <= MOST_WORDS)
    return with_lists([every[n] for n in shown][:MOST_SHOWN], slots, sources)


def _matters(slots: QuestionSlots, sources: Sources) -> Iterator[frozenset[str]]:
    """Yield the stems of a question's words that name neither a drug nor that it asks.

    Then, with the names of its findings in their place: "fits" are seizures.
    """
    mentions = read_facts(slots.text, sources.drugs).drugs
    rest = blanked(slots.text, ((one.start, one.end) for one in mentions))
    if stems := key_stems(_OF_ASKING.sub(" ", fold_chars(rest))):
        yield frozenset(stems)
    if not slots.findings:
        return
    rest = blanked(rest, ((one.start, one.end) for one in slots.findings))
    if not key_stems(_OF_ASKING.sub(" ", fold_chars(rest))):
        names = " ".join(one.name.replace("_", " ") for one in slots.findings)
        yield frozenset(key_stems(names))


def _is_titled(one: RankedStatement, matter: frozenset[str]) -> bool:
    return one.statement.group == _SECTION and matter <= _title(one)


def _title(one: RankedStatement) -> frozenset[str]:
    """Return the stems of the heading that a statement is right below; none of the section's."""
    return frozenset(key_stems(" ".join(one.statement.headings[1:][-1:])))


def _nearest(section: Sequence[RankedStatement]) -> list[RankedStatement]:
    """Return what is below the heading that names the least besides the matter."""
    least = min(map(len, map(_title, section)), default=0)
    return [one for one in section if len(_title(one)) == least]


def _distinct(statements: Sequence[RankedStatement]) -> list[RankedStatement]:
    """Return statements without those that say the same as one before them."""
    kept: list[RankedStatement] = []
    for one in statements:
        if not any(says_same(one.statement, other.statement) for other in kept):
            kept.append(one)
    return kept


def _words(statements: Sequence[RankedStatement]) -> int:
    return sum(len(one.statement.said.split()) for one in statements)
