"""A compiled thesaurus: memory-mapped arrays that open in milliseconds, whatever their size.

A name is a 64-bit hash of its words in a sorted array, 8 bytes. Two names share one by chance with
a probability of n² / 2**65: 3e-8 for a million.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinrag_core.errors import ThesaurusError, WorkspaceError
from clinrag_core.lexicon.concepts.rows import RELATIONS, ConceptLink, ConceptName
from clinrag_core.lexicon.concepts.words import (
    WORDS,
    is_short_form,
    is_telling,
    name_hash,
    turned,
)
from clinrag_core.model.base import Record
from clinrag_core.workspace import fingerprint, new_directory, read_json, sha256_hex, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from clinrag_core.lexicon.concepts.rows import ConceptRow, Relation, ThesaurusSource

FORMAT = "thesaurus/1"
RECORD = "thesaurus.json"
SHORT, SURE = 1, 2
"""Flags of a hash: a short form; one that needs no context."""
EMPTY = 128
"""Bytes of a .npy file without elements: its header."""
_ARRAYS = (
    "hashes", "flags", "concept_starts", "concepts", "name_starts", "name_ends", "names_of",
    "link_starts", "link_targets", "link_relations", "id_ends", "type_starts", "types",
)  # fmt: skip
_TEXTS = ("names", "ids")


class ThesaurusRecord(Record):
    """What a compiled thesaurus holds."""

    format: str
    words: str
    sources: tuple[str, ...]
    concepts: int
    names: int
    hashes: int
    """Different names by their words."""
    dropped: int
    """Names that are not recognised: codes, single letters, common words, long ones."""
    links: dict[str, int]
    types: tuple[str, ...]
    fingerprint: str


class RelatedConcept(NamedTuple):
    """A concept that another leads to."""

    concept: int
    relation: Relation


class _Collected:
    """The rows of the sources, as numbers."""

    def __init__(self) -> None:
        self.source = ""
        self.dropped = 0
        self.source_of: list[str] = []
        self.ids: dict[str, int] = {}
        self.names: list[dict[str, None]] = []
        self.by_hash: dict[int, list[int]] = {}
        self.flags: dict[int, int] = {}
        self.links: dict[tuple[int, int, int], None] = {}
        self.types: dict[str, int] = {}
        self.types_of: list[dict[int, None]] = []

    def concept(self, key: str) -> int:
        """Return the number of a concept, a new one if it is new."""
        number = self.ids.setdefault(key, len(self.ids))
        if number == len(self.names):
            self.names.append({})
            self.types_of.append({})
            self.source_of.append(self.source)
        return number

    def take(self, row: ConceptRow) -> None:
        """Add a row."""
        if isinstance(row, ConceptName):
            self._name(row)
        elif isinstance(row, ConceptLink):
            one, other = self.concept(row.source), self.concept(row.target)
            inverse: dict[Relation, Relation] = {"is_a": "narrower", "narrower": "is_a"}
            back = inverse.get(row.relation, row.relation)
            self.links[one, RELATIONS.index(row.relation), other] = None
            self.links[other, RELATIONS.index(back), one] = None
        else:
            kind = self.types.setdefault(row.type, len(self.types))
            self.types_of[self.concept(row.concept)][kind] = None

    def _name(self, row: ConceptName) -> None:
        """Add a name under its hash, and under that of its words turned."""
        number = self.concept(row.concept)
        names = self.names[number]
        self.names[number] = {row.name: None} | names if row.preferred else names | {row.name: None}
        if not row.sure and not is_telling(row.name):
            self.dropped += 1
            return
        short = is_short_form(row.name)
        for form in {row.name, turned(row.name) or row.name}:
            value, _ = name_hash(form)
            if not value:
                self.dropped += 1
                continue
            concepts = self.by_hash.setdefault(value, [])
            if number not in concepts:
                concepts.insert(0 if row.sure else len(concepts), number)
            flags = (SHORT if short else 0) | (SURE if row.sure else 0)
            # A name that some thesaurus writes as a word is no short form.
            before = self.flags.get(value, flags)
            self.flags[value] = ((before & flags) & SHORT) | ((before | flags) & SURE)

    def merge(self) -> None:
        """Make one concept of those of different sources that share a long name.

        Short forms are shared by homonyms. Two concepts of one source are different: their
        publisher says so, also where a third one shares a name with both.
        """
        into = list(range(len(self.names)))
        sources = [{source} for source in self.source_of]

        def root(number: int) -> int:
            while into[number] != number:
                into[number] = into[into[number]]
                number = into[number]
            return number

        for value, concepts in self.by_hash.items():
            if len(concepts) > 1 and not self.flags[value] & SHORT:
                first = root(concepts[0])
                for other in map(root, concepts[1:]):
                    if first != other and not sources[first] & sources[other]:
                        into[other] = first
                        sources[first] |= sources[other]
        self._renumber([root(number) for number in into])

    def _renumber(self, roots: list[int]) -> None:
        """Join the concepts that have the same root; the ids of the others go."""
        new = {old: number for number, old in enumerate(dict.fromkeys(sorted(set(roots))))}
        number_of = [new[old] for old in roots]
        names: list[dict[str, None]] = [{} for _ in new]
        types: list[dict[int, None]] = [{} for _ in new]
        for old, number in enumerate(number_of):
            names[number] |= self.names[old]
            types[number] |= self.types_of[old]
        keys = list(self.ids)
        self.ids = {keys[old]: number for old, number in new.items()}
        self.names, self.types_of = names, types
        for value, concepts in self.by_hash.items():
            self.by_hash[value] = list(dict.fromkeys(number_of[c] for c in concepts))
        renamed = ((number_of[a], r, number_of[b]) for a, r, b in self.links)
        self.links = dict.fromkeys(link for link in renamed if link[0] != link[2])


def compile_thesaurus(sources: Sequence[ThesaurusSource], parent: Path) -> Path:
    """Compile thesauri into one below a folder; return its directory, named by its content.

    Raises:
        ThesaurusError: a source cannot be read, or there is no name that can be recognised.
    """
    collected = _Collected()
    for source in sources:
        collected.source = source.name
        for row in source.rows():
            collected.take(row)
    collected.merge()
    if not collected.by_hash:
        raise ThesaurusError("no name that can be recognised in any source")
    arrays, texts = _arrays(collected), _texts(collected)
    content = [sha256_hex(a.tobytes()) for a in arrays.values()]
    name = fingerprint(FORMAT, WORDS, *content, *map(sha256_hex, texts.values()))
    links = Counter(RELATIONS[relation] for _, relation, _ in collected.links)
    record = ThesaurusRecord(
        format=FORMAT,
        words=WORDS,
        sources=tuple(source.name for source in sources),
        concepts=len(collected.ids),
        names=sum(map(len, collected.names)),
        hashes=len(collected.by_hash),
        dropped=collected.dropped,
        links=dict(sorted(links.items())),
        types=tuple(collected.types),
        fingerprint=name,
    )
    directory = parent / name
    if directory.is_dir():
        return directory
    with new_directory(directory) as tmp:
        for key, array in arrays.items():
            np.save(tmp / f"{key}.npy", array, allow_pickle=False)
        for key, text in texts.items():
            (tmp / f"{key}.txt").write_bytes(text)
        write_json(tmp / RECORD, record.model_dump())
    return directory


def _arrays(collected: _Collected) -> dict[str, NDArray[Any]]:
    """Return the numbers of a thesaurus; lists of lists as starts and one flat array."""
    ordered = sorted(collected.by_hash)
    concepts = [collected.by_hash[value] for value in ordered]
    links = sorted(collected.links)
    sources = np.array([one for one, _, _ in links], dtype=np.int64)
    ends = np.cumsum([len(n.encode()) for own in collected.names for n in own])
    kinds = [sorted(own) for own in collected.types_of]
    return {
        "hashes": np.array(ordered, dtype=np.uint64),
        "flags": np.array([collected.flags[value] for value in ordered], dtype=np.uint8),
        "concept_starts": _starts(map(len, concepts)),
        "concepts": np.array([c for own in concepts for c in own], dtype=np.int32),
        "name_starts": np.concatenate([[0], ends[:-1]]).astype(np.int64),
        "name_ends": ends.astype(np.int64),
        "names_of": _starts(map(len, collected.names)),
        "link_starts": np.searchsorted(sources, np.arange(len(collected.ids) + 1)),
        "link_targets": np.array([other for _, _, other in links], dtype=np.int32),
        "link_relations": np.array([kind for _, kind, _ in links], dtype=np.uint8),
        "id_ends": np.cumsum([len(key.encode()) for key in collected.ids]).astype(np.int64),
        "type_starts": _starts(map(len, kinds)),
        "types": np.array([kind for own in kinds for kind in own], dtype=np.uint16),
    }


def _texts(collected: _Collected) -> dict[str, bytes]:
    return {
        "names": "".join(name for own in collected.names for name in own).encode(),
        "ids": "".join(collected.ids).encode(),
    }


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(list(sizes))]).astype(np.int64)


def _mapped(path: Path) -> NDArray[Any]:
    """Memory-map an array; an empty one cannot be, and is read."""
    if path.stat().st_size <= EMPTY:
        return np.load(path, allow_pickle=False)
    return np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)  # faster to index


class Thesaurus:
    """An opened thesaurus; concepts are numbers. Reading is safe from several threads."""

    def __init__(self, directory: Path) -> None:
        """Memory-map a compiled thesaurus.

        Raises:
            ThesaurusError: a part is missing or damaged, or it was compiled by another version.
        """
        try:
            self.record = ThesaurusRecord.model_validate(read_json(directory / RECORD))
            arrays: dict[str, Any] = {name: _mapped(directory / f"{name}.npy") for name in _ARRAYS}
            self._texts = {name: np.memmap(directory / f"{name}.txt", mode="r") for name in _TEXTS}
        except (OSError, ValueError, WorkspaceError) as error:
            raise ThesaurusError(f"thesaurus {directory} cannot be read: {error}") from error
        if (self.record.format, self.record.words) != (FORMAT, WORDS):
            raise ThesaurusError(f"thesaurus {directory} is of another version: compile it again")
        self.hashes: NDArray[np.uint64] = arrays["hashes"]
        self.flags: NDArray[np.uint8] = arrays["flags"]
        self._arrays = arrays
        sizes = (self.record.hashes, self.record.hashes, self.record.concepts, self.record.names)
        found = (
            len(self.hashes), len(self.flags), len(arrays["id_ends"]), len(arrays["name_ends"])
        )  # fmt: skip
        if sizes != found:
            raise ThesaurusError(f"thesaurus {directory}: its parts do not agree")

    def __len__(self) -> int:
        return self.record.concepts

    def concepts_at(self, places: NDArray[np.int64]) -> list[list[int]]:
        """Return the concepts that have each of the names, by their places in `hashes`."""
        starts, concepts = self._arrays["concept_starts"], self._arrays["concepts"]
        spans = zip(starts[places].tolist(), starts[places + 1].tolist(), strict=True)
        return [concepts[a:b].tolist() if b > a + 1 else [int(concepts[a])] for a, b in spans]

    def names(self, concept: int) -> list[str]:
        """Return the names of a concept, the preferred one first."""
        first, last = self._arrays["names_of"][concept : concept + 2].tolist()
        ends = self._arrays["name_ends"][first:last].tolist()
        starts = self._arrays["name_starts"][first:last].tolist()
        text = self._texts["names"]
        return [bytes(text[a:b]).decode() for a, b in zip(starts, ends, strict=True)]

    def name(self, concept: int) -> str:
        """Return the preferred name of a concept; its id if it has none."""
        return next(iter(self.names(concept)), "") or self.id(concept)

    def id(self, concept: int) -> str:
        """Return the id of a concept in its source: C0041296, D014376, DOID:399."""
        ends = self._arrays["id_ends"]
        start = int(ends[concept - 1]) if concept else 0
        return bytes(self._texts["ids"][start : int(ends[concept])]).decode()

    def types(self, concept: int) -> frozenset[str]:
        """Return the semantic types of a concept."""
        starts = self._arrays["type_starts"]
        own = self._arrays["types"][starts[concept] : starts[concept + 1]].tolist()
        return frozenset(self.record.types[kind] for kind in own)

    def related(self, concept: int) -> list[RelatedConcept]:
        """Return the concepts that one leads to in one step, by relation and number."""
        starts = self._arrays["link_starts"]
        own = slice(int(starts[concept]), int(starts[concept + 1]))
        targets = self._arrays["link_targets"][own].tolist()
        kinds = self._arrays["link_relations"][own].tolist()
        return [RelatedConcept(t, RELATIONS[k]) for t, k in zip(targets, kinds, strict=True)]

    @cached_property
    def bytes(self) -> int:
        """Size on disk, which is what is mapped."""
        arrays = sum(int(array.nbytes) for array in self._arrays.values())
        return arrays + sum(int(text.nbytes) for text in self._texts.values())

    def ids(self) -> Iterator[str]:
        """Yield the ids of all concepts, in the order of their numbers."""
        return (self.id(concept) for concept in range(len(self)))
