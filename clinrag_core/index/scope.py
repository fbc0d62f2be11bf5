"""The scope of a release: which drugs, products, conditions and aspects of them its sources cover.

Computed from the chunk tables when a release is made, and stored with it. What nothing here covers
cannot be answered, however similar a passage looks. Counts are numbers of passages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from clinrag_core.facts.drugs import label_ingredients
from clinrag_core.facts.reader import read_facts
from clinrag_core.index.scope_record import (
    ANY,
    ConditionScope,
    DrugScope,
    ProductScope,
    ReleaseScope,
)
from clinrag_core.lexicon.common_words import is_known
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import stem
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.lexicon.scope import DrugAspect

_LEAST_LETTERS = 3
"""Fewest letters of a word of a title that says what it is about: not the letter of a virus."""
_WORD = lazy_re(r"[^\W\d_]+")
_LISTED = lazy_re(r"[\s,;/+()A-Za-z]{0,4}(?:\s*(?:and|or|plus|with)\s*)?[\s,;/+()]{0,4}")
"""What is between the drugs of a list: "isoniazid (H), rifampicin and ethambutol"."""
_COLUMNS = ("document_title", "section_path", "text", "group", "drug", "drug_names", "document_id")
_RISKS = lazy_re(r"\brisk factors?\b[^.]*")
"""Diseases of the people a drug is for, not what it is for: "risk factors such as hypertension"."""
_OF_USE = frozenset(["indications", "dosage", "clinical_studies", "patient_information"])
"""Section groups of a label that say what its drug is for."""


class _Row:
    """A passage as the scope reads it."""

    def __init__(self, row: Mapping[str, object], drugs: DrugLexicon) -> None:
        self.title = str(row["document_title"])
        path = tuple(cast("list[str]", row["section_path"]))
        self.heading = fold_chars(" > ".join(part for part in path if part != self.title))
        self.text = str(row["text"])
        self.folded = fold_chars(self.text)
        self.group = cast("str | None", row["group"])
        self.drug = cast("str | None", row["drug"])
        self.names = tuple(cast("list[str] | None", row["drug_names"]) or ())
        self.facts = read_facts(self.text, drugs)


class _Counts:
    """Counts while the passages are read."""

    def __init__(self) -> None:
        self.label: dict[str, Counter[str]] = defaultdict(Counter)
        self.guideline: dict[str, Counter[str]] = defaultdict(Counter)
        self.together: dict[str, Counter[str]] = defaultdict(Counter)
        self.aspects: dict[str, Counter[str]] = defaultdict(Counter)
        self.indicated: dict[str, set[str]] = defaultdict(set)
        self.partners: dict[str, set[str]] = defaultdict(set)
        self.products: dict[str, ProductScope] = {}
        self.combinations: set[str] = set()
        self.titles: set[str] = set()
        self.fields: Counter[str] = Counter()

    def scope(self) -> ReleaseScope:
        """Return the counts as a record, everything sorted."""
        drugs = sorted({*self.label, *self.guideline})
        conditions = sorted({*self.aspects, *self.indicated})
        return ReleaseScope(
            drugs={
                name: DrugScope(
                    label=_sorted(self.label[name]),
                    guideline=_sorted(self.guideline[name]),
                    conditions=_sorted(self.together[name]),
                    partners=tuple(sorted(self.partners[name] - {name})),
                )
                for name in drugs
            },
            products=tuple(self.products[key] for key in sorted(self.products)),
            conditions={
                name: ConditionScope(
                    guideline=_sorted(self.aspects[name]),
                    indicated=tuple(sorted(self.indicated[name])),
                )
                for name in conditions
            },
            combinations=tuple(sorted(self.combinations)),
            subjects=tuple(sorted(frozenset[str]().union(*map(title_subjects, self.titles)))),
            fields=_sorted(self.fields),
        )


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def release_scope(
    guidelines: Iterable[pa.Table], labels: Iterable[pa.Table], drugs: DrugLexicon
) -> ReleaseScope:
    """Return the scope of some chunk tables; `drugs` knows the names of their labels.

    Raises:
        ConfigurationError: the table of scopes cannot be read.
    """
    counts = _Counts()
    for table in guidelines:
        for row in table.select(_COLUMNS).to_pylist():
            _count_guideline(_Row(row, drugs), counts)
    for table in labels:
        for row in table.select(_COLUMNS).to_pylist():
            _count_label(_Row(row, drugs), str(row["document_id"]), counts)
    return counts.scope()


def _count_label(row: _Row, document: str, counts: _Counts) -> None:
    """Count what a label passage says of the drugs of its product."""
    if row.drug is None:
        return
    own = label_ingredients(row.drug, row.names)
    counts.products.setdefault(
        document,
        ProductScope(
            title=row.title,
            ingredients=tuple(sorted(own)),
            names=tuple(sorted(set(map(fold_chars, row.names)))),
        ),
    )
    text = f"{row.heading}\n{row.folded}"
    about = [a.name for a in scope_table().drug_aspect if _label_covers(row, text, a)]
    of_use = row.group in _OF_USE
    named = [c.name for c in scope_table().condition if of_use and c.names.search(row.folded)]
    for one in own:
        counts.partners[one].update(row.facts.ingredients)
        counts.label[one].update(about)
        counts.together[one].update(named)
        if row.group == "indications":
            treated = _RISKS.sub(" ", row.folded)
            for name in [c.name for c in scope_table().condition if c.names.search(treated)]:
                counts.indicated[name].add("+".join(sorted(own)))


def _label_covers(row: _Row, text: str, aspect: DrugAspect) -> bool:
    """Return whether a label passage is about an aspect of its drug."""
    if row.group in aspect.groups:
        return not aspect.dose or aspect.said.search(row.folded) is not None
    return not aspect.dose and aspect.said.search(text) is not None


def title_subjects(title: str) -> frozenset[str]:
    """Return the stems of the words of a title that say what its document is about.

    Not those of any document: "Guidelines for the treatment of ... infections, 2nd edition".
    """
    words = {
        word
        for word in tokenize(title)
        if word.isalpha() and len(word) >= _LEAST_LETTERS and not is_known(word)
    }
    return frozenset(s for s in map(stem, words) if s not in scope_table().titles.stems)


def _count_guideline(row: _Row, counts: _Counts) -> None:
    """Count what a guideline passage says of the drugs and of the conditions that it names."""
    table = scope_table()
    counts.titles.add(row.title)
    counts.fields.update({
        row.folded[o.start : o.end] for o in row.facts.topics if o.name == "other_field"
    })  # fmt: skip
    text = f"{row.heading}\n{row.folded}"
    whole = f"{fold_chars(row.title)}\n{text}"
    conditions = [c for c in table.condition if c.names.search(whole)]
    if named := _named(row.facts):
        counts.combinations.update(
            row.folded[m.start : m.end] for m in row.facts.drugs if len(m.ingredients) > 1
        )
        dosed = _dosed(row.facts)
        said = [a for a in table.drug_aspect if not a.dose and a.said.search(text)]
        doses = [a.name for a in table.drug_aspect if a.dose]
        subjects = {a.name: _subjects(row, a) for a in said if a.subject}
        for one in named:
            counts.partners[one].update(named)
            about = [a.name for a in said if one in subjects.get(a.name, named)]
            counts.guideline[one].update([*about, *(doses if one in dosed else [])])
            counts.together[one].update(c.name for c in conditions)
    conditions = [c for c in conditions if c.names.search(text)]
    if not conditions:
        return
    advice = [s for s in _folded_sentences(row.facts) if table.advice.words.search(s)]
    about = [a for a in table.condition_aspect if a.said.search(text)]
    for condition in conditions:
        heads = condition.names.search(row.heading) is not None
        advised = [s for s in advice if condition.names.search(s)]
        counts.aspects[condition.name][ANY] += 1
        counts.aspects[condition.name].update(
            a.name for a in about if heads or any(a.said.search(s) for s in advised)
        )


def _subjects(row: _Row, aspect: DrugAspect) -> frozenset[str]:
    """Return the drugs that a passage says an aspect of: those that a sentence on it names first.

    Of "X may cause hepatitis, as does phenytoin" no adverse reactions of phenytoin are known. Where
    a heading names the aspect, every drug of the passage is meant.
    """
    if aspect.said.search(row.heading):
        return _named(row.facts)
    found = frozenset[str]()
    for sentence in row.facts.sentences:
        mentions = _mentions(sentence)
        if mentions and aspect.said.search(fold_chars(sentence.text)):
            found |= _listed_from(sentence, mentions)
    return found


def _listed_from(
    sentence: Facts, mentions: Sequence[tuple[int, int, frozenset[str]]]
) -> frozenset[str]:
    """Return the first drug of a sentence and those listed with it."""
    first = mentions[0][2]
    for earlier, later in pairwise(mentions):
        if not _LISTED.fullmatch(sentence.text[earlier[1] : later[0]]):
            break
        first |= later[2]
    return first


def _folded_sentences(facts: Facts) -> list[str]:
    return [fold_chars(sentence.text) for sentence in facts.sentences]


def _named(facts: Facts) -> frozenset[str]:
    """Return the drugs a text names, those included that no table knows but whose form is a drug's.

    A drug named for resistance to it only is not meant.
    """
    known = frozenset[str]().union(*(m.ingredients for m in facts.drugs if m.about == "drug"))
    return known | frozenset(unlisted_drugs(facts))


def unlisted_drugs(facts: Facts) -> tuple[str, ...]:
    """Return the words of a text with the form of a drug's name that no table knows, in order."""
    spans = [(m.start, m.end) for m in facts.drugs]
    return tuple(
        dict.fromkeys(
            match.group()
            for match in _WORD.finditer(fold_chars(facts.text))
            if is_drug_shaped(match.group())
            and not any(start <= match.start() < end for start, end in spans)
        )
    )


