"""Units of measurement as clinical text writes them, with one canonical spelling each.

Only spelling is unified ("µg", "mcg", "micrograms" -> "mcg"); nothing is converted, so 1 g and
1000 mg stay different strings. Patterns here expect folded text (see `normalise.fold`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from clinrag_core.text.expressions import lazy_re

Dimension = Literal[
    "mass",
    "volume",
    "amount",
    "activity",
    "length",
    "area",
    "pressure",
    "temperature",
    "fraction",
    "time",
    "count",
]

# canonical -> (dimension, other spellings). "cap" (community-acquired pneumonia), "m" and "s"
# are left out on purpose: after a number they are seldom the unit.
_UNITS: dict[str, tuple[Dimension, str]] = {
    "kg": ("mass", "kgs kilo kilos kilogram kilograms kilogramme kilogrammes"),
    "g": ("mass", "gm gms gram grams gramme grammes"),
    "mg": ("mass", "mgs mgm milligram milligrams milligramme milligrammes"),
    "mcg": ("mass", "ug mcgs microgram micrograms microgramme microgrammes"),
    "ng": ("mass", "nanogram nanograms"),
    "pg": ("mass", "picogram picograms"),
    "l": ("volume", "litre litres liter liters"),
    "dl": ("volume", "decilitre decilitres deciliter deciliters"),
    "ml": ("volume", "mls cc millilitre millilitres milliliter milliliters"),
    "ul": ("volume", "mcl microlitre microlitres microliter microliters"),
    "mol": ("amount", "moles"),
    "mmol": ("amount", "mmols millimole millimoles"),
    "umol": ("amount", "mcmol micromole micromoles"),
    "nmol": ("amount", "nanomole nanomoles"),
    "meq": ("amount", "meqs milliequivalent milliequivalents"),
    "iu": ("activity", "ius"),
    "unit": ("activity", "u units"),
    "miu": ("activity", ""),
    "cfu": ("activity", "cfus"),
    "mm": ("length", "millimetre millimetres millimeter millimeters"),
    "cm": ("length", "centimetre centimetres centimeter centimeters"),
    "um": ("length", "micron microns micrometre micrometer"),
    "m2": ("area", "m^2"),
    "mm3": ("volume", "mm^3 cumm"),
    "cm3": ("volume", "cm^3"),
    "mmhg": ("pressure", ""),
    "kpa": ("pressure", ""),
    "cmh2o": ("pressure", ""),
    "celsius": ("temperature", "°c"),
    "fahrenheit": ("temperature", "°f"),
    "percent": ("fraction", "% percents"),
    "minute": ("time", "min mins minutes"),
    "hour": ("time", "h hr hrs hours"),
    "day": ("time", "d days"),
    "week": ("time", "wk wks weeks"),
    "month": ("time", "mo mos mths months"),
    "year": ("time", "y yo yr yrs years"),
    "dose": ("count", "doses"),
    "tablet": ("count", "tab tabs tablets"),
    "capsule": ("count", "capsules"),
    "vial": ("count", "vials"),
    "ampoule": ("count", "ampoules ampule ampules"),
    "drop": ("count", "drops"),
    "puff": ("count", "puffs"),
    "cell": ("count", "cells"),
    "copy": ("count", "copies"),
}

CANONICAL: dict[str, str] = {
    alias: unit for unit, (_, aliases) in _UNITS.items() for alias in (unit, *aliases.split())
}
CANONICAL["u g"] = "mcg"
"""Of "µ g", a space that web pages leave: without it "0.5 µ g/mL" is a dose of half a unit."""
DIMENSIONS: dict[str, Dimension] = {unit: dimension for unit, (dimension, _) in _UNITS.items()}

# Spellings that mean a unit even without a number before them ("gram" may be a stain).
WORD_UNITS: dict[str, str] = {
    alias: unit
    for alias, unit in CANONICAL.items()
    if alias == "ug" or (alias.startswith(("milli", "micro", "kilo")) and "gram" in alias)
}

_SPELLINGS = "|".join(re.escape(u) for u in sorted(CANONICAL, key=lambda u: (-len(u), u)))
# The G of "2 gram-negative" and the H of "54 Hr-TB" (isoniazid-resistant) are no units.
_ONE_UNIT = rf"(?!gram[-\s]?(?:neg|pos|stain)|hr?-[^\W\d_])(?:{_SPELLINGS})"
_END = r"(?![^\W_])"
_PER = r"(?:[^\S\n]?/[^\S\n]?|[^\S\n]+per[^\S\n]+)"

NUMBER = r"(?>(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?(?:\^-?\d{1,2}(?!\d))?|\.\d++)"
UNIT = rf"{_ONE_UNIT}{_END}(?:{_PER}{_ONE_UNIT}{_END}){{0,3}}"
GAP = r"(?:[^\S\n]{0,2}\n?[^\S\n]{0,2}|-[^\S\n]?)"

AMOUNT = lazy_re(rf"{NUMBER}{GAP}{UNIT}")
"""A figure with its unit, in folded text: what tells that something is measured."""

_SPLIT_PER = lazy_re(r"\s*/\s*|\s+per\s+")


def units_of(*dimensions: Dimension) -> str:
    """Return an expression for the spellings of the units of some dimensions, the longest first."""
    spellings = {name for name, unit in CANONICAL.items() if DIMENSIONS[unit] in dimensions}
    ordered = sorted(spellings, key=lambda name: (-len(name), name))
    return f"(?:{'|'.join(map(re.escape, ordered))})"


@lru_cache(maxsize=4096)
def canonical_unit(expression: str) -> str:
    """Return the canonical spelling of a match of `UNIT`: "milligrams per kg" -> "mg/kg"."""
    return "/".join(CANONICAL[part] for part in _SPLIT_PER.split(expression.strip()))


@lru_cache(maxsize=16384)
def canonical_number(number: str) -> str:
    """Return a match of `NUMBER` without separators and idle zeros: "1,200.50" -> "1200.5"."""
    mantissa, caret, exponent = number.replace(",", "").partition("^")
    whole, dot, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return whole + (dot + fraction if fraction else "") + caret + exponent
