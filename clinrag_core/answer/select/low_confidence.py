"""What answers a question whose passages are not near enough to it: its statements, where they fit.

The confidence of passages says little where lay words, a story or a drug's name make a question;
there the question gate and the words of the statements decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.conclusive import defines
from clinrag_core.answer.question.asking import tells_story
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.rank.topic_words import (
    has_own_document,
    says_every_word,
    share_said,
    topic_words,
)
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold, fold_chars
from clinrag_core.text.tokens import NEGATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clinrag_core.answer.generate.protocol import QuotableStatement
    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.answer.sources import Sources

NEAR_IN_MEANING, SAID = 0.7, 0.45
"""Least cosine of a question with its first statement, and least share of the weight of its words
that this says, from which it answers however far the passages are. Of 78 questions refused for low
confidence on the reference corpus, 61 of them rightly, none has both; cosines reach 0.71."""
CLOSE, ALL_SAID = 0.6, 0.9
"""The same where it says about all words that the question turns on. Of 85 such questions on the
reference corpus one has both and is kept by `_lacks_figure`; of 17 on guidelines of other fields
11 have both, 8 of them answered by that statement."""
RANKS_HIGH = 6.2
"""The least score with that cosine where it does not; by judgement. No question refused for low
confidence on the reference corpus that its documents do not answer has both."""
_ASKS_LEVEL = lazy_re(
    r"\b(?:what|which|how (?:much|many|high|low|far|big|large))\b[^?]{0,40}"
    r"\b(?:level|cut-?off|threshold|value|bmi|score|weight|limit|count|range)\b"
)
_LEVEL = lazy_re(
    r"(?:[<>≥≤]=?|\b(?:above|below|over|under|at least|at most|than|exceed\w*|of|is|to)) ?\d"
    r"(?![\d.]* ?%)"
)


def is_held_by_statements(question: AskedQuestion, sources: Sources) -> bool:
    """Return whether statements alone decide on a question, however far its passages are.

    A question on a drug in scope is checked against what statements say of it (ADR 0023); nothing
    covers a story's words (ADR 0062); a document that is named, or on its subject, is the place.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    slots = read_slots(question.text, sources.drugs)
    if question.targets or slots.decides_on_finding or slots.is_specific:
        return True
    if slots.regimens and slots.asks_dosing:
        return True
    if question.has_chapter and not question.route.sure:
        return True
    if question.route.sure and tells_story(question.text):
        return True
    named = named_sources(question.text, sources.engines).documents
    return bool(named) or has_own_document(question.text, sources)


def leads_with_it(question: AskedQuestion, selection: Selection, sources: Sources) -> bool:
    """Return whether the first statement of each part is what a question asks for, by its words.

    It is what decides the question, defines the term that is asked for, says every word in some
    form, or is near in meaning. One of a label does where a drug is asked about.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    leads = [part.statements[0] for part in selection.parts if part.statements]
    if not leads or not (question.route.sure or question.is_covered):
        return False
    if not question.about_medication and any(one.statement.kind == "label" for one in leads):
        return False
    slots = read_slots(question.text, sources.drugs)
    cosines = {p.chunk.id: p.scores.get("dense", 0.0) for p in selection.passages}
    return all(
        (one.role == "lead" and _says_enough(slots.text, one, sources))
        or defines(slots, one.statement.said)
        or says_every_word(question.text, one.statement)
        or _is_near(slots.text, one, cosines, sources)
        for one in leads
    )


def _says_enough(text: str, one: QuotableStatement, sources: Sources) -> bool:
    """Return whether a statement says enough of the words of a question."""
    words = topic_words(text, sources.drugs, sources.idf)
    return not words or share_said(words, one.statement) >= SAID


def _is_near(
    text: str, one: QuotableStatement, cosines: Mapping[str, float], sources: Sources
) -> bool:
    """Return whether a statement is near to a question in meaning and says most of its words.

    Or is less near and says them all, or ranks high, and has the figure or denial that is asked
    for.
    """
    statement = one.statement
    cosine = max((cosines.get(q.chunk_id, 0.0) for q in statement.quotes), default=0.0)
    if cosine >= NEAR_IN_MEANING:
        return _says_enough(text, one, sources)
    words = topic_words(text, sources.drugs, sources.idf)
    says_all = bool(words) and share_said(words, statement) >= ALL_SAID
    if cosine < CLOSE or not (says_all or one.score >= RANKS_HIGH):
        return False
    denies = [not NEGATIONS.isdisjoint(fold(one).split()) for one in (text, statement.said)]
    return not _lacks_figure(text, statement.said) and denies != [True, False]


def _lacks_figure(text: str, said: str) -> bool:
    """Return whether a question asks for a level, and a text names none: a share is no level."""
    return bool(_ASKS_LEVEL.search(fold_chars(text))) and not _LEVEL.search(fold_chars(said))
