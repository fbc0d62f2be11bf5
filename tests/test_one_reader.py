"""What a text says is read by `facts/`: other modules write no units or words of denial themselves.

Looks at patterns (text with alternatives) and at collections of words, not at messages. A pattern
that is no reader, though it has such words, is in `EXCEPTIONS` with its reason. `OPEN` counts, by
folder, those that still are: the counts may only get smaller.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READERS = ("facts/", "text/", "lexicon/")
"""Those who read for all others: what is said, the spelling of units and words, the tables."""
UNITS = set("mg mcg µg kg ml iu mmol minute hour day week month year".split())  # noqa: SIM905 - a list
DENIALS = set("not no never without none nor neither cannot n't denies".split())  # noqa: SIM905 - a list
FEWEST = 2
"""Units, or words of denial, that make a pattern a reader of its own."""
_WORD = re.compile(r"n't|[a-zµ]+", re.IGNORECASE)
_ESCAPE = re.compile(r"\\[a-zA-Z]|\(\?P<\w+>|\(\?<?[=!]")
_RULER = "measures the gates, so it shares no reader with them (import-linter holds it)"
EXCEPTIONS = {
    "answer/plain/split.py _CONDITION": "words by which one clause limits another",
    "answer/schedules.py _STEP": "a heading such as 'Week 2:', which is no duration",
    "answer/select.py _FORMS": "forms of questions: 'how many weeks'",
    "answer/split.py _IF_NOT": "a clause that goes on asking: 'if not, ...'",
    "chunk/fragments.py _SAYS": "function words that only a sentence has",
    "evaluate/beir.py _STOP_WORDS": "stop words of the engine it is compared with",
    "evaluate/mutation.py _AUXILIARY": _RULER,
    "evaluate/mutation.py _UNIT": _RULER,
    "evaluate/patient_mutants.py _REPLACED": _RULER,
    "evaluate/ruler/false_claims.py _BAND": _RULER,
    "evaluate/ruler/false_claims.py _DOSE": _RULER,
    "evaluate/ruler/false_claims.py _PARTING": _RULER,
    "evaluate/term_match.py _AFTER_UNIT": _RULER,
    "index/bm25_check.py _FIGURE": "checks the tokeniser, so it does not share its spellings",
    "parse/assemble/header.py _VALUE": "whole cells that are values: 'yes', 'no', 'none'",
    "parse/assemble/raised.py _UNITS": "units that take an exponent, as printed: 'mg/m', 'day'",
    "parse/pdf/header_rows.py _VALUE": "whole cells that are values: 'yes', 'no', 'none'",
    "reason/read_choice.py _NONE": "what a model writes where it chooses nothing",
}
OPEN = {"answer": 2, "answer/gates": 16, "notes": 25}
"""By folder, its patterns that read units or denials for themselves still."""


def _written(node: ast.expr) -> str:
    """The text of a pattern or of a collection of words, empty for anything else."""
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        members = [m.value for m in node.elts if isinstance(m, ast.Constant)]
        return " ".join(m for m in members if isinstance(m, str) and _WORD.fullmatch(m))
    if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        text = _text(node)
        return text if "|" in text else ""
    takes = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
    return _text(node) if takes in {"compile", "split", "search", "match", "sub"} else ""


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
    return " ".join(part for part in parts if isinstance(part, str))


def _readers_of_their_own(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names of module constants and functions that hold such a pattern, and what it reads."""
    for statement in tree.body:
        for node in ast.walk(statement):
            if not isinstance(node, ast.expr) or not (text := _written(node)):
                continue
            words = {word.casefold() for word in _WORD.findall(_ESCAPE.sub(" ", text))}
            singular = words | {word.removesuffix("s") for word in words}
            for kind, known in (("units", UNITS), ("denials", DENIALS)):
                if len(known & singular) >= FEWEST:
                    yield _name(statement), kind


def _name(statement: ast.stmt) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
    target = getattr(targets[0], "target", targets[0])
    return getattr(target, "id", None) or getattr(target, "name", "?")


@cache
def _found() -> dict[str, str]:
    core = ROOT / "clinrag_core"
    found: dict[str, str] = {}
    for path in sorted(core.rglob("*.py")):
        module = path.relative_to(core).as_posix()
        if module.startswith(READERS):
            continue
        for name, kind in _readers_of_their_own(ast.parse(path.read_text(encoding="utf-8"))):
            found[f"{module} {name}"] = kind
    return found


def test_no_other_module_has_a_reader_of_its_own() -> None:
    places = [place for place in _found() if place not in EXCEPTIONS]
    counts = Counter(place.rpartition("/")[0] for place in places)
    more = {folder for folder, count in counts.items() if count > OPEN.get(folder, 0)}
    assert [place for place in places if place.rpartition("/")[0] in more] == []


def test_exceptions_are_needed() -> None:
    assert set(EXCEPTIONS) - set(_found()) == set()


def test_a_reader_of_its_own_is_found() -> None:
    module = ast.parse(
        '_AMOUNT = re.compile(r"\\d+ ?(?:mg|mcg)\\b")\n_DENIED = frozenset({"not", "never"})\n'
        '_MESSAGE = f"no {thing} and not one"\n'
    )
    assert set(_readers_of_their_own(module)) == {("_AMOUNT", "units"), ("_DENIED", "denials")}
