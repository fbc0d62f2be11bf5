"""A question as the answer engine reads it, once, before anything is searched.

Spelling, drugs, route and unknown words are worked out here; the steps after it take the result.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import asked_words, told_apart, with_capitals
from clinrag_core.answer.sources import guideline_titles, is_quotable, statement_bases
from clinrag_core.errors import QueryError
from clinrag_core.facts.abbreviations import abbreviation_spans, spell_out, with_whole_words
from clinrag_core.facts.drugs import Correction
from clinrag_core.facts.lay_words import in_clinical_words
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import concept_spans
from clinrag_core.index.scope_record import ANY
from clinrag_core.lexicon.circumstances import circumstance
from clinrag_core.lexicon.common_words import is_known, with_letter
from clinrag_core.lexicon.drugs import NO_CLASSES, class_words, classes_of
from clinrag_core.lexicon.model_orders import without_orders
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import is_everyday
from clinrag_core.retrieve.request import MAX_QUESTION_CHARACTERS
from clinrag_core.retrieve.route import SecondOpinion, route
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars, plain_letters
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import stem
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.retrieve.engine import SearchEngine
    from clinrag_core.retrieve.route import RouteDecision


CHAPTER = 40
"""Guideline passages on a condition, or matters of a drug in them, from which a release has a
chapter on it, by judgement: a manual of tuberculosis and leprosy has them on leprosy, not on what
its patients also have; the text of a label among the guidelines has them on its drug."""
OF_WORD = 25
"""Guideline statements with a technical word from which they treat of it, by judgement."""
MOST_ROWS = 100
"""Statements with the name of a drug that are looked through for a row on it."""
MOST_OF_WORD = 400
"""Statements with a technical word of which those that guidelines say are counted."""
LONG = 8
"""Words from which an everyday word that no document has is one among many, by judgement."""
FREQUENT = 0.7
"""Share of the highest inverse document frequency up to which a word may be what a misspelt one
means, by judgement: a word in about 15 of 10,000 passages."""
RARER = 0.85
"""The same share where the word is of a disease's name: in about five of 10,000 passages."""
_LETTERS = lazy_re(r"(?<![\w-])[a-z]{6,}(?![\w'’-])")
"""Not what is before an apostrophe: \"shouldn't\" is no misspelt \"should\"."""
SHORT = 3
"""Letters up to which a word is no part of a name of two words, as of "yellow fever"."""
_NAME = lazy_re(r"(?<=[a-z,] )[A-Z][a-z]+\b")
"""What is written as the name of a person or place."""
_OF_SEVERAL = lazy_re(r"\b(?:which|what|other|another|best|safest|any|choice of)\W+$")
"""Before a class of which one drug is to be chosen: "which antidepressant is safest"."""
_OPERATIONS = {
    lazy_re(r"\w{3}oscop(?:y|ies)$"): "procedure",
    lazy_re(r"\w{3}(?:ectomy|plasty|otomy|ostomy)$"): "surgery",
}
"""How names of operations end, and what labels call them all."""
_TECHNICAL = lazy_re(r"(?<![\w-])[a-z]{3,}(?![\w'’-])")


class AskedQuestion(NamedTuple):
    """What a question says."""

    text: str
    """As asked; clipped words whole, drug names corrected, capitals where sentences begin."""
    corrections: tuple[Correction, ...]
    route: RouteDecision
    search_text: str
    """With abbreviations spelt out."""
    unknown: tuple[str, ...]
    """Words of it that no document of the release uses."""
    about_medication: bool
    """Whether labels may answer it without a guideline: it names a drug, a class or a drug task."""
    is_covered: bool
    """Whether it names what guidelines of the release are about."""
    has_chapter: bool = False
    """Whether that is a condition or a drug that they have a chapter on."""

    @property
    def targets(self) -> frozenset[str]:
        """Ingredients asked about."""
        return frozenset(self.route.target_drugs)


