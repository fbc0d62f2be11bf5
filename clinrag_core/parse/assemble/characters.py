"""One way to write characters, for every source format.

Decides what happens to ligatures, invisible and private-use characters, soft hyphens and spaces.
Never NFKC: it turns 10⁶ into 106 and m² into m2. Letters, digits and signs that a reader sees
are otherwise kept as printed, wrong ones included: a source is quoted, never repaired.
"""

from __future__ import annotations

import re
import unicodedata

from clinrag_core.text.list_signs import ICON_BULLETS

_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
# Adobe Symbol: code -> character, for the signs that change what a dose means.
_SYMBOL_TABLE = str.maketrans(
    "\uf0b3\uf0a3\uf0b1\uf0b0\uf0b4\uf0b8\uf0b9\uf0bb\uf0a5\uf0ae\uf0de\uf0ac\uf0ad\uf0af"
    "\uf061\uf062\uf067\uf06d\uf02b\uf03c\uf03e\uf03d\uf025",
    "≥≤±°×÷≠≈∞→⇒←↑↓αβγµ+<>=%",
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_THOUSANDS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_WIDE_SPACE = re.compile(f"[{_SPACES}]")
_KEEP = "\x01"  # control characters are gone when it is used
_RUN = re.compile(r"[ \t\r\n\f\v\x85\u2028\u2029]+")
_TABLE = {
    **_LIGATURES,
    **{ord(c): "•" for c in ICON_BULLETS},
    0x2010: "-",
    0x2011: "-",
}
_CP1252 = {c: bytes([c]).decode("cp1252", "ignore") for c in range(0x80, 0xA0)}
_SUPERSCRIPT = str.maketrans("0123456789+-–−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")
_PRIVATE = re.compile("[\ue001-\uf8ff]")


def clean(text: str, *, font: str = "") -> str:
    """Replace ligatures, bullets of icon fonts and odd hyphens; drop what cannot be seen.

    Soft hyphens (U+00AD) vanish: they mark where a word *may* break. The no-break space between
    a number and its unit becomes a plain space, so '5 days' is the same two words everywhere; only
    between groups of three digits it stays ('1\u00a0500 mg' is one number, not 1 and 500).

    Line breaks and tabs are kept. Private-use codes are read as Adobe Symbol if `font` is one.
    """
    if text.isascii():
        return _CONTROL.sub("", text)
    if "symbol" in font.lower():
        text = text.translate(_SYMBOL_TABLE)
    text = _CONTROL.sub("", _INVISIBLE.sub("", text.translate(_TABLE)))
    text = _THOUSANDS.sub(_KEEP, text)
    return _WIDE_SPACE.sub(" ", text).replace(_KEEP, "\u00a0")


def squeeze(text: str) -> str:
    """Join runs of white space to one space, none at the ends; digit-group U+00A0 stays."""
    return _RUN.sub(" ", text).strip(" ")


def from_c1(text: str) -> str:
    """Read C1 controls as windows-1252, as browsers do: old pages write † as `&#134;`."""
    return text.translate(_CP1252)


def private_use(text: str) -> int:
    """Return the number of private-use characters: glyphs whose meaning only their font knows."""
    return len(_PRIVATE.findall(text))


def superscript(text: str) -> str:
    """Digits and signs as Unicode superscripts: '6' in 10⁶ stays an exponent in plain text."""
    return text.translate(_SUPERSCRIPT)
