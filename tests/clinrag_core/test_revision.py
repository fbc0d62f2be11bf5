"""What is known as the code that answers."""

from __future__ import annotations

import ast
from pathlib import Path

import clinrag_core
from clinrag_core.revision import ANSWERING, answering_code, source_digest

ROOT = Path(clinrag_core.__file__).parent
ASKED = (
    "answer/engine.py",
    "evaluate/evaluation.py",
    "evaluate/nugget_answers.py",
    "evaluate/safety.py",
    "reason/open.py",
)
"""Modules that the stages of an evaluation call."""
KNOWN_OTHERWISE = {
    "chunk": "what it makes is in a knowledge base, which has a fingerprint",
    "parse": "likewise",
    "model": "records without rules",
    "settings": "they are part of the fingerprint themselves",
}


def test_a_digest_changes_with_each_byte_and_name(tmp_path: Path) -> None:
    package = tmp_path / "answer"
    package.mkdir()
    (package / "rank.py").write_text("WEIGHT = 1\n")
    (package / "notes.txt").write_text("no code")
    before = source_digest([package])
    assert source_digest([package]) == before
    (package / "notes.txt").write_text("still no code")
    assert source_digest([package]) == before
    (package / "rank.py").write_text("WEIGHT = 2\n")
    changed = source_digest([package])
    assert changed != before
    (package / "rank.py").rename(package / "order.py")
    assert source_digest([package]) not in {before, changed}


def test_the_code_that_answers_is_all_that_an_evaluation_imports() -> None:
    packages = {one.split("/")[0] for one in _imported(ASKED) if "/" in one}
    assert packages - KNOWN_OTHERWISE.keys() <= set(ANSWERING)
    assert set(ANSWERING) <= packages
    assert answering_code() == source_digest(ROOT / name for name in ANSWERING)


def _imported(start: tuple[str, ...]) -> set[str]:
    """Return the modules that some modules import when they run, by their paths."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imports(ast.parse((ROOT / path).read_text()))
    return found


def _imports(node: ast.AST) -> list[str]:
    """Return what a tree imports from the core, but for types."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return []
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clinrag_core"):
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        return [path for name in names if name and (path := _path_of(name))]
    return [path for child in ast.iter_child_nodes(node) for path in _imports(child)]


def _path_of(module: str) -> str | None:
    """Return the path of a module in the package; None where it is no module."""
    base = module.removeprefix("clinrag_core").strip(".").replace(".", "/")
    candidates = (f"{base}.py", f"{base}/__init__.py")
    return next((path for path in candidates if (ROOT / path).is_file()), None)
