"""Shows a sentence with those around it in its paragraph: what it leaves out is often next to it.

A dose is followed by "with food", a harm preceded by what causes it.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from clinrag_core.answer.complete.restrictions import PROSE, joined
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import is_fit, misfits
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.question.asking import asking_sentences, asks, asks_next_step
from clinrag_core.answer.rank.topic_words import not_said, says_more, topic_words
from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.facts.missed_doses import weeks_of_pack
from clinrag_core.facts.people import People, read_people
from clinrag_core.facts.populations import goes_on_about_people
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.crossref import ENDS_HIGHLIGHT
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.rank.topic_words import TopicWord
    from clinrag_core.answer.sources import RankedStatement, Sources
    from clinrag_core.model.statement import IndexedStatement

MOST_WORDS = 60
"""Words of a paragraph that is shown as one claim: with 70 or 90 no more vital facts are found on
dev, with more words."""
MOST_OF_THEM = 90
"""The same where a sentence says of "these patients" what to do, by judgement."""
MOST_OF_STEPS = 130
"""The same where it is asked what to do: the first of several steps is half of an answer."""
SAME_ORDER = 2
"""Words that orders of one kind begin with: "Pre-medicate with X. Pre-medicate with Y."."""
SAME_START = 60
"""Letters that two statements of one sentence share: it may be there with what it refers to."""
SHOWN = 4
"""Statements of a question that may be shown."""
COMPLETED = 2
"""Statements that are shown with their paragraph, from the best on."""
NEAR = 0.7
"""Share of the best score that a sentence before another has to have: the answer comes first."""
MOST_OF_TITLE = 10
"""Words of a title, by judgement."""
_MARKER = lazy_re(r"\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).]\s", re.IGNORECASE)
_THEN = lazy_re(r"\b(?:should|must|can|may|will|is|are) then be\b")
"""What makes a sentence the next step after the one before it."""
_NUMBERS = {"two": 2, "three": 3}
_KINDS = lazy_re(
    r"\b(?P<number>two|three) (?:[a-z]+ )?(?:types|kinds|forms|categories|groups|stages) of"
    r" (?:[\w-]+ ){0,3}(?P<kind>[\w-]+)\.\s*$"
)
"""What announces kinds of something, which the sentences after it describe."""
_POINTS = lazy_re(
    r"\b(?:with|of|at|in|for|to) (?:this|such a|that) "
    r"(?:degree|level|extent|range|magnitude|severity|setting|situation|circumstance|case)\b"
)
"""What points to the sentence before: "adults with this degree of"."""
THEN_REACH = 2
"""Sentences before such a one that are shown with it, by judgement."""
_OTHERWISE = lazy_re(r"(?:otherwise|if (?:not|so)|in (?:that|this|such a) case)\b", re.IGNORECASE)
"""What begins the other branch of the sentence before it."""
_STOPS = lazy_re(r"\b(?:stopped|discontinued|withdrawn|omitted)\b")
_REPLACES = lazy_re(r"\b(?:substituted|replaced) (?:with|by)\b|\binstead of\b")
_IF = lazy_re(r"(?:If|In case|When)\b")
_REFERS = lazy_re(
    r"(?:Values|Levels|Results|These|This|Such|They|It|Both|Doing so|Some (?:cases|patients)"
    r"|Within \d+ \w+)\b"
)
"""How a sentence begins that says nothing without the one before it."""
REACH = 3
"""Sentences on each side that are read."""
TO_EXCEPTIONS = 8
"""Sentences after a rule among which its exceptions are, by judgement."""
_LABELLED = lazy_re(r"[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+){1,4}: [A-Z]")
"""A sentence that a label of several words begins: what comes before it is of another matter."""


def with_paragraphs(
    fitting: list[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return statements, the first ones joined with the sentences around them that fit as well."""
    best = max((one.score for one in fitting), default=0.0)
    wanted = {one.statement.id for one in fitting if one.score >= NEAR * best}
    announces = slot_lexicon().wordings.announces
    taken: set[str] = set()
    found: list[RankedStatement] = []
    for one in fitting:
        if one.statement.id in taken:
            continue
        parts = [one.statement]
        is_first_step = not found and asks(slots.text, "asks_steps")
        is_first_step = is_first_step or (not found and _is_rule_of_missed(slots, one.statement))
        if is_first_step or announces.search(fold_chars(one.statement.said)):
            # how it is done comes after it
            found.append(with_following(one, slots, sources))
            continue
        if _is_title(one.statement):
            parts = _titled(one, sources) or parts
            if parts[-1].id in taken:
                continue
        elif len(found) < COMPLETED and one.statement.statement_kind in PROSE:
            near, at = _neighbours(one, sources)
            parts = _paragraph(near, at, slots, sources, taken, wanted) if near else parts
        if len(found) < SHOWN and one.statement.statement_kind in PROSE:
            parts += [o for o in _exceptions(one, sources) if o.id not in taken and o not in parts]
        if len(found) < COMPLETED:
            parts += [o for o in _going_on(parts[-1], one, slots, sources) if o.id not in taken]
        taken.update(part.id for part in parts)
        whole = joined(one.statement, parts) if len(parts) > 1 else one.statement
        found.append(one._replace(statement=whole))
    return found


