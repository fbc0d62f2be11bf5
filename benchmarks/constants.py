"""Which numeric constants decide anything: each is halved and doubled.

`python benchmarks/constants.py --corpus ../shared/corpus` prints a row for each constant that code
reads as it runs: the documents of the corpora, of each format in turn the cheapest, until one
changes. A constant that moves none of them is a bound that nothing reached (a cache, a limit), or
one to try to delete. Constants that are read as a module loads (in a pattern, a default) are not
tried.

What is compared is the parsed document for `parse`, its passages and statements for `chunk`, what
is read of its statements for `facts` and `text`, and for `retrieve` the ten best passages of each
dev question in the candidates of CLINRAG_HOME.
"""

import argparse
import ast
import importlib
import sys
import time
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
from clinrag_core.model.source import DocumentSource  # noqa: E402
from clinrag_core.parse.registry import parse_document  # noqa: E402
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates  # noqa: E402
from clinrag_core.pipeline.pipeline import Pipeline  # noqa: E402
from clinrag_core.retrieve.request import SearchRequest  # noqa: E402
from clinrag_core.settings import load_settings  # noqa: E402

SAMPLE = ROOT / "data" / "corpora" / "sample"
FORMATS = {
    "pdf": (".pdf",),
    "html": (".html",),
    "lines": (".md", ".txt"),
    "spl": (".xml",),
    "openfda": (".json",),
}
FACTORS = (2.0, 0.5)


class Constant(NamedTuple):
    """A numeric constant of a module."""

    module: str
    name: str
    value: float | tuple[float, ...]

    def scaled(self, factor: float) -> float | tuple[float, ...]:
        """The value times a factor; whole numbers stay whole."""
        return (
            tuple(_scaled(one, factor) for one in self.value)
            if isinstance(self.value, tuple)
            else _scaled(self.value, factor)
        )


class Tried(NamedTuple):
    """A document, or some questions: what is made of it, how it is made again, and its seconds."""

    name: str
    make: Callable[[], str]
    made: str = ""
    seconds: float = 0.0


def _scaled(value: float, factor: float) -> float:
    return round(value * factor) if isinstance(value, int) else value * factor


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
                if (
                    getattr(target, "id", "") in read
                    and parts
                    and all(type(v) in (int, float) for v in parts)
                ):
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


def moved(constant: Constant, tried: list[Tried], budget: float) -> str:
    """What changes first where a constant is scaled: "x2 name" or, if nothing does, "-"."""
    spent = 0.0
    for one in tried:
        for factor in FACTORS:
            value = constant.scaled(factor)
            if value == constant.value:
                continue
            holders = _holders(constant)
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
                return f"x{factor:g} {one.name}"
        spent += 2 * one.seconds
        if spent > budget:
            break
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


def _tried(corpora: list[Path], chunker: Chunker, module: str) -> list[Tried]:
    """Documents or questions that a module may decide on: of each format in turn the cheapest."""
    _, package, part = module.split(".")[:3]
    if package == "retrieve":
        return [_timed("dev questions", _searching())]
    formats = FORMATS.get(part, tuple(s for all_of in FORMATS.values() for s in all_of))
    found: dict[str, list[Tried]] = {suffix: [] for suffix in formats}
    for corpus in corpora:
        manifest = load_manifest(corpus)
        paths = [e.path for e in (*manifest.guidelines, *manifest.labels) if e.path]
        sources = corpus_files(corpus)
        for path in (corpus / path for path in paths if path.endswith(formats)):
            try:
                make = _maker(path.read_bytes(), sources[path.name], chunker, package)
            except DocumentError:
                continue
            found[path.suffix].append(_timed(path.name, make))
    by_cost = (sorted(of, key=lambda one: one.seconds) for of in found.values())
    return [one for turn in zip_longest(*by_cost) for one in turn if one is not None]


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
    parser.add_argument("--only", nargs="*", help="names of constants")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds for one constant")
    chosen = parser.parse_args()
    chunker = minilm_chunker()
    kept: dict[str, list[Tried]] = {}
    for folder in chosen.folder:
        for constant in constants(folder):
            if chosen.only and constant.name not in chosen.only:
                continue
            key = ".".join(constant.module.split(".")[:3])
            if key not in kept:
                kept[key] = _tried([SAMPLE, *chosen.corpus], chunker, constant.module)
            what = moved(constant, kept[key], chosen.budget)
            place = f"{constant.module.removeprefix('clinrag_core.')} {constant.name}"
            print(f"{place} = {constant.value}\t{what}", flush=True)


if __name__ == "__main__":
    main()
