"""Folding of spelling variants that mean the same character or the same quantity.

Pure functions from string to string. `fold` may change the length of a text; `fold_chars` never
does, so positions found in its result are positions in the original.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.units import GAP, NUMBER, UNIT, canonical_number, canonical_unit

CACHED_TEXTS = 4_096
"""Texts that are kept folded, in memory only, and with their hash for the caches of readers."""
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2043"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07`"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02"
_SPACES = "\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"

_WIDTHS: dict[int, str] = {
    code: folded
    for block in (range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800))
    for code in block
    if len(folded := unicodedata.normalize("NFKC", chr(code))) == 1
}
"""Full-width forms and styled letters of mathematics to the plain letters that they are read as."""

_PLAIN = _WIDTHS | dict.fromkeys(map(ord, _INVISIBLE), "") | {0x3000: " "}

_ONE_TO_ONE: dict[int, str] = (
    _WIDTHS
    | dict.fromkeys(map(ord, _DASHES), "-")
    | dict.fromkeys(map(ord, _SINGLE_QUOTES), "'")
    | dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"')
    | dict.fromkeys(map(ord, _SPACES), " ")
    | {0x00B5: "\u03bc", 0x00D7: "x", 0x2044: "/", 0x2215: "/"}
)
_CHARS: dict[int, str] = (
    _ONE_TO_ONE
    | dict.fromkeys(map(ord, _INVISIBLE), "")
    | {0x2264: "<=", 0x2265: ">=", 0x2A7D: "<=", 0x2A7E: ">=", 0x2266: "<=", 0x2267: ">="}
    | {0x0131: "i", 0x017F: "s", 0x00E6: "ae", 0x0153: "oe", 0x00F8: "o", 0x0142: "l"}
    | {0x00C6: "ae", 0x0152: "oe", 0x00D8: "o", 0x0141: "l"}
)
# its lower case is two characters
_LOWER_ONE_TO_ONE: dict[int, str] = {0x0130: "i"}

_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_FRACTION = lazy_re("[½¼¾]")
_SUPERSCRIPT = lazy_re("[\u207b\u207a]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+")
_SUPERSCRIPT_DIGITS = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u207a", "0123456789-+"
)
_AFTER_TEN = lazy_re(r"(?<![\d.,])10$")
_AFTER_METRE = lazy_re(r"(?<![^\W_])[cmk]?m$", re.IGNORECASE)
_MARKS = lazy_re("[\u0300-\u036f]+")
_MICRO = lazy_re("\u03bc(?=(?:g|l|m|mol|iu|u|kat|eq|v|gy|ci)(?![a-z]))")
_LONE_GREEK = lazy_re("(?<![\u03b1-\u03c9])[\u03b1-\u03c9](?![\u03b1-\u03c9])")
DECIMAL_DOT = lazy_re("(?<=\\d)[\u00b7\u2219\u22c5](?=\\d)")

_GREEK_LETTERS = "αβγδεζηθικλμνξοπρςστυφχψω"
_GREEK_NAMES = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma
tau upsilon phi chi psi omega
"""
_GREEK = dict(zip(_GREEK_LETTERS, _GREEK_NAMES.split(), strict=True))


_CHANGED = lazy_re("[^\x00-\x5f\x61-\x7f]+")
"""What the tables may change: signs that are not ASCII, and the grave accent. To translate a whole
text takes many times as long as these few."""


def _one_to_one(match: re.Match[str]) -> str:
    return match.group().translate(_ONE_TO_ONE).replace("\u03bc", "u")


def _in_plain_chars(match: re.Match[str]) -> str:
    return match.group().translate(_CHARS)


def _fraction(match: re.Match[str]) -> str:
    after_digit = match.start() > 0 and match.string[match.start() - 1].isdigit()
    return _FRACTIONS[match.group()] if after_digit else "0" + _FRACTIONS[match.group()]


def _superscript(match: re.Match[str]) -> str:
    """Exponent of ten, power of a length, or else a footnote mark, set apart."""
    digits = match.group().translate(_SUPERSCRIPT_DIGITS)
    before = match.string[max(0, match.start() - 4) : match.start()]
    if _AFTER_TEN.search(before):
        return "^" + digits
    return digits if _AFTER_METRE.search(before) else " " + digits


