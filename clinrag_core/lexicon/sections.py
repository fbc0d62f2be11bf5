"""The LOINC table of FDA labels: which code is which section, and which document is a label.

One table, `data/lexicons/sections.toml`, serves SPL and openFDA. Maps typed from memory are the
commonest defect of programs that read labels: 42232-9 is PRECAUTIONS, not the boxed warning.
"""

from __future__ import annotations

import re
from functools import cache

from pydantic import Field, model_validator

from clinrag_core.errors import ConfigurationError
from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.model.section import Audience, SectionGroup

UNCLASSIFIED = "42229-5"
BOXED_WARNING = "34066-1"


class SectionInfo(Record):
    """One section code."""

    code: str = Field(pattern=r"^\d{4,6}-\d$")
    name: str = Field(description="official LOINC name")
    group: SectionGroup
    audience: Audience = "clinician"
    openfda: tuple[str, ...] = Field((), description="keys of the section in an openFDA answer")
    printed: tuple[str, ...] = Field((), description="headings in print, besides its name")
    order: int = Field(0, description="position in a printed label")


class DocumentType(Record):
    """One document type code; refused with `refusal` unless `accept`."""

    code: str = Field(pattern=r"^\d{4,6}-\d$")
    name: str
    accept: bool = False
    otc: bool = Field(False, description="an over-the-counter drug")
    refusal: str | None = None

    @model_validator(mode="after")
    def _refused_with_a_reason(self) -> DocumentType:
        if self.accept == (self.refusal is not None):
            raise ValueError(f"{self.code} is either accepted or refused with a code")
        return self


class SectionTable(Record):
    """Section codes, document types and usual headings."""

    section: tuple[SectionInfo, ...]
    document_type: tuple[DocumentType, ...]
    numbered: dict[str, str]
    standard_headings: dict[str, tuple[str, ...]]


def _table() -> SectionTable:
    return load_table("sections", SectionTable)


@cache
def _by_code() -> dict[str, SectionInfo]:
    table = {
        info.code: info.model_copy(update={"order": order})
        for order, info in enumerate(_table().section)
    }
    if len(table) != len(_table().section):
        raise ConfigurationError("lexicons/sections.toml lists a section code twice")
    return table


@cache
def _by_openfda_key() -> dict[str, SectionInfo]:
    return {key: info for info in _by_code().values() for key in info.openfda}


def section_info(code: str | None) -> SectionInfo | None:
    """Return what a section code means; None where the table does not know it."""
    return _by_code().get(code) if code else None


def section_group(code: str | None) -> SectionGroup:
    """Return the group of a section code; `other` where the table does not know it."""
    info = section_info(code)
    return info.group if info else "other"


def openfda_section(key: str) -> SectionInfo | None:
    """Return the section of an openFDA key; None where the table does not know it."""
    return _by_openfda_key().get(key)


@cache
def _by_heading() -> dict[str, SectionInfo]:
    infos = _by_code().values()
    printed = {_folded(heading): info for info in infos for heading in info.printed}
    return printed | {_folded(plain_name(info.name)): info for info in reversed(infos)}


def _folded(heading: str) -> str:
    """Return the words of a heading, in the one form in which headings are compared."""
    return " ".join(re.findall(r"\w+", heading.casefold().replace("&", " and ")))


def headed_section(heading: str) -> SectionInfo | None:
    """Return the section that a printed heading without its number names; None if no section."""
    return _by_heading().get(_folded(heading))


def numbered_section(number: int) -> SectionInfo | None:
    """Return the section that has a number in every label with numbers; None from 18 on."""
    return section_info(_table().numbered.get(str(number)))


def plain_name(official: str) -> str:
    """Return a LOINC name as a heading: "OTC - STOP USE SECTION" -> "Stop use"."""
    for prefix in ("SPL ", "OTC - "):
        official = official.removeprefix(prefix)
    name = official.removesuffix(" SECTION").removesuffix(" SUBSECTION").replace(" & ", " and ")
    return name.replace("PACKAGE LABEL.", "PACKAGE LABEL: ").capitalize()


def is_meaningful(code: str | None) -> bool:
    """Return whether a section code says what its section is about.

    Absent codes and 42229-5 ("unclassified", half of all sections) do not: their sections take
    the code of the nearest ancestor that has a meaningful one.
    """
    return bool(code) and code != UNCLASSIFIED


def document_type(code: str | None) -> DocumentType | None:
    """Return what a document type code means; None where the table does not know it."""
    return next((kind for kind in _table().document_type if kind.code == code), None)


def standard_headings(main: int) -> tuple[str, ...]:
    """Return the usual subsection headings of a numbered section, longest first."""
    headings = _table().standard_headings.get(str(main), ())
    return tuple(sorted(headings, key=lambda heading: (-len(heading), heading)))
