"""The documents that a question names by their publisher or initials: "per WHO", "the ISTC".

Statements of a named document come first; its name is not a word that statements must mention.
Where several publishers are named, the best statement of each comes before a second one of any.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.asking import CACHED_QUESTIONS
from clinrag_core.lexicon.common_words import is_common, is_known
from clinrag_core.lexicon.vocabulary import is_place
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.index.knowledge_base import PublishedDocument
    from clinrag_core.retrieve.engine import SearchEngine

_WORD = lazy_re(r"[^\W\d_][^\W_]+")
_YEAR = lazy_re(r"\b(?:19|20)\d\d\b")
"""An edition, where a publisher is named as well."""
_SHORT_WORDS = frozenset({"a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "with"})
_GUIDELINE = r" (?:guidelines?|manual|protocol|program(?:me)?|ntlp)\b"
"""What a name stands before that is not written with a capital: "the ugandan manual"."""
NEAR_ENOUGH = 0.7
"""Share of the best score that the best statement of another publisher has to have, by judgement:
who names two wants both."""
MIN_INITIALS = 3
"""Fewest letters of a publisher's initials or name: "US" and "in" would be read as one."""


class NamedSources(NamedTuple):
    """What a question names of where it wants its answer from; empty where it names nothing."""

    documents: frozenset[str] = frozenset()
    spans: tuple[tuple[int, int], ...] = ()
    by_name: tuple[frozenset[str], ...] = ()
    """The documents of each name, in the order of the names; those of one publisher once."""

    def each_first(self, fitting: list[RankedStatement]) -> list[RankedStatement]:
        """Return ranked statements with the best of each publisher first, if all are near."""
        best = fitting[0].score if fitting else 0.0
        near = [one for one in fitting if one.score >= NEAR_ENOUGH * best]
        firsts = (
            next((one for one in near if one.statement.document_id in documents), None)
            for documents in self.by_name
        )
        found = [one._replace(score=best) for one in firsts if one is not None]
        if len(found) < 2:  # noqa: PLR2004 - one source is compared with none
            return fitting
        known = {one.statement.id for one in found}
        return found + [one for one in fitting if one.statement.id not in known]


def publishers(documents: Iterable[str], engines: Sequence[SearchEngine]) -> frozenset[str]:
    """Return the names of who published some documents, in small letters."""
    wanted = frozenset(documents)
    return frozenset(
        name.casefold()
        for document in _published(engines)
        if document.id in wanted
        for name in _of_publisher(document.organisation)
    )


def named_sources(text: str, engines: Sequence[SearchEngine]) -> NamedSources:
    """Return the documents whose publisher or initials a question has, written as they are.

    Of several of a publisher those of a year that the question names.
    """
    return _named(text, _published(engines))


def _published(engines: Sequence[SearchEngine]) -> tuple[PublishedDocument, ...]:
    """Return the guidelines of some engines."""
    return tuple(
        document
        for engine in engines
        for base in engine.knowledge_bases.values()
        if base.manifest.kind == "guideline"
        for document in base.documents
    )


@lru_cache(maxsize=CACHED_QUESTIONS)
def _named(text: str, published: tuple[PublishedDocument, ...]) -> NamedSources:
    """Return the documents among the published ones that a question names."""
    every = (
        (match.span(), named)
        for wanted, named in _names(published)
        for match in wanted.finditer(text)
    )
    found = sorted(every, key=lambda one: one[0])
    years = [*_YEAR.finditer(text)] if found else []
    editions = {int(match.group()) for match in years}
    of_year = {one.id for one in published if one.year in editions}
    spans = [span for span, _ in found]
    spans += [match.span() for match in years if any(named & of_year for _, named in found)]
    by_name: list[frozenset[str]] = []
    for _, named in found:
        meant = named & of_year or named
        if not any(meant & others for others in by_name):
            by_name.append(meant)
    documents = frozenset[str]().union(*(named & of_year or named for _, named in found))
    return NamedSources(documents, tuple(spans), tuple(by_name))


@lru_cache(maxsize=16)
def _names(
    published: tuple[PublishedDocument, ...],
) -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    """Return each name of documents as it is written, with these; common words are no names."""
    names: dict[str, set[str]] = {}
    for document in published:
        for name in {*_of_publisher(document.organisation), *_of_title(document.title)}:
            if name:
                names.setdefault(name, set()).add(document.id)
    return tuple((re.compile(_written(name)), frozenset(ids)) for name, ids in names.items())


def _written(name: str) -> str:
    """Return how a name is written, as a regular expression."""
    written = re.escape(name)
    small = re.escape(name.casefold())
    if name.isupper() and not is_common(name.casefold()):
        written = rf"(?:{written}|{small})"
    as_aside = rf"(?<=\(){small}n?(?=\))"  # "(uganda)"
    return rf"\b{written}n?\b|\b{small}n?(?={_GUIDELINE})|{as_aside}"


def _of_publisher(organisation: str) -> Iterable[str]:
    for word in _WORD.findall(organisation):
        is_word = is_known(word.casefold()) and not is_place(word.casefold())
        is_name = word.isupper() or (word[0].isupper() and not is_word)  # "Weekly" is none
        if is_name and len(word) >= MIN_INITIALS and (word.isupper() or word[1:].islower()):
            yield word


def _of_title(title: str) -> Iterable[str]:
    """Yield "ISTC" and "International Standards" of "International Standards for TB Care"."""
    name, _, _ = title.partition(",")
    words = _WORD.findall(name)
    initials = "".join(word[0] for word in words if word.casefold() not in _SHORT_WORDS)
    if initials.isupper() and len(initials) >= MIN_INITIALS:
        yield initials
        yield " ".join(words[:2])
