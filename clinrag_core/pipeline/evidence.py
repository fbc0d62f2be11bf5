"""Which of a drug's documents are evidence: near-identical labels are one source, not several.

Ten generics of one tablet repeat one text; indexed together they would fill every list of hits and
count as ten sources. The label of the reference product is indexed, the others are recorded. In
doubt (dosage form unknown, one presentation more) a label is indexed: a repeated passage costs
less than a missing one.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.lexicon.drug_names import ingredient, split_combination
from clinrag_core.lexicon.sections import document_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clinrag_core.model.document import Document
    from clinrag_core.model.label import Label, Product

# Words of a dosage form that change how a drug is dosed; others ("film coated") do not.
_DOSING_FORMS = ("EXTENDED RELEASE", "DELAYED RELEASE", "LIPOSOM", "LIPID COMPLEX")
Presentation = tuple[str, str, bool]


class Equivalent(NamedTuple):
    """A document that is not indexed, and why."""

    document_id: str
    version: int | None
    reason: str


class EvidenceChoice(NamedTuple):
    """Documents to index, and those that add nothing to them."""

    indexed: tuple[Document, ...]
    equivalents: tuple[Equivalent, ...]


def choose_evidence(documents: Sequence[Document]) -> EvidenceChoice:
    """Choose what is indexed among the documents of one partition.

    Of each set id the newest version; among labels of the same ingredients whose routes and dosage
    forms another label covers, only that other one. Preferred are whole labels over partial ones,
    then NDA and BLA before ANDA before others, original packagers, SPL, the newest effective date,
    the highest version.

    Returns:
        The same choice for the same documents in any order. `indexed` is sorted by id. Reasons:
        `older_version`, `duplicate` (same version again), `equivalent_of:<document id>`.
    """
    newest, equivalents = _newest(documents)
    indexed: list[Document] = []
    for document in sorted(newest, key=_preference):
        reference = next((other for other in indexed if _covers(other, document)), None)
        if reference is None:
            indexed.append(document)
        else:
            equivalents.append(_recorded(document, f"equivalent_of:{reference.id}"))
    return EvidenceChoice(
        tuple(sorted(indexed, key=lambda d: d.id)),
        tuple(sorted(equivalents, key=lambda e: (e.document_id, e.version or -1, e.reason))),
    )


def _recorded(document: Document, reason: str) -> Equivalent:
    return Equivalent(document.id, document.label.version if document.label else None, reason)


def _newest(documents: Sequence[Document]) -> tuple[list[Document], list[Equivalent]]:
    """The newest document of each id; the others with their reason."""
    by_id: dict[str, list[Document]] = {}
    for document in documents:
        by_id.setdefault(document.id, []).append(document)
    newest: list[Document] = []
    rest: list[Equivalent] = []
    for same in by_id.values():
        best, *others = sorted(same, key=_age)
        newest.append(best)
        for other in others:
            repeated = _version(other) == _version(best)
            rest.append(_recorded(other, "duplicate" if repeated else "older_version"))
    return newest, rest


def _version(document: Document) -> tuple[int, int]:
    """What orders versions: a label's version number, a guideline's year; then the date."""
    if document.label is None:
        return document.year or 0, 0
    return document.label.version or 0, (document.label.effective or dt.date.min).toordinal()


def _age(document: Document) -> tuple[bool, int, int, bool, str]:
    """Sorts the newest whole version first."""
    version, date = _version(document)
    return _is_partial(document), -version, -date, document.format != "spl", document.file.sha256


def _is_partial(document: Document) -> bool:
    return document.label is not None and document.label.is_partial


def _preference(document: Document) -> tuple[bool, int, bool, bool, int, int, str]:
    """Sorts the reference product's label first."""
    label = document.label
    version, date = _version(document)
    return (
        _is_partial(document),
        _approval_rank(label.products) if label else 0,
        label is not None and any(product.source_ndcs for product in label.products),
        document.format != "spl",
        -date,
        -version,
        document.id,
    )


def _approval_rank(products: Iterable[Product]) -> int:
    numbers = [number.upper() for product in products for number in product.applications]
    if any(number.startswith(("NDA", "BLA")) for number in numbers):
        return 0
    return 1 if any(number.startswith("ANDA") for number in numbers) else 2


def _covers(reference: Document, document: Document) -> bool:
    """Whether a label adds nothing to the reference: same ingredients, no other presentation."""
    if reference.label is None or document.label is None:
        return False
    if _ingredients(reference.label) != _ingredients(document.label):
        return False
    if document.label.is_partial:
        return True
    presented = _presentations(document.label)
    return presented is not None and presented <= (_presentations(reference.label) or set())


def _ingredients(label: Label) -> frozenset[str]:
    """Ingredients of all products, without salts; the partition's drug if none are coded."""
    coded = {
        ingredient(name)
        for product in label.products
        for active in product.actives
        for name in (active.moieties or (active.substance,))
    }
    return frozenset(coded or map(ingredient, split_combination(label.drug)))


def _presentations(label: Label) -> set[Presentation] | None:
    """(route, form, OTC) of all products; None if a route or a form is unknown."""
    kind = document_type(label.type_code)
    otc = kind is not None and kind.otc
    presentations: set[Presentation] = set()
    for product in label.products:
        if not product.routes or not product.form:
            return None
        upper = product.form.upper()  # 'TABLET, FILM COATED' is dosed as 'TABLET'
        dosing = [words for words in _DOSING_FORMS if words in upper]
        form = ", ".join([upper.partition(",")[0].strip(), *dosing])
        presentations |= {(route.upper(), form, otc) for route in product.routes}
    return presentations or None
