"""How large the code may get (ADR 0057): a ceiling for each package, and for each module."""

from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "clinrag_core"
LONGEST = 400
TOP = "."
CEILINGS = {
    TOP: 1_550,
    "acquire": 3_200,
    "answer": 28_700,  # drugs not tolerated, the weight a dose is for, what announces one
    "chunk": 2_410,  # titles run into sentences, cells that title themselves (ADR 0081)
    "cli": 2_500,
    "encode": 3_160,  # kernels and a table of words for GPUs (ADR 0066)
    "evaluate": 8_275,
    "facts": 5_220,  # weights in grams, names of routes, figures in brackets after a drug
    "index": 5_300,  # what the titles of guidelines are about
    "lexicon": 3_420,  # wordings of a bolus and of what is not tolerated
    "model": 800,
    "notes": 11_000,
    "parse": 12_670,  # long titles of tables, rows that a page break cuts
    "pipeline": 5_140,  # a document that cannot be cut stops no other
    "present": 300,
    "reason": 600,
    "retrieve": 3_500,
    "serve": 3_150,
    "settings": 1_050,
    "text": 1_860,  # words spelt with hyphens
    "users": 1_350,
}


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _sizes() -> Counter[str]:
    """Lines of each package of the core; its own modules count as `TOP`."""
    sizes: Counter[str] = Counter()
    for path in CORE.rglob("*.py"):
        package, *rest = path.relative_to(CORE).parts
        sizes[package if rest else TOP] += _lines(path)
    return sizes


@pytest.mark.parametrize("package", sorted(CEILINGS))
def test_a_package_stays_below_its_ceiling(package: str) -> None:
    assert _sizes()[package] <= CEILINGS[package], "raise the ceiling in this change, with a reason"


def test_every_package_has_a_ceiling() -> None:
    assert set(_sizes()) == set(CEILINGS)


def test_no_module_is_too_long_to_be_read_at_once() -> None:
    long = {
        path.relative_to(CORE).as_posix(): lines
        for path in CORE.rglob("*.py")
        if (lines := _lines(path)) > LONGEST
    }
    assert long == {}
