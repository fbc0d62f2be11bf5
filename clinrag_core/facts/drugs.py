"""Finds drugs in text: which ingredients a name stands for, where it stands, and mended typing.

The shipped table knows drugs of the field and common others; a release adds every name of its
labels. A name is mended only where it is close to one drug and to no other, and is no word that
the corpus uses.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.lexicon.drug_names import ingredient, name_variants, split_combination
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Area = Literal["tb", "cap", "both", "other"]
About = Literal["drug", "resistance"]

_WORD = re.compile(r"[^\W_]+")
_RESISTANCE = re.compile(
    r"[-\s]{1,2}(?:mono-?|poly-?|multi-?)?(?:resist(?:ant|ance)|susceptib\w+|sensitiv\w+)"
)
_NO_NAME_BEFORE = re.compile(r"(?:mtb|tb|xpert)[/ ]$")  # Xpert MTB/RIF is a test
MIN_NAME = 3
NO_CLASSES = frozenset(["combination", "enzyme inhibitor", "polypeptide", "vitamin"])
"""Words of the table's class column that are ordinary words in a question."""
MIN_MENDED = 6
FAR = 9
"""Letters from which two slips are forgiven instead of one."""


class _File(Record):
    drugs: tuple[tuple[str, Area, str, tuple[str, ...]], ...]


class KnownDrug(NamedTuple):
    """A drug of the shipped table."""

    name: str
    area: Area
    drug_class: str
    names: tuple[str, ...]


class Mention(NamedTuple):
    """A drug named in a text."""

    start: int
    end: int
    ingredients: frozenset[str]
    """One name per ingredient; several for a combination."""
    about: About
    """`resistance`: it names a property of the bacteria ("rifampicin-resistant")."""


class Mended(NamedTuple):
    """A word taken for the misspelt name of a drug."""

    typed: str
    drug: str


@cache
def known_drugs() -> tuple[KnownDrug, ...]:
    """The shipped table.

    Raises:
        ConfigurationError: it is missing or malformed.
    """
    path = data_folder() / "lexicons" / "drugs.toml"
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return tuple(KnownDrug(*row) for row in file.drugs)


@cache
def _classes() -> re.Pattern[str]:
    """Names of the classes of drugs used in tuberculosis or pneumonia, singular or plural."""
    of_field = {drug.drug_class for drug in known_drugs() if drug.area != "other"} - NO_CLASSES
    names = "|".join(re.escape(name) for name in sorted(of_field, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})s?(?!\w)")


def ingredients_of(name: str) -> frozenset[str]:
    """Ingredients of a drug or combination name."""
    return frozenset(ingredient(part) for part in split_combination(name))


