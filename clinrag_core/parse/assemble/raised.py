"""What a raised (superscript) run of characters means.

Guidelines raise three things: exponents and signs, which belong to the quantity; ordinals, which
belong to the word; and calls to notes and references, which belong to neither. Fused to the text a
call reads as part of a number: a 'stock 5' with note 2 must not become 52.
"""

from __future__ import annotations

import re

from clinrag_core.parse.assemble.characters import superscript

_UNITS = "m|cm|mm|km|dm|µm|μm|ft|in|kg/m|g/m|mg/m|L/m|mL/m|mg/kg/m|s|h|min|sec|hr|year|day|cells/mm"
_UNIT_AT_END = re.compile(rf"(?:^|[\s\d/(.,·])(?:{_UNITS})$")
_POWER_OF_TEN = re.compile(r"(?:^|[^\w.,])(?:\d+(?:\.\d+)?\s*[x×·]\s*)?10$")
_DIGITS = re.compile(r"[-–−+]?\d{1,2}(?:\s?[-–−]{1,2}\s?\d{1,2})?$")
_ION = re.compile(r"\d?[+\u2212-]$")
_SIGN = re.compile(r"[®©™℠°º]+$|TM$|SM$")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)$", re.IGNORECASE)
_PART = re.compile(r"\d{1,3}[a-z]?|[a-zA-Z]{1,2}|[ivx]{1,5}")
_BETWEEN = re.compile(r"[\s,;–—*†‡§¶#|‖()\[\]\u2212-]+")


def read_raised(before: str, raised: str) -> str:
    """What a raised run adds to the running text.

    Args:
        before: text of the line up to it.
        raised: the run as printed.

    Returns:
        the exponent, sign or ordinal; nothing, or a space, for a call to a note or a reference;
        the run itself where it is none of them (words set high by mistake are words).
    """
    run = raised.strip()
    stem = before.rstrip()
    if not run:
        return raised
    if _SIGN.match(run):
        return run
    if stem == before and (kept := _belongs(stem, run)):
        return kept
    if stem and _is_call(run):
        return " " if raised != raised.rstrip() else ""
    return raised


def _belongs(stem: str, run: str) -> str | None:
    """The run where it is part of the word or number it is attached to."""
    if stem[-1:].isdigit() and _ORDINAL.match(run):
        return run
    if _is_exponent(stem, run):
        return superscript(run)
    return run if stem[-1:].isalnum() and _ION.match(run) else None


def _is_call(run: str) -> bool:
    return all(_PART.fullmatch(part) for part in _BETWEEN.split(run) if part)


def _is_exponent(stem: str, run: str) -> bool:
    if not _DIGITS.match(run):
        return False
    if _POWER_OF_TEN.search(stem):
        return True
    return run.lstrip("-–−+") in {"1", "2", "3"} and bool(_UNIT_AT_END.search(stem))
