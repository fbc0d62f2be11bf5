"""Joins the items of one list: three reasons to stop a drug are one answer, one of them is none.

Only items that fit the question are joined; a list too long to be read at once stays in items.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.fit.question_gate import misfits
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import is_sign
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

MOST_WORDS = 80
"""Words of a list that is shown whole, by judgement: two thirds of an answer."""
REACH = 12
"""Items on each side of one that may belong to its list: with more it is too long to be shown."""
_BETWEEN = "; "
_OF_LIST = frozenset({"aspect"})
"""What an item that is shown with its list may lack."""
MOST_WHO = 120
"""Words of a list of those who are meant, where "who" is asked: half of it names too few."""
_ANY = lazy_re(
    r"\b(?:any|one)(?: or more)? of (?:the )?following\b|\bfollowing (?:\w+ )?"
    r"(?:persons|people|patients|groups?|categories|factors|conditions|contacts)\b"
    r"|\b(?:contacts|persons|people|patients|groups)(?: for [\w ]+)? are:",
    re.IGNORECASE,
)
_NOT_FOR = lazy_re(
    r"\b(?:not (?:be )?(?:recommended|used|given)|contraindicated)\b[^:]{0,60}:", re.IGNORECASE
)
"""What says of those in a list that they must not have a drug: half of them is half a warning."""
_COUNTS = lazy_re(
    r"\b(?:two|three|four|[2-4]|all|both)(?: or more)? of (?:the )?(?:following|these|criteria)\b"
    r"|\bregimens?\b[^:]{0,60}\b(?:is|are|of|consists? of|includes?|comprises?):?\s*$",
    re.IGNORECASE,
)
"""A lead-in that counts its items, or those of a regimen: any left out changes what others say."""
_STOPS = lazy_re(
    r"\b(?:discontinu\w+|stop(?:ped)?|withdraw\w*|withh[eo]ld|interrupt)\b[^:]{0,60}"
    r"\b(?:if|when|for|following)\b",
    re.IGNORECASE,
)
"""A lead-in of what calls for stopping: which of them is met may change within days."""
_STEP = lazy_re(
    r"(?:first|second|third|fourth|initial|next|subsequent|later|final) (?:[\w-]+ ){0,2}[\w-]+:",
    re.IGNORECASE,
)
"""How an item begins that is a step of a course: those before and after it belong to it."""
_REFERS_UP = lazy_re(
    r"\b(?:above[- ](?:listed|mentioned|named)|(?:listed|mentioned|named) above)\b", re.IGNORECASE
)


def after_what_they_refer_to(fitting: Sequence[RankedStatement]) -> list[RankedStatement]:
    """Return statements, those on "the above listed" right after what is above them, if shown."""
    ordered = list(fitting)
    for one in fitting:
        if not _REFERS_UP.search(one.statement.said):
            continue
        above = [other for other in ordered if _is_above(other, one)]
        nearest = max(above, key=lambda other: other.statement.order, default=one)
        at, after = ordered.index(one), ordered.index(nearest)
        if after > at:
            ordered.insert(after, ordered.pop(at))
    return ordered


def _is_above(other: RankedStatement, one: RankedStatement) -> bool:
    a, b = other.statement, one.statement
    is_same = (a.document_id, a.section_ordinal) == (b.document_id, b.section_ordinal)
    return is_same and 0 < b.order - a.order <= REACH


class _Item(NamedTuple):
    """A list item: what introduces it, and its own words without a bullet."""

    lead_in: str
    own: str


def with_lists(
    fitting: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements with each item of a short list replaced by the list, as far as it fits."""

    def siblings(one: RankedStatement) -> list[IndexedStatement]:
        if one.statement.statement_kind != "item":
            return [one.statement]
        for _, index in statement_bases(sources.engines, one.knowledge_base):
            near, position = index.around(one.statement.id, REACH)
            if near:
                return list_around(near, position)
        return [one.statement]

    def fits(statement: IndexedStatement) -> bool:
        """Return whether an item may be shown with its list; not each states what is asked."""
        lost = {misfit.slot for misfit in misfits(slots, statement, sources.drugs)}
        return is_quotable(statement) and lost <= _OF_LIST

    return join_lists(
        fitting,
        siblings,
        fits,
        asks_who="who" in slots.aspects,
        asks_stop="stopping" in slots.aspects,
        is_for_anyone=not slots.people,
    )


