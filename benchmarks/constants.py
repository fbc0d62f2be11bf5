"""Which numeric constants decide anything: each is set to other values, and left out.

    python benchmarks/constants.py --corpus ../shared/corpus --layouts ../shared/corpus/layouts

prints a row for each constant that code reads as it runs, with a column for each value tried:
nothing (0), half, double, unbounded. A cell names a document that changes, or "-" where none does;
documents that changed often for their time come first. A test that a constant with "-" below 0
or unbounded makes can be deleted, unless it is a bound that nothing in the corpora reaches (a
cache, a limit). Constants that are read as a module loads (in a pattern, a default) are not tried.
`benchmarks/constants.tsv` has rows of the parser of PDF files.

What is compared is the parsed document for `parse`, its passages and statements for `chunk`, what
is read of its statements for `facts` and `text`, and for `retrieve` the ten best passages of each
dev question in the candidates of CLINRAG_HOME.
"""

import argparse
import ast
import importlib
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from golden import chunk_text, corpus_files, document_text, minilm_chunker  # noqa: E402

from clinrag_core.acquire.manifest import load_manifest  # noqa: E402
from clinrag_core.chunk.chunker import Chunker  # noqa: E402
from clinrag_core.chunk.statements import cut_statements  # noqa: E402
from clinrag_core.errors import DocumentError  # noqa: E402
from clinrag_core.evaluate.benchmark import load_benchmark  # noqa: E402
from clinrag_core.facts.concepts import read_concepts  # noqa: E402
from clinrag_core.facts.drugs import DrugLexicon  # noqa: E402
from clinrag_core.facts.findings import read_findings  # noqa: E402
from clinrag_core.facts.intervals import intervals  # noqa: E402
from clinrag_core.facts.missed_doses import missed_doses, since_last_dose  # noqa: E402
from clinrag_core.facts.negation import since_denial  # noqa: E402
from clinrag_core.facts.owners import owners  # noqa: E402
from clinrag_core.facts.people import read_people  # noqa: E402
from clinrag_core.facts.reader import Facts  # noqa: E402
from clinrag_core.facts.resistance import read_resistance  # noqa: E402
from clinrag_core.facts.spelled import spelled_quantities  # noqa: E402
from clinrag_core.facts.strengths import given_amounts  # noqa: E402
from clinrag_core.facts.times import frequency_of  # noqa: E402
from clinrag_core.model.source import DocumentSource, Format, SourceFile  # noqa: E402
from clinrag_core.parse.registry import parse_document  # noqa: E402
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates  # noqa: E402
from clinrag_core.pipeline.pipeline import Pipeline  # noqa: E402
from clinrag_core.retrieve.request import SearchRequest  # noqa: E402
from clinrag_core.settings import load_settings  # noqa: E402
from clinrag_core.workspace import sha256_hex  # noqa: E402

SAMPLE = ROOT / "data" / "corpora" / "sample"
FORMATS = {
    "pdf": (".pdf",),
    "html": (".html",),
    "lines": (".md", ".txt"),
    "spl": (".xml",),
    "openfda": (".json",),
}
_UNLISTED: dict[str, Format] = {".pdf": "pdf", ".html": "html"}
"""Files that are tried without a manifest, and their format."""
UNBOUNDED = 10**9
VALUES = ("0", "half", "double", "unbounded")
"""What each constant is set to: the columns of the table."""
_CHANGED: Counter[str] = Counter()
"""How often each document has changed."""


class Constant(NamedTuple):
    """A numeric constant of a module."""

    module: str
    name: str
    value: float | tuple[float, ...]

    def set_to(self, name: str) -> float | tuple[float, ...]:
        """The value that a column names; whole numbers stay whole."""
        value = self.value
        return (
            tuple(_other(v, name) for v in value)
            if isinstance(value, tuple)
            else _other(value, name)
        )

    @property
    def place(self) -> str:
        """Module and name, as the table names it."""
        return f"{self.module.removeprefix('clinrag_core.')} {self.name}"


class Tried(NamedTuple):
    """A document, or some questions: what is made of it, how it is made again, and its seconds."""

    name: str
    make: Callable[[], str]
    made: str = ""
    seconds: float = 0.0


def _other(value: float, name: str) -> float:
    factor = {"0": 0, "half": 0.5, "double": 2}.get(name)
    other = value * factor if factor is not None else UNBOUNDED * (1 if value > 0 else -1)
    return round(other) if isinstance(value, int) else float(other)