def _is_rule_of_missed(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a sentence begins what to do where doses, or those of a week, were missed.

    "One tablet a day until Sunday" goes on "on Sunday a new pack is begun".
    """
    if weeks := weeks_of_pack(slots.text):
        return bool(weeks & weeks_of_pack(statement.said))
    missed = slot_lexicon().wordings.missed
    begins = _IF.match(statement.said) is not None
    return begins and all(missed.search(fold_chars(o)) for o in (slots.text, statement.said))


def with_other_branch(one: RankedStatement, sources: Sources) -> RankedStatement:
    """Return a statement joined with the sentence after it that begins with "Otherwise"."""
    near, at = _neighbours(one, sources)
    after = near[at + 1] if at + 1 < len(near) else None
    if after is None or not _is_other_branch(near[at], after):
        return one
    return one._replace(statement=joined(one.statement, [near[at], after]))


def _is_other_branch(before: IndexedStatement, after: IndexedStatement) -> bool:
    """Return whether a sentence says what is done where the one before it does not hold."""
    is_next = after.block == before.block and after.statement_kind in PROSE
    return is_next and _OTHERWISE.match(after.text) is not None and is_quotable(after)


def _is_replacement(before: IndexedStatement, after: IndexedStatement, sources: Sources) -> bool:
    """Return whether a sentence says what replaces a drug that the one before it stops."""
    is_next = after.block == before.block and after.statement_kind in PROSE
    if not (is_next and _STOPS.search(before.said) and _REPLACES.search(after.said)):
        return False
    stopped, replaced = (statement_slots(one, sources.drugs).said_drugs for one in (before, after))
    return bool(stopped & replaced) and is_quotable(after)


def with_antecedent(one: RankedStatement, sources: Sources) -> RankedStatement:
    """Return a statement joined with the sentence before it, to which its first word refers."""
    near, at = _neighbours(one, sources)
    before = near[at - 1] if at > 0 else None
    if before is None or not _REFERS.match(one.statement.said) or not is_quotable(before):
        return one
    if before.block != one.statement.block or before.statement_kind not in PROSE:
        return one
    return one._replace(statement=joined(one.statement, [before, near[at]]))


def with_these_people(
    one: RankedStatement, slots: QuestionSlots, sources: Sources
) -> RankedStatement:
    """Return a statement joined with the sentence after it that goes on about its people."""
    near, at = _neighbours(one, sources)
    said = one.statement.said
    after = next((o for o in near[at + 1 :] if o.said[:SAME_START] != said[:SAME_START]), None)
    if after is None or after.block != one.statement.block or after.statement_kind not in PROSE:
        return one
    if not goes_on_about_people(after.said) or not is_quotable(after):
        return one
    asked = frozenset[str]().union(*slots.drugs)
    named = statement_slots(after, sources.drugs).said_drugs
    if named and not asked & named:
        return one  # of another drug
    return one._replace(statement=joined(one.statement, [one.statement, after]))


def with_following(one: RankedStatement, slots: QuestionSlots, sources: Sources) -> RankedStatement:
    """Return a statement joined with those after it in its paragraph that are on no other drug."""
    near, at = _neighbours(one, sources)
    parts, words = near[at : at + 1], 0
    asked = frozenset[str]().union(*slots.drugs, *slots.partners)
    for before, after in pairwise(near[at:]):
        words += _words_added(after, before)
        is_prose = after.statement_kind in PROSE and after.block == one.statement.block
        named = statement_slots(after, sources.drugs).said_drugs
        is_on_other = named and not asked & named
        if not is_prose or is_on_other or not is_quotable(after) or words > MOST_OF_STEPS:
            break
        parts.append(after)
    return one._replace(statement=joined(one.statement, parts)) if len(parts) > 1 else one


def _going_on(
    last: IndexedStatement, one: RankedStatement, slots: QuestionSlots, sources: Sources
) -> list[IndexedStatement]:
    """Return what comes after a sentence on each kind that it announces, or each result of a step.

    "There are two types of control." says neither of them.
    """
    near, at = _neighbours(one._replace(statement=last), sources)
    found, kinds = near[at + 1 :], _KINDS.search(fold_chars(last.said))
    if kinds:
        found = found[: _NUMBERS[kinds["number"]]]
        are_they = all(kinds["kind"].rstrip("s") in fold_chars(o.said) for o in found)
    else:
        are_they, drugs = asks_next_step(slots.text), sources.drugs
        found = list(takewhile(lambda o: _is_case_of(last, o) and is_fit(slots, o, drugs), found))
    words = sum(len(o.said.split()) for o in found)
    return found if are_they and words <= MOST_OF_STEPS and all(map(is_quotable, found)) else []


def _is_case_of(step: IndexedStatement, one: IndexedStatement) -> bool:
    """Return whether an item says what is done by what a step before it shows: "If X is seen"."""
    begins = _MARKER.sub("", one.said, count=1).partition(",")[0]
    is_case = one.statement_kind == "item" and _IF.match(begins) is not None
    return is_case and not set(key_stems(step.said)).isdisjoint(key_stems(begins))


def _is_title(statement: IndexedStatement) -> bool:
    """Return whether a statement is no more than the name of what comes next: "b) Pregnancy"."""
    said = statement.said.strip()
    return (
        statement.statement_kind in ("sentence", "item")
        and _MARKER.match(said) is not None
        and len(said.split()) <= MOST_OF_TITLE
        and said[-1] not in ".;:!?)"
    )


def _titled(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return a title with the sentence after it; empty where no sentence follows: it is an item."""
    near, at = _neighbours(one, sources)
    following = near[at + 1 : at + 2]
    is_shown = all(f.statement_kind in PROSE and is_quotable(f) for f in following)
    return near[at : at + 2] if following and is_shown else []


def _paragraph(
    near: list[IndexedStatement],
    at: int,
    slots: QuestionSlots,
    sources: Sources,
    taken: set[str],
    wanted: set[str],
) -> list[IndexedStatement]:
    """Return a sentence with those after and before it, in turn, as long as they fit."""
    first = near[at]
    people, leading = read_people(first.said), _leading_to(near, at, sources)
    most = MOST_OF_STEPS if asks_next_step(slots.text) else MOST_WORDS

    def adds(one: IndexedStatement, words: Sequence[TopicWord]) -> bool:
        """Return whether a sentence says a word of the question that those joined do not."""
        return says_more(words, one, near[low : high + 1])

    def alike(one: IndexedStatement) -> bool:
        """Return whether a sentence gives the next order in the words that the last begins with."""
        begins = [fold_chars(o.text).split()[:SAME_ORDER] for o in (near[high], one)]
        return begins[0] == begins[1]

    def is_on_the_same(one: IndexedStatement) -> bool:
        """Return whether a sentence says a word of the question that the first says too."""
        shared = [word for word in every if not not_said([word], [first])]
        return says_more(shared, one, ())

    def fits(position: int) -> bool:
        """Return whether the sentence at a position may be shown with the first."""
        if not 0 <= position < len(near):
            return False
        one = near[position]
        if position == high + 1 and (
            _is_other_branch(near[high], one) or _is_replacement(near[high], one, sources)
        ):
            return one.id not in taken
        is_on_them = position == high + 1 and goes_on_about_people(one.said)
        is_close = is_on_them or position in leading
        return (
            one.statement_kind in PROSE
            and one.block == first.block
            and one.id not in taken
            and one.said not in first.said
            and not ENDS_HIGHLIGHT.match(near[max(position, at)].said)
            and not _LABELLED.match(near[max(position, low)].said)
            and not (position < low and _POINTS.search(one.text))
            and is_quotable(one)
            and (
                is_fit(slots, one, sources.drugs)
                or (adds(one, every) and _is_on_another_aspect(slots, one, sources))
                or position in leading
                or _depends_on_previous(slots, one, sources, is_on_them=is_on_them)
            )
            and (
                (
                    words + _words_added(one, near[high])
                    <= (MOST_OF_THEM if is_close or adds(one, asked) or alike(one) else most)
                    and (read_people(one.said) in (People(), people) or position in leading)
                )
                or names_them(slots, one.said)
            )
        )

    every, asked = (
        topic_words(text, sources.drugs, sources.idf)
        for text in (slots.text, asking_sentences(slots.text))
    )
    words = len(first.said.split())
    low = high = at
    while fits(low - 1) and adds(near[low - 1], every) and is_on_the_same(near[low - 1]):
        low -= 1
        words += len(near[low].said.split())
    while fits(high + 1):
        words += _words_added(near[high + 1], near[high])
        high += 1
    while fits(low - 1) and (
        near[low - 1].id in wanted or low - 1 in leading or _THEN.search(near[low].said)
    ):
        low -= 1
        words += len(near[low].said.split())
    return near[low : high + 1]


def _leading_to(near: Sequence[IndexedStatement], at: int, sources: Sources) -> set[int]:
    """Return the positions of what a sentence points to, or of what comes before what is then done.

    The latter on the same people: "If the child is well, give X. Y should then be postponed."
    """

    def is_on_them(position: int) -> bool:
        one, first = near[position], near[at]
        ages, own = ({(i.low, i.high) for i in read_people(o.said).ages} for o in (one, first))
        drugs, asked = (statement_slots(o, sources.drugs).said_drugs for o in (one, first))
        return ages == own and drugs <= asked

    if _POINTS.search(near[at].text) and not _IF.match(near[at].text):
        return {at - 1}
    before = range(at - 1, max(at - THEN_REACH, 0) - 1, -1) if _THEN.search(near[at].said) else ()
    return set(takewhile(is_on_them, before))


def _words_added(one: IndexedStatement, before: IndexedStatement) -> int:
    """Return how many words a sentence adds to the one before it, which it may say again."""
    said = one.said.removeprefix(before.said) if one.said.startswith(before.said) else one.said
    return len(said.split())


def _depends_on_previous(
    slots: QuestionSlots, one: IndexedStatement, sources: Sources, *, is_on_them: bool
) -> bool:
    """Return whether a sentence fits but for what only the one before it names.

    That is a drug, or the people whom both are about.
    """
    own = statement_slots(one, sources.drugs)
    lost = {misfit.slot for misfit in misfits(slots, one, sources.drugs)}
    asked = frozenset[str]().union(*slots.drugs)
    if own.said_drugs and not asked & own.said_drugs:
        return False
    if is_on_them:
        return lost <= {"people", "subject", "partner"}
    named = {"partner", "product"} if own.said_drugs else {"subject", "partner", "product"}
    return not own.figures and lost <= named


def _is_on_another_aspect(slots: QuestionSlots, one: IndexedStatement, sources: Sources) -> bool:
    """Return whether all that a sentence lacks is the dose asked for: it may say when or where."""
    lost = misfits(slots, one, sources.drugs)
    return all(misfit.slot == "aspect" and not misfit.has for misfit in lost)


def _exceptions(one: RankedStatement, sources: Sources) -> list[IndexedStatement]:
    """Return what the paragraph of a statement takes out of the rule before it."""
    near, at = _neighbours(one, sources, TO_EXCEPTIONS)
    of_block = (o for o in near[at + 1 :] if o.block == one.statement.block and is_quotable(o))
    excepts = slot_lexicon().wordings.excepts
    return [after for after in of_block if excepts.search(fold_chars(after.text))]


def _neighbours(
    one: RankedStatement, sources: Sources, reach: int = REACH
) -> tuple[list[IndexedStatement], int]:
    """Return a statement with those near it in its section, and its position among them."""
    for _, index in statement_bases(sources.engines, one.knowledge_base):
        near, at = index.around(one.statement.id, reach)
        if near:
            return near, at
    return [], 0
