"""What narrows the disease of a question: its stage, site, strain, a test, a phase of treatment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.indications import diseases, facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.resistance import Resistance, denies_resistance, read_resistance
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.lexicon.slots import Aspect

FACETS = (
    "stage",
    "resistance",
    "site",
    "phase",
    "purpose",
    "hiv_status",
    "risk",
    "skin_test",
    "smear",
    "culture",
    "amplification",
    "bacillary",
    "reaction",
    "ordinal",
    "occurrence",
    "dose_level",
    "regimen_length",
)
DOSING: frozenset[Aspect] = frozenset({"dose", "frequency", "duration"})
"""Aspects whose answer is a figure of a regimen."""
LENGTH: frozenset[Aspect] = frozenset({"duration"})
HARM: frozenset[Aspect] = frozenset({"adverse_effect"})
_CHOICE: frozenset[Aspect] = frozenset({"regimen"})
_HIV = lazy_re(r"\b(?:hiv|plhiv|plwh|aids\b)")
_REGIMEN = DOSING | _CHOICE
_TUBERCULOSIS = frozenset({"tuberculosis"})
_OF_TUBERCULOSIS = frozenset({"isoniazid", "rifampin", "pyrazinamide", "ethambutol", "bedaquiline"})
"""Drugs to which resistance is spoken of in tuberculosis."""
_TO_PREVENT = lazy_re(
    r"\b(?:(?:to|for) prevent(?:ing|ion)?|prevention of)\b"
    r"(?! (?:[\w-]+ ){0,3}(?:neuropath|neurit|toxic|hepatotox|nausea|vomit|flush|anaemi|anemi))"
    r"|\bfor (?:[\w-]+ ){0,2}?(?!infection )[\w-]+ prevention\b(?! and control)"
)
"""What a question asks a drug for: a text may prevent one thing in the treatment of another. What
keeps off a harm of another drug prevents no disease."""
_WHETHER = lazy_re(
    r"(?:\b(?:say|assume|conclude|mean|means|whether)(?: that)? |(?:^|[.;:?!,] )(?:so )?is )$"
)
"""What comes before a disease whose exclusion is asked about: "can I say TB is excluded?"."""


def infected_with(
    text: str, aspects: frozenset[Aspect], *, names_regimen: bool = False
) -> frozenset[str]:
    """Return the disease of somebody whose test is positive, where a regimen is asked for."""
    is_tested = slot_lexicon().wordings.tested_positive.search(fold_chars(text))
    return _TUBERCULOSIS if is_tested and (names_regimen or aspects & _REGIMEN) else frozenset()


def facet_of(text: str, name: str, *, is_infected: bool = False) -> frozenset[str]:
    """Return the values named of a facet; resistant strains are those of a disease.

    Who is infected by a test, and asks for a regimen, asks for one against the latent infection.
    """
    if is_infected and name == "skin_test":
        return frozenset()
    named = facet_values(text, name)
    if name == "purpose":
        return named | ({"prevention"} if _TO_PREVENT.search(fold_chars(text)) else frozenset())
    if name == "resistance" and denies_resistance(text):
        return frozenset({"susceptible"})
    if name == "stage" and is_disease_excluded(text) and not _is_of_mother(text):
        return frozenset({"latent"})
    if name == "stage" and not named:
        return frozenset({"latent"} if is_infected else {"active"} if _is_ill(text) else ())
    return named


def _is_ill(text: str) -> bool:
    """Return whether a question is of tuberculosis that is at a site or has resistant strains."""
    is_at_site = bool(facet_values(text, "site")) and "tuberculosis" in diseases(text)
    return is_at_site or bool(strains_of(text).to)


def is_disease_excluded(text: str) -> bool:
    """Return whether a question says, and does not ask, that somebody has no tuberculosis."""
    folded = fold_chars(text)
    found = slot_lexicon().wordings.disease_excluded.search(folded)
    return found is not None and not _WHETHER.search(folded[: found.start()])


def _is_of_mother(text: str) -> bool:
    """Return whether a mother who breastfeeds has the disease that her child has not."""
    nurses = "breastfeeding" in read_people(text).conditions
    return nurses and "smear_positive" in facet_values(text, "smear")


def strains_of(text: str) -> Resistance:
    """Return what the strains of tuberculosis in a question are resistant and susceptible to.

    A question that names no disease, and resistance to a drug that is for tuberculosis alone, is
    of tuberculosis: "contact of a rifampin-resistant case".
    """
    named, found = diseases(text), read_resistance(text)
    is_of_it = "tuberculosis" in named or (not named and found.to & _OF_TUBERCULOSIS)
    return found if is_of_it else Resistance()


def names_hiv(text: str) -> bool:
    """Return whether a text names HIV, whoever has it."""
    return _HIV.search(fold_chars(text)) is not None
