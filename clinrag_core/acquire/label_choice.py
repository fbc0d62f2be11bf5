"""Which of a drug's labels is taken: never the first that comes, never silently one of several.

A listing is in order of publication, so its first row is often a repackager's copy or another
drug. The rules are few and every candidate's fate is reported.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal

from clinrag_core.acquire.label_title import (
    LabelTitle,
    names_brand,
    names_drug,
    names_form,
    parse_title,
)
from clinrag_core.acquire.repackagers import is_repackager
from clinrag_core.errors import AmbiguousLabelError, NotListedError
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clinrag_core.acquire.label_query import LabelQuery

_SHOWN = 8
RejectReason = Literal["other_drug", "other_brand", "other_form", "repackager"]


class SplSummary(Record):
    """A label as a listing shows it."""

    set_id: str
    version: int
    title: str
    published: dt.date | None = None
    original: bool | None = None
    """Whether the labeler is the original packager; None where the listing does not say."""


class RejectedLabel(Record):
    """A candidate that was passed over."""

    label: SplSummary
    reason: RejectReason


class LabelChoice(Record):
    """The label taken and what became of the other candidates."""

    chosen: SplSummary
    equivalents: tuple[SplSummary, ...] = ()
    """Labels that fit as well; the chosen one is the latest published."""
    rejected: tuple[RejectedLabel, ...] = ()


def choose_label(drug: str, query: LabelQuery, candidates: Iterable[SplSummary]) -> LabelChoice:
    """Choose a drug's label among the candidates of a query.

    Candidates of another drug, of a combination, of another brand or of another form are passed
    over, and repackagers' where a maker's is left. Several that are left are an error unless the
    query says `choose = "newest"`: then the latest published is taken, then the highest version,
    then the smallest set id. The order of the candidates plays no part.

    A title does not tell what a product is for (doxycycline 40 mg is for rosacea), so 'newest' is
    for drugs whose labels of one form are copies of each other; else ask by brand or set id.

    Args:
        drug: the ingredient or combination the label must be of, and of nothing else.
        query: what was asked for.
        candidates: what was found.

    Raises:
        NotListedError: no candidate fits.
        AmbiguousLabelError: several do.
    """
    titles = {label: parse_title(label.title) for label in candidates}
    fate: dict[SplSummary, RejectReason | None] = {
        label: _unfit(drug, query, title) for label, title in titles.items()
    }
    fitting = [label for label, reason in fate.items() if reason is None]
    makers = [label for label in fitting if not _repackaged(label, titles[label])]
    if makers:
        fate.update((label, "repackager") for label in fitting if label not in makers)
        fitting = makers
    if not fitting:
        raise NotListedError(_none_message(drug, query, fate))
    fitting.sort(key=_preference)
    if len(fitting) > 1 and query.choose == "only":
        raise AmbiguousLabelError(_several_message(drug, fitting))
    rejected = [
        RejectedLabel(label=label, reason=reason)
        for label, reason in fate.items()
        if reason is not None
    ]
    rejected.sort(key=lambda r: r.label.set_id)
    return LabelChoice(chosen=fitting[0], equivalents=tuple(fitting[1:]), rejected=tuple(rejected))


def _unfit(drug: str, query: LabelQuery, title: LabelTitle) -> RejectReason | None:
    if not names_drug(title, drug):
        return "other_drug"
    if query.name_type == "brand" and not names_brand(title, query.drug_name):
        return "other_brand"
    if query.form is not None and not names_form(title, query.form):
        return "other_form"
    return None


def _repackaged(label: SplSummary, title: LabelTitle) -> bool:
    return is_repackager(title.labeler) if label.original is None else not label.original


def _preference(label: SplSummary) -> tuple[int, int, str]:
    published = label.published.toordinal() if label.published else 0
    return (-published, -label.version, label.set_id)


def _line(label: SplSummary) -> str:
    return f"{label.set_id} v{label.version} ({label.published or 'no date'}) {label.title}"


def _listing(labels: list[SplSummary]) -> str:
    more = f"\n  ... and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    return "".join(f"\n  {_line(label)}" for label in labels[:_SHOWN]) + more


def _none_message(drug: str, query: LabelQuery, fate: dict[SplSummary, RejectReason | None]) -> str:
    if not fate:
        return f"no label found for {query.drug_name!r}; check the name and the filters"
    labels = sorted(fate, key=lambda label: label.set_id)
    wanted = f"{drug!r} alone" + (f" as {query.form!r}" if query.form else "")
    return (
        f"none of {len(fate)} labels is of {wanted}; name the drug as the label does, or give "
        f"set_id:{_listing(labels)}"
    )


def _several_message(drug: str, fitting: list[SplSummary]) -> str:
    return (
        f"{len(fitting)} labels fit {drug!r} equally; choose one by set_id, narrow the query "
        f'(brand, form, labeler), or write choose = "newest":{_listing(fitting)}'
    )
