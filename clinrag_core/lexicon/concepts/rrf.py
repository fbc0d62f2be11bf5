"""UMLS in its Rich Release Format, or another thesaurus in the same layout: MRCONSO, MRREL, MRSTY.

English rows that are not suppressed. Columns by the UMLS Reference Manual, chapter 3 (NLM).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.rows import ConceptLink, ConceptName, ConceptType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clinrag_core.lexicon.concepts.rows import ConceptRow, Relation

_COLUMNS = {"MRCONSO.RRF": 18, "MRREL.RRF": 16, "MRSTY.RRF": 6}
_CUI, _LAT, _TS, _STT, _ISPREF, _STR, _SUPPRESS = 0, 1, 2, 4, 6, 14, 16
_CUI1, _REL, _CUI2, _REL_SUPPRESS = 0, 3, 4, 14
_TYPE = 3  # columns of the three tables (NLM, UMLS Reference Manual, chapter 3)
SUPPRESSED = frozenset("OEY")
_RELATION: dict[str, Relation] = {"PAR": "is_a", "RB": "is_a", "RO": "related", "RQ": "related"}
"""REL is what CUI2 is to CUI1: its parent, broader than it, related."""
_INVERSE = frozenset(["CHD", "RN"])
"""CUI2 is a child of CUI1, or narrower: the same relations from the other side."""


class RRFSource:
    """A folder with the RRF files; MRREL and MRSTY may be missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name

    def rows(self) -> Iterator[ConceptRow]:
        """See `ThesaurusSource`."""
        for row in self._lines("MRCONSO.RRF"):
            if row[_LAT] == "ENG" and row[_SUPPRESS] not in SUPPRESSED:
                preferred = (row[_TS], row[_STT], row[_ISPREF]) == ("P", "PF", "Y")
                yield ConceptName(row[_CUI], row[_STR], preferred)
        if (self.folder / "MRREL.RRF").is_file():
            for row in self._lines("MRREL.RRF"):
                if row[_REL_SUPPRESS] in SUPPRESSED or row[_CUI1] == row[_CUI2]:
                    continue
                if relation := _RELATION.get(row[_REL]):
                    yield ConceptLink(row[_CUI1], relation, row[_CUI2])
                elif row[_REL] in _INVERSE:
                    yield ConceptLink(row[_CUI2], "is_a", row[_CUI1])
        if (self.folder / "MRSTY.RRF").is_file():
            for row in self._lines("MRSTY.RRF"):
                yield ConceptType(row[_CUI], row[_TYPE])

    def _lines(self, name: str) -> Iterator[list[str]]:
        """Yield the columns of each line of a file."""
        path, wanted = self.folder / name, _COLUMNS[name]
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    row = line.rstrip("\n").split("|")
                    if len(row) < wanted:
                        raise ThesaurusError(
                            f"{path}, line {number}: {len(row)} columns instead of {wanted}"
                        )
                    yield row
        except (OSError, UnicodeDecodeError) as error:
            raise ThesaurusError(f"{path}: {error}") from error