def constants(folder: str) -> Iterator[Constant]:
    """Numeric constants of the modules of a folder of the core that a function of theirs reads."""
    for path in sorted((ROOT / "clinrag_core" / folder).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        read = {
            node.id
            for function in functions
            for statement in function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name)
        }
        module = importlib.import_module(name)
        for statement in tree.body:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            for target in (t for one in targets for t in getattr(one, "elts", [one])):
                value = getattr(module, getattr(target, "id", ""), None)
                parts = value if isinstance(value, tuple) else (value,)
                is_number = bool(parts) and all(type(v) in (int, float) for v in parts)
                if value is not None and is_number and target.id in read:
                    yield Constant(name, target.id, value)


def _holders(constant: Constant) -> list[ModuleType]:
    """Modules that hold a constant: its own and those that import its name."""
    own = sys.modules[constant.module]
    return [
        module
        for name, module in sys.modules.items()
        if name.startswith("clinrag_core.")
        and (module is own or f"{constant.module} import" in _source(module))
        and getattr(module, constant.name, None) == constant.value
    ]


def _source(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")


def _forget() -> None:
    """Clear what the core keeps in memory, but not the tables it reads."""
    for name, module in list(sys.modules.items()):
        if name.startswith("clinrag_core.") and ".lexicon" not in name:
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def moved(constant: Constant, name: str, tried: list[Tried], budget: float) -> str:
    """The first document that another value of a constant changes, "-" if none does."""
    value = constant.set_to(name)
    if value == constant.value:
        return "same"
    holders = _holders(constant)
    spent = 0.0
    for one in sorted(tried, key=lambda one: _CHANGED[one.name] / one.seconds, reverse=True):
        for module in holders:
            setattr(module, constant.name, value)
        _forget()
        try:
            made = one.make()
        except Exception as error:  # noqa: BLE001 - a value that breaks the code decides much
            made = repr(error)
        finally:
            for module in holders:
                setattr(module, constant.name, constant.value)
        if made != one.made:
            _CHANGED[one.name] += 1
            return one.name
        spent += one.seconds
        if spent > budget:
            return "- (of some)"
    return "-"


def _maker(
    data: bytes, source: DocumentSource, chunker: Chunker, package: str
) -> Callable[[], str]:
    """Return what makes of a document what a package decides.

    Raises:
        DocumentError: it is quarantined, whatever the constants.
    """
    document = parse_document(data, source)
    if package == "parse":
        return lambda: document_text(parse_document(data, source))
    if package == "chunk":
        return lambda: chunk_text(chunker.chunk(document)) + repr(cut_statements(document))
    texts = [statement.said for statement in cut_statements(document)]
    return partial(_readings, texts)


def _readings(texts: list[str]) -> str:
    """Return all that is read of some statements."""
    drugs = DrugLexicon()
    read: list[object] = []
    for text in texts:
        facts = Facts(text, drugs)
        read += [facts.quantities, facts.numbers, facts.codes, facts.drugs, facts.nouns_of_drugs]
        read += [facts.ordered_drugs, facts.populations, facts.polarity, facts.stems]
        read += [intervals(text), read_people(text), read_findings(text), read_resistance(text)]
        read += [spelled_quantities(text), given_amounts(text, facts.quantities, in_row=False)]
        read += [owners(text, facts.drugs, one, frozenset()) for one in facts.quantities]
        read += [missed_doses(text), since_last_dose(text), read_concepts(text, drugs)]
        read += [since_denial(text.casefold(), one.start) for one in facts.drugs]
        doses = [one for one in facts.quantities if one.kind == "dose"]
        ends = [*(one.start for one in doses[1:]), len(text)]
        read += [
            frequency_of(text, one, facts.quantities, end, in_row=False)
            for one, end in zip(doses, ends, strict=False)
        ]
    return "\n".join(map(_ordered, read))


def _ordered(value: object) -> str:
    """Return a value as text; what has no order of its own sorted."""
    return "".join(sorted(repr(value))) if "{" in repr(value) else repr(value)


def _tried(
    files: Callable[[], Iterator[tuple[Path, DocumentSource]]], chunker: Chunker, module: str
) -> list[Tried]:
    """Documents or questions that a module may decide on: of each format in turn the cheapest."""
    _, package, part = module.split(".")[:3]
    if package == "retrieve":
        return [_timed("dev questions", _searching())]
    formats = FORMATS.get(part, tuple(s for all_of in FORMATS.values() for s in all_of))
    found: dict[str, list[Tried]] = {suffix: [] for suffix in formats}
    for path, source in files():
        if path.name.endswith(formats):
            try:
                make = _maker(path.read_bytes(), source, chunker, package)
            except DocumentError:
                continue
            found[path.suffix].append(_timed(path.name, make))
    by_cost = (sorted(of, key=lambda one: one.seconds) for of in found.values())
    return [one for turn in zip_longest(*by_cost) for one in turn if one is not None]


def _files(
    corpora: list[Path], layouts: Path | None, names: frozenset[str]
) -> Iterator[tuple[Path, DocumentSource]]:
    """Yield files of the corpora, and of a folder without a manifest those that are no label."""
    for corpus in corpora:
        manifest = load_manifest(corpus)
        paths = [e.path for e in (*manifest.guidelines, *manifest.labels) if e.path]
        sources = corpus_files(corpus)
        found = [(corpus / path, sources[Path(path).name]) for path in paths]
        yield from (one for one in found if not names or one[0].name in names)
    for path in sorted(layouts.iterdir()) if layouts else []:
        format_ = _UNLISTED.get(path.suffix)
        if format_ is not None and (not names or path.name in names):
            data = path.read_bytes()
            file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
            yield path, DocumentSource(kind="guideline", format=format_, file=file, id=path.stem)


def _timed(name: str, make: Callable[[], str]) -> Tried:
    _forget()
    start = time.process_time()
    return Tried(name, make, make(), time.process_time() - start)


def _searching() -> Callable[[], str]:
    """Return what searches for the dev questions of the benchmark in the candidates of the home."""
    settings = load_settings()
    without_cache = settings.retrieval.model_copy(update={"cache_mb": 0})
    pipeline = Pipeline(settings.model_copy(update={"retrieval": without_cache}))
    engine = candidate_engine(pipeline, read_candidates(pipeline))
    questions = load_benchmark(pipeline.settings.benchmark).questions
    texts = [question.text for question in questions if question.split == "dev"]

    forms = ({}, {"fusion_method": "weighted", "boost": True})

    def search() -> str:
        """Return what the default search finds, and weighted fusion with boosts."""
        asked = (
            SearchRequest.model_validate({"query": t, **form}) for t in texts for form in forms
        )
        found = [engine.search(request).results for request in asked]
        return repr([[(hit.doc_id, hit.score) for hit in hits] for hits in found])

    return search


def main() -> None:
    """Try each constant and print what it moves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--folder", nargs="*", default=["parse", "chunk"])
    parser.add_argument("--only", nargs="*", help="names of constants, or their places")
    parser.add_argument("--layouts", type=Path, help="a folder of more PDF and HTML files")
    parser.add_argument("--documents", nargs="*", help="names of files: all of the corpora if none")
    parser.add_argument("--values", nargs="*", default=VALUES, choices=VALUES)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for one value")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    chosen = parser.parse_args()
    found = [
        constant
        for folder in chosen.folder
        for constant in constants(folder)
        if not chosen.only or {constant.name, constant.place} & set(chosen.only)
    ]
    parts = {_part(constant) for constant in found}
    chunker = minilm_chunker()
    corpora = [SAMPLE, *chosen.corpus]
    files = partial(_files, corpora, chosen.layouts, frozenset(chosen.documents or ()))
    kept = {part: _tried(files, chunker, part) for part in sorted(parts)}
    print("place", "value", *chosen.values, sep="\t")

    def row(constant: Constant) -> str:
        """Return the row of a constant."""
        of = kept[_part(constant)]
        cells = (moved(constant, name, of, chosen.budget) for name in chosen.values)
        return "\t".join((constant.place, str(constant.value), *cells))

    for line in _in_processes(row, found, chosen.jobs):
        print(line, flush=True)


def _part(constant: Constant) -> str:
    return ".".join(constant.module.split(".")[:3])


def _in_processes(
    row: Callable[[Constant], str], found: list[Constant], jobs: int
) -> Iterator[str]:
    """Rows in the order of the constants, made by processes that share what was parsed."""
    if jobs == 1:
        yield from map(row, found)
        return
    _Rows.row = staticmethod(row)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(_Rows.of, found)


class _Rows:
    """Holds what makes a row, so that forked processes inherit it."""

    row: Callable[[Constant], str]

    @staticmethod
    def of(constant: Constant) -> str:
        """Return the row of a constant."""
        return _Rows.row(constant)


if __name__ == "__main__":
    main()