def _dosed(facts: Facts) -> frozenset[str]:
    """Return the drugs that a sentence or a row of a text gives a dose of."""
    if not any(q.kind == "dose" for q in facts.quantities):
        return frozenset()
    owned = frozenset(
        one
        for sentence in facts.sentences
        for quantity in sentence.quantities
        if quantity.kind == "dose"
        for one in _owners(sentence, quantity.start)
    )
    return owned | _dosed_by_line(facts)


def _dosed_by_line(facts: Facts) -> frozenset[str]:
    """Return the drugs whose name begins a line that gives a dose: "X: unclear; often 1 g".

    Up to the next other drug of the line.
    """
    named = [m for m in facts.drugs if m.about == "drug"]
    found = frozenset[str]()
    for one in named:
        if one.start and facts.text[one.start - 1] != "\n":
            continue
        others = [
            m.start for m in named if m.start > one.end and not m.ingredients <= one.ingredients
        ]
        end = facts.text.find("\n", one.end)
        end = min([*others, end if end >= 0 else len(facts.text)])
        if any(q.kind == "dose" and one.end < q.start < end for q in facts.quantities):
            found |= one.ingredients
    return found


def _owners(sentence: Facts, at: int) -> frozenset[str]:
    """Return the drugs that a figure belongs to: those listed last before it, else first after it.

    Of "no advice on X. 400 mg of Y" the figure is not X's; of "X and Y 400 mg" it may be both's.
    """
    mentions = _mentions(sentence)
    before = [m for m in mentions if m[1] <= at]
    if not before:
        return mentions[0][2] if mentions else frozenset()
    owners = before[-1][2]
    for earlier, later in zip(before[-2::-1], before[:0:-1], strict=True):
        if not _LISTED.fullmatch(sentence.text[earlier[1] : later[0]]):
            break
        owners |= earlier[2]
    return owners


def _mentions(facts: Facts) -> list[tuple[int, int, frozenset[str]]]:
    """Return start, end and ingredients of every drug a text names, unlisted ones too, in order."""
    found = [(m.start, m.end, m.ingredients) for m in facts.drugs if m.about == "drug"]
    unlisted = set(unlisted_drugs(facts))
    found += [
        (match.start(), match.end(), frozenset([match.group()]))
        for match in _WORD.finditer(fold_chars(facts.text))
        if match.group() in unlisted
    ]
    return sorted(found, key=lambda mention: mention[:2])
