"""Keeps a statement together with the sentence next to it without which it says something else.

"Use in children is appropriate" comes after "indicated in children for anthrax only", a starting
dose before the maintenance dose.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.sources import statement_bases
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import diseases, facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.times import vague_period
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.word_starts import says
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement, Quote

_FIRST, _LATER = frozenset({"first"}), frozenset({"later"})
_ADDS = lazy_re(r"(?:[\w'’-]+ ){1,10}(?:should|must) also\b", re.IGNORECASE)
"""How a sentence begins that adds to what is to be done: "clinicians should also obtain an ECG"."""
_EXCEPTS = lazy_re(r"(?:however|but|nevertheless),? (?:if|when|where|in)\b", re.IGNORECASE)
"""How a sentence begins that says for whom, or when, the one before does not hold."""
_SIGNS = frozenset("‡†§¶‖#")
"""Signs that refer from a row to a footnote."""
_ORDERS = lazy_re(r"\bmust\b|\bshould not\b|\bonly\b")
"""How a footnote orders something."""
REACH = 60
"""Statements around a row among which its footnotes are: they come after all rows of a table."""
PROSE = frozenset({"sentence", "recommendation"})


def completed(fitting: Sequence[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements, each with what next to it limits it or goes on with it."""
    return [with_restriction(one, sources) for one in with_orders(fitting, sources)]


def with_restriction(one: RankedStatement, sources: Sources) -> RankedStatement:
    """Return a statement joined with the sentences next to it that limit it, or go on with it.

    Itself if it allows nothing, or if nothing next to it limits it.
    """
    statement = one.statement
    if statement.statement_kind not in PROSE:
        return one
    phase = facet_values(statement.said, "phase")
    permits = _permits(statement.said)
    before, after = _neighbours(statement, sources, one.knowledge_base)
    goes_on = after is not None and (
        _forbids(after.said) or _ADDS.match(after.said) or _counts(statement.said, after.said)
    )
    if after is not None and goes_on and after.said not in statement.said:
        return one._replace(statement=joined(statement, [statement, after]))
    if after is not None and _EXCEPTS.match(_own_words(after, statement)):
        _, next_one = _neighbours(after, sources, one.knowledge_base)
        is_on_it = next_one is not None and _own_words(next_one, after) != next_one.said
        parts = [statement, after, *([next_one] if next_one is not None and is_on_it else [])]
        return one._replace(statement=joined(statement, parts))
    if not (permits or phase):
        return one
    first, later = _doses_of(before, _FIRST), _doses_of(after, _LATER)
    parts = [
        before if (phase == _LATER and first) or _limits_before(before, statement) else None,
        statement,
        after
        if (phase == _FIRST and later) or (permits and after and _limits(after.said))
        else None,
    ]
    kept = [part for part in parts if part is not None]
    if len(kept) == 1:
        return one
    return one._replace(statement=joined(statement, kept))


def _own_words(statement: IndexedStatement, before: IndexedStatement) -> str:
    """Return what a statement says without the sentence before it that it is said with."""
    return statement.said.removeprefix(before.text).lstrip()


def _counts(said: str, after: str) -> bool:
    """Return whether the next sentence gives in figures what one leaves at "several months"."""
    period = vague_period(fold_chars(said))
    return bool(period) and re.search(rf"\d {period}", fold_chars(after)) is not None


def with_orders(fitting: Sequence[RankedStatement], sources: Sources) -> list[RankedStatement]:
    """Return statements in which each row of doses goes on with what its footnotes order.

    "Resume at 30 mg" is not all where a note says "after a week's delay begin at 3 mg". What was
    said with a row is not said again.
    """
    found: list[RankedStatement] = []
    said: set[str] = set()
    for one in fitting:
        orders = [order for order in orders_of(one, sources) if order.id not in said]
        said.update(order.id for order in orders)
        whole = joined(one.statement, [one.statement, *orders]) if orders else one.statement
        found.append(one._replace(statement=whole))
    return [one for one in found if one.statement.id not in said]


