"""What is found in the patient of a question, as far as what is asked may turn on it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import CACHED_QUESTIONS
from clinrag_core.answer.question.facets import DOSING
from clinrag_core.facts.findings import PatientFinding, read_findings
from clinrag_core.facts.negation import is_denied
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.drugs import members_of
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.facts.people import People
    from clinrag_core.lexicon.slots import Aspect

_OF_DRUG: frozenset[Aspect] = frozenset({"interaction", *DOSING})
_TREATED = lazy_re(r"\bfor (?:(?:an?|the|his|her|painful) )?(?:[\w-]+ )?$")
"""What makes a condition the one that a drug is given for."""

_UNREPORTED = lazy_re(
    r"\b(?:can(?:no|\W)?t|unable to|too young to|to|if (?:s?he|they)) "
    r"(?:report|tell|describe|complain|say|notice|recogni[sz]e)\b[^.;?]{0,30}$"
)
"""What makes a harm one that somebody could not tell of: "cannot report visual loss"."""
_FEARED = lazy_re(
    r"\b(?:(?:watch(?:ing)?|look(?:ing)?(?: out)?|monitor(?:ing)?) for|worr\w+ about) "
    r"(?:[\w-]+ (?:or|and) )?(?:[\w-]+ )?$"
)
"""What makes a condition one that may come: "watch for high or low sugars"."""
_IN_FAMILY = lazy_re(
    r"\b(?:family|familial|maternal) history of (?:[\w-]+ ){0,3}$"
    r"|\b(?:mother|mum|mom|brothers?|sisters?|aunt|uncle|grandmother) "
    r"(?:(?:went|was|is|became|got|had|has) )?(?:[\w-]+ )?$"
)
"""What makes a condition one that a relative had."""
_HYPERSENSITIVITY = "hypersensitivity"
_ENZYMES, _INJURY = "aminotransferases", "liver_injury"
INJURED, INJURED_WITH_JAUNDICE, JAUNDICED = 5.0, 3.0, 2.0
"""Multiples of the upper limit of normal of aminotransferases, alone and with jaundice, and of
bilirubin, above which the liver is injured."""
UPPER_LIMITS = 30.0, 55.0
"""Upper limits of normal of aminotransferases, in U/L, of laboratories; by judgement."""
_ENZYME_UNITS = lazy_re(
    r"\b(?:alt|ast|sgpt|sgot)\b(?: (?:level|is|was|of|now|up|to|at|today|came back))*"
    r"[ :=]{1,3}(?P<u>\d{3,4})\b(?! ?(?:%|x\b|times))"
)
_TREATED_OTHERWISE = "antibiotics"
"""What an infection is treated with that is no use of the drug asked about."""
_EITHER = frozenset({"heart_failure", "herpes_zoster"})
"""Conditions that a drug is given for, and others bring about."""
_SEIZURES, _AGAINST_SEIZURES = "seizures", "anticonvulsant"
_TREATED_SINCE = lazy_re(
    r",?\s(?:so|hence|therefore|for which)\b[^.;?]{0,20}"
    r"\b(?:load(?:ed)?|start(?:ed)?|treat(?:ed)?|put|given|got|on)\b"
)
"""What makes a finding the reason for another drug: "a seizure, so loaded with phenytoin"."""
_RISK = lazy_re(r"\s+risks?\b")
"""What is said after a condition that may come: "to cut the PML risk"."""
_FEVER = lazy_re(r"\b(?:fever\w*|febrile|pyrexia\w*|temperature|temp)\b")
_NEGATIVE = lazy_re(
    r"\s*(?:(?:is|was|test|status|allele|result)s? )*[-:=]?\s*"
    r"(?:neg(?:ative)?\b|absent\b|-ve\b|\(-)"
)
"""What is said after a condition that a test did not find: "HLA-B*5701 neg"."""


def deciding(
    findings: Iterable[PatientFinding], aspects: frozenset[Aspect], *, names_drug: bool = True
) -> list[PatientFinding]:
    """Return the findings on which what to do depends: not the drug's own level.

    No dose turns on how far a disease is, unless the sources say so; nor does a test or a post.
    """
    lexicon = finding_lexicon()
    passes_stages = not names_drug or bool(aspects & _OF_DRUG)
    passed = lexicon.drug_levels | (lexicon.stages if passes_stages else frozenset[str]())
    return [one for one in findings if one.name not in passed]


@lru_cache(maxsize=CACHED_QUESTIONS)
def ruled_out_findings(text: str) -> frozenset[str]:
    """Return the names of conditions that a test did not find, or that a text denies."""
    folded = fold_chars(text)
    named = {span.name for span in concept_spans(text, finding_lexicon().conditions)}
    found = {
        f.name
        for f in read_findings(text)
        if not (is_denied(folded, f.start) or _NEGATIVE.match(folded, f.end))
    }
    return frozenset(named - found)


def patient_findings(
    text: str, people: People, drugs: Iterable[frozenset[str]] = ()
) -> tuple[PatientFinding, ...]:
    """Return what was found in a patient; "ALT 22" alone does not say that it is raised.

    Liver failure of a degree is whom a statement is for, and no finding. Epilepsy is what a drug
    is given for only where one of `drugs`, as their ingredients, acts against seizures.
    """
    measures = finding_lexicon().measures
    folded = fold_chars(text)
    diseased = concept_spans(text, slot_lexicon().diseases)  # what a drug is given for
    of_child = slot_lexicon().wordings.of_her_child
    is_treated = not members_of(_AGAINST_SEIZURES).isdisjoint(frozenset[str]().union(*drugs))
    either = _EITHER if is_treated else _EITHER | {_SEIZURES}
    found = tuple(
        f
        for f in read_findings(text)
        if not ((people.liver and f.name == "active_liver_disease") or f.is_normal)
        if f.is_measured
        or not (
            f.name in measures
            or _TREATED.search(folded[: f.start])
            or is_denied(folded, f.start)
            or _NEGATIVE.match(folded, f.end)
            or _RISK.match(folded, f.end)
            or _TREATED_SINCE.match(folded, f.end)
            or _UNREPORTED.search(folded[: f.start])
            or _FEARED.search(folded[: f.start])
            or _IN_FAMILY.search(folded[: f.start])
            or (people.conditions & OF_MOTHERS and of_child.search(folded[: f.start]))
            or (
                f.name not in either
                and _TREATED_OTHERWISE not in folded[f.start : f.end]
                and any(one.start < f.end and f.start < one.end for one in diseased)
            )
        )
    )
    found += _in_units(folded, found)
    return found + _suspected(folded, found) + _injured(found)


def _in_units(folded: str, found: Iterable[PatientFinding]) -> tuple[PatientFinding, ...]:
    """Return aminotransferases in U/L, "ALT 640", as multiples of the upper limit of normal.

    From the multiple of the highest limit of laboratories to that of the lowest.
    """
    if any(one.name == _ENZYMES and one.is_measured for one in found):
        return ()
    low, high = UPPER_LIMITS
    return tuple(
        PatientFinding(
            match.start(), match.end(), _ENZYMES, int(match["u"]) / high, int(match["u"]) / low
        )
        for match in _ENZYME_UNITS.finditer(folded)
    )


def _injured(found: Iterable[PatientFinding]) -> tuple[PatientFinding, ...]:
    """Return the liver injury that raised aminotransferases are.

    From five times the upper limit of normal on; from three times on with jaundice, or with
    bilirubin above twice the limit (the case definition of Aithal et al. 2011).
    """
    enzymes = next((one for one in found if one.name == _ENZYMES and one.is_measured), None)
    if enzymes is None or any(one.name == _INJURY for one in found):
        return ()
    is_jaundiced = any(
        one.name == "jaundice" or (one.name == "bilirubin" and one.low > JAUNDICED) for one in found
    )
    least = INJURED_WITH_JAUNDICE if is_jaundiced else INJURED
    if not least <= enzymes.low < math.inf:
        return ()
    return (enzymes._replace(name=_INJURY, low=-math.inf, high=math.inf),)


def _suspected(folded: str, found: Iterable[PatientFinding]) -> tuple[PatientFinding, ...]:
    """Return the hypersensitivity that a rash with fever is until it is excluded."""
    names = {one.name for one in found}
    fever = next((m for m in _FEVER.finditer(folded) if not is_denied(folded, m.start())), None)
    if "rash" not in names or _HYPERSENSITIVITY in names or fever is None:
        return ()
    return tuple(one._replace(name=_HYPERSENSITIVITY) for one in found if one.name == "rash")
