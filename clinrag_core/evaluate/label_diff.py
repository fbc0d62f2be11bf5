"""What changed between two versions of a label, section by section, and how much it matters.

Sections are matched by their effective code and title without numbering, so renumbering or moving
a section is not a change; nor are white space, bullets, list numbers and the section numbers of
cross references. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from clinrag_core.model.base import Record
from clinrag_core.model.section import Section
from clinrag_core.text.crossref import cross_reference_spans
from clinrag_core.text.list_signs import is_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.document import Document
    from clinrag_core.model.label import Label

Change = Literal["added", "removed", "changed"]
Severity = Literal["HIGH", "MEDIUM", "LOW"]

_GROUPS: dict[Severity, str] = {
    "HIGH": "boxed_warning contraindications dosage",
    "MEDIUM": "indications warnings interactions specific_populations adverse_reactions "
    "dosage_forms overdosage",
}
_SEVERITIES: dict[str, Severity] = {g: rank for rank, text in _GROUPS.items() for g in text.split()}
ORDER: dict[Severity, int] = {"HIGH": 0, "MEDIUM": 1, "LOW": 2}
_NUMBERING = re.compile(r"^\W*(?:section\s+)?\d{1,2}(?:\.\d{1,2})*[.)]?\s+|[^\w\s]+", re.I)
CONTEXT = 6
"""Words shown on each side of a change."""
MAX_EDITS = 50
"""Edits listed of a section; a section that was written anew has hundreds."""


class Edit(Record):
    """Words that were replaced, added or removed, with the words around them."""

    before: str
    removed: str
    added: str
    after: str


class SectionChange(Record):
    """One section that is not as it was."""

    change: Change
    severity: Severity
    path: tuple[str, ...]
    loinc: str | None
    group: str | None
    words_added: int
    words_removed: int
    edits: tuple[Edit, ...] = ()
    """At most 50, in order; empty for whole sections."""


class LabelDiff(Record):
    """Two versions of a label compared; `changes` has the most severe first."""

    set_id: str
    drug: str
    old_version: int | None
    new_version: int | None
    header: dict[str, tuple[str | None, str | None]]
    """What changed about the label as a whole: name to (before, after)."""
    changes: tuple[SectionChange, ...]
    unchanged: int
    """Sections with the same words in both."""

    @property
    def severity(self) -> Severity | None:
        """The worst of all changes; None if nothing changed."""
        return self.changes[0].severity if self.changes else None


def severity_of(group: str | None) -> Severity:
    """Return how much a change in a section group matters to a prescriber."""
    return _SEVERITIES.get(group or "", "LOW")


def diff_labels(old: Document, new: Document) -> LabelDiff:
    """Compare two versions of a label.

    Raises:
        ValueError: a document is not a label, or they are of different set ids.
    """
    if old.label is None or new.label is None or old.id != new.id:
        raise ValueError(f"{old.id} and {new.id} are not two versions of one label")
    pairs, removed, added = _match(_content(old), _content(new))
    compared = [change for a, b in pairs if (change := _compare(a, b)) is not None]
    changes = [_whole(section, "removed") for section in removed]
    changes += [_whole(section, "added") for section in added] + compared
    order = {section.path: section.ordinal for section in (*old.sections, *new.sections)}
    changes.sort(key=lambda c: (ORDER[c.severity], order[c.path], c.change))
    return LabelDiff(
        set_id=new.id,
        drug=new.label.drug,
        old_version=old.label.version,
        new_version=new.label.version,
        header=_header(old.label, new.label),
        changes=tuple(changes),
        unchanged=len(pairs) - len(compared),
    )


def _content(document: Document) -> list[Section]:
    """Return sections with text; excerpts only repeat them, coded product data is in the header."""
    return [
        s
        for s in document.sections
        if s.text.strip() and s.role not in ("highlights", "product_data")
    ]


def _title(section: Section) -> str:
    return " ".join(_NUMBERING.sub(" ", section.title).casefold().split())


def _match(
    old: Sequence[Section], new: Sequence[Section]
) -> tuple[list[tuple[Section, Section]], list[Section], list[Section]]:
    """Pairs, then what only one of the two has: by code and path, then by title, then by text."""
    pairs: list[tuple[Section, Section]] = []
    keys = (
        lambda s: (s.loinc, tuple(p.casefold() for p in s.path), s.text),
        lambda s: (s.loinc, tuple(_NUMBERING.sub(" ", p).casefold().strip() for p in s.path)),
        lambda s: (s.group, _title(s)),
        lambda s: (s.group, tuple(_words(s.text))),
    )
    for key in keys:
        waiting: dict[object, list[Section]] = defaultdict(list)
        for section in new:
            waiting[key(section)].append(section)
        left: list[Section] = []
        for section in old:
            matching = waiting[key(section)]
            if matching:
                pairs.append((section, matching.pop(0)))
            else:
                left.append(section)
        taken = {id(b) for _, b in pairs}
        old, new = left, [s for s in new if id(s) not in taken]
    return pairs, list(old), list(new)


def _words(text: str) -> list[str]:
    """Return words that mean something: cross references only point to another section."""
    for start, end in reversed(list(cross_reference_spans(text))):
        text = text[:start] + text[end:]
    return [word for word in text.split() if not is_sign(word)]


def _whole(section: Section, change: Change) -> SectionChange:
    """Return the change of a section that only one version has."""
    count = len(_words(section.text))
    return SectionChange(
        change=change,
        severity=severity_of(section.group),
        path=section.path,
        loinc=section.loinc,
        group=section.group,
        words_added=count if change == "added" else 0,
        words_removed=count if change == "removed" else 0,
    )


def _compare(old: Section, new: Section) -> SectionChange | None:
    """Changes between two versions of a section; None if their words are the same."""
    before, after = _words(old.text), _words(new.text)
    if before == after:
        return None
    operations = [
        (i, j, k, m)
        for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    return SectionChange(
        change="changed",
        severity=min(severity_of(old.group), severity_of(new.group), key=ORDER.__getitem__),
        path=new.path,
        loinc=new.loinc,
        group=new.group,
        words_added=sum(m - k for _, _, k, m in operations),
        words_removed=sum(j - i for i, j, _, _ in operations),
        edits=tuple(
            Edit(
                before=" ".join(before[max(i - CONTEXT, 0) : i]),
                removed=" ".join(before[i:j]),
                added=" ".join(after[k:m]),
                after=" ".join(before[j : j + CONTEXT]),
            )
            for i, j, k, m in operations[:MAX_EDITS]
        ),
    )


def _header(old: Label, new: Label) -> dict[str, tuple[str | None, str | None]]:
    """Header fields that differ, with their values before and after."""
    facts = {
        "effective": (old.effective, new.effective),
        "published": (old.published, new.published),
        "labeler": (old.labeler, new.labeler),
        "boxed warning": (old.has_boxed_warning, new.has_boxed_warning),
        "products": (_products(old), _products(new)),
        "names": (", ".join(old.names), ", ".join(new.names)),
    }
    return {
        name: (None if a is None else str(a), None if b is None else str(b))
        for name, (a, b) in facts.items()
        if a != b
    }


def _products(label: Label) -> str:
    return ", ".join(sorted({p.ndc or p.name or "?" for p in label.products}))
