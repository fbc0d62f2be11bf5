"""The extractive generator: statements of the sources, chosen and ordered, each with its citations.

Deterministic, and nothing is written that is not in the sources. The best statement comes first,
then what qualifies it, in the order of the documents.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.generate.protocol import Draft, DraftClaim, context, own_words
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.facts.negation import is_denied
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.revision import answering_code
from clinrag_core.text.crossref import ENDS_HIGHLIGHT
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.similarity import jaccard
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.generate.protocol import QuotableStatement, Role, Task

CACHED_TEXTS = 256
"""Texts whose stems are kept, in memory only: each statement of an answer is compared with all."""
SAME = 0.8
"""Jaccard similarity of key stems from which two statements say the same."""
REPEATED = 0.8
"""Share of the shorter statement's key stems in another one of its document, from which it repeats
it, by judgement: highlights, boxed warning and section of a label differ in a few words."""
FLOOR = 0.85
"""Share of the best score that another claim has at least."""
WORTH = 3.6
SCORE, RANK, NEW, ADJACENT, DOCUMENT, REPEATS = 4.0, 0.6, 1.6, 0.9, 0.5, 1.6
"""What another claim is worth at least, and what it is worth: for its share of the best score, less
for the logarithm of its rank; for the share of the question's words that it says and the first
claim does not; for being next to the first claim or in its document; less where most words of both
are the same. Rounded from a logistic regression on 4,636 further claims of 923 answers (dev, and
questions of others that are not in the repository), whether they hold a fact that the first does
not: at equal length .27 of them do, with the weights of before .23 (five-fold cross-validation).
WORTH by what `clinrag evaluate nuggets` finds on dev: 3.75 has shorter answers, .006 fewer vital
facts and .013 more relevant claims."""
NEXT = 2
"""Statements of a document between which two are next to each other."""
ITEM, SHORT = 5, 15
"""Words up to which a statement may be an item, and a sentence that has all of its words takes its
place."""
LIKE = 0.5
"""Jaccard similarity of key stems from which most words of two statements are the same."""
_SEE = lazy_re(r"\(\s*see\b[^)]*\)", re.IGNORECASE)
"""A reference to another section in words: "(see WARNINGS, Usage in Pregnancy)"."""
_TURNS = lazy_re(
    r"\b(?:before|after|during|until|unless|except|above|below|continue"
    r"|susceptib\w+|resistance|intoleran\w+)\b"
)
"""Words that make two texts of the same words say different things."""
_AMOUNTS = lazy_re(r"\d[\d.,]* ?(?:m?c?g|mL|%)(?!\w)")
_SHARES = lazy_re(r"\b(?:half|halv\w+|doubl\w+|twice|one[- ](?:third|quarter))\b", re.I)
"""What part of a dose is meant: "use half of it" says more than that it is reduced."""
_FIGURES = lazy_re(r"\d[\d.,]* ?(?:m?c?g|mL|%)(?!\w)|\d+\.\d+")
"""Amounts, and in items of a list, which have no numbers of sections, also bare decimals."""
REVISION = 12
"""Digits of the digest of the code that are shown."""
_DOSE = "dose"
"""The aspect of a statement that gives one."""
MOST_WORDS = 120
"""Words of an answer after which no further claim is added."""


class ExtractiveGenerator:
    """Drafts an answer from statements, without a model."""

    name = "extractive"

    @property
    def revision(self) -> str:
        """The code that chooses what is quoted."""
        return answering_code()[:REVISION]

    def generate(self, task: Task) -> Draft:
        """Return the best statement and those that belong to it."""
        chosen = _chosen(task)
        first, rest = chosen[:1], sorted(chosen[1:], key=_place)
        leads = [_in_full(one, task) for one in _distinct(task, "lead")]
        first = [one for one in first if not _is_repeated(one, leads)]
        before = [*leads, *first]
        warnings = [one for one in _distinct(task, "warning") if not _is_repeated(one, before)]
        rest = [one for one in rest if not _is_repeated(one, [*before, *warnings])]
        return Draft(tuple(map(_claim, (*before, *warnings, *rest))))


def warnings_of(task: Task) -> Draft:
    """Return the warnings that every answer to a task holds, in the sources' words."""
    leads = _distinct(task, "lead")
    warnings = [one for one in _distinct(task, "warning") if not _is_repeated(one, leads)]
    return Draft(tuple(map(_claim, (*leads, *warnings))))


def _in_full(item: QuotableStatement, task: Task) -> QuotableStatement:
    """Return the sentence that forbids what an item of a list names, where its document has one.

    "X is contraindicated in pregnant women" says more than "Pregnant women" under a heading; that
    nothing is known of them says less.
    """
    said = _SEE.sub(" ", item.statement.said)
    short = _stems(said)
    if len(said.split()) > ITEM:
        return item
    return next(
        (
            one._replace(role=item.role)
            for one in task.statements
            if one.statement.document_id == item.statement.document_id
            and short < _stems(one.statement.said)
            and len(one.statement.said.split()) <= SHORT
            and _forbids(one.statement.said)
        ),
        item,
    )


def _forbids(said: str) -> bool:
    """Return whether a text forbids something; "not contraindicated" does not."""
    folded = fold_chars(said)
    prohibits = slot_lexicon().wordings.prohibits.finditer(folded)
    return any(not is_denied(folded, match.start()) for match in prohibits)


def _distinct(task: Task, role: Role) -> list[QuotableStatement]:
    """Return the statements of a role; of those that say the same, the first."""
    distinct: list[QuotableStatement] = []
    for one in task.statements:
        if one.role == role and not _is_repeated(one, distinct):
            distinct.append(one)
    return distinct


