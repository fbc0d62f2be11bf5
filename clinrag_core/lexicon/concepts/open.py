"""Opens the thesaurus that the settings name: the shipped one, with others next to it.

Compiled once for the same files; a release carries annotations of one compiled thesaurus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.errors import ThesaurusError
from clinrag_core.lexicon.concepts.mesh import MeshSource
from clinrag_core.lexicon.concepts.obo import OBOSource
from clinrag_core.lexicon.concepts.own import OwnSource
from clinrag_core.lexicon.concepts.recognise import ConceptRecogniser
from clinrag_core.lexicon.concepts.rrf import RRFSource
from clinrag_core.lexicon.concepts.tables import MESH_TERMS, DrugBankSource, MeshTableSource
from clinrag_core.lexicon.concepts.thesaurus import FORMAT, Thesaurus, compile_thesaurus
from clinrag_core.lexicon.concepts.words import WORDS
from clinrag_core.settings import data_folder
from clinrag_core.workspace import fingerprint, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clinrag_core.lexicon.concepts.rows import ThesaurusSource


def source_of(path: Path) -> ThesaurusSource:
    """Return the reader of a thesaurus, by what its path is.

    Raises:
        ThesaurusError: it is of no known format.
    """
    if (path / "MRCONSO.RRF").is_file():
        return RRFSource(path)
    if (path / MESH_TERMS).is_file():
        return MeshTableSource(path)
    if path.suffix == ".csv":
        return DrugBankSource(path)
    if path.suffix == ".obo":
        return OBOSource(path)
    if path.suffixes[-2:] == [".xml", ".gz"] or path.suffix == ".xml":
        return MeshSource(path)
    raise ThesaurusError(f"{path} is no RRF or MeSH folder, MeSH XML, OBO or DrugBank file")


def open_thesaurus(paths: Sequence[Path], folder: Path) -> Thesaurus:
    """Open the shipped thesaurus with others, compiled in `folder` unless they were before.

    Raises:
        ThesaurusError: a source cannot be read, or the compiled form is damaged.
    """
    sources: list[ThesaurusSource] = [OwnSource(), *map(source_of, paths)]
    key = fingerprint(FORMAT, WORDS, *map(_state, [data_folder() / "lexicons", *paths]))
    known = folder / f"{key}.json"
    if known.is_file():
        record = read_json(known)
        directory = folder / str(record.get("thesaurus") if isinstance(record, dict) else None)
        if directory.is_dir():
            return Thesaurus(directory)
    directory = compile_thesaurus(sources, folder)
    write_json(known, {"thesaurus": directory.name})
    return Thesaurus(directory)


def open_recogniser(paths: Sequence[Path], folder: Path) -> ConceptRecogniser:
    """Return a recogniser of the concepts of `open_thesaurus`."""
    return ConceptRecogniser(open_thesaurus(paths, folder))


def _state(path: Path) -> list[tuple[str, int, int]]:
    """Return what shows that files have changed: names, sizes, times."""
    names = ("*.RRF", "*.tsv", "concepts.toml")
    files = [file for name in names for file in sorted(path.glob(name))] or [path]
    found = [(file, file.stat()) for file in files if file.is_file()]
    return [(str(file), stat.st_size, stat.st_mtime_ns) for file, stat in found]