def label_ingredients(key: str, names: Iterable[str]) -> frozenset[str]:
    """Ingredients of a label's drug.

    Args:
        key: the label's partition key, a slug of the drug's name.
        names: every name of the drug; combinations are taken apart.
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
    named = frozenset(one for one in singles if words.issuperset(_WORD.findall(one)))
    return named or frozenset([ingredient(key.replace("-", " "))])


class DrugLexicon:
    """Every name of every known drug.

    Args:
        labels: names of each label's drug, by its partition key.
        is_word: whether the corpus uses a word; such words are never mended.
    """

    def __init__(
        self,
        labels: Mapping[str, Iterable[str]] | None = None,
        is_word: Callable[[str], bool] | None = None,
    ) -> None:
        self._names: dict[tuple[str, ...], frozenset[str]] = {}
        self._areas: dict[str, Area] = {}
        self._is_word = is_word or (lambda _: False)
        for drug in known_drugs():
            own = ingredients_of(drug.name)
            for one in own:
                self._areas.setdefault(one, drug.area)
            for name in (drug.name, *drug.names):
                self._add(name, own)
        of_labels = {
            drug: (label_ingredients(drug, names), names) for drug, names in (labels or {}).items()
        }
        labelled = frozenset[str]().union(*(own for own, _ in of_labels.values()))
        for one in sorted(labelled):  # first: one label's ingredient may be another one's moiety
            self._add(one, frozenset([one]))
        for own, names in of_labels.values():
            for name in sorted(names):
                single = ingredient(name)
                self._add(name, frozenset([single]) if single in own else own)
        self.labelled = labelled
        """Ingredients that a label of the release is about."""
        self._of_names: dict[tuple[str, ...], frozenset[str]] = {}
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for name in sorted(self._names, key=lambda name: (-len(name), name)):
            self._by_first.setdefault(name[0], []).append(name)
        self._singles = sorted(
            key[0] for key in self._names if len(key) == 1 and len(key[0]) >= MIN_MENDED - 1
        )

    def _add(self, name: str, own: frozenset[str]) -> None:
        for variant in name_variants(name):
            words = tuple(_WORD.findall(fold_chars(variant)))
            if words and len("".join(words)) >= MIN_NAME:
                self._names.setdefault(words, own)

    def names_class(self, text: str) -> bool:
        """Whether a text names a class of drugs of the field, such as "fluoroquinolones"."""
        return _classes().search(fold_chars(text)) is not None

    def area(self, name: str) -> Area | None:
        """The field an ingredient is used in; None where the table does not know it."""
        return self._areas.get(name)

    def mentions(self, text: str) -> list[Mention]:
        """Drugs named in a text, in order; the longest name counts."""
        folded = fold_chars(text)
        words = [(m.group(), m.start(), m.end()) for m in _WORD.finditer(folded)]
        found: list[Mention] = []
        at = 0
        while at < len(words):
            length = self._match(words, at)
            if length:
                start, end = words[at][1], words[at + length - 1][2]
                if not _NO_NAME_BEFORE.search(folded[max(0, start - 6) : start]):
                    names = self._names[tuple(w for w, _, _ in words[at : at + length])]
                    resistant = _RESISTANCE.match(folded, end)
                    about: About = "resistance" if resistant else "drug"
                    found.append(Mention(start, end, names, about))
            at += length or 1
        return found

    def _match(self, words: list[tuple[str, int, int]], at: int) -> int:
        """Words of the longest name that begins here; 0 where none does."""
        for name in self._by_first.get(words[at][0], ()):
            if tuple(word for word, _, _ in words[at : at + len(name)]) == name:
                return len(name)
        return 0

    def ingredients(self, text: str) -> frozenset[str]:
        """Every ingredient named in a text, whatever is said of it."""
        return frozenset().union(*(m.ingredients for m in self.mentions(text)))

    def ingredients_of(self, names: tuple[str, ...]) -> frozenset[str]:
        """Every ingredient that some names (of a label) stand for."""
        known = self._of_names.get(names)
        if known is None:
            known = frozenset[str]().union(*(self.ingredients(name) for name in names))
            self._of_names[names] = known
        return known

    def mend(self, question: str) -> tuple[str, tuple[Mended, ...]]:
        """A question with misspelt drug names put right, and what was put right.

        One slip (a letter more, less, other, or two swapped) in names of 6 letters and more, two
        from 9 letters on. Never where another drug is as close, nor the first letter differs.
        """
        mended: list[Mended] = []

        def put_right(match: re.Match[str]) -> str:
            word = fold_chars(match.group())
            name = self._nearest(word)
            if name is None:
                return match.group()
            mended.append(Mended(word, name))
            return name

        return _WORD.sub(put_right, question), tuple(mended)

    def _nearest(self, word: str) -> str | None:
        if len(word) < MIN_MENDED or not word.isalpha() or self._is_word(word):
            return None
        if (word,) in self._names:
            return None
        from rapidfuzz import process
        from rapidfuzz.distance import DamerauLevenshtein

        slips = 2 if len(word) >= FAR else 1
        close = process.extract(
            word,
            [name for name in self._singles if name[0] == word[0]],
            scorer=DamerauLevenshtein.distance,
            score_cutoff=slips + 1,
            limit=None,
        )
        near = [(distance, name) for name, distance, _ in close if distance <= slips]
        if not near:
            return None
        distance, best = min(near)
        # Another drug within one more slip leaves it open which is meant.
        rivals = [
            n for n, d, _ in close if d <= distance + 1 and self._names[n,] != self._names[best,]
        ]
        return None if rivals else best