class QuestionReader:
    """Reads questions with the names and words of a release."""

    def __init__(self, search: SearchEngine) -> None:
        self._search = search
        self._opinion = SecondOpinion(search.encode)

    def read(self, text: str) -> AskedQuestion:
        """Read a question; words that no document uses and that lack letters are read as whole.

        Raises:
            ConfigurationError: a lexicon cannot be read.
        """
        text = with_capitals(with_whole_words(in_clinical_words(without_orders(text))))
        # Most texts have no misspelt word: the encoder works while this one is read.
        self._search.encode_ahead([spell_out(text, self._search.drugs)])
        question = self._read(*self._respelt(text))
        question = self._by_class(question) or question
        whole, kinds = question.text, question.corrections
        for word in question.unknown:
            if (kind := _kind_of(word)) is not None:
                whole = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", kind, whole)
                kinds = (*kinds, Correction(word, kind))
                continue
            if not is_everyday(word) and (meant := with_letter(word) or self._completion(word)):
                # Written in capitals it is an abbreviation of something else.
                whole = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", meant, whole)
        return question if whole == question.text else self._read(whole, kinds)

    def _by_class(self, question: AskedQuestion) -> AskedQuestion | None:
        """Return a question of no certain field on a class as one on its only labelled product.

        "Statins" are read as atorvastatin, and the answer says so; None where none or two are.
        """
        decided = question.route.sure and question.route.route != "OUT_OF_DOMAIN"
        if decided or question.is_covered or question.route.target_drugs:
            return None
        folded, products = fold_chars(question.text), self._search.drugs.products
        labelled = frozenset[str]().union(*products)
        for name in sorted({one for drug in labelled for one in classes_of(drug)} - NO_CLASSES):
            of_class = [p for p in products if any(name in classes_of(drug) for drug in p)]
            named = class_words(name).search(folded) if len(of_class) == 1 else None
            if named is not None and not _OF_SEVERAL.search(folded[: named.start()]):
                meant = " and ".join(sorted(of_class[0]))
                text = f"{question.text[: named.start()]}{meant}{question.text[named.end() :]}"
                read_as = Correction(question.text[slice(*named.span())], meant)
                return self._read(text, (*question.corrections, read_as))
        return None

    def _respelt(self, text: str) -> tuple[str, tuple[Correction, ...]]:
        """Return a text with misspelt words as the documents write them, and what was corrected.

        "Prohylaxis" asks for another dose than treatment: it has to be read as what it means.
        """
        corrections: list[Correction] = []
        for word in dict.fromkeys(_LETTERS.findall(fold_chars(text))):
            meant = self._search.vocabulary.meant_by
            near = [
                w
                for w in meant(word) or meant(word.rstrip("s"))
                if self._is_frequent(w, RARER if _names_disease(text, word, w) else FREQUENT)
            ]
            near = [] if word in near else near  # "seriou" is "serious", which was written
            kinds = {stem(one) for one in near}
            if len(kinds) == 1 and not self._search.drugs.ingredients(near[0]):
                text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", near[0], text, flags=re.I)
                corrections.append(Correction(word, near[0]))
        return text, tuple(corrections)

    def _is_frequent(self, word: str, share: float) -> bool:
        """Return whether a knowledge base has a word too often for it to be a misprint itself."""
        token = unify_spelling(word)
        return any(
            base.idf.get(token, math.inf) <= share * max(base.idf.values(), default=0.0)
            for base in self._search.knowledge_bases.values()
        )

    def _completion(self, word: str) -> str | None:
        """Return the most frequent word of the documents that a clipped one begins."""
        rarity = [base.idf for base in self._search.knowledge_bases.values()]
        words = self._search.vocabulary.completions(word)
        most = max((max(idf.values(), default=0.0) for idf in rarity), default=0.0)
        return min(words, key=lambda one: min(i.get(one, most) for i in rarity), default=None)

    def _read(self, text: str, before: tuple[Correction, ...] = ()) -> AskedQuestion:
        """Read a question with whole words; `before` was corrected already."""
        drugs = self._search.drugs
        corrected, corrections = drugs.correct(text)
        search_text = spell_out(corrected, drugs)
        self._search.encode_ahead([search_text])
        decision = route(corrected, drugs, self._opinion)
        facts = read_facts(corrected, drugs)
        meant = " ".join([corrected, *(meaning for _, _, meaning in abbreviation_spans(corrected))])
        has_chapter = self._has_chapter(corrected, decision.target_drugs)
        is_covered = has_chapter or self._is_on_subject(meant, decision.target_drugs)
        kinds = {trigger.kind for trigger in decision.triggers}
        has_source = "no_source" not in kinds
        if has_source and not (decision.sure and decision.route != "OUT_OF_DOMAIN"):
            is_covered = is_covered or self._has_word_of_chapter(meant)
        if decision.route == "OUT_OF_DOMAIN" and is_covered and has_source:
            decision = decision.model_copy(update={"route": "GUIDELINE", "sure": False})
        known = [(m.start, m.end) for m in facts.drugs]
        known += [(s.start, s.end) for s in facts.topics if s.name in {"tb", "cap"}]
        known += [(s.start, s.end) for s in population_spans(corrected)]  # judged as people are
        known += told_apart(corrected)
        known += self._spelt_out(corrected)
        return AskedQuestion(
            text=corrected,
            corrections=(*before, *corrections),
            route=decision,
            search_text=search_text,
            unknown=_refused_for(self._search.vocabulary.unknown(corrected, known), corrected),
            about_medication=bool(decision.target_drugs)
            or ("drug_task" in kinds and bool(kinds & {"tb", "cap"}))
            or drugs.names_class(corrected),
            is_covered=is_covered,
            has_chapter=has_chapter,
        )

    def _has_chapter(self, text: str, asked: Sequence[str]) -> bool:
        """Return whether guidelines have a chapter on a condition named or a drug asked about."""
        scope = self._search.scope
        if scope is None:
            return False
        named = [
            scope.conditions.get(o.name) for o in scope_table().conditions_in(fold_chars(text))
        ]
        drugs = [scope.drugs.get(drug) for drug in asked]
        return any(one and one.guideline.get(ANY, 0) >= CHAPTER for one in named) or any(
            one and sum(one.guideline.values()) >= CHAPTER for one in drugs
        )

    def _is_on_subject(self, text: str, asked: Sequence[str]) -> bool:
        """Return whether a title says what is asked about, or many passages or a row are on it."""
        scope = self._search.scope
        if scope is None:
            return False
        if not set(scope.subjects).isdisjoint(map(stem, tokenize(text))):
            return True
        folded, topics = fold_chars(text), read_facts(text, self._search.drugs).topics
        is_field = any(scope.fields.get(folded[o.start : o.end], 0) >= CHAPTER for o in topics)
        return is_field or any(map(self._has_row, asked))

    def _has_word_of_chapter(self, text: str) -> bool:
        """Return whether guidelines say a technical word of a text as often as a chapter on it."""
        general = scope_table().titles.stems
        names = {word.casefold() for word in _NAME.findall(text)}
        every = _TECHNICAL.findall(fold_chars(text))
        words = {w for w in every if not is_known(w) and stem(w) not in general} - names
        titles = " ".join(guideline_titles([self._search])).casefold()
        pairs = ((a, b) for a, b in pairwise(every) if general.isdisjoint((stem(a), stem(b))))
        words |= {
            f"{a} {b}" for a, b in pairs if min(len(a), len(b)) > SHORT and f"{a} {b}" in titles
        }
        return any(map(self._is_chapter_on, words))

    def _is_chapter_on(self, word: str) -> bool:
        """Return whether many statements of guidelines that can be quoted have a word."""
        for _, index in statement_bases([self._search]):
            rows = index.bm25.rows_with(tokenize(word)).tolist()[:MOST_OF_WORD]
            having = (
                one.kind == "guideline" and is_quotable(one) for one in index.statements(rows)
            )
            if sum(having) >= OF_WORD:
                return True
        return False

    def _has_row(self, drug: str) -> bool:
        """Return whether a table of a guideline has a row on a drug, as a formulary does."""
        for _, index in statement_bases([self._search]):
            rows = index.bm25.rows_with(tokenize(drug)).tolist()[:MOST_ROWS]
            for one in index.statements(rows):
                is_row = one.kind == "guideline" and one.statement_kind == "row"
                named = read_facts(one.said, self._search.drugs).drugs if is_row else ()
                if named and drug in named[0].ingredients and is_quotable(one):
                    return True
        return False

    def _spelt_out(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of abbreviations whose meaning the documents speak of."""
        vocabulary = self._search.vocabulary
        return [
            (start, end)
            for start, end, meaning in abbreviation_spans(text)
            if not vocabulary.unknown(meaning, [])
        ]


def _refused_for(unknown: Sequence[str], text: str) -> tuple[str, ...]:
    """Return the unknown words that a question is refused for.

    An everyday word among many, as in "now creeping breathlessness", may be about what the
    documents say in other words; the question gate judges whether they do. Who somebody is and
    when needs no source, and of a story neither what is at hand.
    """
    is_long = len(text.split()) >= LONG
    asked = asked_words(text)

    def is_circumstance(word: str) -> bool:
        kind = circumstance(word)
        if kind == "who" or (is_long and is_everyday(word)):
            return True
        return kind is not None and (word not in asked or (is_long and kind == "thing"))

    return tuple(word for word in unknown if not is_circumstance(word))


def _names_disease(text: str, typed: str, meant: str) -> bool:
    """Return whether a text names one more disease with a typed word read as another one."""
    diseases = slot_lexicon().diseases
    named = concept_spans(text.casefold().replace(typed, meant), diseases)
    return len(named) > len(concept_spans(text, diseases))


def _kind_of(word: str) -> str | None:
    """Return what an operation that no document names is one of; None for other words."""
    return next((kind for ending, kind in _OPERATIONS.items() if ending.search(word)), None)


def usable(question: str) -> str:
    """Return a question in plain letters, without white space around it.

    Raises:
        QueryError: it is empty, too long, or contains a NUL character.
    """
    text = plain_letters(question).strip()
    if not text or "\x00" in text or len(text) > MAX_QUESTION_CHARACTERS:
        raise QueryError(
            f"a question has 1 to {MAX_QUESTION_CHARACTERS} characters and no NUL character"
        )
    return text
