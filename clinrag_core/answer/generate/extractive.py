"""The extractive generator: statements of the sources, chosen and ordered, each with its citations.

Deterministic, and nothing is written that is not in the sources. The best statement comes first,
then what qualifies it, in the order of the documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.generate.protocol import Draft, DraftClaim, context
from clinrag_core.text.similarity import jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from clinrag_core.answer.generate.protocol import QuotableStatement, Role, Task

SAME = 0.8
"""Jaccard similarity of key stems from which two statements say the same."""
FLOOR = 0.88
"""Share of the best score that another claim has at least: .82 to .90 find the same vital facts on
dev, and the higher the less beside the point."""
MOST_WORDS = 120
"""Words of an answer after which no further claim is added."""


class ExtractiveGenerator:
    """Drafts an answer from statements, without a model."""

    name = "extractive"
    revision = "extractive/4"

    def generate(self, task: Task) -> Draft:
        """Return the best statement and those that belong to it."""
        chosen = _chosen(task)
        first, rest = chosen[:1], sorted(chosen[1:], key=_place)
        leads, warnings = (_claims_of(task, role) for role in ("lead", "warning"))
        claims = (*leads, *map(_claim, first), *warnings, *map(_claim, rest))
        return Draft(tuple(dict.fromkeys(claims)))


def warnings_of(task: Task) -> Draft:
    """Return the warnings that every answer to a task holds, in the sources' words."""
    return Draft((*_claims_of(task, "lead"), *_claims_of(task, "warning")))


def _claims_of(task: Task, role: Role) -> tuple[DraftClaim, ...]:
    return tuple(_claim(one) for one in task.statements if one.role == role)


def _claim(one: QuotableStatement) -> DraftClaim:
    said = one.statement.said
    return DraftClaim(said, one.citations, context(one.statement), (said,))


def _chosen(task: Task) -> list[QuotableStatement]:
    """Return the statements to show besides the warnings, best first."""
    direct = [q for q in task.statements if q.role == "direct"]
    if not direct:
        return []
    best = direct[0]
    chosen = [best]
    words = len(best.statement.said.split())
    for quotable in direct[1:]:
        if len(chosen) == task.sentences or quotable.score < FLOOR * best.score:
            break
        length = len(quotable.statement.said.split())
        if words + length <= MOST_WORDS and not any(_same(quotable, other) for other in chosen):
            chosen.append(quotable)
            words += length
    return chosen


def _same(one: QuotableStatement, other: QuotableStatement) -> bool:
    mine, its = (frozenset(key_stems(q.statement.said)) for q in (one, other))
    return mine <= its or its <= mine or jaccard(mine, its) >= SAME


def _place(quotable: QuotableStatement) -> tuple[str, int]:
    return quotable.statement.document_id, quotable.statement.order
