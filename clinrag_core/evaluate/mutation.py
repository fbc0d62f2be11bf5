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
from clinrag_core.lexicon.loader import load_table
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.model.base import Record
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping, Sequence

    from clinrag_core.facts.drugs import DrugLexicon, Mention
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
_UNIT = re.compile(r"(?<=\d)(\s?-?)(mg|g|mcg|ml|milligrams|micrograms)(?![^\W_])", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"\b(should|must|may|can|could|will|would|is|are|was|were|has|have|does|do)\b"
    r"(?! not\b|n't|\s+no\b)",
    re.IGNORECASE,
)
Rules = tuple[tuple[str, str], ...]
"""Expressions, case ignored, each with what replaces its first match."""


class MutationTable(Record):
    """The words of `lexicons/mutations.toml`."""

    frequency: Rules
    negation_removed: Rules
    modality: Rules
    population: Rules
    route: Rules
    high_risk: tuple[str, ...]
    unit: dict[str, str]


def mutants(
    claim: TrueClaim, drugs: DrugLexicon, others: Sequence[str], rng: random.Random
) -> list[Mutant]:
    """At most one mutant of each kind; `rng` chooses places, and drugs to swap in from `others`."""
    text = claim.text
    table = load_table("mutations", MutationTable)
    evidence = "\n".join(citation.snippet for citation in claim.citations)
    mentions = drugs.mentions(text)
    of_evidence = sorted({n for m in drugs.mentions(evidence) for n in m.ingredients})
    timed = find_frequencies(fold_chars(text))
    changed: list[tuple[Kind, str | None]] = [
        ("dose", _dose(text, rng)),
        ("unit", _unit(text, table.unit)),
        ("frequency", _first(text, table.frequency) if timed else None),
        ("number", _number(text, rng)),
        ("negation_added", _negated(text)),
        ("negation_removed", _first(text, table.negation_removed)),
        ("modality", _first(text, table.modality)),
        ("drug", _drug(text, mentions, others, drugs, rng)),
        (
            "drug_of_evidence",
            _drug(text, [m for m in mentions if len(m.ingredients) == 1], of_evidence, drugs, rng),
        ),
        ("population", _first(text, table.population)),
        ("route", _first(text, table.route)),
        ("high_risk", _high_risk(claim, table.high_risk, rng)),
    ]
    made = [Mutant(k, t, claim.citations) for k, t in changed if t is not None and t != text]
    return [*made, _invented(claim, rng)]


def _dose(text: str, rng: random.Random) -> str | None:
    """Return the text with one dose made tenfold; None without a dose."""
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


def _unit(text: str, units: Mapping[str, str]) -> str | None:
    match = _UNIT.search(text)
    if match is None:
        return None
    return text[: match.start(2)] + units[match[2].lower()] + text[match.end(2) :]


_HALF = 0.5  # one more as often as one less


def _number(text: str, rng: random.Random) -> str | None:
    """Return a whole number without unit or range, one more or less."""
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


def _first(text: str, rules: Rules) -> str | None:
    for pattern, to in rules:
        changed = re.sub(pattern, to, text, count=1, flags=re.IGNORECASE)
        if changed != text:
            return changed
    return None


def _drug(
    text: str,
    mentions: Sequence[Mention],
    others: Sequence[str],
    drugs: DrugLexicon,
    rng: random.Random,
) -> str | None:
    """Another drug, from `others`, in the place of one of the mentions."""
    if not mentions:
        return None
    mention = rng.choice(mentions)
    choice = [name for name in others if not drugs.ingredients(name) & mention.ingredients]
    if not choice:
        return None
    name = rng.choice(choice)
    name = name.capitalize() if text[mention.start].isupper() else name
    return text[: mention.start] + name + text[mention.end :]


def _high_risk(claim: TrueClaim, additions: Sequence[str], rng: random.Random) -> str | None:
    there = _risks(
        "\n".join(" ".join((c.snippet, c.document_title, *c.section_path)) for c in claim.citations)
    )
    choice = [addition for addition in additions if not _risks(addition) & there]
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
