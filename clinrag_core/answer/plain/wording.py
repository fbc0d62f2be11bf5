"""Clinical wordings of a text in plain words; names of drugs and figures are never touched.

References to other places of a document say nothing to a patient and are left out, and nothing
else is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.plain.split import run_in_heading
from clinrag_core.facts.frequencies import NUMBER_WORDS
from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.clinical_terms import clinical_terms
from clinrag_core.lexicon.vocabulary import plain_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import BULLETS
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon

# Such as "[see Warnings (5.1)]", "(see Table 3)", "( 5.2 , 6.1 )", "( 2 )".
_REFERENCES = lazy_re(
    r"\s*\[\s*see\b[^\[\]]*\]|\s*\(\s*see\b(?:[^()]|\([^()]*\))*\)"
    r"|\s*\(\s*(?:table|figure|fig\.|annex|appendix|section|box)s?\s+\d[\d.,\sA-Za-z]{0,12}\)"
    r"|\s*[(\[]\s*\d{1,2}\.\d{1,2}(?:\s*(?:,|to|-|–)\s*\d{1,2}(?:\.\d{1,2})?)*\s*[)\]]"
    r"|\s*\(\s+\d{1,2}(?:\.\d{1,2})?(?:\s*,\s*\d{1,2}(?:\.\d{1,2})?)*\s+\)",
    re.IGNORECASE,
)
# "are cured (12, 13)."; but "in two (3), five and eight months" has a figure in its brackets.
_NOTES = lazy_re(
    r"\b([a-z]{3,})\s*[(\[]\d{1,3}(?:\s*[,–-]+\s*\d{1,3})*[)\]](?=\s*(?:[.;,]|$))", re.IGNORECASE
)
_COUNTED = lazy_re(rf"{units_of('time', 'count')}|(?:time|patient|case|people|person|age)s?")
_SIGNS = lazy_re(
    rf"^(?:[\s{BULLETS}*†‡§¶‖]|[-–](?=\s)|o\s(?=[A-Z])|\d+(?:\.\d+)+\.?\s(?=[A-Z])"
    r"|\d{1,2}\.\s(?=[A-Z])|\d{1,2}\s(?=[A-Z]{4,}\b))+"
)
_TRADE_MARKS = lazy_re("[®™]")
_ARTICLE = lazy_re(r"\b(a|an)\s$", re.IGNORECASE)
_CAPITALS = lazy_re(r"(?:[^a-z\s]*[A-Z][^a-z\s]*(?:\s+|$)|[^\w\s]+\s+){3,}")
"""Words in capitals only, as in headings and boxed warnings; names and abbreviations stay."""
_WORD_IN_CAPITALS = lazy_re(r"[A-Z]{2,}")
LONGEST_NAME = 4
"""Letters of an abbreviation that a text in capitals may hold."""


@lru_cache(maxsize=CACHED_TEXTS)
def without_references(text: str) -> str:
    """Return a text without references to other places, its list sign and its place number."""
    text = _NOTES.sub(_without_note, _REFERENCES.sub("", _TRADE_MARKS.sub("", text)))
    return " ".join(_SIGNS.sub("", text).replace(" .", ".").split())


def _without_note(match: re.Match[str]) -> str:
    word = match[1].casefold()
    return match[0] if word in NUMBER_WORDS or _COUNTED.fullmatch(word) else match[1]


def plain_wording(text: str, drugs: DrugLexicon) -> str:
    """Return a text with its clinical wordings in plain words."""
    named = [(mention.start, mention.end) for mention in drugs.mentions(text)]
    text = _in_small_letters(text, named)
    written = ""
    at = 0
    for use in clinical_terms().uses(text):
        if any(use.start < end and start < use.end for start, end in named):
            continue
        written += text[at : use.start]
        at = use.end
        written = _ARTICLE.sub(lambda m, plain=use.plain: _article(m[1], plain), written)
        capital = text[use.start].isupper() and (not written or written.rstrip()[-1:] in ".:")
        written += use.plain[:1].upper() + use.plain[1:] if capital else use.plain
    return written + text[at:]


@lru_cache(maxsize=CACHED_TEXTS)
def plain_parts(claim: str, drugs: DrugLexicon) -> tuple[str, str]:
    """Return the heading that a claim begins with, or "", and the rest, in plain words.

    Without references.
    """
    heading, rest = run_in_heading(without_references(claim))
    return plain_wording(heading, drugs) if heading else "", plain_wording(rest, drugs)


def _in_small_letters(text: str, named: Sequence[tuple[int, int]]) -> str:
    """Return a text with words in capitals only in small letters.

    Its names of drugs, abbreviations and the first letter stay.
    """
    written = list(text)
    for run in _CAPITALS.finditer(text):
        for word in _WORD_IN_CAPITALS.finditer(text, run.start(), run.end()):
            inside = any(word.start() < end and start < word.end() for start, end in named)
            if not inside and not _is_abbreviation(word[0]):
                first = word.start() + (word.start() == run.start())
                written[first : word.end()] = text[first : word.end()].lower()
    return "".join(written)


def _is_abbreviation(word: str) -> bool:
    words = clinical_terms().words
    if len(word) > LONGEST_NAME or word.casefold() in words.grammar | FUNCTION_WORDS:
        return False
    return word in words.known or stem(word.casefold()) not in plain_stems()


def _article(article: str, following: str) -> str:
    """Return "a " or "an ", as the word that follows needs it."""
    fitting = "an " if following[:1].lower() in "aeiou" else "a "
    return fitting.capitalize() if article[0].isupper() else fitting
