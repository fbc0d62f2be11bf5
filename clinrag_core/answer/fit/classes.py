"""Whether a statement speaks of a drug by its class or by an effect on enzymes that it has."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.answer.question.asking import CACHED_QUESTIONS
from clinrag_core.chunk.units import without_cross_references
from clinrag_core.lexicon.drugs import NO_CLASSES, class_words, classes_of, known_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots

_RESISTANT_TO = lazy_re(r"\bresistan(?:t|ce) to [^.;]{0,60}$")
_OTHER_AGENTS = lazy_re(
    r"\b(?:the )?other (?:agents|drugs|medicines) (?:that are |which are )?(?:used |given |taken )?"
    r"(?:in combination|together|along) with\b"
)
"""Whatever is given with the drug of a label."""
_STOPPED = lazy_re(
    r"\b(?:stopped|stopping|discontinued|finished|completed|withdrawn|(?:came|come|taken) off)\b"
)
_RECEIVED = lazy_re(r"\b(?:receiving|taking|treated with|on)\b[^.;]{0,200}$")
"""What makes a class one that people already take, not one that they are given."""


def involves(own: StatementSlots, drug: frozenset[str], named: frozenset[str]) -> bool:
    """Return whether a statement speaks of a drug: by name, class, or an effect it has.

    `named` are the ingredients that count as named by it.
    """
    if drug <= named:
        return True
    text = fold_chars(own.statement.said)
    if names_class_of(drug, text):  # not only in "[see Use with Class X]"
        return names_class_of(drug, fold_chars(without_cross_references(own.statement.said)))
    prolonging = slot_lexicon().qt_prolonging
    if drug & prolonging.drugs and prolonging.words.search(text):
        return True
    effects = slot_lexicon().enzyme_effects
    return any(
        drug & members and effect in text and _on_enzymes(effect).search(text)
        for effect, members in effects.items()
    )


def is_on_others_stopped(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on whatever is given with a drug, of which one was stopped.

    Of giving them together it says nothing.
    """
    is_stopped = _STOPPED.search(fold_chars(slots.text)) is not None
    return is_stopped and _OTHER_AGENTS.search(fold_chars(own.statement.said)) is not None


def involves_part(own: StatementSlots, partner: frozenset[str]) -> bool:
    """Return whether a statement speaks of a drug, or of a part of a combination, that is taken.

    What a drug does with one part it does with the combination.
    """
    return any(involves(own, frozenset({part}), own.all_drugs) for part in partner)


def names_class_of(
    drugs: frozenset[str],
    folded: str,
    *,
    but: frozenset[str] = frozenset(),
    but_wider: bool = False,
) -> bool:
    """Return whether a folded text names a class of some drugs that is not too wide to say much.

    None that the drugs of `but` belong to as well, and with `but_wider` none that their own class
    is within.
    """
    wide = slot_lexicon().classes.wide.union(*map(classes_of, but))
    own = (one.drug_class for one in known_drugs() if one.name in drugs)
    classes = frozenset(own) if but_wider else frozenset[str]().union(*map(classes_of, drugs))
    classes -= wide
    return any(_is_named(one, folded) for one in classes)


def _is_named(drug_class: str, text: str) -> bool:
    """Return whether a text names a class, not as what bacteria are resistant to."""
    return any(
        not _RESISTANT_TO.search(text[: match.start()])
        for match in class_words(drug_class).finditer(text)
    )


def names_class(own: StatementSlots, name: str) -> bool:
    """Return whether a statement names a class of drugs or a drug of it, not as taken already."""
    for text in own.levels:
        folded = fold_chars(text)
        starts = [match.start() for match in class_words(name).finditer(folded)]
        starts += [m.start for m in own.mentions(text) if name in classes_of(m.name)]
        if any(not _RECEIVED.search(folded[:start]) for start in starts):
            return True
    return any(name in classes_of(one) for one in own.label)


def is_on_class_taken(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement on interactions names a class of which something is taken.

    "X is planned, the PPI cannot be stopped": what X's label says of that class is asked.
    """
    if not slots.drugs or slots.partners or own.statement.group != "interactions":
        return False
    asked = frozenset[str]().union(*slots.drugs)
    folded = fold_chars(own.statement.said)
    taken = classes_named(slots.text).difference(*map(classes_of, asked))
    return any(class_words(name).search(folded) for name in taken)


@lru_cache(maxsize=CACHED_QUESTIONS)
def classes_named(text: str) -> frozenset[str]:
    """Return the classes of drugs that a question names, not those too wide to say much."""
    folded = fold_chars(text)
    names = {one.drug_class for one in known_drugs()} - NO_CLASSES - slot_lexicon().classes.wide
    return frozenset(name for name in names if class_words(name).search(folded))


@cache
def _on_enzymes(effect: str) -> re.Pattern[str]:
    """Return how a text names drugs with an effect on enzymes: no ACE or protease inhibitors."""
    levels = "strong|moderate|weak|potent"
    whose = rf"(?:cyp\w*|p-?gp|p-glycoprotein|ugt\w*|(?<!converting )enzyme|{levels})"
    return re.compile(rf"\b{whose}\b[^.;]{{0,60}}\b{effect}s\b|\b{effect}s of (?:the )?{whose}")
