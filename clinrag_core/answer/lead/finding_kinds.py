"""Which kind of a finding a question and a statement are on: "autoimmune thrombocytopenia"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.findings import read_findings
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import FUNCTION_WORDS

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.model.statement import IndexedStatement

_KIND = lazy_re(r"\b(?P<kind>[a-z][a-z-]{5,})\s+$")
"""The word right before a finding, if it is long enough to say which kind: "autoimmune"."""
_WORDS = lazy_re(r"[a-z][a-z-]{5,}")
"""Words of a question that may say the same."""


def is_of_kind(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a statement names a finding of a question by the kind that the question says.

    What is done for "autoimmune thrombocytopenia" comes before what is done at a count of
    platelets.
    """
    folded = fold_chars(statement.said)
    words = set(_WORDS.findall(fold_chars(slots.text))) - FUNCTION_WORDS
    return any(
        kind["kind"] in words
        for found in read_findings(statement.said)
        if any(asked.meets(found) for asked in slots.findings)
        if (kind := _KIND.search(folded, 0, found.start)) is not None
    )
