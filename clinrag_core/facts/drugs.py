"""Finds drugs in text: the one finder of search, answers, notes and evaluation.

The shipped table knows drugs of the field and common others; a release adds every name of its
labels. A misspelt name is corrected only where it is close to one drug and to no other, and is no
word that the corpus uses.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from clinrag_core.facts.abbreviations import abbreviations
from clinrag_core.lexicon.common_words import is_known
from clinrag_core.lexicon.drug_names import ingredient, name_variants, split_combination
from clinrag_core.lexicon.drugs import NO_CLASSES, drug_classes, known_drugs, words_of_class
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import close_words, english_sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from clinrag_core.lexicon.drugs import Area

About = Literal["drug", "resistance"]

_WORD = lazy_re(r"[^\W_]+")
_RESISTANCE = lazy_re(
    r"[-\s]{1,2}(?:(?:only|alone)[-\s])?(?:(?:mono|poly|multi)[- ]?)?"
    r"(?:resist(?:ant|ance)|susceptib\w+|sensitiv\w+)"
)
_TEST_NAMES = ("tb/", "tb ", "xpert/", "xpert ")
"""What comes before "RIF" in the name of a test, Xpert MTB/RIF."""
MIN_NAME = 3
"""Fewest letters of a name: abbreviations of two letters ("DS", "PA") mean other things as well."""
MIN_CORRECTED = 6
"""Fewest letters of a word that is corrected: one edit makes another word of a shorter one
(ablation: ADR 0061)."""
TWO_EDITS_FROM = 9
"""Letters from which two edits are corrected instead of one: from 7 on, twice as many words of the
corpora would be read as drugs; from 12 on, 86 of 300 misspelt names less (ADR 0061)."""


class Mention(NamedTuple):
    """A drug named in a text."""

    start: int
    end: int
    ingredients: frozenset[str]
    """One name per ingredient; several for a combination."""
    about: About
    """`resistance`: it names a property of the bacteria ("rifampicin-resistant")."""

    @property
    def name(self) -> str:
        """One name for all ingredients."""
        return "+".join(sorted(self.ingredients))


class Correction(NamedTuple):
    """A misspelt word and the word it was read as, mostly the name of a drug."""

    typed: str
    meant: str


_STRENGTHS = lazy_re(r"(?<=[a-z]{3})(?:\s+\d+(?:[./]\d+)+)+$", re.IGNORECASE)
"""What the name of a brand in several strengths ends in: "1/35", "7/7/7"."""
_FOR_WHOM = lazy_re(r"\b(?:children'?s?|childrens|infants'?|junior)\s+", re.IGNORECASE)
"""Whom the name of a product has it for."""
_LONG = 5
"""Words of a name that is no list of ingredients, by judgement."""
_LEAST = 3
"""Fewest words by which a longer brand is known: two may be those of another product."""
_JOINERS = frozenset({"and", "for", "of", "with", "-"})
PAIR = 2
MIN_CLIPPED = 5
"""Fewest letters of a clipped name: "vanco", "posacon"."""
CACHED_WORDS = 1_024
"""Words kept in memory only: those of a question are compared with every name three times."""


def _next_word(folded: str, word: str, start: int) -> int:
    """Return where a word of a text is from some place on, not where another has its letters."""
    while True:
        at = folded.index(word, start)
        end = at + len(word)
        if not (folded[max(at - 1, 0) : at].isalnum() or folded[end : end + 1].isalnum()):
            return at
        start = at + 1


def label_ingredients(key: str, names: Iterable[str]) -> frozenset[str]:
    """Return the ingredients of a label's drug, from its names; combinations are taken apart.

    `key` is the label's partition key, a slug of the drug's name.
    """
    own = frozenset(names) - {key}
    singles = frozenset(ingredient(name) for name in own if len(split_combination(name)) == 1)
    together = frozenset(
        ingredient(part)
        for name in own
        for part in split_combination(name)
        if len(split_combination(name)) > 1
    )
    # A brand like "Night Time Cold and Cough" is no combination: each part is a name of its own.
    together = frozenset(one for one in together & singles if len(one) > MIN_NAME)
    if together:
        return together
    words = set(_WORD.findall(key))
    of_key = {one: set(_WORD.findall(one)) for one in singles}
    of_key = {one: own for one, own in of_key.items() if own <= words}
    # "X acetate injection" is X.
    named = frozenset(
        one for one, own in of_key.items() if not any(o < own for o in of_key.values())
    )
    return named or frozenset([ingredient(key.replace("-", " "))])


def _short_forms(name: str) -> set[str]:
    """Return how a brand is also written: without strengths, or whom it is for, and with "&".

    One word of a longer name is no name of the product: it may be that of another one.
    """
    bare = _FOR_WHOM.sub("", name)
    forms = {bare} if " " in bare else set[str]()
    if len(bare.split()) >= _LONG:  # "X and Y" without "and" is two drugs
        forms.add(bare.replace(" and ", " "))
    return {_STRENGTHS.sub("", name), *forms} - {name}


def _beginnings(name: str, own: Iterable[str]) -> Iterator[str]:
    """Yield how a long brand is also called, by its first three words or more.

    Not the name of an ingredient with what it is combined with: "X acetate and" is any product's.
    """
    words = _FOR_WHOM.sub("", name).split()
    if any(part in words for one in own for part in one.split()):
        return
    for count in range(_LEAST, len(words)):
        if words[count - 1] not in _JOINERS:
            yield " ".join(words[:count])


class DrugLexicon:
    """Finds drugs by every name of every known drug.

    Args:
        labels: names of each label's drug, by its partition key.
        is_word: whether the corpus uses a word; such words are never corrected.
    """

    def __init__(
        self,
        labels: Mapping[str, Iterable[str]] | None = None,
        is_word: Callable[[str], bool] | None = None,
    ) -> None:
        """Index every name by its first word, the longest first."""
        self._names: dict[tuple[str, ...], frozenset[str]] = {}
        self._areas: dict[str, Area] = {}
        self._is_word = is_word or (lambda _: False)
        for drug in known_drugs():
            own = frozenset(ingredient(part) for part in split_combination(drug.name))
            for one in own:
                self._areas.setdefault(one, drug.area)
            for name in (drug.name, *drug.names):
                self._add(name, own)
        self._labels = {key: label_ingredients(key, names) for key, names in (labels or {}).items()}
        self.products = frozenset(self._labels.values())
        """Ingredients of each product that a label of the release is about."""
        self.labelled = frozenset[str]().union(*self.products)
        """Ingredients that a label of the release is about."""
        for one in sorted(self.labelled):  # first: it may also be the moiety of another label
            self._add(one, frozenset([one]))
        for key, names in (labels or {}).items():
            own = self._labels[key]
            for name in sorted(names):
                single = ingredient(name)
                self._add(name, frozenset([single]) if single in own else own)
                for brand in (*_short_forms(name), *_beginnings(name, own)):
                    self._add(brand, own)
        self._add_pairs()
        self._of_names: dict[tuple[str, ...], frozenset[str]] = {}
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for name in sorted(self._names, key=lambda name: (-len(name), name)):
            self._by_first.setdefault(name[0], []).append(name)
        self._singles = sorted(
            key[0] for key in self._names if len(key) == 1 and len(key[0]) >= MIN_CORRECTED - 1
        )

    def _add_pairs(self) -> None:
        """Let "x and y" be the product that has both, however its label joins them.

        Only where neither has a label of its own, and so may be asked about alone.
        """
        for own in self.products:
            if len(own) == PAIR and not any(frozenset([one]) in self.products for one in own):
                one, other = sorted(own)
                self._add(f"{one} and {other}", own)
                self._add(f"{other} and {one}", own)

    def _add(self, name: str, own: frozenset[str]) -> None:
        for variant in name_variants(name):
            words = tuple(_WORD.findall(fold_chars(variant)))
            if words and len("".join(words)) >= MIN_NAME:
                known = self._names.setdefault(words, own)
                if known < own:  # a product's label knows all that is in it, the table one part
                    self._names[words] = own

    def names_of(self, ingredients: Iterable[str]) -> frozenset[str]:
        """Return every name that means one of some ingredients, or a combination with one."""
        return frozenset[str]().union(*(self._by_ingredient.get(one, ()) for one in ingredients))

    @cached_property
    def _by_ingredient(self) -> dict[str, set[str]]:
        """Every name of each ingredient, words joined by blanks."""
        names: dict[str, set[str]] = {}
        for words, own in self._names.items():
            for one in own:
                names.setdefault(one, set()).add(" ".join(words))
        return names

    def words_for(self, ingredients: Iterable[str]) -> frozenset[str]:
        """Return the names of some ingredients, of their classes and of treatments with them.

        "Rifamycins" and "IPT" are said of rifampin and of isoniazid, "ACEIs" of lisinopril.
        """
        wanted = frozenset(ingredients)
        short = {s for s, meant in self._treatments.items() if meant & wanted}
        wide = slot_lexicon().classes.wide
        own = (d for d in known_drugs() if d.name in wanted)
        classes = {d.drug_class for d in own if d.area != "other" or d.drug_class not in wide}
        words = frozenset[str]().union(*map(words_of_class, classes - NO_CLASSES))
        return self.names_of(wanted) | short | words

    @cached_property
    def _treatments(self) -> dict[str, frozenset[str]]:
        """The ingredients that the meaning of each abbreviation names."""
        return {short: self.ingredients(meaning) for short, meaning in abbreviations().items()}

    def names_class(self, text: str) -> bool:
        """Return whether a text names a class of drugs of the field, such as "fluoroquinolones"."""
        return drug_classes().search(fold_chars(text)) is not None

    def area(self, name: str) -> Area | None:
        """Return the field an ingredient is used in; None where the table does not know it."""
        return self._areas.get(name)

    def mentions(self, text: str) -> list[Mention]:
        """Return the drugs named in a text, in order; the longest name counts."""
        folded = fold_chars(text)
        words = _WORD.findall(folded)
        if self._by_first.keys().isdisjoint(words):
            return []  # as in most texts
        mentions: list[Mention] = []
        after = place = 0
        for at in [at for at, word in enumerate(words) if word in self._by_first]:
            start = _next_word(folded, words[at], place)
            end = place = start + len(words[at])
            length = self._match(words, at) if at >= after else 0
            if length:
                after = at + length
                for word in words[at + 1 : after]:
                    end = folded.index(word, end) + len(word)
                if not folded.endswith(_TEST_NAMES, 0, start):
                    names = self._names[tuple(words[at:after])]
                    resistant = _RESISTANCE.match(folded, end)
                    about: About = "resistance" if resistant else "drug"
                    mentions.append(Mention(start, end, names, about))
        return mentions

    def _match(self, words: list[str], at: int) -> int:
        """Return the words of the longest name that begins here; 0 where none does."""
        for name in self._by_first[words[at]]:
            if tuple(words[at : at + len(name)]) == name:
                return len(name)
        return 0

    def ingredients(self, text: str) -> frozenset[str]:
        """Return every ingredient named in a text, whatever is said of it."""
        return frozenset().union(*(m.ingredients for m in self.mentions(text)))

    def ingredients_of(self, names: tuple[str, ...]) -> frozenset[str]:
        """Return every ingredient that some names (of a label) mean."""
        known = self._of_names.get(names)
        if known is None:
            known = frozenset[str]().union(*(self.ingredients(name) for name in names))
            self._of_names[names] = known
        return known

    def labels(self, mention: Mention) -> frozenset[str]:
        """Return keys of the labels about a drug: its own, of combinations, of its parts."""
        named = mention.ingredients
        return frozenset(key for key, own in self._labels.items() if named <= own or own <= named)

    def is_product(self, ingredients: frozenset[str]) -> bool:
        """Return whether a label is of exactly these ingredients."""
        return ingredients in self.products

    def correct(self, question: str) -> tuple[str, tuple[Correction, ...]]:
        """Return a question with misspelt drug names corrected, and the corrections.

        One edit (a letter added, dropped, changed, or two swapped) in names of 6 letters and more,
        two from 9 letters on. Never where another drug is as close, nor the first letter differs.
        The beginning of one drug's name alone is read as it: "tacro"; of several, as the one that
        the question has in full.
        """
        corrections: list[Correction] = []
        words = frozenset(_WORD.findall(fold_chars(question)))

        def corrected(match: re.Match[str]) -> str:
            word = fold_chars(match.group())
            name = _nearest(self, word) or self._begun_in(word, words)
            if name is None:
                return match.group()
            corrections.append(Correction(word, name))
            return name

        return _WORD.sub(corrected, question), tuple(corrections)

    def nearest(self, word: str) -> str | None:
        """Return the one drug a word is a misspelling of; None where there is none or several."""
        if word.endswith("e") and (word[:-1],) in self._names:
            return word[:-1]  # as French and Dutch write it: "rifampicine"
        if not word.isalpha() or (word,) in self._names or self._is_word(word):
            return None
        if len(word) < MIN_CORRECTED:
            return self._begun_by(word)
        edits = 2 if len(word) >= TWO_EDITS_FROM else 1
        close = close_words(word, [n for n in self._singles if n[0] == word[0]], edits + 1)
        if not close or close[0][0] > edits:
            return self._sounding_like(word) or self._of_letters(word) or self._begun_by(word)
        distance, best = close[0]
        # Another drug within one more edit, its first letter too ("orfloxacin" is norfloxacin or
        # ofloxacin), leaves it open which is meant, unless one alone sounds the same. One edit more
        # counts only for a drug of the documents where they have the nearest.
        every = close_words(word, list(self._singles), distance + 1)
        has_best = self._is_word(best)
        is_open = any(
            self._names[name,] != self._names[best,]
            and (apart == distance or not has_best or self._is_word(name))
            for apart, name in every
        )
        return self._sounding_like(word) if is_open else best

    def _sounding_like(self, word: str) -> str | None:
        """Return the one drug whose name is pronounced as a word; None where there are several.

        "arikase" is Arikayce, though three letters differ.
        """
        alike = self._by_sound.get((word[0], english_sound(word)), [])
        return alike[0] if len({self._names[name,] for name in alike}) == 1 else None

    @cached_property
    def _by_sound(self) -> dict[tuple[str, str], list[str]]:
        """The names of one word, in order, by first letter and sound."""
        names: dict[tuple[str, str], list[str]] = {}
        for name in self._singles:
            names.setdefault((name[0], english_sound(name)), []).append(name)
        return names

    def _of_letters(self, word: str) -> str | None:
        """Return the one drug whose name has the letters of a word in another order; else None."""
        letters = sorted(word)
        same = [n for n in self._singles if n[0] == word[0] and sorted(n) == letters]
        return same[0] if len({self._names[name,] for name in same}) == 1 else None

    def _begun_in(self, word: str, words: frozenset[str]) -> str | None:
        """Return the one drug among some words whose name a clipped word begins; else None."""
        if len(word) < MIN_CLIPPED or (word,) in self._names or is_known(word):
            return None
        begun = {one for one in words if one.startswith(word) and (one,) in self._names}
        return begun.pop() if len(begun) == 1 else None

    def _begun_by(self, word: str) -> str | None:
        """Return the one drug whose name a clipped word begins; None where there are several."""
        if len(word) < MIN_CLIPPED or is_known(word):
            return None
        begun = [name for name in self._singles if name.startswith(word)]
        is_one = len({self._names[name,] for name in begun}) == 1
        return min(begun, key=len) if is_one else None


@lru_cache(maxsize=CACHED_WORDS)
def _nearest(lexicon: DrugLexicon, word: str) -> str | None:
    """Return the drug a word is a misspelling of; from the cache if it was read before."""
    return lexicon.nearest(word)
