"""Finds the medicines that a statement names: by the tables, before a dose, or by their form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.dosed_names import names_before_doses
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.regimens import lettered_regimens
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.notes.clipped import clipped_names
from clinrag_core.notes.lexicon import note_drugs, note_measures
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"[^\W\d_][\w-]{3,}")
_BRACKET = re.compile(r"\s*\([^()]{3,120}\)")
_TOGETHER = re.compile(r"\s?/\s?")
"""Between the names of one tablet: "abacavir/lamivudine"."""
_COUNTED = re.compile(
    r"(?: (?:is|are))? (?:one|two|three|four|\d{1,2}) (?:tab(?:let)?|capsule)s?\b"
)
"""How many tablets of the names before it are given, which makes them one."""
_TABLETS = re.compile(r"\b(?:tabs?|tablets?|capsules?)\b", re.IGNORECASE)
_REACTED = re.compile(
    r"\b(?P<name>[a-z]{3,}(?:-[a-z]+)?) ?(?:->|=>|\u2192) ?(?:[a-z]+ )?"
    r"(?:rash|hives|wheals|urticaria|angioedema|anaphyla\w+)\b"
)
"""A medicine before an arrow and what it did: "pen -> rash"."""
_LEAST_SHAPED = 6
"""Letters of a word that is a drug by its ending alone."""
_GIVEN = re.compile(
    r"\b(?:started|began|begun|commenced|taking|takes|receiving|continues?|restart(?:ed)?)"
    r" (?:on )?$"
)
"""What says of the letters of a regimen right behind it that it is taken."""
_GIVEN_BEHIND = re.compile(
    r" (?:(?:was|were|is|has been|now) )?(?:(?:re)?started|commenced|begun|initiated|continue[sd]?"
    r"|to continue|stopped|held|finished|completed)\b"
)
"""What says behind those letters that they are of a regimen that somebody is given."""
_NEXT = 3
"""Characters between the letters of a regimen and how often it is taken."""
_REACH = 40
"""Characters behind the letters of a regimen that may count its tablets."""


class NamedMedicine(NamedTuple):
    """A medicine named in a statement, with the ingredients that the table of drugs knows."""

    start: int
    end: int
    ingredients: tuple[str, ...]


def named_medicines(text: str) -> list[NamedMedicine]:
    """Return the medicines named: by the tables, before a dose, or by the shape of a name."""
    folded = fold_chars(text)
    spans = [
        NamedMedicine(m.start, m.end, tuple(sorted(m.ingredients)))
        for m in note_drugs().mentions(text)
        if m.about == "drug"
    ]
    spans += [NamedMedicine(*m.span(), ()) for m in note_measures().brand.finditer(folded)]
    spans += [
        NamedMedicine(c.start, c.end, tuple(sorted(note_drugs().ingredients(c.whole))))
        for c in clipped_names(text)
    ]
    known = note_measures().entries.not_medicines
    spans += [
        NamedMedicine(start, end, ())
        for name, start, end in names_before_doses(folded)
        if not known.search(name)
    ]
    spans += [
        NamedMedicine(*m.span("name"), ())
        for m in note_measures().entries.formed.finditer(folded)
        if not note_measures().entries.unformed.search(m["name"])
    ]
    spans += [
        NamedMedicine(*m.span(), ())
        for m in _WORD.finditer(folded)
        if len(m.group()) >= _LEAST_SHAPED and is_drug_shaped(m.group())
    ]
    spans += [NamedMedicine(*m.span("name"), ()) for m in _REACTED.finditer(folded)]
    spans += _lettered(text)
    tested = note_measures().entries
    spans = [
        one
        for one in spans
        if not tested.tested_after.match(folded, one.end)
        and not tested.other_words.match(folded[one.start :])
        and not tested.tested_before.search(folded[: one.start])
    ]
    kept: list[NamedMedicine] = []
    for one in sorted(spans, key=lambda s: (s.start, -s.end, not s.ingredients)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return _as_one_tablet(folded, _without_parts(folded, kept))


def _as_one_tablet(folded: str, named: list[NamedMedicine]) -> list[NamedMedicine]:
    """Return medicines, the names of one tablet as one: "abacavir/lamivudine"."""
    kept: list[NamedMedicine] = []
    for one in named:
        between = folded[kept[-1].end : one.start] if kept else ""
        is_counted = between == " " and _COUNTED.match(folded, one.end) is not None
        if kept and (is_counted or _TOGETHER.fullmatch(between)):
            last = kept.pop()
            parts = tuple(sorted({*last.ingredients, *one.ingredients}))
            kept.append(NamedMedicine(last.start, one.end, parts))
        else:
            kept.append(one)
    return kept


def _lettered(text: str) -> Iterator[NamedMedicine]:
    """Yield the regimens named by their letters that a text doses: "RHZE 4 tabs", "RHZE od"."""
    often = [q.start for q in quantities(text) if q.kind == "frequency"]
    for start, end, drugs in lettered_regimens(text):
        is_daily = any(end <= at <= end + _NEXT for at in often)
        is_daily = is_daily or _GIVEN.search(text[:start].lower()) is not None
        is_daily = is_daily or _GIVEN_BEHIND.match(text, end) is not None
        if is_daily or _TABLETS.search(text[end : end + _REACH]):
            yield NamedMedicine(start, end, tuple(sorted(drugs)))


def _without_parts(folded: str, named: list[NamedMedicine]) -> list[NamedMedicine]:
    """Return medicines without the ingredients that a bracket lists of the one before it.

    "Rifinah (rifampicin/isoniazid) 2 tablets" is one medicine.
    """
    kept: list[NamedMedicine] = []
    whole, until = None, 0
    for one in named:
        is_part = one.start < until and whole is not None
        if is_part and whole and set(one.ingredients) <= set(whole.ingredients):
            continue
        kept.append(one)
        bracket = _BRACKET.match(folded, one.end)
        if bracket and len(one.ingredients) > 1:
            whole, until = one, bracket.end()
    return kept
