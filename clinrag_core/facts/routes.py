"""Reads how a drug is given: its routes, named or implied by a dosage form, and by which meals."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.facts.negation import without_denied
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans, names_of
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Collection

    from clinrag_core.facts.spans import NamedSpan

REACH = 40
"""Characters between a route and what forbids it: "should not be given by intravenous infusion"."""
NEURAXIAL = frozenset({"intrathecal", "epidural"})
INJECTED = frozenset({"intravenous", "intramuscular", "subcutaneous"})
_CLAUSE = lazy_re("[.;:]")
_INJECTION = lazy_re(r"\binject(?!ables?\b(?! (?:dos|form|route)))", re.IGNORECASE)
_TAKEN = lazy_re(
    r"\b(?:on|taking|tak(?:es|e)|us(?:es|ing)|ha(?:s|ving))\s+(?P<word>[\w-]{4,})\s+"
    r"(?:injections?|infusions?|tablets?|inhalers?|drips?|syrup|patch(?:es)?)\b",
    re.IGNORECASE,
)
"""What somebody takes already, with how: "on zolumycin injections"."""
_ROUTE = r"(?:intramuscular|intravenous|oral|subcutaneous|inhal\w+|topical)"
_ONLY = lazy_re(
    rf"\b{_ROUTE}(?:ly)?"
    r" (?:(?:route|use|administration|injection|inhalation|infusion) )?only\b"
    rf"|\bonly (?:by|for|as) (?:an? )?(?:the )?(?:deep )?{_ROUTE}"
)
_LISTED = lazy_re(
    rf"{_ROUTE}(?:ly)?(?: (?:push|bolus|injection|infusion|use)\b)*"
    r"(?:,? (?:or|nor)(?: (?:push|bolus|injection|infusion)\b)?)*"
)
"""Another route that is forbidden with it: "not as an intravenous push or bolus or as a ..."."""
_COMPARED = lazy_re(
    rf"\b(?:as|than|instead of|rather than|switch\w* from|chang\w* from)"
    rf"(?: (?:by|the|for|with|an?)\b)* {_ROUTE}\w*",
    re.IGNORECASE,
)
"""A route that another one is compared with: "the same dose as oral"."""
_REFUSED = lazy_re(
    rf"\b(?:refus|declin|dislik)\w*(?: (?:the|any|an?))? (?:{_ROUTE}|[ip]\.?[mvo]\b)\w*",
    re.IGNORECASE,
)
"""A route that a patient does not want."""
_EXPOSED = lazy_re(
    r"\binhal\w+ (?:anthrax|plague|exposure|spores)\b|\binhaling \w+ spores\b", re.IGNORECASE
)
"""What somebody breathed in, and is no way of giving a drug."""
_IN_PLACE = lazy_re(
    r"(?<!through )(?<!via )(?<!down )(?<!into )(?<!through the )(?<!via the )(?<!down the )"
    r"(?<!into the )\b(?:epidural|intrathecal|spinal|neuraxial|intravenous|iv)"
    r"(?: (?:or|and) \w+)? (?:catheters?|cannulas?|punctures?)\b",
    re.IGNORECASE,
)
"""What was put into a patient, and is no way of giving a drug: "with an epidural catheter"."""
_FOUND = lazy_re(
    r"(?<=[.?!] )[^.?!]*\b(?:i|we) (?:found|find|have|see|got|keep|stock)\b[^.?!]*\bis\b[^.?!]*",
    re.IGNORECASE,
)
"""A product that the asker has, after the question: "The one I found is a gel"."""
_NOT_FOR = lazy_re(r"\bnot (?:indicated )?for\b")
_SPINAL = lazy_re(r"\bIT\b(?= (?:dose|injection|use|route|administration)\b| [a-z]{6,})")
"""Intrathecal, as it is written for short: "IT zolumycin"."""
_NUMERAL = lazy_re(
    r"\b(?:centres?|centers?|levels?|class(?:es)?|stages?|grades?|types?|groups?|phases?|schedule"
    r"|nerves?|factor|hcs?|nyha)(?: I{1,3}V?(?:,| or| and| to|/|-))* ?IV\b",
    re.IGNORECASE,
)
"""Four, as it is written for ranks: "health centre IV", "class III or IV heart failure"."""
_MEALS = lazy_re(
    r"\b(?:with|without|before|after|on)\b(?: \w+){0,2} (?:food|meals?|eating|breakfast|stomach)\b"
    r"|\bwith food\b|\bwith meals\b|\bfasting\b|\b(?:needs?|require[sd]?) (?:food|a meal)\b"
    r"|\b(?:food|meals?|(?:empty|full) stomach) (?:needed|required|matters?|ok|okay)\b"
)
_BY_MEALS = lazy_re(
    r"\b(?:give|given|take|taken|taking|administer(?:ed)?|swallow(?:ed)?|dose)\b[^.;]{0,90}"
    r"\b(?:(?:with|without|before|after|between|regard(?:less)? (?:of|to)|irrespective of)"
    r"(?: \w+){0,2} (?:food|meals?|eating|breakfast)|(?:empty|full) stomach)\b"
)


def named_routes(text: str) -> frozenset[str]:
    """Return the routes a text names; "injection" names no single one, a rank none."""
    text = _NUMERAL.sub(" ", text) if "IV" in text else text
    return names_of(concept_spans(text, safety_lexicon().routes))


def route_words(routes: frozenset[str]) -> str:
    """Return the names of routes; an injection that may be any of them is parenteral."""
    named = (routes - INJECTED) | {"parenteral"} if routes >= INJECTED else routes
    return ", ".join(sorted(named))


@lru_cache(maxsize=CACHED_TEXTS)
def stated_routes(text: str) -> frozenset[str]:
    """Return the routes a text names, or else those that its dosage forms imply.

    An injection may be any of the injected routes, unless the text names one of them.
    """
    named = named_routes(text)
    implied = names_of(concept_spans(text, slot_lexicon().implied_routes))
    if "injected" in implied and not named and not implied & NEURAXIAL:
        named = INJECTED
    return named | (implied & NEURAXIAL) or implied - {"injected"}


def asked_routes(text: str, asked_of: Collection[str] = ()) -> frozenset[str]:
    """Return the routes a question asks about: those it names, not denies nor compares with.

    "Injection" alone is any of the injected routes, into the skin as well; the device that is asked
    for names none. By what route somebody takes another drug than those asked about is not asked.
    """
    text = _TAKEN.sub(lambda taken: taken[0] if taken["word"].casefold() in asked_of else " ", text)
    asked = slot_lexicon().wordings.device_asked.sub(" ", without_denied(text))
    asked = _FOUND.sub(" ", _EXPOSED.sub(" ", _IN_PLACE.sub(" ", _COMPARED.sub(" ", asked))))
    asked = _REFUSED.sub(" ", asked)
    spoken = names_of(concept_spans(asked, slot_lexicon().spoken_routes))
    if stated_routes(asked) - {"topical"}:  # "the gel, swallowed"
        spoken -= {"topical"}
    named = named_routes(asked) | spoken
    named = named or stated_routes(asked) & NEURAXIAL
    if _SPINAL.search(text) and not text.isupper():
        named |= {"intrathecal"}
    if named or not _INJECTION.search(text):
        return named
    return stated_routes("injection") | {"intradermal"}


def forbids_route(text: str, routes: frozenset[str]) -> bool:
    """Return whether a text says near the name of one of some routes that it is not to be used."""
    return gap_to_forbidden(text, routes) is not None


def gap_to_forbidden(text: str, routes: frozenset[str]) -> int | None:
    """Return how many characters are between one of some routes and what forbids it.

    None where nothing near it does.
    """
    folded = fold_chars(text)
    wordings = slot_lexicon().wordings.prohibits, _NOT_FOR
    forbidden = [match.span() for one in wordings for match in one.finditer(folded)]
    gaps = [
        folded[min(span.end, end) : max(span.start, start)]
        for span in (*concept_spans(text, safety_lexicon().routes), *_neuraxial_spans(text))
        for start, end in forbidden
        if span.name in routes
    ]
    lengths = (len(_LISTED.sub("", gap)) for gap in gaps if not _CLAUSE.search(gap))
    return min((length for length in lengths if length <= REACH), default=None)


def _neuraxial_spans(text: str) -> list[NamedSpan]:
    """Return where a text names a way of giving a drug near the spinal cord."""
    implied = concept_spans(text, slot_lexicon().implied_routes)
    return [span for span in implied if span.name in NEURAXIAL]


def allows_one_route(text: str) -> bool:
    """Return whether a text says that a drug is for one route only."""
    return _ONLY.search(fold_chars(text)) is not None


def names_meals(text: str) -> bool:
    """Return whether a question names food or meals: "before breakfast?", "food needed?"."""
    return _MEALS.search(fold_chars(text)) is not None


def is_by_meals(text: str) -> bool:
    """Return whether a text says when to take a drug by meals: "taken one hour before food"."""
    return _BY_MEALS.search(fold_chars(text)) is not None
