"""Reads what a drug is given for: diseases, and facets such as stage, resistance, site and phase.

A name with a stop is a kind of the disease before it. Values of one facet exclude each other.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from clinrag_core.facts.negation import is_denied
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans, names_of
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

_MYCOBACTERIA = "nontuberculous_mycobacteria"
_NAMED_BY_ENDING = lazy_re(
    r"\b(?:for|of|against|treat(?:s|ing)?|with|in)\s+(?:an?\s+|the\s+)?(?:\w+\s)?"
    r"(\w{4,}(?:mycosis|iasis|ellosis|aemia|itis|osis))\b"
)
"""Diseases that the table does not know: "for sporotrichosis"."""
_NO_DISEASES = lazy_re(
    r"diagnosis|prognosis|dosis|analysis|hepatitis|neuritis|necrosis|acidosis|fibrosis|dermatitis"
    r"|gastritis|colitis|arthritis|nephritis|pancreatitis|anaemia|anemia|leukocytosis|thrombosis|osmosis"
)
"""Harms that drugs do, and words with the ending of a disease that are none."""

_ENDS_PHRASE = lazy_re(r"\s*(?:[,;:.?!)]|$|(?:and|or|but|so)\b)")
_OF_FIELD = lazy_re(r"tuberculosis|pneumonia|nontuberculous")
_CONTACTS = lazy_re(
    r"\bcontacts? (?:of|with|to|presumed)\b|\bexpos(?:ed|ure) to\b|\bcontact of an?\b"
)
_LEFT_OUT = lazy_re(
    r"\b(?:excluding|except(?:ing)?(?: for)?|other than|apart from|not including)\s[^.;:)|]*"
    r"|\b(?:no|without|not)\s(?:(?:any|evidence of|signs of|tb|tuberculous)\s)*"
    r"(?:mening|bone|joint|spin|cns|pericard|pleur|miliary|disseminat)[\w-]*"
)
"""What names diseases and sites that are not meant: "all forms excluding bone TB"."""


def sites_left_out(text: str) -> frozenset[str]:
    """Return the sites of disease that a text says it is not about."""
    excluded = " | ".join(match.group() for match in _LEFT_OUT.finditer(fold_chars(text)))
    return names_of(concept_spans(excluded, slot_lexicon().facets["site"]))


@lru_cache(maxsize=CACHED_TEXTS // 4)
def _without_left_out(text: str) -> str:
    return _LEFT_OUT.sub(lambda match: " " * len(match.group()), fold_chars(text))


@lru_cache(maxsize=CACHED_TEXTS)
def diseases(text: str) -> frozenset[str]:
    """Return the diseases named in a text that drugs are given for."""
    lexicon = slot_lexicon()
    text = _without_left_out(text)
    named = names_of(concept_spans(text, lexicon.diseases))
    endings = list(_NAMED_BY_ENDING.finditer(text))
    people = population_spans(text) if endings else ()  # "in cirrhosis" says for whom, not for what
    others = {
        match[1]
        for match in endings
        if not _NO_DISEASES.search(match[1])
        and not any(one.start < match.end(1) and match.start(1) < one.end for one in people)
        and not any(p.search(match[1]) for p in lexicon.diseases.values())
    }
    general = {name for name in named if any(other.startswith(f"{name}.") for other in named)}
    return (named - general) | others


def denied_diseases(folded: str) -> frozenset[str]:
    """Return the diseases of which a folded text says only that somebody has none: "no diabetes".

    None of the field: who has no tuberculosis is asked about for that, too.
    """
    spans = concept_spans(folded, slot_lexicon().diseases)
    kept = {one.name for one in spans if not is_denied(folded, one.start)}
    ended = (one.name for one in spans if _ENDS_PHRASE.match(folded, one.end))
    return frozenset(name for name in ended if name not in kept and not _OF_FIELD.match(name))


def agree(one: str, other: str) -> bool:
    """Return whether two diseases are the same, or one is a kind of the other."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def meets(asked: str, has: str) -> bool:
    """Return whether what is said of one disease may answer for another.

    Of mycobacteria, what is said of all is no answer for one species: each is treated in its way.
    """
    if has == _MYCOBACTERIA and asked != has:
        return False
    return agree(asked, has)


def facet_values(text: str, facet: str) -> frozenset[str]:
    """Return the values that a text names of a facet of `data/lexicons/slots.toml`."""
    return every_facet(text).get(facet, frozenset())


@lru_cache(maxsize=CACHED_TEXTS)
def every_facet(text: str) -> dict[str, frozenset[str]]:
    """Return the values that a text names of each facet that it names any of."""
    sites = concept_spans(_without_left_out(text), slot_lexicon().facets["site"])
    values = {"site": set(names_of(sites))}
    for span in concept_spans(text, _values_of_facets()):
        facet, value = span.name.split(" ")
        values.setdefault(facet, set()).add(value)
    if "stage" in values and _CONTACTS.search(fold_chars(text)):
        values["stage"].discard("active")  # that is the disease of whom they were in contact with
    return {facet: frozenset(named) for facet, named in values.items() if named}


@cache
def _values_of_facets() -> dict[str, re.Pattern[str]]:
    """Return the expressions of all facets but the site, by the names of facet and value."""
    facets = slot_lexicon().facets.items()
    return {f"{n} {value}": of for n, every in facets if n != "site" for value, of in every.items()}


def last_named(text: str, facet: str) -> frozenset[str]:
    """Return the value of a facet that a text names last; empty if it names none."""
    spans = concept_spans(text, slot_lexicon().facets[facet])
    return frozenset(span.name for span in spans[-1:])


def site_spans(text: str) -> list[tuple[int, int]]:
    """Return where a text names the site of a disease."""
    return [(one.start, one.end) for one in concept_spans(text, slot_lexicon().facets["site"])]


def disease_name(name: str) -> str:
    """Return a disease in words."""
    kind, _, special = name.partition(".")
    words = kind.replace("_", " ")
    if kind == "pneumonia" and special:
        return f"{special}-acquired {words}"
    return f"{words} ({special})" if special else words
