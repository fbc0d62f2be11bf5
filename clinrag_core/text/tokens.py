"""The clinical tokeniser behind BM25.

Generic tokenisers lose what matters here: digits of a dose, "β", the K of vitamin K, "not". This
one keeps them, and gives one form to what means the same. A change of output is a new `TOKENIZER`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, pairwise

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.units import GAP, NUMBER, UNIT, canonical_number, canonical_unit

TOKENIZER = "clinical/2"
PAIR = 2
"""Parts of the shortest compound: joined, they are the whole."""
ION = 2
"""Letters of "K+" and "Na+", whose plus is a charge; that of "HIV+" is a result."""

_NEGATIONS = "cannot neither never no non none nor not without"
NEGATIONS = frozenset(_NEGATIONS.split())
# Never a negation, a comparative, a number or a modal ("should", "may"); nor "who" (WHO), "or"
# (odds ratio), "it" (intrathecal), "am" (amikacin).
_STOP_WORDS = """
a also an and are as at be been being by did do does eg for from had has have ie in into is its of
on such that the their them then there these they this those to was were what which while with
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_CONTRACTIONS = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "shan't": ("shall", "not"),
    "won't": ("will", "not"),
}

_START = r"(?<![^\W_])(?<![^\W_]-)(?<!\d[.,])"
_TO = r"(?:[^\S\n]?-[^\S\n]?|\s+to\s+|[^\S\n]?/[^\S\n]?)"
_QUANTITY = lazy_re(
    rf"(?:[<>]=?[^\S\n]?)?{_START}(?:{NUMBER}(?:{GAP}{UNIT})?{_TO}){{0,4}}{NUMBER}{GAP}{UNIT}"
    rf"|[<>]=?[^\S\n]?{NUMBER}(?![^\W_])"
)
_MAY_BEGIN = lazy_re(r"[<>\d.](?:(?<!\.)|(?=\d))")
"""Where a quantity may begin: to try it there only takes a fifth of the time of a search."""
_ITEM = lazy_re(rf"({NUMBER})(?:{GAP}({UNIT}))?")
_COMPARATOR = lazy_re(r"[<>]=?")
# "4HR" is four hours or a tuberculosis regimen: kept as a word as well.
_REGIMEN_LIKE = lazy_re(r"(?<![^\W_])\d{1,2}hr?(?![^\W_])")

# "vitamin A", "hepatitis B": the letter belongs to the word before it.
_LETTERED = """
vitamin hepatitis influenza group class type grade stage category annex table appendix figure
schedule pugh module
"""
_AFTER_LETTERED = "|".join(rf"(?<=\b{word}[ \n])" for word in _LETTERED.split())
_LETTER = lazy_re(rf"[ \n](?=[a-z](?![^\W_]|['-]))(?:{_AFTER_LETTERED})")

_WORD = lazy_re(
    r"w/o(?![^\W_])"
    r"|(?:[^\W\d_]\.){2,}[^\W\d_]?(?![^\W_])"
    rf"|{NUMBER}(?:\.\d++)*+(?![^\W_]|-[^\W\d_])"
    r"|[^\W_]+(?:[-'][^\W_]+)*\+?"
)


def _parts(part: str) -> tuple[str, ...]:
    """Return one word, without hyphens, as tokens: contractions resolved, possessive dropped."""
    if part in _CONTRACTIONS:
        return _CONTRACTIONS[part]
    if part.endswith("n't") and part != "n't":
        return (*_parts(part[:-3]), "not")
    word = part[:-2] if part.endswith("'s") else part
    return (unify_spelling(word.replace("'", "")),)


def _compound(word: str) -> list[str]:
    """Split "tb-iris" into tbiris, tb, iris; of three parts and more the neighbouring pairs too."""
    parts = word.split("-")
    if all(part.isdigit() for part in parts):
        return parts
    joined = ["".join(parts)]
    if len(parts) > PAIR:
        joined += [left + right for left, right in pairwise(parts)]
    tokens = [unify_spelling(word.replace("'", "")) for word in joined]
    for part in parts:
        tokens += [t for t in _parts(part) if len(t) == 1 or t not in STOP_WORDS]
    return tokens


def _word_tokens(word: str) -> list[str]:
    """Return the tokens of one word: its parts, without stop words."""
    if word[0].isdigit() and not word[-1].isalpha() and "-" not in word:
        return [word.replace(",", "")]
    if word.endswith("+"):
        word = word[:-1]
        positive = ["positive"] if word.isalpha() and len(word) > ION else []
        return _word_tokens(word) + positive
    if "-" in word:
        return _compound(word)
    if "." in word:
        word = word.replace(".", "")
    return [token for token in _parts(word) if token not in STOP_WORDS]


@lru_cache(maxsize=131072)
def _piece_tokens(piece: str) -> tuple[str, ...]:
    """Return the tokens of what is between two white spaces."""
    return tuple(token for word in _WORD.findall(piece) for token in _word_tokens(word))


def _with_unit(value: str, unit: str) -> list[str]:
    """Join 10 and "mg/kg/day": 10_mg/kg/day, 10_mg/kg (a rate is also found without its time)."""
    tokens = [f"{value}_{unit}"]
    base, _, last = unit.rpartition("/")
    if base and last in {"day", "dose", "week", "hour", "month"}:
        tokens.append(f"{value}_{base}")
    return tokens


@lru_cache(maxsize=16384)
def _quantity_tokens(quantity: str) -> tuple[str, ...]:
    """Return the tokens of a quantity: each number with its unit, and both alone."""
    comparator = _COMPARATOR.match(quantity)
    items = _ITEM.findall(quantity, comparator.end() if comparator else 0)
    default = canonical_unit(items[-1][1]) if items[-1][1] else ""
    tokens: list[str] = []
    words: dict[str, None] = {}
    for number, own_unit in items:
        value = canonical_number(number)
        unit = canonical_unit(own_unit) if own_unit else default
        tokens += [*(_with_unit(value, unit) if unit else ()), value]
        words |= dict.fromkeys(unit.split("/") if unit else ())
    if comparator:
        tokens.insert(0, comparator.group() + tokens[0])
    return (*tokens, *words, *_REGIMEN_LIKE.findall(quantity))


def tokenize(text: str) -> list[str]:
    """Tokens of a passage or a query, in reading order, repeated as they are.

    - Case, accents, width, dashes, Greek letters and spelling variants are folded.
    - A quantity gives itself and its parts: "0.5 mg/kg" -> `0.5_mg/kg`, `0.5`, `mg`, `kg`, the
      same with or without a space. Every number of a range or a fixed-dose list takes the unit:
      "10-15 mg" -> `10_mg`, `15_mg`. "≥ 35 kg" adds `>=35_kg`.
    - A hyphen compound gives itself joined and its parts: "TB-IRIS" -> `tbiris`, `tb`, `iris`.
    - Negations, comparatives, modals, digits and single letters stay; `STOP_WORDS` go.
    - Plural s is dropped by rule (`spelling.unify_spelling`); nothing else is stemmed.
    """
    folded = _LETTER.sub("-", fold(text).replace("_", " "))
    tokens: list[str] = []
    at = 0
    start = _MAY_BEGIN.search(folded)
    while start:
        after = start.end()
        if match := _QUANTITY.match(folded, start.start()):
            tokens += chain.from_iterable(map(_piece_tokens, folded[at : match.start()].split()))
            tokens += _quantity_tokens(match.group())
            at = after = match.end()
        start = _MAY_BEGIN.search(folded, after)
    tokens += chain.from_iterable(map(_piece_tokens, folded[at:].split()))
    return tokens
