"""The contraindications and boxed warning of a label, where all of them are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.complete.lists import join_lists, list_around
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.lead.companions import is_about_drug
from clinrag_core.answer.lead.label_warnings import says_none, says_same
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.answer.rank.topic_words import share_said, topic_words
from clinrag_core.answer.sources import is_quotable
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.facts.indications import agree, diseases
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

MOST_ASKED = 6
MOST_WORDS = 200
"""Warnings, and words of them, that are shown where all of them are asked for; by judgement."""
MOST_BOXED = 8
"""Statements of a boxed warning that are shown where it is asked for: all of most labels'."""
LONG = 50
"""Words from which a warning is several that a summary ran together; by judgement."""
_SUMMARY = "full prescribing information"
"""What a summary of the box says, which refers to the box itself."""
_HAZARD = lazy_re(r"(?:[A-Z][A-Z/,-]+[ :]+){2,}(?=[A-Z]?[a-z])")
"""The title of a danger in capitals, run in before what is said of it."""

_NOT_FOR = lazy_re(r"\bnot for (?:[\w-]+ ){1,3}(?:use|administration|injection)\b")
"""What forbids a route without a verb: "NOT FOR INTRATHECAL USE"."""


def asked_warnings(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the contraindications and boxed warning of the label of a drug, where asked for.

    In the label's order, without repetition: contraindications first, or the box, as far as it can
    be shown, where that is asked for; what names the very matter asked about before all. Empty
    where people, a partner or a finding narrow the question: then only what concerns these is
    shown.
    """
    asks = slot_lexicon().wordings.asks_warnings.search(fold_chars(slots.text))
    narrowed = slots.people or slots.findings
    if not asks or narrowed or not slots.drugs:
        return []
    wants_box = "warning" in asks.group() or "box" in asks.group()
    groups = tuple(reversed(WARNING_GROUPS)) if wants_box else WARNING_GROUPS
    found = _on_disease(_found(slots, sources, groups), slots)
    ages = _newest_first(found)
    matter = topic_words(slots.text, sources.drugs, sources.idf)
    places = [one.statement.id for members in found.values() for one in members]

    def order(one: RankedStatement) -> tuple[float, int]:
        return -share_said(matter, one.statement), places.index(one.statement.id)

    box = _box(found["boxed_warning"]) if "box" in asks.group() else []
    if box:
        found["boxed_warning"] = []
    rest = sorted(
        (one for members in found.values() for one in members),
        key=lambda one: (
            order(one)[0],
            one.statement.group == "warnings",
            ages[one.statement.document_id],
            _gravity(one.statement.said),
        ),
    )
    chosen: list[RankedStatement] = []
    words = _words(box)
    for one in rest:
        if any(repeats(one.statement, other.statement) for other in (*box, *chosen)):
            continue
        words += _words([one])
        if len(box) + len(chosen) >= MOST_ASKED or (box + chosen and words > MOST_WORDS):
            break
        chosen.append(one)
    return [*box, *sorted(chosen, key=order)]


def _found(
    slots: QuestionSlots, sources: Sources, groups: Sequence[str]
) -> dict[str, list[RankedStatement]]:
    """Return what the label of the drugs asked about has in each group, without mere titles.

    Of the section of warnings what forbids, where there are no contraindications.
    """
    drug = frozenset[str]().union(*slots.drugs, *slots.partners)
    is_one = len(slots.drugs) == 1 and not slots.partners
    found: dict[str, list[RankedStatement]] = {group: [] for group in (*groups, "warnings")}
    for one in of_labels(slots, sources, tuple(found)):
        own = statement_slots(one.statement, sources.drugs)
        said = one.statement.said
        is_title = (said.isupper() and said[-1] != ".") or _SUMMARY in said
        is_title = is_title or said.startswith("[see ") or says_none(one.statement)
        is_whole = own.label == drug or (is_one and is_about_drug(own, drug))
        if is_whole and not is_title and one.statement.group:
            found[one.statement.group].append(one)
    found["warnings"] = [
        one
        for one in found["warnings"]
        if not found["contraindications"] and statement_slots(one.statement, sources.drugs).forbids
    ]
    return found


def _on_disease(
    found: dict[str, list[RankedStatement]], slots: QuestionSlots
) -> dict[str, list[RankedStatement]]:
    """Return the warnings on the disease that they are asked about; all of them without one."""
    theirs = {
        group: [
            one
            for one in members
            if any(agree(a, b) for a in slots.diseases for b in diseases(one.statement.said))
        ]
        for group, members in found.items()
    }
    return theirs if any(theirs.values()) else found


def _newest_first(found: dict[str, list[RankedStatement]]) -> dict[str, int]:
    """Put what newer labels say before what older ones do; return the days by which each is older.

    Two labels of one drug may differ in what they forbid.
    """
    latest: dict[str, int] = {}
    for one in (one.statement for members in found.values() for one in members):
        day = one.effective.toordinal() if one.effective else 0
        latest[one.document_id] = max(day, latest.get(one.document_id, 0))
    ages = {name: max(latest.values()) - day for name, day in latest.items()}
    for members in found.values():
        members.sort(key=lambda one: ages[one.statement.document_id])
    return ages


def _box(members: Sequence[RankedStatement]) -> list[RankedStatement]:
    """Return as much of a boxed warning as can be shown, in its order.

    Each danger that it names comes before what is said of one, what forbids before what warns; what
    a summary ran together comes last.
    """
    statements = [one.statement for one in members]

    def siblings(one: RankedStatement) -> list[IndexedStatement]:
        return list_around(statements, statements.index(one.statement))

    every = join_lists(members, siblings, is_quotable)
    openings = {_danger(one.statement): one for one in reversed(every)}.values()

    def order(one: RankedStatement) -> tuple[bool, bool, int]:
        is_danger = one in openings or _HAZARD.match(one.statement.said) is not None
        return _words([one]) > LONG, not is_danger, _gravity(one.statement.said)

    distinct: list[RankedStatement] = []
    for one in sorted(every, key=lambda one: _words([one]) > LONG):
        same = [other for other in distinct if says_same(one.statement, other.statement)]
        if not same:
            distinct.append(one)
        elif one.statement.said.startswith(same[0].statement.said):  # it goes on from there
            distinct[distinct.index(same[0])] = one
    chosen: list[RankedStatement] = []
    for one in sorted(distinct, key=order):
        if not chosen or (len(chosen) < MOST_BOXED and _words([*chosen, one]) <= MOST_WORDS):
            chosen.append(one)
    return [one for one in every if one in chosen]


def _danger(statement: IndexedStatement) -> tuple[str, ...]:
    """Return the titles under which a boxed warning says something."""
    return (*statement.headings, statement.run_in)


def repeats(one: IndexedStatement, other: IndexedStatement) -> bool:
    """Return whether a warning says nothing new: of a section of warnings one is enough."""
    is_section = one.group == "warnings" and one.section_ordinal == other.section_ordinal
    return is_section or says_same(one, other)


def _gravity(said: str) -> int:
    """Return 0 for a warning that forbids, 1 for one that names a danger, else 2."""
    wordings = slot_lexicon().wordings
    folded = fold_chars(said)
    if _NOT_FOR.search(folded):
        return 0
    found = (one.search(folded) for one in (wordings.prohibits, wordings.grave))
    return next((n for n, match in enumerate(found) if match), 2)


def _words(chosen: Iterable[RankedStatement]) -> int:
    """Return how many words statements have without cross-references."""
    return sum(len(without_cross_references(one.statement.said).split()) for one in chosen)
