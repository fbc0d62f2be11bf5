"""Pharmacologic class index files: SPL documents that say which classes a substance belongs to.

They carry FDA's classes (established pharmacologic class EPC, mechanism of action MoA, physiologic
effect PE, chemical structure) and no text, so they are no labels and are never indexed.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.lexicon.drug_names import normalise_drug_name
from clinrag_core.model import Record
from clinrag_core.parse.spl import DRUG_CLASS_INDEX
from clinrag_core.parse.spl_xml import attribute, flat_text, path, read_root

ClassType = Literal["EPC", "MoA", "PE", "CS", "other"]

_CLASS_SYSTEM = "2.16.840.1.113883.3.26.1.5"
_UNII_SYSTEM = "2.16.840.1.113883.4.9"
_NAME = re.compile(r"^(?P<name>.*?)\s*\[(?P<type>[^\[\]]+)\]\s*$")
_CHEMICAL = ("chemical/ingredient", "chemical structure")


class DrugClass(Record):
    """One class of one substance."""

    substance: str
    """Normalised: lower case."""
    unii: str | None
    code: str
    """N-number, e.g. 'N0000175884'."""
    name: str
    type: ClassType


def read_drug_classes(data: bytes, file: str) -> tuple[DrugClass, ...]:
    """The classes an index file names, sorted, each once.

    Raises:
        ParseError: not well-formed, not SPL, or `no_classes`.
        RefusedDocumentError: `not_a_drug_class_index`, another kind of SPL document.
    """
    root = read_root(data, file)
    code = attribute(root, "code", "code")
    if code != DRUG_CLASS_INDEX:
        raise RefusedDocumentError(
            f"document type {code or 'absent'} is no pharmacologic class index "
            f"({DRUG_CLASS_INDEX})",
            code="not_a_drug_class_index",
            file=file,
            place="document/code",
        )
    found: set[DrugClass] = set()
    for substance in root.iter(path("identifiedSubstance")):
        named = substance.find(path("name"))
        if named is None:
            continue  # the outer of the two nested elements of this name
        unii = None
        if attribute(substance, "code", "codeSystem") == _UNII_SYSTEM:
            unii = attribute(substance, "code", "code")
        name = normalise_drug_name(flat_text(named))
        for kind in substance.iterfind(path("asSpecializedKind/generalizedMaterialKind/code")):
            shown = kind.get("displayName")
            if kind.get("codeSystem") == _CLASS_SYSTEM and kind.get("code") and shown:
                found.add(_drug_class(name, unii, str(kind.get("code")), shown))
    if not found:
        raise ParseError("it names no class of any substance", code="no_classes", file=file)
    return tuple(sorted(found, key=lambda c: (c.substance, c.type, c.name, c.code)))


def _drug_class(substance: str, unii: str | None, code: str, shown: str) -> DrugClass:
    match = _NAME.match(shown)
    name = match["name"] if match else shown.strip()
    printed = match["type"] if match else ""
    kind: ClassType = "CS" if printed.casefold() in _CHEMICAL else "other"
    for known in get_args(ClassType):
        if printed.casefold() == known.casefold():
            kind = known
    return DrugClass(substance=substance, unii=unii, code=code, name=name, type=kind)
