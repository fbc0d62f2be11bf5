"""Which numeric constants of parsing and chunking decide anything: each is halved and doubled.

`python benchmarks/constants.py --corpus ../shared/corpus` prints a row for each constant that code
reads as it runs: the documents of the corpora, cheapest first, until one changes. A constant that
moves none of them is a bound that nothing reached (a cache, a limit), or one to try to delete.
Constants that are read as a module loads (in a pattern, a default) are not tried.
"""

import argparse
import ast
import importlib
import sys
import time
from collections.abc import Iterator
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
from clinrag_core.model.document import Document  # noqa: E402
from clinrag_core.model.source import DocumentSource  # noqa: E402
from clinrag_core.parse.registry import parse_document  # noqa: E402

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
    """A document, how to read it, what it gives, and the seconds that takes."""

    name: str
    data: bytes
    source: DocumentSource
    document: Document
    dump: str = ""
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
    """Clear what parsing and chunking keep in memory."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("clinrag_core.parse", "clinrag_core.chunk")):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def moved(constant: Constant, tried: list[Tried], chunker: Chunker, budget: float) -> str:
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
                dump = _dump(one, chunker, constant.module)
            except Exception as error:  # noqa: BLE001 - a value that breaks the code decides much
                dump = repr(error)
            finally:
                for module in holders:
                    setattr(module, constant.name, constant.value)
            if dump != one.dump:
                return f"x{factor:g} {one.name}"
        spent += 2 * one.seconds
        if spent > budget:
            break
    return "-"


def _dump(one: Tried, chunker: Chunker, module: str) -> str:
    """What a document gives: parsed again for a constant of parsing, cut again for others."""
    if ".chunk." in module:
        return chunk_text(chunker.chunk(one.document)) + repr(cut_statements(one.document))
    return document_text(parse_document(one.data, one.source))


def _tried(corpora: list[Path], chunker: Chunker, module: str) -> list[Tried]:
    """Documents that a module may read, the cheapest first."""
    formats = FORMATS.get(
        module.split(".")[2], tuple(s for all_of in FORMATS.values() for s in all_of)
    )
    found: list[Tried] = []
    for corpus in corpora:
        manifest = load_manifest(corpus)
        paths = [e.path for e in (*manifest.guidelines, *manifest.labels) if e.path]
        sources = corpus_files(corpus)
        for path in (corpus / path for path in paths if path.endswith(formats)):
            data, source = path.read_bytes(), sources[path.name]
            try:
                start = time.process_time()
                one = Tried(path.name, data, source, parse_document(data, source))
            except DocumentError:
                continue  # quarantined, whatever the constants
            if ".chunk." in module:
                start = time.process_time()
            dump = _dump(one, chunker, module)
            found.append(one._replace(dump=dump, seconds=time.process_time() - start))
    return sorted(found, key=lambda one: one.seconds)


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
            what = moved(constant, kept[key], chunker, chosen.budget)
            place = f"{constant.module.removeprefix('clinrag_core.')} {constant.name}"
            print(f"{place} = {constant.value}\t{what}", flush=True)


if __name__ == "__main__":
    main()
