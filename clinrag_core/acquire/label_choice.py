"""Chooses a drug's label among the candidates of a query.

A listing is in order of publication, so its first row is often a repackager's copy or another
drug. The choice depends on nothing but the candidates.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from clinrag_core.acquire.label_title import (
    is_repackager,
    names_all,
    names_drug,
    parse_title,
)
from clinrag_core.errors import AmbiguousLabelError, NotListedError
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.acquire.label_query import LabelQuery

_LISTED = 8
"""Candidates listed in an error message, so that it fits on one screen."""


class SplSummary(Record):
    """One version of a label, as a listing describes it."""

    set_id: str
    version: int
    title: str
    published: dt.date | None = None
    original: bool | None = None
    """True if the labeler is the original packager; None if the listing does not state it."""


def newest_versions(labels: Iterable[SplSummary]) -> tuple[SplSummary, ...]:
    """Return the newest listed version of each label, in order of set id."""
    newest: dict[str, SplSummary] = {}
    for label in sorted(labels, key=lambda label: (label.set_id, -label.version)):
        newest.setdefault(label.set_id, label)
    return tuple(newest.values())


def choose_label(drug: str, query: LabelQuery, candidates: Iterable[SplSummary]) -> SplSummary:
    """Return the only candidate that matches.

    Candidates of another drug, a combination, another brand or another form are rejected, and
    repackagers' labels if a manufacturer's label remains. If several remain, the query decides:
    `choose = "only"` is an error, `choose = "newest"` takes the latest published, then the highest
    version, then the smallest set id. The order of the candidates has no influence.

    A title does not state the indication (doxycycline 40 mg is for rosacea), so 'newest' suits
    drugs whose labels of one form are copies of each other. For other drugs, query by brand or
    set id.

    Args:
        drug: the ingredient or combination; the label must contain this and nothing else.
        query: its brand, form and `choose` are applied.
        candidates: the query's results.

    Raises:
        NotListedError: no candidate matches.
        AmbiguousLabelError: several match.
    """
    titles = {label: parse_title(label.title) for label in candidates}
    words = [query.drug_name if query.name_type == "brand" else "", query.form or ""]
    matching = [
        label
        for label, title in titles.items()
        if names_drug(title, drug) and names_all(title, " ".join(words))
    ]
    originals = [
        label
        for label in matching
        if label.original or (label.original is None and not is_repackager(titles[label].labeler))
    ]
    matching = sorted(originals or matching, key=_preference)
    if not matching:
        raise NotListedError(_no_match_message(drug, query, list(titles)))
    if len(matching) > 1 and query.choose == "only":
        raise AmbiguousLabelError(
            f"{len(matching)} labels match {drug!r} equally; choose one by set_id, narrow the "
            f'query (brand, form, labeler), or write choose = "newest":{_listing(matching)}'
        )
    return matching[0]


def _preference(label: SplSummary) -> tuple[int, int, str]:
    published = label.published.toordinal() if label.published else 0
    return (-published, -label.version, label.set_id)


def _listing(labels: list[SplSummary]) -> str:
    """Return one indented line per label, for messages."""
    lines = [f"{s.set_id} v{s.version} ({s.published or 'no date'}) {s.title}" for s in labels]
    if len(lines) > _LISTED:
        lines[_LISTED:] = [f"... and {len(lines) - _LISTED} more"]
    return "".join(f"\n  {line}" for line in lines)


def _no_match_message(drug: str, query: LabelQuery, candidates: list[SplSummary]) -> str:
    if not candidates:
        return f"no label is listed for {query.drug_name!r}; check the name and the filters"
    labels = sorted(candidates, key=lambda label: label.set_id)
    wanted = f"{drug!r} alone" + (f" as {query.form!r}" if query.form else "")
    return (
        f"none of {len(labels)} labels is for {wanted}; write the drug as the label does, or give "
        f"its set_id:{_listing(labels)}"
    )
