"""Mutates true claims into false ones, to measure which of them the gates reject. Pure.

Each mutant differs from its claim in one respect that could harm. A mutation that cannot be applied
to a claim gives nothing; the caller leaves out a mutant that the evidence supports as well.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from clinrag_core.facts.frequencies import find_frequencies
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.spans import concept_spans, names_of
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.citation import Citation

Kind = Literal[
    "dose",
    "unit",
    "frequency",
    "number",
    "negation_added",
    "negation_removed",
    "modality",
    "drug",
    "drug_of_evidence",
    "population",
    "route",
    "citation",
    "high_risk",
]
CRITICAL: frozenset[Kind] = frozenset(get_args(Kind)) - {"number", "modality", "route"}
"""Every mutant of these must be rejected."""


class TrueClaim(NamedTuple):
    """A claim with the citations that support it."""

    text: str
    citations: tuple[Citation, ...]


class Mutant(NamedTuple):
    """A claim made false."""

    kind: Kind
    text: str
    citations: tuple[Citation, ...]


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_UNITS = {"mg": "g", "g": "mg", "mcg": "mg", "ml": "l", "milligrams": "grams", "micrograms": "mg"}
_UNIT = re.compile(r"(?<=\d)(\s?-?)(mg|g|mcg|ml|milligrams|micrograms)(?![^\W_])", re.IGNORECASE)
_FREQUENCIES = (
    (r"\bonce daily\b", "once weekly"),
    (r"\btwice daily\b", "four times daily"),
    (r"\btwice a day\b", "five times a day"),
    (r"\bthree times (?:a|per) week\b", "three times a day"),
    (r"\bonce (?:a|per) day\b", "once per week"),
    (r"\bevery (\d+) hours\b", "every 2 hours"),
    (r"\b(?:once )?weekly\b", "daily"),
    (r"\bdaily\b", "weekly"),
    (r"\bmonthly\b", "daily"),
    (r"\bevery day\b", "every week"),
    (r"\bper day\b", "per week"),
)
_AUXILIARY = re.compile(
    r"\b(should|must|may|can|could|will|would|is|are|was|were|has|have|does|do)\b"
    r"(?! not\b|n't|\s+no\b)",
    re.IGNORECASE,
)
_REMOVALS = (
    (
        re.compile(
            r"\b(should|must|may|can|could|will|would|is|are|was|were|has|have|had|does|do|did)"
            r" not\b",
            re.IGNORECASE,
        ),
        r"\1",
    ),
    (re.compile(r"\bcannot\b", re.IGNORECASE), "can"),
    (re.compile(r"\bcontraindicated\b", re.IGNORECASE), "indicated"),
    (re.compile(r"\bavoid(?:ed)?\b", re.IGNORECASE), "used"),
    (re.compile(r"\bwithout\b", re.IGNORECASE), "with"),
    (re.compile(r"\bnot recommended\b", re.IGNORECASE), "recommended"),
    (re.compile(r"\bno (?=[a-z])", re.IGNORECASE), "some "),
)
_MODALITIES = (
    (re.compile(r"\bmay\b", re.IGNORECASE), "must"),
    (re.compile(r"\bshould\b", re.IGNORECASE), "may"),
    (re.compile(r"\bmust\b", re.IGNORECASE), "may"),
    (re.compile(r"\bis recommended\b", re.IGNORECASE), "may be considered"),
)
_POPULATIONS = (
    (re.compile(r"\bchildren\b", re.IGNORECASE), "adults"),
    (re.compile(r"\badults\b", re.IGNORECASE), "children"),
    (re.compile(r"\bpediatric\b|\bpaediatric\b", re.IGNORECASE), "adult"),
    (re.compile(r"\binfants\b", re.IGNORECASE), "adolescents"),
    (re.compile(r"\badolescents\b", re.IGNORECASE), "infants"),
    (re.compile(r"\bpregnant women\b", re.IGNORECASE), "older adults"),
    (re.compile(r"\bpregnancy\b", re.IGNORECASE), "old age in the elderly"),
    (re.compile(r"\brenal impairment\b", re.IGNORECASE), "hepatic impairment"),
    (re.compile(r"\bhepatic impairment\b", re.IGNORECASE), "renal impairment"),
    (re.compile(r"\bHIV-negative\b", re.IGNORECASE), "HIV-positive"),
    (re.compile(r"\bpatients\b", re.IGNORECASE), "pregnant patients"),
    (re.compile(r"\bpeople\b", re.IGNORECASE), "infants"),
)
_ROUTES = (
    (re.compile(r"\borally\b", re.IGNORECASE), "intravenously"),
    (re.compile(r"\boral\b", re.IGNORECASE), "intravenous"),
    (re.compile(r"\bintravenous(ly)?\b", re.IGNORECASE), r"intramuscular\1"),
    (re.compile(r"\bintramuscular(ly)?\b", re.IGNORECASE), r"oral\1"),
)
_ADDITIONS = (
    "in patients with HIV",
    "together with a carbapenem",
    "during pregnancy",
    "after organ transplant",
    "because of the risk of death",
    "in patients with cancer",
    "with anticoagulants",
    "in septic shock",
)


def mutants(
    claim: TrueClaim, drugs: DrugLexicon, others: Sequence[str], rng: random.Random
) -> list[Mutant]:
    """At most one mutant of each kind; `rng` chooses places, and drugs to swap in from `others`."""
    text = claim.text
    evidence = "\n".join(citation.snippet for citation in claim.citations)
    changed: list[tuple[Kind, str | None]] = [
        ("dose", _dose(text, rng)),
        ("unit", _unit(text)),
        ("frequency", _frequency(text)),
        ("number", _number(text, rng)),
        ("negation_added", _negated(text)),
        ("negation_removed", _first(text, _REMOVALS)),
        ("modality", _first(text, _MODALITIES)),
        ("drug", _drug(text, drugs, others, rng)),
        ("drug_of_evidence", _drug_of_evidence(text, evidence, drugs, rng)),
        ("population", _first(text, _POPULATIONS)),
        ("route", _first(text, _ROUTES)),
        ("high_risk", _high_risk(claim, rng)),
    ]
    made = [Mutant(k, t, claim.citations) for k, t in changed if t is not None and t != text]
    return [*made, _invented(claim, rng)]


def _dose(text: str, rng: random.Random) -> str | None:
    """The text with one dose made tenfold; None without a dose."""
    doses = [q for q in quantities(text) if q.kind in {"dose", "concentration"}]
    if not doses:
        return None
    dose = rng.choice(doses)
    number = _NUMBER.search(text, dose.start, dose.end)
    if number is None:
        return None
    whole, _, fraction = number.group().partition(".")
    tenfold = f"{int(whole + fraction[0])}" if fraction else f"{whole}0"
    tenfold += f".{fraction[1:]}" if fraction[1:] else ""
    return text[: number.start()] + tenfold + text[number.end() :]


def _unit(text: str) -> str | None:
    match = _UNIT.search(text)
    if match is None:
        return None
    return text[: match.start(2)] + _UNITS[match[2].lower()] + text[match.end(2) :]


def _frequency(text: str) -> str | None:
    if not find_frequencies(fold_chars(text)):
        return None
    return _first(text, tuple((re.compile(p, re.IGNORECASE), to) for p, to in _FREQUENCIES))


_HALF = 0.5


def _number(text: str, rng: random.Random) -> str | None:
    """A whole number without unit or range, one more or less."""
    numbers = list(re.finditer(r"(?<![\w.,/-])\d{1,4}(?![\w/-]|[.,]\d)", text))
    if not numbers:
        return None
    number = rng.choice(numbers)
    value = int(number.group())
    other = value + 1 if value <= 1 or rng.random() < _HALF else value - 1
    return f"{text[: number.start()]}{other}{text[number.end() :]}"


def _negated(text: str) -> str | None:
    match = _AUXILIARY.search(text)
    if match is None:
        return None
    return f"{text[: match.end()]} not{text[match.end() :]}"


def _first(text: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> str | None:
    for pattern, to in rules:
        changed = pattern.sub(to, text, count=1)
        if changed != text:
            return changed
    return None


def _drug(text: str, drugs: DrugLexicon, others: Sequence[str], rng: random.Random) -> str | None:
    mentions = drugs.mentions(text)
    if not mentions:
        return None
    mention = rng.choice(mentions)
    choice = [name for name in others if not drugs.ingredients(name) & mention.ingredients]
    return _swapped(text, mention.start, mention.end, rng.choice(choice)) if choice else None


def _drug_of_evidence(
    text: str, evidence: str, drugs: DrugLexicon, rng: random.Random
) -> str | None:
    """One drug of the evidence in the place of another one."""
    mentions = [m for m in drugs.mentions(text) if len(m.ingredients) == 1]
    named = sorted({n for m in drugs.mentions(evidence) for n in m.ingredients})
    if not mentions:
        return None
    mention = rng.choice(mentions)
    choice = [name for name in named if name not in mention.ingredients]
    return _swapped(text, mention.start, mention.end, rng.choice(choice)) if choice else None


def _swapped(text: str, start: int, end: int, name: str) -> str:
    return text[:start] + (name.capitalize() if text[start].isupper() else name) + text[end:]


def _high_risk(claim: TrueClaim, rng: random.Random) -> str | None:
    there = _risks(
        "\n".join(" ".join((c.snippet, c.document_title, *c.section_path)) for c in claim.citations)
    )
    choice = [addition for addition in _ADDITIONS if not _risks(addition) & there]
    if not choice:
        return None
    body = claim.text.rstrip()
    stop = body[-1] if body[-1:] in ".;:" else ""
    return f"{body[: len(body) - len(stop)]} {rng.choice(choice)}{stop}"


def _risks(text: str) -> frozenset[str]:
    return names_of(concept_spans(text, safety_lexicon().high_risk))


def _invented(claim: TrueClaim, rng: random.Random) -> Mutant:
    first, *rest = claim.citations
    inventions: list[Callable[[], tuple[Citation, ...]]] = [
        tuple,
        lambda: (first.model_copy(update={"chunk_id": "f" * 24}), *rest),
        lambda: (first.model_copy(update={"end": first.end + 10_000}), *rest),
        lambda: (first.model_copy(update={"snippet": f"{first.snippet} indeed"}), *rest),
        lambda: (first.model_copy(update={"start": first.start + 3}), *rest),
        lambda: (first.model_copy(update={"document_id": "invented-2024"}), *rest),
    ]
    return Mutant("citation", claim.text, rng.choice(inventions)())
