"""How hard a patient's text is: its grade, and the words that need a professional.

Names of drugs, figures and the names of what the patient has cannot be said otherwise: each counts
as a word of two syllables, a list of drug names as one, so that the grade measures the words around
them. (Plain Flesch-Kincaid gives "Take isoniazid with food" grade 9.)
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING

from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.clinical_terms import clinical_terms
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.vocabulary import everyday_stems
from clinrag_core.text.readability import LONGEST_ABBREVIATION, flesch_kincaid, syllables
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon

OF_A_NAME = 2
"""Syllables that a name or a figure counts as, at most."""
HARD = 4
"""Syllables from which an unknown word is hard; Gunning's fog index (1952) begins at 3, but common
words of three syllables raise the grade already."""
HARD_SIGNS = re.compile(r"[↑↓↔|{}•]|\w[‡†§]")
# "hepatocellular", "pneumococcal", "colectomy", "fluoroquinolone".
_LEARNED = re.compile(
    r"^(?:hyper|hypo|hepat|neur|nephr|card|pulmon|haem|hem[ao]|immun|gastr|cyt|leuk|lymph|thromb"
    r"|derm|bacter|staphyl|strept|pneumoc|myco|myel|fluoro|intra|peri|endo|tachy|brady|dys|pseudo)"
    r"|(?:itis|osis|oses|a?emia|a?emic|uria|pathy|penia|oma|ectomy|otomy|plasty|scopy|scopic|ology"
    r"|ologic|ologist|cyte|cytes|cidal|toxic|otropic|genic|genesis|azole|mycin|mycins|cillin|floxacin"
    r"|olone|olones|ide|ase|ine|ate|cocc[aiu]l?|virus|virals?|phylaxis|plegia|rrhagic?)s?$"
)
_OPTIONAL = re.compile(r"\(.*?\)")
# "multiple sclerosis (MS)": behind words that say what it is.
_SHORT_FOR = re.compile(r"(?<=\w )\(([A-Z][\w/-]{1,9})\)")
_PREFIX = re.compile(r"^(?:un|non|re)")
_IN_BRACKETS = re.compile(r"\s*\(([^()]+)\)")
_LISTED = re.compile(r"[\s,/+()]*(?:(?:and|or)\s+)?")
_WORD = re.compile(r"[^\W_]+(?:[.,/'-][^\W_]+)*%?")


def grade_of(sentences: Sequence[str], drugs: DrugLexicon) -> float | None:
    """Return the Flesch-Kincaid grade of sentences; None without a word."""
    grade = flesch_kincaid(map(partial(_spoken_words, drugs=drugs), sentences))
    return None if grade is None else round(grade, 1)


def longest(sentences: Sequence[str], drugs: DrugLexicon) -> int:
    """Return how many words the longest of some sentences has; a list of drugs counts as one."""
    return max((len(_spoken_words(sentence, drugs)) for sentence in sentences), default=0)


def _spoken_words(sentence: str, drugs: DrugLexicon) -> list[int]:
    """Return the syllables of each word of a sentence."""
    words = _words(_without_shown(sentence), drugs)
    return [n for word, name in words for n in _spoken(word, name)]


def hard_words(text: str, drugs: DrugLexicon) -> list[str]:
    """Return the words of a text that a patient cannot be expected to know, sorted."""
    named = {*_SHORT_FOR.findall(text), *regimens(text, drugs)}
    hard = {
        part
        for word, name in _words(text, drugs)
        if not name and not word[0].isdigit() and word not in named
        for part in re.split(r"[-/.,]", word)
        if part not in named and _is_hard(part)
    }
    return sorted(hard | set(HARD_SIGNS.findall(text)))


def _without_shown(sentence: str) -> str:
    """Return a sentence without the clinical words in brackets behind their plain words."""
    return _IN_BRACKETS.sub(
        lambda match: "" if _named().issuperset(match[1].casefold().split()) else match[0], sentence
    )


def _words(text: str, drugs: DrugLexicon) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, and whether each is a drug's name; a list of names is one."""
    named: list[tuple[int, int]] = []
    for mention in drugs.mentions(text):
        if named and _LISTED.fullmatch(text, named[-1][1], mention.start):
            named[-1] = (named[-1][0], mention.end)
        else:
            named.append((mention.start, mention.end))
    for match in _WORD.finditer(text):
        inside = next(((a, b) for a, b in named if a < match.end() and match.start() < b), None)
        if inside is None or match.start() <= inside[0]:
            yield match.group(), inside is not None


def _spoken(word: str, name: bool) -> list[int]:
    if name or word[0].isdigit():
        return [OF_A_NAME]
    parts = [part for part in re.split(r"[-/.,]", word) if part]
    return [
        min(syllables(part), OF_A_NAME) if part.casefold() in _named() else syllables(part)
        for part in parts
    ]


def _is_hard(word: str) -> bool:
    """Return whether a patient cannot be expected to know a word that is no drug's name."""
    if word in _known() or word.casefold() in _known():
        return False
    if word.casefold() in clinical_terms().words.professional:
        return True
    lower = word.casefold()
    capitals = sum(map(str.isupper, word))
    if capitals > 1 and (len(word) <= LONGEST_ABBREVIATION or capitals < len(word)):
        return stem(lower) not in everyday_stems()
    if _is_everyday(lower) or _is_everyday(_PREFIX.sub("", lower)) or is_drug_shaped(lower):
        return False
    spoken = syllables(word)
    return spoken >= HARD or (spoken == HARD - 1 and _LEARNED.search(lower) is not None)


def _is_everyday(word: str) -> bool:
    root = stem(unify_spelling(word))
    return root in everyday_stems() or root in _known_stems()


@cache
def _named() -> frozenset[str]:
    """Names that a patient has been told, and clinical words shown behind their plain words."""
    table = clinical_terms()
    shown = [term for term, plain in table.pairs.items() if "{}" in plain]
    names = " ".join([*shown, *map(_OPTIONAL.sub, repeat(""), shown), *table.words.known])
    return frozenset(re.findall(r"[^\W_]+", names.replace("(", "").replace(")", "").casefold()))


@cache
def _known() -> frozenset[str]:
    """Words that patients know, and those of plain words, as printed."""
    table = clinical_terms()
    printed = frozenset(re.findall(r"[^\W\d_]+", " ".join(table.pairs.values())))
    return table.words.known | table.words.general | printed | _named()


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(stem(unify_spelling(word.casefold())) for word in _known())
