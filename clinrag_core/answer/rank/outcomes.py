"""Whether a text counts the outcome that a question compares: "difference in deaths?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.people import names_them
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots

_OUTCOME = {
    "death": lazy_re(r"\b(?:deaths?|mortality|died|dead|die|survival)\b"),
    "success": lazy_re(r"\b(?:success\w*|cured?|cure rates?)\b"),
    "relapse": lazy_re(r"\b(?:relaps\w+|recurren\w+)\b"),
    "failure": lazy_re(r"\b(?:failures?|failed)\b"),
}
_ASKS_FIGURE = lazy_re(
    r"\b(?:differences? in|how many|how much (?:more|higher|lower)|vs|versus|compared"
    r"|what (?:share|percentage|percent|proportion)|rates?|figures?|numbers?)\b|%"
)
_SHARE = lazy_re(r"\d+(?:\.\d+)? ?%|\b\d+/\d+\b")


def counts_outcome(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives shares of the outcome whose figures are asked, of those asked.

    "Mortality was increased" is nearer to "difference in deaths?" than 39 % and 30 % are.
    """
    asked = fold_chars(slots.text)
    if not _ASKS_FIGURE.search(asked):
        return False
    folded = fold_chars(said)
    is_theirs = not slots.people or names_them(slots, said, with_groups=True)
    counted = any(one.search(asked) and one.search(folded) for one in _OUTCOME.values())
    return counted and is_theirs and _SHARE.search(folded) is not None
