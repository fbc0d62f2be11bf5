"""What urges caution with a regimen for latent infection that people died of, and its bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.sources import RankedStatement, guideline_statements, is_quotable
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import facet_values
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.lexicon.slots import Aspect

_NOT_ALONE = frozenset({"pyrazinamide"})
_URGES_CAUTION = lazy_re(r"\bused (?:only )?with (?:great |extreme )?caution\b")
_PREFERRED_WORDS = ("preferred", "preferentially")
_PREFERRED = lazy_re(r"\bpreferentially recommends?\b|\bpreferred regimens?\b")
_NOT_FOR = lazy_re(r"\b(?:is|are) not recommended for\b")
WHETHER: frozenset[Aspect] = frozenset({"who", "contraindication", "regimen"})
"""Aspects of a question whether somebody may have a drug."""
_ADVISES = lazy_re(r"\b(?:should|must)\b")
MOST_READ = 50
"""Ranked statements that are looked through for what is asked besides."""
_WORDS_MORE = 2
"""Words of a question that a statement has and the caution has not, by judgement."""


def with_caution(
    ranked: Sequence[RankedStatement], slots: QuestionSlots, sources: Sources
) -> list[RankedStatement]:
    """Return what urges caution with the regimen for latent infection asked about, and its bars.

    That it "may be useful" is nearer to "may I use it?" and hides that people died of it. What bars
    it for a finding of the question leads. A drug that is never given alone for it has no dose of
    its own. What a newer guideline prefers follows.
    """
    is_alone = slots.drugs == (_NOT_ALONE,) and not slots.partners
    named = frozenset[str]().union(*(drugs for _, drugs in slots.regimens))
    named = named or (_NOT_ALONE if is_alone else frozenset())
    is_open = named and (is_alone or (not slots.drugs and slots.aspects <= WHETHER))
    if not is_open or "latent" not in slots.facet("stage"):
        return []
    care, barred = (
        [
            one
            for one in ranked
            if pattern.search(fold_chars(one.statement.said))
            and named <= statement_slots(one.statement, sources.drugs).said_drugs
            and is_quotable(one.statement)
        ][:1]
        for pattern in (_URGES_CAUTION, _NOT_FOR)
    )
    if not care:
        return []
    newer = [
        RankedStatement(statement, base, 0.0, 0.0)
        for base, statement in guideline_statements(_PREFERRED_WORDS, sources.engines)
        if (statement.year or 0) > (care[0].statement.year or 0)
        and _PREFERRED.search(fold_chars(statement.said))
        and "latent" in facet_values(statement.said, "stage")
    ]
    newer.sort(key=lambda one: -(one.statement.year or 0))
    found = {one.name for one in slots.findings}
    theirs = [o for o in barred if found & {f.name for f in read_findings(o.statement.said)}]
    first = [*theirs, *care, *_advised_besides(care[0], ranked, named, slots, sources)]
    return [*first, *(one for one in barred if one not in theirs), *newer[:1]]


def _advised_besides(
    care: RankedStatement,
    ranked: Sequence[RankedStatement],
    named: frozenset[str],
    slots: QuestionSlots,
    sources: Sources,
) -> list[RankedStatement]:
    """Return what the document that urges caution says in words asked that the caution lacks.

    "Dispense no more than two weeks' supply" is what "how much supply to hand out?" asks for.
    """
    known = key_stems(" ".join((care.statement.said, *named)))
    asked = {*key_stems(slots.text)} - {*known}
    return [
        one
        for one in ranked[:MOST_READ]
        if one.statement.document_id == care.statement.document_id
        and _ADVISES.search(fold_chars(one.statement.said))
        and named <= statement_slots(one.statement, sources.drugs).said_drugs
        and is_quotable(one.statement)
        and len(asked.intersection(key_stems(one.statement.said))) >= _WORDS_MORE
    ][:1]