def _is_repeated(one: QuotableStatement, others: Sequence[QuotableStatement]) -> bool:
    return any(_same(one, other) for other in others)


def _claim(one: QuotableStatement) -> DraftClaim:
    said, kind = one.statement.said, one.statement.statement_kind
    return DraftClaim(said, one.citations, context(one.statement), (said,), kind)


def _chosen(task: Task) -> list[QuotableStatement]:
    """Return the statements to show besides the warnings, best first."""
    direct = _most_complete([q for q in task.statements if q.role == "direct"])
    if not direct:
        return []
    best = direct[0]
    chosen = [best]
    words = len(best.statement.said.split())
    asked = frozenset(key_stems(task.question))
    for rank, quotable in enumerate(direct[1:], start=1):
        if len(chosen) == task.sentences or quotable.score < FLOOR * best.score:
            break
        length = len(quotable.statement.said.split())
        fits = words + length <= MOST_WORDS and _utility(quotable, best, asked, rank) >= WORTH
        if fits and not _is_repeated(quotable, chosen):
            chosen.append(quotable)
            words += length
    return chosen


def _utility(
    one: QuotableStatement, best: QuotableStatement, asked: frozenset[str], rank: int
) -> float:
    """Return what a further claim is worth next to the best one.

    `asked` are the question's stems; `rank` is 1 for the statement after the best one.
    """
    mine, first = one.statement, best.statement
    said, shown = (frozenset(key_stems(each.said)) for each in (mine, first))
    heads = frozenset(key_stems(" ".join((*mine.headings, mine.document_title))))
    if (asked | shown).isdisjoint(said | heads):
        return 0.0  # nothing of what is asked or answered
    in_document = mine.document_id == first.document_id
    return (
        SCORE * one.score / best.score
        - RANK * math.log(rank)
        + NEW * len((asked - shown) & said) / max(len(asked), 1)
        + ADJACENT * (in_document and abs(mine.order - first.order) <= NEXT)
        + DOCUMENT * in_document
        - REPEATS * (jaccard(said, shown) > LIKE)
    )


def _most_complete(direct: list[QuotableStatement]) -> list[QuotableStatement]:
    """Return statements, with those that another one goes on from replaced by that one.

    "Sometimes this is found late. In such cases ..." says more than its first sentence, a label's
    section more than its highlights.
    """
    kept: dict[str, QuotableStatement] = {}
    for one in direct:
        longer = next((q for q in direct if _extends(q, one) and q != one), one)
        kept.setdefault(longer.statement.id, longer._replace(score=one.score))
    return list(kept.values())


def _extends(longer: QuotableStatement, one: QuotableStatement) -> bool:
    """Return whether a statement begins with another, or has all words of its label's highlight."""
    mine, its = one.statement, longer.statement
    if its.said.startswith(mine.said):
        return True
    return (
        mine.document_id == its.document_id
        and ENDS_HIGHLIGHT.search(mine.said) is not None
        and _stems(mine.said) < _stems(its.said)
        and not (_forbids(mine.said) and not _forbids(its.said))  # an exception is not its rule
    )


def _same(one: QuotableStatement, other: QuotableStatement) -> bool:
    """Return whether two statements say the same; a label's highlights repeat its sections."""
    texts = own_words(one.statement, other.statement)
    mine, its = (frozenset(key_stems(without_cross_references(text))) for text in texts)
    if not (mine and its):
        return one.statement.said == other.statement.said
    says_share = _SHARES.search(texts[0]) is not None and not _SHARES.search(texts[1])
    if not says_share and (mine <= its or its <= mine):
        return _forbids(texts[0]) == _forbids(texts[1])
    turns = [frozenset(_TURNS.findall(fold_chars(text))) for text in texts]
    if says_share or (turns[0] - turns[1] and turns[1] - turns[0]):
        return False  # "stopped after four weeks: go on" is not "during these: stop"
    if _are_of_one_table(one, other) or _differ_in_figures(one, other):
        return False  # "500 mg every 12 hours" is not "750 mg every 8 hours"
    if jaccard(mine, its) >= SAME:
        return True
    shared = len(mine & its) / min(len(mine), len(its))
    return one.statement.document_id == other.statement.document_id and shared >= REPEATED


def _are_of_one_table(one: QuotableStatement, other: QuotableStatement) -> bool:
    """Return whether two statements are rows of one table with labels of their own and no dose.

    A row of doses that is like the best one is that of other patients.
    """
    mine, its = one.statement, other.statement
    return (
        (mine.statement_kind, its.statement_kind) == ("row", "row")
        and (mine.document_id, mine.block, mine.caption)
        == (its.document_id, its.block, its.caption)
        and mine.said.partition(";")[0] != its.said.partition(";")[0]
        and _DOSE not in {*mine.aspects, *its.aspects}
    )


def _differ_in_figures(one: QuotableStatement, other: QuotableStatement) -> bool:
    """Return whether each of two sentences, or items, has amounts that the other has not."""
    kinds = {one.statement.statement_kind, other.statement.statement_kind}
    if kinds not in ({"sentence"}, {"item"}):
        return False  # rows all have
    figures = _FIGURES if "item" in kinds else _AMOUNTS
    mine, its = (frozenset(figures.findall(o.statement.said)) for o in (one, other))
    return bool(mine - its) and bool(its - mine)


@lru_cache(maxsize=CACHED_TEXTS)
def _stems(text: str) -> frozenset[str]:
    """Return the key stems of a text without its references to other sections."""
    return frozenset(key_stems(ENDS_HIGHLIGHT.sub(" ", without_cross_references(text))))


def _place(quotable: QuotableStatement) -> tuple[str, int]:
    return quotable.statement.document_id, quotable.statement.order