_LOOK_ALIKE = str.maketrans(
    "\u0430\u0435\u0456\u0458\u043e\u0440\u0441\u0455\u0443\u0445\u03bf"
    "\u0410\u0412\u0415\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0405\u0422\u0423\u0425"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeijopcsyxoABEIJKMHOPCSTYXABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters to the Latin ones that look the same."""
_HYPHENS = lazy_re("[-\u2010\u2011]")
_SPELT = lazy_re("(?<![^\\W_])(?:[A-Za-z][-\u2010\u2011]){5,}[A-Za-z](?![^\\W_])")
"""A word of six letters and more with a hyphen between all of them."""
_MIXED = lazy_re(r"(?=\w*[A-Za-z])(?=\w*[\u0370-\u03ff\u0400-\u04ff])\w+")
"""A word with letters of two alphabets."""


def fold(text: str) -> str:
    """Fold case, accents, width, ligatures, dashes, quotes, spaces and Greek letters.

    A lone Greek letter becomes its name ("β-lactam" -> "beta-lactam"), micro before a unit becomes
    "u"; "≥" becomes ">=", a vulgar fraction a decimal ("2½" -> "2.5"), "10⁵" "10^5". Idempotent.
    """
    if text.isascii():
        return text.lower()
    text = _FRACTION.sub(_fraction, text)
    text = _SUPERSCRIPT.sub(_superscript, text)
    text = unicodedata.normalize("NFKC", _CHANGED.sub(_in_plain_chars, text)).casefold()
    if text.isascii():
        return text.replace("`", "'")
    text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    text = _CHANGED.sub(_in_plain_chars, unicodedata.normalize("NFC", text))
    text = DECIMAL_DOT.sub(".", text)
    text = _MICRO.sub("u", text)
    return _LONE_GREEK.sub(lambda match: _GREEK[match.group()], text)


def plain_letters(text: str) -> str:
    """Return a text with full-width and styled letters as plain ones, without invisible characters.

    Input methods of East Asia write Latin letters full-width; what is copied from a web page may
    have soft hyphens and spaces of no width inside a word. A Cyrillic or Greek letter that looks
    like a Latin one is that one in a word with others; a word may be spelt with hyphens. Nothing
    else is changed.
    """
    if not text.isascii():
        text = _MIXED.sub(_in_latin, text.translate(_PLAIN))
    return _SPELT.sub(lambda match: _HYPHENS.sub("", match.group()), text)


def _in_latin(match: re.Match[str]) -> str:
    return match.group().translate(_LOOK_ALIKE)


def _lower_char(char: str) -> str:
    lower = _LOWER_ONE_TO_ONE.get(ord(char)) or char.lower()
    return lower if len(lower) == 1 else char


@lru_cache(maxsize=CACHED_TEXTS)
def fold_chars(text: str) -> str:
    """Fold case, width, dashes, quotes, spaces and the micro sign, one character to one character.

    The result has the length of `text`.
    """
    return text.lower() if text.isascii() else _fold_signs(text)


def _fold_signs(text: str) -> str:
    text = _CHANGED.sub(_one_to_one, text)
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(map(_lower_char, text))


_THOUSANDS = lazy_re(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_NUMBER_UNIT = lazy_re(rf"(?<![^\W_])(?<!\d[.,])({NUMBER}){GAP}({UNIT})")
_NUMBER_RANGE = lazy_re(r"(?<=\d)\s*-\s*(?=\d)")
_COMPARATOR = lazy_re(r"([<>]=?)\s+(?=\d)")


@lru_cache(maxsize=1024)
def normalise_for_match(text: str) -> str:
    """Return the text in which a term can be looked up whatever way either was printed.

    Folds as `fold` does, collapses white space, and gives quantities one spelling: "600mg",
    "600 mg", "600-mg" -> "600 mg"; "1,200 micrograms" -> "1200 mcg"; "≥ 35 kg" -> ">=35 kg";
    "10 – 15 mg" -> "10-15 mg". Idempotent.
    """
    text = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), fold(text))
    text = _NUMBER_RANGE.sub("-", text)
    text = _COMPARATOR.sub(r"\1", text)
    text = _NUMBER_UNIT.sub(lambda m: f"{canonical_number(m[1])} {canonical_unit(m[2])}", text)
    return " ".join(text.split())


_AFTER_UNIT = r"(?![^\W_])(?!/(?:kg|m2|day|dose|hour|minute|ml|l|dl)(?![^\W_]))"
_AFTER_WORD = r"(?![^\W_])(?![.,]\d)"
_BEFORE = r"(?<![^\W_])(?<!\d[.,])"
ENDS_IN_UNIT = lazy_re(rf"(?:{NUMBER}){GAP}(?:{UNIT})$")


@lru_cache(maxsize=4096)
def _term_pattern(term: str) -> re.Pattern[str]:
    after = _AFTER_UNIT if ENDS_IN_UNIT.search(term) else _AFTER_WORD
    return re.compile(_BEFORE + re.escape(term) + after)


def contains_term(normalised_text: str, term: str) -> bool:
    """Return whether the result of `normalise_for_match` holds a printed term as whole words.

    "5 mg" is not in "0.5 mg" or "15 mg", and "10 mg" is not in "10 mg/kg". An empty term never is.
    """
    wanted = normalise_for_match(term)
    # A search for the letters takes a tenth of the time of the pattern, which hardly any text has.
    if not wanted or wanted not in normalised_text:
        return False
    return _term_pattern(wanted).search(normalised_text) is not None
