"""The course of treatment at a site of disease: it comes before that of any other."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.rank.boosts import NEAR
from clinrag_core.answer.sources import is_quotable
from clinrag_core.facts.indications import facet_values
from clinrag_core.text.expressions import lazy_re

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import RankedStatement
    from clinrag_core.facts.drugs import DrugLexicon


MOST_READ = 50
"""Ranked statements that are looked through."""
_EXCEPTION = lazy_re(r"\b(?:unless|except(?:ing)?)\b[^.;]{0,60}", re.IGNORECASE)


def of_the_site_asked(
    fitting: list[RankedStatement], slots: QuestionSlots, drugs: DrugLexicon
) -> list[RankedStatement]:
    """Return statements without the courses for other sites, where one is for the site asked about.

    It must come first already, unless a duration is asked for: then it is moved there from among
    those scored near the first. "9 to 12 months for meningitis" is not followed by the four months
    of other tuberculosis.
    """
    site = slots.facet("site")
    if not (fitting and site):
        return fitting
    own = [statement_slots(one.statement, drugs) for one in fitting]
    theirs = [
        one
        for one, its in zip(fitting, own, strict=True)
        if its.facet("site") & site and _has_course(its) and one.score >= NEAR * fitting[0].score
    ]
    if not theirs or ("duration" not in slots.aspects and theirs[0] is not fitting[0]):
        return fitting
    return [
        theirs[0]._replace(score=fitting[0].score),
        *(
            one
            for one, its in zip(fitting, own, strict=True)
            if one is not theirs[0] and (its.facet("site") & site or not _has_course(its))
        ),
    ]


def of_the_site_excepted(
    first: Sequence[RankedStatement],
    fitting: list[RankedStatement],
    ranked: Sequence[RankedStatement],
    slots: QuestionSlots,
    drugs: DrugLexicon,
) -> list[RankedStatement]:
    """Return statements on the site asked about alone, where the first excepts it.

    "Within 2 weeks unless the meninges are affected" is followed by what is said of the meninges,
    not by "within 2 weeks".
    """
    site = slots.facet("site")
    exceptions = (m[0] for one in first[:1] for m in _EXCEPTION.finditer(one.statement.said))
    if not site or not any(facet_values(one, "site") & site for one in exceptions):
        return fitting
    found = [one for one in fitting if one in first or _names(one, site, drugs)]
    fits = (
        one
        for one in ranked[:MOST_READ]
        if is_quotable(one.statement)
        and not any(one.statement.said in other.statement.said for other in first)
        and facet_values(one.statement.said, "site") & site
        and is_fit(slots, one.statement, drugs)
    )
    if any(one not in first for one in found):
        return found
    return [*found, *itertools.islice(fits, 1)]


def _names(one: RankedStatement, site: frozenset[str], drugs: DrugLexicon) -> bool:
    """Return whether a statement is on one of some sites of disease."""
    return bool(statement_slots(one.statement, drugs).facet("site") & site)


def _has_course(own: StatementSlots) -> bool:
    """Return whether a statement gives doses or how long something takes."""
    return own.has_regimen or any(q.kind == "duration" for q in own.facts.quantities)
