"""How hard a patient's text is: its grade, and the words that need a professional.

Names of drugs, figures and the names of what the patient has cannot be said otherwise: each counts
as a word of two syllables, a list of drug names as one, so that the grade measures the words around
them. (Plain Flesch-Kincaid gives "Take isoniazid with food" grade 9.)
"""

from __future__ import annotations

import re
from bisect import bisect
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.plain.split import LINE
from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.clinical_terms import clinical_terms
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.vocabulary import everyday_stems
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.readability import LONGEST_ABBREVIATION, flesch_kincaid, syllables
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon

KNOWN_WORDS = 16_384
"""Single words whose reading is kept in memory."""
OF_A_NAME = 2
"""Syllables that a name or a figure counts as, at most."""
HARD = 4
"""Syllables from which an unknown word is hard; Gunning's fog index (1952) begins at 3, but common
words of three syllables raise the grade already."""
HARD_SIGNS = lazy_re(r"[↑↓↔|{}•]|\w[‡†§]")
# "hepatocellular", "pneumococcal", "colectomy", "fluoroquinolone".
_LEARNED = lazy_re(
    r"^(?:hyper|hypo|hepat|neur|nephr|card|pulmon|haem|hem[ao]|immun|gastr|cyt|leuk|lymph|thromb"
    r"|derm|bacter|staphyl|strept|pneumoc|myco|myel|fluoro|intra|peri|endo|tachy|brady|dys|pseudo)"
    r"|(?:itis|osis|oses|a?emia|a?emic|uria|pathy|penia|oma|ectomy|otomy|plasty|scopy|scopic|ology"
    r"|ologic|ologist|cyte|cytes|cidal|toxic|otropic|genic|genesis|azole|mycin|mycins|cillin|floxacin"
    r"|olone|olones|ide|ase|ine|ate|cocc[aiu]l?|virus|virals?|phylaxis|plegia|rrhagic?)s?$"
)
_OPTIONAL = lazy_re(r"\(.*?\)")
# "multiple sclerosis (MS)": behind words that say what it is.
_SHORT_FOR = lazy_re(r"(?<=\w )\(([A-Z][\w/-]{1,9})\)")
_PREFIX = lazy_re(r"^(?:un|non|re)")
_IN_BRACKETS = lazy_re(r"\s*\(([^()]+)\)")
_LISTED = lazy_re(r"[\s,/+()]*(?:(?:and|or)\s+)?")
_WORD = lazy_re(r"[^\W_]+(?:[.,/'-][^\W_]+)*%?")


class Reading:
    """Lines of a patient's text, read once: their grade, longest sentence and hard words."""

    def __init__(self, lines: Sequence[str], drugs: DrugLexicon) -> None:
        self._text = "\n".join(lines)
        self._goes_on = [line.startswith(LINE) for line in lines]
        self._shown = [m.span() for m in _IN_BRACKETS.finditer(self._text) if _is_shown(m[1])]
        self._words = [word for word in _words(self._text, drugs) if not self._is_inside(word)]
        named = {*_SHORT_FOR.findall(self._text), *regimens(self._text, drugs)}
        self.hard_words = sorted(
            {part for word in self._words if not word.name for part in _hard_parts(word.text)}
            - named
            | set(HARD_SIGNS.findall(self._text))
        )
        """Words that a patient cannot be expected to know."""

    def _is_inside(self, word: _Word) -> bool:
        """Return whether a word is one of the clinical words behind plain ones."""
        return any(start <= word.start < end for start, end in self._shown)

    @cached_property
    def lines(self) -> list[list[int]]:
        """The syllables of each word of each line, without clinical words behind plain ones."""
        ends = [m.start() for m in re.finditer("\n", self._text)]
        spoken: list[list[int]] = [[] for _ in self._goes_on]
        for word in self._words:
            spoken[bisect(ends, word.start)] += [OF_A_NAME] if word.name else _said(word.text)
        return spoken

    @property
    def longest(self) -> int:
        """Words of the longest sentence."""
        return max(map(len, self.sentences), default=0)

    @cached_property
    def sentences(self) -> list[list[int]]:
        """The same of whole sentences, whatever their lines."""
        sentences: list[list[int]] = []
        for spoken, goes_on in zip(self.lines, self._goes_on, strict=True):
            if goes_on and sentences:
                sentences[-1] = sentences[-1] + spoken
            else:
                sentences.append(spoken)
        return sentences


