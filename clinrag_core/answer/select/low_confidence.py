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
from clinrag_core.answer.rank.topic_words import has_own_document, is_said, says_every_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.reader import AskedQuestion
    from clinrag_core.answer.select.selection import Selection
    from clinrag_core.answer.sources import Sources
    from clinrag_core.model.chunk import Chunk


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
    if question.is_covered and not question.route.sure:
        return True
    if question.route.sure and tells_story(question.text):
        return True
    named = named_sources(question.text, sources.engines).documents
    return bool(named) or has_own_document(question.text, sources)


def may_lead(question: AskedQuestion, passages: Sequence[Chunk], sources: Sources) -> bool:
    """Return whether a statement may be what a question of the field asks for, by its words.

    That is worth choosing one only if a term is to be defined or a passage says every word.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    if not question.route.sure:
        return False
    slots = read_slots(question.text, sources.drugs)
    texts = (" ".join((*one.section_path, one.document_title, one.text)) for one in passages)
    return "definition" in slots.aspects or any(is_said(question.text, one) for one in texts)


def leads_with_it(question: AskedQuestion, selection: Selection, sources: Sources) -> bool:
    """Return whether the first statement of each part is what a question asks for, by its words.

    It defines the term that is asked for, or says every word in some form. One of a label does
    where a drug is asked about.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    leads = [part.statements[0].statement for part in selection.parts if part.statements]
    if not question.about_medication and any(one.kind == "label" for one in leads):
        return False
    slots = read_slots(question.text, sources.drugs)
    return bool(leads) and all(
        defines(slots, one.said) or says_every_word(question.text, one) for one in leads
    )