def orders_of(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return the footnotes that a row quotes as sentences of their own; none of rows of studies.

    Also those below the table that order something under a sign that the row has: "‡ Twice-weekly
    doses must be observed".
    """
    row = one.statement
    of_study = row.group in slot_lexicon().not_dosing
    signs = frozenset(row.said) & _SIGNS
    if row.statement_kind != "row" or of_study or not (signs or len(row.quotes) > 1):
        return []
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(row.id, REACH)
        return [
            after
            for after in near[at + 1 :]
            if after.statement_kind in PROSE
            and (
                any(_holds(quote, after.quotes[0]) for quote in row.quotes[1:])
                or (after.said[:1] in signs and _ORDERS.search(fold_chars(after.said)))
            )
        ]
    return []


def _holds(quote: Quote, other: Quote) -> bool:
    is_within = quote.start <= other.start and other.end <= quote.end
    return quote.chunk_id == other.chunk_id and is_within


def with_such_drugs(one: RankedStatement, sources: Sources) -> RankedStatement:
    """Return a list of drugs joined with what goes on about them: "when such drugs are withdrawn".

    What is said of giving them is the opposite of what is said of stopping them.
    """
    goes_on = slot_lexicon().wordings.goes_on_such
    parts = [one.statement]
    if one.statement.group != "interactions":
        return one
    while after := _neighbours(parts[-1], sources, one.knowledge_base)[1]:
        if not goes_on.match(fold_chars(after.said.removeprefix(parts[-1].text).lstrip())):
            break
        parts.append(after)
    return one._replace(statement=joined(one.statement, parts)) if len(parts) > 1 else one


def with_their_meaning(
    one: RankedStatement, slots: QuestionSlots, sources: Sources
) -> RankedStatement:
    """Return a definition joined with the sentence after it that is on the very people asked about.

    "Extensive disease: cavities on both sides. In children any cavity" is one definition for them.
    """
    after = _neighbours(one.statement, sources, one.knowledge_base)[1]
    if after is None or not names_them(slots, after.said, with_groups=True):
        return one
    return one._replace(statement=joined(one.statement, [one.statement, after]))


def _permits(said: str) -> bool:
    return says(fold_chars(said), slot_lexicon().wordings.permits)


def _forbids(said: str) -> bool:
    return slot_lexicon().wordings.forbids_next.match(fold_chars(said)) is not None


def _limits(said: str) -> bool:
    return says(fold_chars(said), slot_lexicon().wordings.restricts)


def _doses_of(statement: IndexedStatement | None, phase: frozenset[str]) -> bool:
    """Return whether a statement gives the dose of a phase of treatment."""
    if statement is None or facet_values(statement.said, "phase") != phase:
        return False
    return any(quantity.kind == "dose" for quantity in quantities(statement.said))


def _limits_before(before: IndexedStatement | None, statement: IndexedStatement) -> bool:
    """Return whether the sentence before narrows what a statement leaves open: for what, for whom.

    Its figures and diseases are those that "the risk-benefit assessment" goes on about.
    """
    if before is None or before.said in statement.said or not _permits(statement.said):
        return False
    for_what = diseases(before.said) and not diseases(statement.said)
    for_whom = read_people(before.said).ages and not read_people(statement.said)
    on_finding = _limits(before.said) and read_findings(before.said)
    return bool(for_what or for_whom or on_finding)


def _neighbours(
    statement: IndexedStatement, sources: Sources, base: str
) -> tuple[IndexedStatement | None, IndexedStatement | None]:
    """Return the sentences before and after a statement in its block; None where none is."""
    for _, index in statement_bases(sources.engines, base):
        before, after = (
            other if other is not None and other.statement_kind in PROSE else None
            for other in index.next_to(statement)
        )
        return before, after
    return None, None


def joined(statement: IndexedStatement, parts: list[IndexedStatement]) -> IndexedStatement:
    """Return adjacent sentences as one statement, with the citations of all of them.

    A run-in label that the next sentence repeats is quoted once, and so is a sentence that the next
    one refers to.
    """
    repeated = {
        n for n, (one, after) in enumerate(pairwise(parts)) if after.said.startswith(one.said)
    }
    parts = [part for n, part in enumerate(parts) if n not in repeated]
    own = [after.said.removeprefix(one.text).lstrip() for one, after in pairwise(parts)]
    said = " ".join((parts[0].said, *own))
    return statement.model_copy(
        update={
            "id": sha256_hex(said.encode()),
            "said": said,
            "text": " ".join(part.text for part in parts),
            "quotes": tuple(dict.fromkeys(quote for part in parts for quote in part.quotes)),
        }
    )