def grade_of(readings: Sequence[Reading], *, whole: bool = False) -> float | None:
    """Return the Flesch-Kincaid grade of texts; None without a word.

    A line counts as a sentence, as word processors count the lines of a list; with `whole` only
    whole sentences count.
    """
    spoken = [part for one in readings for part in (one.sentences if whole else one.lines)]
    grade = flesch_kincaid(spoken)
    return None if grade is None else round(grade, 1)


class _Word(NamedTuple):
    """A word of a text; a list of names of drugs is one."""

    start: int
    text: str
    name: bool


def _words(text: str, drugs: DrugLexicon) -> Iterator[_Word]:
    """Yield the words of a text, and whether each is a drug's name."""
    named: list[tuple[int, int]] = []
    for mention in drugs.mentions(text):
        if named and _LISTED.fullmatch(text, named[-1][1], mention.start):
            named[-1] = (named[-1][0], mention.end)
        else:
            named.append((mention.start, mention.end))
    at = 0
    for match in _WORD.finditer(text):
        while at < len(named) and named[at][1] <= match.start():
            at += 1
        inside = at < len(named) and named[at][0] < match.end()
        if not inside or match.start() <= named[at][0]:
            yield _Word(match.start(), match.group(), inside)


def _is_shown(words: str) -> bool:
    """Return whether words in brackets are the clinical ones for the plain words before them."""
    return words.casefold() in _shown_terms()


@cache
def _shown_terms() -> frozenset[str]:
    """Return what plain wordings have in brackets, as in the table and with the wording itself."""
    table = clinical_terms()
    shown = [term for term, plain in table.pairs.items() if "{}" in plain]
    fixed = [words for plain in table.pairs.values() for words in _IN_BRACKETS.findall(plain)]
    forms = [form for term in shown for form in (_OPTIONAL.sub("", term), _unmarked(term))]
    return frozenset(words.casefold() for words in [*forms, *fixed])


def _unmarked(term: str) -> str:
    return term.replace("(", "").replace(")", "")


@lru_cache(maxsize=KNOWN_WORDS)
def _said(word: str) -> list[int]:
    """Return the syllables of a word, by its parts."""
    if word[0].isdigit():
        return [OF_A_NAME]
    return [
        min(syllables(part), OF_A_NAME) if part.casefold() in _named() else syllables(part)
        for part in re.split(r"[-/.,]", word)
        if part
    ]


@lru_cache(maxsize=KNOWN_WORDS)
def _hard_parts(word: str) -> tuple[str, ...]:
    """Return the parts of a word that are hard."""
    if word[0].isdigit():
        return ()
    return tuple(part for part in re.split(r"[-/.,]", word) if _is_hard(part))


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
    """Return names that a patient knows, and clinical words shown behind plain ones."""
    single = {term for term in _shown_terms() if " " not in term}
    return frozenset(word.casefold() for word in clinical_terms().words.known) | single


@cache
def _known() -> frozenset[str]:
    """Return words that patients know, and those of plain words, as printed."""
    table = clinical_terms()
    printed = frozenset(re.findall(r"[^\W\d_]+", " ".join(table.pairs.values())))
    return table.words.known | table.words.general | printed | _named()


@cache
def _known_stems() -> frozenset[str]:
    return frozenset(stem(unify_spelling(word.casefold())) for word in _known())