def join_lists(
    fitting: Sequence[RankedStatement],
    siblings: Callable[[RankedStatement], Sequence[IndexedStatement]],
    fits: Callable[[IndexedStatement], bool],
    *,
    asks_who: bool = False,
    asks_stop: bool = False,
    is_for_anyone: bool = False,
    most: int = MOST_WORDS,
) -> list[RankedStatement]:
    """Return ranked statements with each list item replaced by its list, where that is short.

    `siblings` are the statements of the list an item belongs to, itself included, in order.
    With `asks_who` all who are meant are shown, with `asks_stop` all that calls for stopping a
    drug, for anyone all who must not have it; else lists of `most` words.
    """
    joined: list[RankedStatement] = []
    taken: set[str] = set()
    for one in fitting:
        if one.statement.id in taken:
            continue
        every = siblings(one)
        lead_in = _lead_in(one.statement) or ""
        names_all = asks_who and _ANY.search(lead_in) is not None
        is_counted = names_all or _COUNTS.search(lead_in) is not None
        is_counted = is_counted or (asks_stop and _STOPS.search(lead_in) is not None)
        is_counted = is_counted or (is_for_anyone and _NOT_FOR.search(lead_in) is not None)
        members = [m for m in every if is_counted or m.id == one.statement.id or fits(m)]
        whole = _joined(members, MOST_WHO if names_all else most)
        if whole is None:
            joined.append(one)
        else:
            taken.update(member.id for member in members)
            joined.append(one._replace(statement=whole))
    return joined


def list_around(statements: Sequence[IndexedStatement], position: int) -> list[IndexedStatement]:
    """Return the items that share the lead-in of the one at a position, in order; it alone if none.

    `statements` are those of its section, in order.
    """
    item = _item(statements[position])
    if item is None:
        return [statements[position]]
    start = end = position
    while start > 0 and _lead_in(statements[start - 1]) == item.lead_in:
        start -= 1
    while end + 1 < len(statements) and _lead_in(statements[end + 1]) == item.lead_in:
        end += 1
    return list(statements[start : end + 1])


def _joined(members: Sequence[IndexedStatement], most: int) -> IndexedStatement | None:
    """Return the items of a list as one statement; None if there is one, or it is too long."""
    items = [_item(member) for member in members]
    known = [item for item in items if item is not None]
    if len(known) < 2 or len(known) < len(members):  # noqa: PLR2004 - one item is no list
        return None
    said = _BETWEEN.join(item.own.rstrip(" ;,.") for item in known)
    said = f"{known[0].lead_in} {said}".strip()
    if len(said.split()) > most:
        return None
    return members[0].model_copy(
        update={
            "id": sha256_hex("\n".join(member.id for member in members).encode())[:32],
            "said": said,
            "text": "\n".join(member.text for member in members),
            "quotes": tuple(dict.fromkeys(q for member in members for q in member.quotes)),
            "aspects": tuple(sorted({a for member in members for a in member.aspects})),
        }
    )


def _lead_in(statement: IndexedStatement) -> str | None:
    item = _item(statement)
    return None if item is None else item.lead_in


def _item(statement: IndexedStatement) -> _Item | None:
    """Return the parts of an item with a lead-in, or of a step of a course; else None."""
    if statement.statement_kind != "item":
        return None
    own = statement.text.split()
    if own and is_sign(own[0]):
        own = own[1:]
    said = statement.said.split()
    before = len(said) - len(own)
    is_step = before == 0 and _STEP.match(statement.said) is not None
    if not own or (before <= 0 and not is_step) or said[before:] != own:
        return None
    return _Item(" ".join(said[:before]), " ".join(own))
