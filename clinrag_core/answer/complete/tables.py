"""The rows and tables that a question asks for, without those next to them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.confidence import question_weights
from clinrag_core.answer.fit.people import names_them
from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.facts.dose_forms import named_forms
from clinrag_core.facts.people import read_people
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.routes import stated_routes
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.families import word_root
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import weighted_containment
from clinrag_core.text.stems import key_stems
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

_BODIES = lazy_re(r"[A-Z]{3,6}(?:, [A-Z]{3,6})*")
"""Societies and agencies by their letters."""
_EVERYBODY = lazy_re(r"\bgeneral (?:adult )?(?:population|public)\b")
_DEGREE = lazy_re(r"\b(mild|moderate|severe|high|low|minimal)(?:ly)?\b")
"""How much of something a row is for, at its head: "Highly Emetogenic Cancer Chemotherapy"."""


def of_the_row_asked(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements without the rows of a table whose label another row meets better.

    "Spine: 9 months" answers a question on spinal disease; "Pleura: 6 months" below it does not. Of
    people asked about, each has a row; so have two authorities that are compared.
    """
    weights, forms = _weights(slots, sources), named_forms(slots.text)
    fitting = _of_the_heads_asked(fitting, _degrees(slots.text), _degrees)
    fitting = _of_the_heads_asked(fitting, slots.routes, stated_routes)
    met: dict[str, float] = {}
    best: dict[tuple[str, int, str], float] = {}
    labels: dict[str, frozenset[str]] = {}
    for one in fitting:
        row = one.statement
        if row.statement_kind == "row":
            label = row.said.split(";", 1)[0]
            roots = frozenset(word_root(stem) for stem in key_stems(label.split(":", 1)[-1]))
            labels[row.id] = roots
            met[row.id] = weighted_containment(weights, roots)
            if names_them(slots, label) or _is_for_some(slots, label) or forms & named_forms(label):
                met[row.id] = 1.0
            table = table_of(row)
            best[table] = max(best.get(table, 0.0), met[row.id])
    first = [row for row in fitting if _is_best(row, met, best)]
    return [
        one
        for one in fitting
        if one.statement.id not in met
        or one in first
        or _is_asked_as_well(one, first, labels, weights)
    ]


def _is_best(
    one: RankedStatement, met: Mapping[str, float], best: Mapping[tuple[str, int, str], float]
) -> bool:
    row = one.statement
    return row.id in met and met[row.id] >= best[table_of(row)]


def _is_asked_as_well(
    one: RankedStatement,
    first: Sequence[RankedStatement],
    labels: Mapping[str, frozenset[str]],
    asked: Container[str],
) -> bool:
    """Return whether a question has all of a row's label, none of it in that of the best row."""
    own = labels[one.statement.id]
    of_table = [row for row in first if table_of(row.statement) == table_of(one.statement)]
    is_asked = bool(own) and all(root in asked for root in own)
    return is_asked and all(
        labels[row.statement.id] and own.isdisjoint(labels[row.statement.id]) for row in of_table
    )


def _of_the_heads_asked(
    fitting: list[RankedStatement], asked: frozenset[str], read: Callable[[str], Iterable[str]]
) -> list[RankedStatement]:
    """Return statements without rows at whose head `read` finds none of what is asked.

    Only where another row of the table has it: of another degree, by another route.
    """
    heads = {
        one.statement.id: asked.intersection(read(one.statement.said.split(";", 1)[0]))
        for one in fitting
        if one.statement.statement_kind == "row"
    }
    tables = {table_of(one.statement) for one in fitting if heads.get(one.statement.id)}
    return [
        one
        for one in fitting
        if heads.get(one.statement.id, asked) or table_of(one.statement) not in tables
    ]


def _degrees(text: str) -> frozenset[str]:
    """Return the degrees that a text names, if it is one."""
    found = frozenset(_DEGREE.findall(fold_chars(text)))
    return found if len(found) == 1 else frozenset()


def _is_for_some(slots: QuestionSlots, label: str) -> bool:
    """Return whether the label of a row is some of the several people asked about."""
    asked, has = slots.people.ages, read_people(label).ages
    return len(asked) > 1 and any(one.meets(other) for one in asked for other in has)


def table_of(row: IndexedStatement) -> tuple[str, int, str]:
    """Return what the rows of one table share: parts of it may be blocks of their own."""
    return row.document_id, row.section_ordinal, row.caption or str(row.block)


def is_of_named_body(text: str, row: IndexedStatement) -> bool:
    """Return whether a text names the body whose row it is, by its letters: "Authority: BTS"."""
    head = row.said.partition(";")[0].rpartition(": ")[2]
    is_row = row.statement_kind == "row" and _BODIES.fullmatch(head) is not None
    return is_row and re.search(rf"\b(?:{'|'.join(head.split(', '))})\b", text) is not None


def of_the_table_asked(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements without rows of tables of whose title a like one says as much and more.

    The sensitivity of "cough of 2 weeks or more" is asked for; that of "any cough" is not. Doses
    are left alone: their tables are for other people, and one may refer to the other.
    """
    if slots.asks_dosing:
        return fitting
    fitting = _of_the_general_population(fitting, slots)
    asked = frozenset(_weights(slots, sources))
    figures = {one.key for one in quantities(slots.text)}
    met: dict[tuple[str, str], frozenset[object]] = {}
    labels: dict[tuple[str, str], set[str]] = {}
    for one in fitting:
        row = one.statement
        if row.statement_kind == "row" and row.caption:
            roots = frozenset[object](word_root(stem) for stem in key_stems(row.caption))
            own = {quantity.key for quantity in quantities(row.caption)}
            met[row.document_id, row.caption] = (roots & asked) | (own & figures)
            labels.setdefault((row.document_id, row.caption), set()).add(row.said.split(":")[0])
    less = {
        title
        for title, words in met.items()
        for other, more in met.items()
        if title[0] == other[0] and words < more and labels[title] & labels[other]
    }
    return [
        one
        for one in fitting
        if (one.statement.document_id, one.statement.caption) not in less
        or one.statement.statement_kind != "row"
    ]


def _of_the_general_population(
    fitting: list[RankedStatement], slots: QuestionSlots
) -> list[RankedStatement]:
    """Return statements without rows of tables for some people, where everybody is asked about.

    How well a test finds disease in people with HIV says nothing of others.
    """
    if not _EVERYBODY.search(fold_chars(slots.text)):
        return fitting
    captions = {one.statement.caption for one in fitting if one.statement.statement_kind == "row"}
    of_all = {caption for caption in captions if _EVERYBODY.search(fold_chars(caption))}
    others = captions - of_all if of_all else set[str]()
    return [
        one
        for one in fitting
        if one.statement.statement_kind != "row" or one.statement.caption not in others
    ]


def _weights(slots: QuestionSlots, sources: Sources) -> dict[str, float]:
    """Return the root of each word of a question with its weight."""
    tokens = tokenize(spell_out(slots.text, sources.drugs))
    return {word_root(w): weight for w, weight in question_weights(tokens, sources.idf).items()}
