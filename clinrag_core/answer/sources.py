"""Where an answer's statements come from, and which of them may be quoted at all."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.model_orders import CACHED, gives_orders
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.index.statements import StatementIndex
    from clinrag_core.model.source import DocumentKind
    from clinrag_core.model.statement import IndexedStatement, StatementKind, Unfit
    from clinrag_core.retrieve.engine import SearchEngine

MIN_WORDS, CAPITALS = 4, 0.7
"""Words of a title at least, and the share of them that begin with a capital, by judgement."""
MIN_OF_THING = 2
"""The same of the name of a thing."""
_LONG_WORD = lazy_re(r"[^\W\d_]{4,}")
_SMALL = frozenset({"among", "from", "into", "part", "that", "their", "under", "with", "within"})
_DOCUMENT = lazy_re(
    r"\b(?:Guid(?:eline|ance)s?|Recommendations?|Standards?|Reports?|Updates?|Statement|Manual"
    r"|Toolkits?|Fact Sheets?|Resources?|Notice)\b"
)
_VERB = lazy_re(
    r"\b(?:is|are|was|were|be|been|should|must|may|can|will|has|have|had|do|does|recommends?"
    r"|recommended|suggests?|advises?|includes?|requires?)\b"
)
_A_THING = lazy_re(r"\W*(?:An?|The) [A-Z]")
"""How a heading begins that is no order."""
_POINTS = lazy_re(r"\W*(?:see|refer to)\b[^.]*\.?", re.IGNORECASE)
"""What only says where something is said."""
_EARLIER = lazy_re(r"\b(?:was|were) (?:specifically |previously |once )?contraindicated\b")
"""What an earlier edition forbade: a guideline that says so goes on with what holds now."""
_NEVER_QUOTED: frozenset[Unfit] = frozenset(
    {"unsure_binding", "incomplete", "furniture", "apparatus"}
)


class Sources(NamedTuple):
    """Where statements come from: the engines, their drugs, the weights of words."""

    engines: Sequence[SearchEngine]
    drugs: DrugLexicon
    idf: Mapping[str, float]


class RankedStatement(NamedTuple):
    """A statement with its score; `cosine` is that of question and statement."""

    statement: IndexedStatement
    knowledge_base: str
    score: float
    cosine: float


def statement_bases(
    engines: Iterable[SearchEngine], named: str = ""
) -> Iterator[tuple[KnowledgeBase, StatementIndex]]:
    """Yield each knowledge base that has statements, with these; only the `named` one if given."""
    for engine in engines:
        for name, base in engine.knowledge_bases.items():
            if base.statements is not None and named in ("", name):
                yield base, base.statements


def guideline_titles(engines: Iterable[SearchEngine]) -> list[str]:
    """Return the titles of all guidelines, in order."""
    bases = (base for engine in engines for base in engine.knowledge_bases.values())
    return [d.title for base in bases if base.manifest.kind == "guideline" for d in base.documents]


def is_title(said: str) -> bool:
    """Return whether a text is the title of a document, as in a list of links, or of a thing.

    It says nothing.
    """
    is_thing = _A_THING.match(said) is not None
    if said.isupper() or said.rstrip().endswith(".") or not (is_thing or _DOCUMENT.search(said)):
        return False
    words = [word for word in _LONG_WORD.findall(said) if word not in _SMALL]
    capitals = sum(word[0].isupper() for word in words)
    is_long = len(words) >= (MIN_OF_THING if is_thing else MIN_WORDS)
    has_verb = _VERB.search(said.casefold() if is_thing else said)
    return is_long and capitals >= CAPITALS * len(words) and not has_verb


def _is_key(said: str) -> bool:
    """Return whether a text lists abbreviations, as below a table."""
    return slot_lexicon().wordings.written_short.search(said) is not None


def _can_cite(statement: IndexedStatement) -> bool:
    """Return whether the quotes of an item have room for all that it says.

    What leads its list may be in a passage that is not indexed; what cannot be cited is not said.
    """
    if statement.statement_kind != "item":
        return True
    room = sum(quote.end - quote.start + 1 for quote in statement.quotes)
    return room >= len(statement.said)


def is_quotable(statement: IndexedStatement) -> bool:
    """Return whether a statement says something by itself, whatever is asked."""
    return (
        _NEVER_QUOTED.isdisjoint(statement.unfit)
        and statement.statement_kind not in ("note", "lead_in")
        and _can_cite(statement)
        and _says_something(statement.said, statement.kind, statement.statement_kind)
    )


@lru_cache(maxsize=CACHED)
def _says_something(said: str, kind: DocumentKind, statement_kind: StatementKind) -> bool:
    """Return whether a text is more than a title, abbreviations, a pointer or an order."""
    return (
        not (statement_kind != "row" and (is_title(said) or _is_key(said)))
        and not _POINTS.fullmatch(said)
        and not (kind == "guideline" and _EARLIER.search(said))
        and not gives_orders(said)
    )


def guideline_statements(
    words: Iterable[str], engines: Iterable[SearchEngine]
) -> Iterator[tuple[str, IndexedStatement]]:
    """Yield the quotable statements of guidelines with one of some words, each with its base."""
    words = tuple(words)
    for base, index in statement_bases(engines):
        if base.manifest.kind == "guideline":
            rows = {row for word in words for row in index.bm25.rows_with([word]).tolist()}
            for statement in index.statements(sorted(rows)):
                if is_quotable(statement):
                    yield base.name, statement


def unsure_tables(drug: Iterable[str], engines: Iterable[SearchEngine]) -> list[str]:
    """Return the titles of documents that name a drug in rows which cannot be quoted, sorted.

    What their cells belong to is not sure: they are searched, and pointed to.
    """
    words = [word for name in drug for word in name.split()]
    titles: set[str] = set()
    for _, index in statement_bases(engines):
        for statement in index.statements(index.bm25.rows_with(words).tolist()):
            if "unsure_binding" in statement.unfit:
                titles.add(statement.document_title)
    return sorted(titles)
