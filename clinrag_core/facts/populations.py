"""Reads whom a statement is for: groups of people, the age or weight a dose is for.

Groups include pregnancy, breastfeeding, kidney and liver impairment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.spans import NamedSpan

GROUPS_BY_AGE = frozenset({"infants", "children", "adolescents", "adults", "elderly"})
"""Groups that an age says as well."""
UNITS_OF_AGE = frozenset({"month", "year"})
"""Units in which bands of age are given."""
OF_MOTHERS = frozenset({"pregnancy", "breastfeeding"})
"""Conditions that only women have."""
YOUNG = frozenset({"infants", "children", "newborns"})
"""Groups that a mother's child belongs to."""
_AGE = lazy_re(r"\s*(?:of age|old\b|or older|and older|or younger|and younger|and above|or above)")
_AGED = lazy_re(r"(?:aged?|older than|younger than|under|over|below|above)\s*(?:of\s*)?[<>]?=?\s*$")
_PEOPLE = lazy_re(r"\b(?:patients?|people|persons?|wom[ae]n|m[ae]n|adults?|child(?:ren)?)\b")
_EVERYBODY = lazy_re(
    r"\b(?:all|any|every) (?:patients?|people|persons?|individuals?),? including children\b",
    re.IGNORECASE,
)
_INCLUDED = lazy_re(r"\bincluding (?:\w+ ){0,2}(?:children|infants|adults|adolescents)\b")
"""People who are among those that a text is for: "all patients, including children"."""
_GROUP = r"(?:Adults?|Children|Infants|Neonates|Adolescents|(?:Adult|Pa?ediatric) [Pp]atients)"
_LABEL = lazy_re(rf"\b(?:{_GROUP}(?:,? (?:and|or)|,) )*{_GROUP}(?: \([^()]*\))?:\s", re.IGNORECASE)
"""A label in front of what is said of some people: "Adults: 10 mg"."""
_THESE = lazy_re(
    r"(?:These|Such|Those) (?:patients|persons|people|individuals|children|infants|women|men)\b"
    r"|The (?:patient|woman|child) (?:should|must) (?:also )?be (?:instructed|advised|told)\b"
)
_ALSO_FOR = lazy_re(
    r"\b(?:and|or|as well as) (?:(?:in|for) )?(?:patients|people|those)\b"
    r"|\b(?:hepatic|liver) or (?:renal|kidney)\b|\b(?:renal|kidney) or (?:hepatic|liver)\b"
)
_SEXES = frozenset({"men", "women"})
_OF_SEX = lazy_re(
    r"\b(?:you are an? |(?:by|for|in) (?:all |any )?)(?P<sex>wom[ae]n|m[ae]n)\b"
    r"(?! (?:who|with|of|aged|taking|over|under|below|above|between|whose|in|on|for wh\w+)\b)"
    r"(?P<only> only)?"
)
"""One sex as a whole: "if you are a woman", "by men only"."""
_PRONOUNS = {
    "women": lazy_re(r"\b(?:she|wife|sister|daughter|girlfriend)\b(?!['’]?s\b)|\b\d{1,3} ?f\b"),
    "men": lazy_re(r"\b(?:he|husband|brother|son|boyfriend)\b(?!['’]?s\b)|\b\d{1,3} ?m\b"),
}
"""What refers to somebody, not to what is somebody's: "her husband's tablets"."""
_SEGMENT_END = lazy_re(r"[;:\n\t]")
_CLAUSE_END = lazy_re(r"[;:,\n\t]")
_FOR = lazy_re(r"\b(?:in|for|to|among|with)\s+(?:[\w-]+\s+){0,3}$", re.IGNORECASE)
PEOPLE_WORDS = (
    "patients|people|persons|individuals|adults|children|infants|adolescents|women|men|neonates"
    "|newborns|those|subjects|pregnancy|elderly"
)
"""Alternatives of an expression: nouns for those whom a statement is limited to."""


def population_spans(text: str) -> tuple[NamedSpan, ...]:
    """Return every group of people that a text names."""
    return concept_spans(text, safety_lexicon().populations)


def named_sexes(text: str) -> frozenset[str]:
    """Return of "men" and "women" those that a text names."""
    return _SEXES & {span.name for span in population_spans(text)}


def referred_sexes(text: str) -> frozenset[str]:
    """Return of "men" and "women" those that a text refers to by "he" or "she"."""
    folded = fold_chars(text)
    return frozenset(sex for sex, pronoun in _PRONOUNS.items() if pronoun.search(folded))


def limited_sexes(folded: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the sexes that a case-folded text names as a whole, and those that it is only for."""
    found = list(_OF_SEX.finditer(folded))
    only = [one for one in found if one["only"]]
    return tuple(
        frozenset("women" if one["sex"].startswith("w") else "men" for one in some)
        for some in (found, only)
    )  # pyright: ignore[reportReturnType] - two


def implied_by(populations: frozenset[str], text: str = "") -> frozenset[str]:
    """Return groups that a text names by a part of them, or with all people.

    Who is pregnant is a woman; "all patients" are adults and children.
    """
    women = {"women"} if populations & OF_MOTHERS else set[str]()
    adults = {"adults"} if _EVERYBODY.search(text) else set[str]()
    return frozenset(women | adults) - populations


def without_included(text: str) -> str:
    """Return a text without people who are among those it is for: "including children"."""
    return _INCLUDED.sub(" ", text)


def names_people(folded: str) -> bool:
    """Return whether a case-folded text speaks of people."""
    return _PEOPLE.search(folded) is not None


def people_labels(text: str) -> list[int]:
    """Return where the labels of a text begin that say of whom the words after them are."""
    return [match.start() for match in _LABEL.finditer(text)] if ":" in text else []


def goes_on_about_people(text: str) -> bool:
    """Return whether a text begins with people whom the text before it names: "These children"."""
    return _THESE.match(text) is not None


def is_for_several_groups(text: str) -> bool:
    """Return whether a text adds people to others: "elderly patients and patients with ..."."""
    return _ALSO_FOR.search(text) is not None


def is_age_or_weight(text: str, quantity: Quantity) -> bool:
    """Return whether a quantity is the age or weight of a person, not an amount that is given."""
    if quantity.kind == "measure" and quantity.unit == "kg" and not quantity.per:
        return True
    if quantity.kind != "duration":
        return False
    before = text[lookback(quantity.start) : quantity.start].lower()
    return bool(_AGE.match(text.lower(), quantity.end) or _AGED.search(before))


def populations_of_figure(text: str, populations: Iterable[NamedSpan], at: int) -> frozenset[str]:
    """Return the groups for which a text states the figure at a position.

    Those named in the figure's clause, or in its sentence part behind "in", "for" or "with".
    """
    start, end = _between(text, at, _SEGMENT_END)
    clause_start, clause_end = _between(text, at, _CLAUSE_END)
    return frozenset(
        span.name
        for span in populations
        if start <= span.start < end
        and span.end <= end
        and (clause_start <= span.start < clause_end or _FOR.search(text[: span.start]))
    )


def _between(text: str, at: int, ends: re.Pattern[str]) -> tuple[int, int]:
    cuts = [0, *(m.end() for m in ends.finditer(text)), len(text)]
    return max(cut for cut in cuts if cut <= at), min(cut for cut in cuts if cut > at)
