"""Rules of the code base that no linter knows."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("clinrag_core", "clinrag_dagster")
LONG_FUNCTION = 12
"""Lines from which a function explains itself in a docstring."""
_EXCEPTION = re.compile(r"# noqa: [A-Z0-9, ]+$")
PARSE_ENTRIES = 8
"""Folders and files at the top of `parse/`: one per format, the assembler and the registry."""


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_class_names_are_unique() -> None:
    """Two classes of one name are read as one thing."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_long_functions_have_a_docstring() -> None:
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, tree in _modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 >= LONG_FUNCTION
        and node.name != "__init__"  # the class docstring explains construction
        and ast.get_docstring(node) is None
    ]
    assert missing == []


def test_an_exception_to_a_lint_rule_states_its_reason() -> None:
    """Next to it, or in the line above."""
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path, _ in _modules()
        for above, (number, line) in pairwise(
            [(0, ""), *enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)]
        )
        if _EXCEPTION.search(line) and "#" not in above[1]
    ]
    assert bare == []


def test_parse_is_laid_out_by_format() -> None:
    entries = [p.name for p in (ROOT / "clinrag_core" / "parse").iterdir() if p.name[:2] != "__"]
    assert len(entries) <= PARSE_ENTRIES


def _imports(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Modules that a module imports anywhere in it, but for types only."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & names
            yield from inside or ({node.module} & names)


def test_no_module_is_imported_from_two_sides_of_itself() -> None:
    """Also imports in functions count: a cycle hidden there is one all the same."""
    trees = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): tree
        for path, tree in _modules()
    }
    imports = {name: set(_imports(tree, set(trees))) for name, tree in trees.items()}
    order = TopologicalSorter({name: others - {name} for name, others in imports.items()})
    order.prepare()  # raises CycleError, with the modules of the cycle
