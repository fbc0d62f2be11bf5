"""What is written in a guideline and advises nothing: what some did, what is to be studied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.model.statement import IndexedStatement

_OF_SOME = lazy_re(
    r"\b(?:some|others?|many|several) (?:facilities|settings|countries|program(?:me)?s|hospitals"
    r"|clinics|sites)\b[^.;]*\b(?:made|used|described|reported|introduced|chose)\b"
)
"""What was done at some places: no advice."""
_OF_STUDIES = lazy_re(
    r"\bexcluded from (?:the |this |that )?[\w-]+ (?:study|trial)\b"
    r"|\b(?:additional|further|more) (?:data|evidence|research|studies)\b[^.]{0,60}"
    r"\b(?:useful|needed|required|warranted)\b"
)
"""Whom a study left out, and what should be studied."""
_POINTS = lazy_re(
    r"\b(?:is|are|(?:has|have) been) (?:provided|given|described|discussed|presented)"
    r" (?:in|under) (?:the |this )?(?:section|chapter|annex|part)\b"
    r"|^(?:advise|inform|instruct|counsel) patients of the following: (?:how|when|what|where)\b"
    r"|^please see\b|[—–-] united states, \d{4}\.?$"
)
"""What only says where something is written, and the title of a report."""
_GOES_ON = lazy_re(r"\bthis degree of\b")
"""What goes on about a degree of something that the sentence before it names."""
_NAMES = lazy_re(r"^\W*(?:this|it|these) (?:is|are) (?:called|known as|referred to as)\b")
"""What names something described in another sentence, which need not be what is asked about."""
_NO_ADVICE = lazy_re(
    r"\bresearch (?:priorit|gap|need|question|agenda|recommendation)\w*"
    r"|\b(?:photo|image) credits?\b"
    r"|\bkey differences\b"
    r"|\b(?:summary of )?changes\b[^>]*\b(?:guideline|recommendation|edition|version)s?\b"
    r"|\b(?:outcome|process|programme|control|quality|tb) indicators?\b"
)
"""Headings of what is to be studied, what an earlier edition said and how programmes count."""
_GLOSSARY = lazy_re(r"\b(?:definitions?|glossary)\b")
"""Headings of what terms mean: no advice on when or for whom something is done."""
_OF_TERMS = frozenset[str]({"definition", "criterion"})


def is_no_advice(slots: QuestionSlots, statement: IndexedStatement) -> bool:
    """Return whether a statement says what some did, or is under a heading of what is no advice."""
    heads = fold_chars(" > ".join(statement.headings))
    folded = fold_chars(statement.said)
    if _GOES_ON.search(fold_chars(statement.text)):
        return True
    if _OF_SOME.search(folded) or _POINTS.search(folded) or _NAMES.search(folded):
        return True
    if _OF_STUDIES.search(folded) and not slot_lexicon().wordings.of_study.search(slots.text):
        return True
    if slots.aspects and slots.aspects.isdisjoint(_OF_TERMS) and _GLOSSARY.search(heads):
        return True
    return bool(_NO_ADVICE.search(heads)) and not _NO_ADVICE.search(fold_chars(slots.text))
