"""What a raised (superscript) run of characters means, in every format.

Texts raise three things: exponents, signs and isotopes, which belong to the quantity; ordinals,
which belong to the word; and calls to notes and references, which belong to neither. Fused to the
text a call reads as part of a number: 0.02 with note 3 must not become 0.023.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.characters import superscript
from clinrag_core.parse.assemble.flow import LOWERED, MARKED, NOTE, RAISED, raised, unmarked

if TYPE_CHECKING:
    from collections.abc import Collection

Calls = tuple[tuple[str, int], ...]
"""Labels of calls as printed, each with its offset in the text that it left."""

_UNITS = "m|cm|mm|km|dm|µm|μm|ft|in|kg/m|g/m|mg/m|L/m|mL/m|mg/kg/m|s|h|min|sec|hr|year|day|cells/mm"
_UNIT_AT_END = re.compile(rf"(?:^|[\s\d/(.,·])(?:{_UNITS})$")
# Behind these an exponent must follow, so white space before it is only layout.
_OPEN_UNIT_AT_END = re.compile(r"(?:[A-Za-z\d]/|\b1\.73\s?)m{1,2}$")
_TIMES_TEN = re.compile(r"[x×X*·]\s*10$")
_TEN = re.compile(r"(?:^|[^\w.,])10$")
_POWER = re.compile(r"[-–−+]?\d{1,2}(?:\s?[-–−]{1,2}\s?\d{1,2})?$")
_LENGTH_POWERS = frozenset({"1", "2", "3"})
_ION = re.compile(r"(?:\d?[+\u2212-]|\+\+)$")
_SIGN = re.compile(r"[®©™℠°º]+$|TM$|SM$")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)$", re.IGNORECASE)
_ISOTOPE = re.compile(
    r"(?:[23]H|\d{2,3}m?(?:Ba|C|Co|Cr|Cs|F|Fe|Ga|I|In|Kr|Lu|N|O|P|Ra|Rb|S|Se|Sr|Tc|Tl|U|Xe|Y|Zr))"
    r"(?![a-z])"
)
_DEGREE = re.compile(r"[oO0]\s?[CF](?![A-Za-z])")
_RAISED_O = str.maketrans("oO0", "ºº⁰")
_PART = re.compile(r"\d{1,3}[a-z]?|[a-zA-Z]{1,2}|[ivx]{1,5}")
_BETWEEN = re.compile(r"[\s,;.&–—*†‡§¶#|‖()\[\]\u2212-]+")
_LABELS = re.compile(r"\d+[a-z]?|[A-Za-z]+|[*†‡§¶#‖&]+")
_FREE_LABEL = re.compile(rf"(?:^|(?<=\s)){MARKED.pattern}(?=\s*[^\s.,;:)\]])")
_CLOSING = tuple(".,;:)]/")
_NUMERATOR = re.compile(r"\d{1,2}")
# A plain slash also parts two pressures or two drugs: with it only the usual fractions are read.
_SLASH = "\N{FRACTION SLASH}"
_DENOMINATOR = re.compile(rf"\s?(?:{_SLASH}\s?(\d{{1,2}})(?!\d)|/([2348])(?![\w/]|\.\d))")
_VULGAR = {
    **{unicodedata.normalize("NFKC", sign).replace(_SLASH, "/"): sign for sign in "½¼¾⅓⅔⅛⅜⅝⅞"},
    "0/0": "%",
}


def read_raised(before: str, run: str, after: str = "", notes: Collection[str] = ()) -> str:
    """Return what a raised run adds to the running text.

    That is the exponent, sign, isotope or ordinal; nothing, or a space, for a call to a note or a
    reference; else the run itself (words set high by mistake are words). `before` and `after` are
    the text of its line, `notes` the labels of the notes that the text can call.
    """
    label = run.strip()
    if not label:
        return run
    kept = _kept(before, label, after, notes)
    if kept is None and not (before.strip() and is_call(label)):
        return run
    return (kept or "") + (" " if run != run.rstrip() else "")


def read(text: str, notes: Collection[str] = ()) -> tuple[str, Calls]:
    """Return a marked text as it is quoted, and the calls in it; `notes` as in `read_raised`.

    A label that the text itself begins with (it is a note) stays: digits as superscripts, since
    '1 200 mg' would be another dose.
    """
    if RAISED not in text:
        return (unmarked(text) if LOWERED in text else text).strip(), ()
    parts = MARKED.split(_with_fractions(text.strip()))
    out = unmarked(parts[0])
    calls: list[tuple[str, int]] = []
    for run, following in zip(parts[1::2], parts[2::2], strict=True):
        after = unmarked(following)
        line = out[out.rfind("\n") + 1 :]
        stem = out.rstrip()
        added = read_raised(line, run, after, notes)
        label = run.strip()
        if not label.strip(",;"):  # white space, or a comma between two calls
            out += " " if run != label else ""
        elif label.startswith(NOTE):
            calls.append((label, len(stem)))
            if after.startswith(_CLOSING):
                out = stem
        elif not line.strip() or _heads_sentence(line, label, after):
            glued = is_call(label) and after[:1].isalnum() and not _ISOTOPE.match(label + after)
            out += (superscript(label) if label.isdigit() else label) + (" " if glued else "")
        elif not added.strip():
            calls.append((label, len(stem)))
            if after.startswith(_CLOSING):
                out = stem
            elif added or (out[-1:].isalnum() and after[:1].isalnum()):
                out += " "
        else:
            out = (stem if _is_attached(line) else out) + added
        out += after.lstrip(" ") if out.endswith((" ", "\n")) else after
    lead = len(out) - len(out.lstrip())
    out = out.strip()
    return out, tuple((label, min(max(at - lead, 0), len(out))) for label, at in calls)


def fraction(before: str, run: str, after: str) -> tuple[str, str] | None:
    """Return a fraction whose numerator is a raised run, and what follows it; None if it is none.

    Raised 3 and a slash with 4 behind a 1 are one and three quarters; without the 3 a quarter is
    left. Fractions that have a sign of their own are written with it ('1¾'), others apart from the
    number.
    """
    label = run.strip()
    match = _DENOMINATOR.match(after) if _NUMERATOR.fullmatch(label) else None
    if match is None:
        return None
    sign = _VULGAR.get(f"{label}/{match[1] or match[2]}")
    if sign is None and match[1] is None:
        return None
    if sign is None:
        sign = f"{label}{_SLASH}{match[1]}"
        if before[-1:].isdigit():
            sign = f" {sign}"
    return sign, after[match.end() :]


def _with_fractions(text: str) -> str:
    """Return a marked text with its fractions written out."""
    parts = MARKED.split(text)
    out = parts[0]
    for run, following in zip(parts[1::2], parts[2::2], strict=True):
        part = fraction(out, run, unmarked(following))
        out += "".join(part) if part is not None else raised(run) + following
    return out


def is_call(label: str) -> bool:
    """True if a raised run can be a call to notes or references: '3', 'a,b', '14-16', '†'."""
    return bool(labels_in(label)) and all(
        _PART.fullmatch(part) for part in _BETWEEN.split(label) if part
    )


def labels_in(label: str) -> list[str]:
    """Return the single labels of a call or note as printed: 'a,b' are two."""
    return _LABELS.findall(label)


def is_note(text: str) -> bool:
    """True if a marked text begins with the raised label of a note, with words behind it."""
    return RAISED in text and any(start == 0 for start in _labels_of_notes(text.strip()))


def split_notes(text: str) -> list[str]:
    """Return the notes of a marked text, each from its label on; first what precedes any label."""
    text = text.strip()
    starts = sorted({0, *_labels_of_notes(text)})
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def _labels_of_notes(text: str) -> list[int]:
    """Return where labels are that are not attached to the word before them."""
    found: list[int] = []
    for match in _FREE_LABEL.finditer(text):
        before, after = unmarked(text[: match.start()]), unmarked(text[match.end() :])
        label = match[1].strip()
        kept = _ISOTOPE.match(label + after) or _kept(before, label, after, ()) is not None
        if label and is_call(label) and not kept:
            found.append(match.start())
    return found


def _heads_sentence(before: str, label: str, after: str) -> bool:
    """True if a label behind a full stop and a space is that of the note that follows it."""
    free = before.endswith((". ", "; ", ": ")) and any(map(str.isalnum, after))
    return free and is_call(label) and label[0] not in "(["


def _is_attached(before: str) -> bool:
    """True if a power behind this text belongs to it even across white space."""
    stem = before.rstrip()
    return bool(_OPEN_UNIT_AT_END.search(stem) or _TIMES_TEN.search(stem))


def _kept(before: str, label: str, after: str, notes: Collection[str]) -> str | None:
    """Return the run if it is part of the word or number next to it, else None."""
    if _SIGN.match(label):
        return label
    stem = before.rstrip()
    if stem and (stem == before or _is_attached(before)):
        if stem[-1].isdigit() and _ORDINAL.match(label):
            return label
        if _is_power(stem, label, after, notes):
            return superscript(label)
        if stem[-1].isalnum() and _ION.match(label):
            return label
        if stem[-1].isdigit() and _DEGREE.match(label + after):
            return label.translate(_RAISED_O)
    return superscript(label) if stem and _ISOTOPE.match(label + after) else None


def _is_power(stem: str, label: str, after: str, notes: Collection[str]) -> bool:
    if not _POWER.match(label):
        return False
    if _TIMES_TEN.search(stem):
        return True
    if _TEN.search(stem):  # a bare ten in a table with notes is ten
        return label not in notes or after.startswith("/")
    return label.lstrip("-–−+") in _LENGTH_POWERS and bool(_UNIT_AT_END.search(stem))
