"""What a label is not for, where a dose is asked for that very use.

"Dose of X for pyelonephritis" must not be answered with the dose for another infection: that the
label leaves the use out is the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.question.facets import DOSING
from clinrag_core.answer.rank.labels import of_labels
from clinrag_core.answer.rank.topic_words import RARE, is_said, topic_words
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.abbreviations import abbreviation_spans
from clinrag_core.facts.people import read_people
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.stems import FUNCTION_WORDS
from clinrag_core.text.tokens import STOP_WORDS, tokenize

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.lexicon.slots import Aspect

_GROUPS = ("indications", "contraindications", "dosage", "warnings", "specific_populations")
_OF_GIVING: frozenset[Aspect] = frozenset({*DOSING, "when", "regimen"})
"""Aspects of a question on how a drug is given, for what it is left out."""
_NAMED = lazy_re(r"\s*(?:,|;|\bor\b|\band\b)\s*")
"""What is between the uses that one statement leaves out."""
_ADJECTIVE = lazy_re(r"(?:ic|al|ed|ive|ous|ary?|ent|ant|able|ing)$")
_WHO = lazy_re(r"^(?:the |a |an )?(?:patients?|people|persons|individuals) (?:with|who have) ")
_TOGETHER = lazy_re(r"\b(?:concomitant\w*|combin\w+|co-?administ\w+|together with)\b")
"""What leaves out one drug with another, not the drug for a use."""
_LEAST_WORDS = 2
"""Words of a use, of those that name one: "infections" alone is every use of an antibiotic."""


def use_advised_against(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the statement of a label that it is not for the use that is asked about.

    Each word of the use must be asked about: the dose for uncomplicated malaria is not left out
    with that for complicated malaria. What is left out for some people is read elsewhere.
    """
    if not slots.drugs or (slots.aspects and not slots.aspects & _OF_GIVING):
        return []
    meanings = (meaning for _, _, meaning in abbreviation_spans(slots.text))
    asked = " ".join((slots.text, *meanings))
    drug = frozenset[str]().union(*slots.drugs)
    return [
        one
        for one in of_labels(slots, sources, _GROUPS)
        if drug <= {*one.statement.ingredients}
        and not _TOGETHER.search(one.statement.said.casefold())
        and any(is_said(use, asked) for use in _uses_left_out(one.statement.said, sources))
        and not read_people(one.statement.said)
    ][:1]


def _uses_left_out(said: str, sources: Sources) -> list[str]:
    """Return the uses that a statement says that a product is not for, each as it is written."""
    matches = slot_lexicon().wordings.not_for.finditer(said.casefold())
    named = [_WHO.sub("", use) for match in matches for use in _each(match["use"])]
    rare = RARE * greatest(sources.idf)
    return [
        use
        for use in named
        if len({*tokenize(use)} - FUNCTION_WORDS - STOP_WORDS) >= _LEAST_WORDS
        or any(word.weight >= rare for word in topic_words(use, sources.drugs, sources.idf))
    ]


def _each(uses: str) -> list[str]:
    """Return the uses of a list, or the whole of "prophylactic or prolonged use in otitis"."""
    parts = _NAMED.split(uses)
    return [uses] if any(map(_ADJECTIVE.search, parts[:-1])) else parts
