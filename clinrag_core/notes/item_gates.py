"""What an item says that the characters it cites do not: numbers, drugs, denial, side, time, owner.

The claim gates of answers follow for texts in a generator's words; each refusal has a code.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.protocol import ClaimOfText
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.facts.reader import read_facts
from clinrag_core.notes.assertion import read_note_findings
from clinrag_core.notes.lexicon import note_cues, note_drugs
from clinrag_core.notes.measures import read_medications
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Pattern

    from clinrag_core.answer.gates.protocol import Gate

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SIDES = {"l": "left", "r": "right", "bilaterally": "bilateral"}
_NEEDS_CITATIONS = "citation"
"""The gate of places in passages: an item's place is checked by `citations`."""


def item_problem(
    text: str, cited: str, kind: str, gates: Sequence[Gate], *, quoting: bool = False
) -> str | None:
    """Return the code of the first thing that an item says and its source does not; else None.

    `kind` is that of the heading the source is under. `quoting`: every denial counts, not only
    those of findings.
    """
    said, source = fold_chars(text), fold_chars(cited)
    cues = note_cues().assertion
    problems = (
        ("number_mismatch", lambda: bool(_numbers(said) - _numbers(source))),
        ("drug_mismatch", lambda: not _drugs(text) <= _drugs(cited)),
        ("side_mismatch", lambda: _sides_differ(said, source, quoting=quoting)),
        ("negation_mismatch", lambda: _denial_differs(text, cited, kind, quoting=quoting)),
        ("owner_mismatch", lambda: not _words(said, cues.family) <= _words(source, cues.family)),
        ("time_mismatch", lambda: not _words(said, cues.times) <= _words(source, cues.times)),
    )
    own = next((code for code, differs in problems if differs()), None)
    return own or _refused_by_gate(text, cited, gates)


def _refused_by_gate(text: str, cited: str, gates: Sequence[Gate]) -> str | None:
    """Return the code of the first claim gate that refuses a text; None if all accept it."""
    claim = ClaimOfText(text, cited, note_drugs())
    checks = [gate for gate in gates if gate.name != _NEEDS_CITATIONS]
    refused = (d.gate for d in run_gates(checks, claim, every=True) if not d.passed)
    return next((f"gate_{gate}" for gate in refused), None)


def _numbers(folded: str) -> Counter[str]:
    return Counter(match.group() for match in _NUMBER.finditer(folded))


def _words(folded: str, expression: Pattern[str]) -> frozenset[str]:
    return frozenset(match.group().strip() for match in expression.finditer(folded))


def _sides_differ(said: str, source: str, *, quoting: bool) -> bool:
    """Return whether two texts name different sides; in a quote each as often."""
    one, other = _sides(said), _sides(source)
    return one != other if quoting else one.keys() != other.keys()


def _sides(folded: str) -> Counter[str]:
    found = (match.group().strip() for match in note_cues().assertion.sides.finditer(folded))
    return Counter(_SIDES.get(word, word) for word in found)


def _drugs(text: str) -> frozenset[str]:
    """Return the ingredients that a text names, and the medicines that no table knows."""
    named = read_medications(text, "")
    unknown = (fold_chars(m.name) for m in named if not m.ingredients)
    return read_facts(text, note_drugs()).ingredients.union(unknown)


def _denial_differs(text: str, cited: str, kind: str, *, quoting: bool) -> bool:
    """Return whether a text denies what its source says, or the other way round."""
    said = read_note_findings(text, 0, kind)
    source = read_note_findings(cited, 0, kind)
    denied = {(f.name, f.status == "absent") for f in source}
    named = {f.name for f in source}
    if any(f.name in named and (f.name, f.status == "absent") not in denied for f in said):
        return True
    if said and source and not quoting:
        return False
    counts = [_denials(fold_chars(one)) for one in (text, cited)]
    return counts[0] != counts[1] if quoting else bool(counts[0]) != bool(counts[1])


def _denials(folded: str) -> int:
    return sum(1 for _ in note_cues().assertion.negation.finditer(folded))
