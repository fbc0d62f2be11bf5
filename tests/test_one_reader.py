"""What a text says is read by `facts/`: no other module has words of it.

Checks patterns (text with alternatives) and collections of words, not messages. A pattern
that is no reader, though it has such words, is in `EXCEPTIONS` with its reason. `OPEN` counts, by
folder and kind, those that still are: the counts may only get smaller.
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
KINDS = {
    "units": "mg mcg µg kg ml iu mmol minute hour day week month year",
    "denials": "not no never without none nor neither cannot n't denies",
    "people": (
        "age aged old older younger child children adult adolescent infant neonate newborn elderly "
        "paediatric pediatric pregnant pregnancy breastfeeding lactating"
    ),
    "routes": (
        "oral orally intravenous intravenously intramuscular intramuscularly subcutaneous topical "
        "subcutaneously inhaled inhalation intrathecal rectal iv im"
    ),
    "frequencies": "daily weekly monthly hourly nightly once twice thrice bd bid tid qds qid",
}
"""What texts say, with words of it."""
FEWEST = 2
"""Words of one kind that make a pattern a reader of its own."""
_WORD = re.compile(r"n't|[a-zµ]+", re.IGNORECASE)
_ESCAPE = re.compile(r"\\[a-zA-Z]|\(\?P<\w+>|\(\?<?[=!]")
_RULER = "measures the gates, so it shares no reader with them (import-linter holds it)"
EXCEPTIONS = {
    "answer/complete/exceptions.py _FOR_SOME": "how a list of people is begun: 'in those who:'",
    "answer/complete/schedules.py _STEP": "a heading such as 'Week 2:', which is no duration",
    "answer/gates/copies.py _DENYING": "words of a copy, compared as they are printed",
    "answer/lead/added_alone.py _FAILS": "what says that treatment fails: 'not responding'",
    "answer/plain/split.py _CONDITION": "words by which one clause limits another",
    "answer/plain/split.py _NEW_LINE": "places where a long line may be broken",
    "answer/question/clauses.py IF_NOT": "a clause that goes on asking: 'if not, ...'",
    "answer/question/joined_drugs.py _JOINED": "what may stand between two drugs that are joined",
    "answer/question/reasons.py _COMORBID": "what somebody is on: 'week 2 of TB treatment'",
    "answer/question/roles.py _TAKEN": "what comes before a drug that somebody takes: 'on oral X'",
    "answer/question/subjects.py _HAD": "what is over: 'had 6 months of X'",
    "answer/rank/exact.py _WHOM": "forms of questions: 'which adults'",
    "answer/rank/topic_words.py _NOT": "what a question does not mean: 'not the old one'",
    "chunk/fragments.py _SAYS": "function words that only a sentence has",
    "evaluate/beir.py _STOP_WORDS": "stop words of the engine it is compared with",
    "evaluate/mutation.py _AUXILIARY": _RULER,
    "evaluate/mutation.py _UNIT": _RULER,
    "evaluate/patient_mutants.py _REPLACED": _RULER,
    "evaluate/ruler/false_claims.py _BAND": _RULER,
    "evaluate/ruler/false_claims.py _DOSE": _RULER,
    "evaluate/ruler/false_claims.py _PARTING": _RULER,
    "evaluate/ruler/false_claims.py _PEOPLE": _RULER,
    "evaluate/term_match.py _AFTER_UNIT": _RULER,
    "index/bm25_check.py _FIGURE": "checks the tokeniser, so it does not share its spellings",
    "notes/clipped.py _BEFORE_DOSE": "where a name cut short ends: before a figure or 'po'",
    "notes/doses.py stated_doses": "units of quantities that `facts/` has read",
    "parse/assemble/conditions.py _PEOPLE": "what opens a condition: 'In children, ...'",
    "parse/assemble/header.py _VALUE": "whole cells that are values: 'yes', 'no', 'none'",
    "parse/assemble/raised.py _UNITS": "units that take an exponent, as printed: 'mg/m', 'day'",
    "parse/pdf/header_rows.py _VALUE": "whole cells that are values: 'yes', 'no', 'none'",
    "reason/read_choice.py _NONE": "what a model writes where it chooses nothing",
}
OPEN = {
    ("answer/gates", "denials"): 3,
    ("answer/gates", "frequencies"): 2,
}
"""By folder and kind, its patterns that still read for themselves."""


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
            for kind, known in KINDS.items():
                if len(singular.intersection(known.split())) >= FEWEST:
                    yield _name(statement), kind


def _name(statement: ast.stmt) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
    target = getattr(targets[0], "target", targets[0])
    return getattr(target, "id", None) or getattr(target, "name", "?")


@cache
def _found() -> frozenset[tuple[str, str]]:
    """Each place outside the readers with a reader of its own, and what it reads."""
    core = ROOT / "clinrag_core"
    found: set[tuple[str, str]] = set()
    for path in sorted(core.rglob("*.py")):
        module = path.relative_to(core).as_posix()
        if not module.startswith(READERS):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {(f"{module} {name}", kind) for name, kind in _readers_of_their_own(tree)}
    return frozenset(found)


def test_no_other_module_has_a_reader_of_its_own() -> None:
    open_ones = sorted((place, kind) for place, kind in _found() if place not in EXCEPTIONS)
    counts = Counter((place.rpartition("/")[0], kind) for place, kind in open_ones)
    more = {key for key, count in counts.items() if count > OPEN.get(key, 0)}
    assert [one for one in open_ones if (one[0].rpartition("/")[0], one[1]) in more] == []


def test_exceptions_are_needed() -> None:
    assert set(EXCEPTIONS) - {place for place, _ in _found()} == set()


def test_a_reader_of_its_own_is_found() -> None:
    module = ast.parse(
        '_AMOUNT = re.compile(r"\\d+ ?(?:mg|mcg)\\b")\n_DENIED = frozenset({"not", "never"})\n'
        '_BY = re.compile(r"\\b(?:oral|intravenous)ly\\b")\n_WHOM = "(?:children|infants) aged"\n'
        '_OFTEN = ["daily", "weekly"]\n_MESSAGE = f"no {thing} and not one"\n'
    )
    assert set(_readers_of_their_own(module)) == {
        ("_AMOUNT", "units"),
        ("_DENIED", "denials"),
        ("_BY", "routes"),
        ("_WHOM", "people"),
        ("_OFTEN", "frequencies"),
    }
