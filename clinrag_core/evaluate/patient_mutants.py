"""Patient summaries made wrong on purpose: each must be rejected by the guard of the summary.

Every kind is an error that a person or a model makes when shortening: a word that limits is lost,
figures change places, a condition stays behind in another sentence.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.plain.guard import reasons_against
from clinrag_core.answer.plain.split import LINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clinrag_core.answer.gates.protocol import Gate
    from clinrag_core.facts.drugs import DrugLexicon

Lines = tuple[str, ...]

# Each kind with what it looks for and what it writes instead, at every place of a summary.
_REPLACED: tuple[tuple[str, str, str], ...] = (
    ("denial_dropped", r"\b(?:not|no|never|without)\s+", ""),
    ("denial_added", r"\b(is|are|should be|may be)\s+(?!not)", r"\1 not "),
    ("only_dropped", r"\bonly\s+", ""),
    ("condition_turned", r"\bunless\b", "if"),
    ("condition_dropped", r"[,\s]+(?:only )?(?:if|unless|when|until)\b[^,.;:]*", ""),
    ("at_least_dropped", r"\b(?:at least|at most|up to|more than|less than|maximum)\s+", ""),
    ("sign_dropped", r"[<>≤≥]=?\s?", ""),
    ("sign_turned", r"[≤<](?==?\s?\d)", ">"),
    ("range_swapped", r"\b(\d[\d.,]*)(\s?(?:-|–|to)\s?)(\d[\d.,]*)", r"\3\2\1"),
    ("range_end_dropped", r"\b(\d[\d.,]*)\s?(?:-|–|to)\s?(?=\d)", ""),
    ("unit_changed", r"(?<=\d)(\s?)mg\b", r"\1g"),
    ("unit_changed", r"(?<=\d)(\s?)mL\b", r"\1L"),
    ("unit_changed", r"(?<=\d)(\s)weeks?\b", r"\1months"),
    ("unit_changed", r"(?<=\d)(\s)months?\b", r"\1weeks"),
    ("per_dropped", r"(?<=mg)/kg\b|(?<=kg)/day\b", ""),
    ("tenfold", r"\b(\d+)(?=\s?mg)", r"\g<1>0"),
    (
        "frequency_dropped",
        r"\s(?:daily|twice|weekly|(?:once|twice|three times) a (?:day|week))\b",
        "",
    ),
    ("frequency_changed", r"\bonce a\b", "twice a"),
    ("frequency_changed", r"\ba day\b", "a week"),
    ("people_dropped", r"\s(?:in|for|to|among) (?:children|adults|infants|pregnant women)\b", ""),
    ("people_dropped", r"\b(?:children|adults|adolescents|infants)\b(?: and)?", ""),
    ("people_changed", r"\bchildren\b", "adults"),
    ("member_dropped", r",\s[^,.;:()]+(?=,)", ""),
    ("last_member_dropped", r",?\s(?:and|or)\s[\w-]+(?=[.])", ""),
    ("and_for_or", r"\bor\b", "and"),
    ("or_for_and", r"\band\b", "or"),
    ("should_for_may", r"\bmay\b", "should"),
    ("may_for_should", r"\b(?:should|must)\b", "may"),
    ("duty_dropped", r"\b(?:should|must) be\b", "is"),
    ("before_for_after", r"\bafter\b", "before"),
    ("after_for_before", r"\bbefore\b", "after"),
    ("direction_turned", r"\bincrease", "decrease"),
    ("direction_turned", r"\bhigher\b", "lower"),
    ("exception_dropped", r"\b(?:except|other than|even)\b[^,.;:]*", ""),
    ("severity_dropped", r"\b(?:severe|serious|dangerous|deadly)\s+", ""),
    ("kidney_for_liver", r"\bliver\b", "kidney"),
    ("stop_for_start", r"\bstop\b", "start"),
    ("brackets_dropped", r"\s\([^()]*\)", ""),
    ("some_for_all", r"\ball\b", "some"),
)


class PatientMutant(NamedTuple):
    """A summary made wrong, and how."""

    kind: str
    lines: Lines


def patient_mutants(lines: Lines) -> Iterator[PatientMutant]:
    """Yield every summary that one error makes of the lines of a claim."""
    for kind, expression, instead in _REPLACED:
        for number, line in enumerate(lines):
            mark = LINE if line.startswith(LINE) else ""
            text = line.removeprefix(LINE)
            for match in re.finditer(expression, text, re.IGNORECASE):
                changed = f"{text[: match.start()]}{match.expand(instead)}{text[match.end() :]}"
                if changed.split() != text.split() and changed.strip():
                    made = (*lines[:number], mark + changed, *lines[number + 1 :])
                    yield PatientMutant(kind, made)
    for kind, make in _OF_LINES.items():
        yield from (PatientMutant(kind, made) for made in make(lines) if made and made != lines)


def _without_a_line(lines: Lines) -> Iterator[Lines]:
    yield from ((*lines[:n], *lines[n + 1 :]) for n in range(len(lines)))


def _lines_exchanged(lines: Lines) -> Iterator[Lines]:
    for n in range(len(lines) - 1):
        yield (*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :])


def _figures_exchanged(lines: Lines) -> Iterator[Lines]:
    """Yield lines in which the first figures of two lines changed places."""
    found = [(n, m) for n, line in enumerate(lines) if (m := re.search(r"\d[\d.,/–-]*", line))]
    for (one, first), (other, second) in pairwise(found):
        if first[0] != second[0]:
            made = list(lines)
            made[one] = lines[one].replace(first[0], second[0], 1)
            made[other] = lines[other].replace(second[0], first[0], 1)
            yield tuple(made)


def _condition_left_behind(lines: Lines) -> Iterator[Lines]:
    """Yield lines in which what goes on with a limited sentence became a sentence of its own."""
    for n, line in enumerate(lines):
        before = " ".join(lines[:n])
        limited = re.search(r"\b(?:if|unless|when|until|only|in|for|with)\b", before, re.IGNORECASE)
        if line.startswith(LINE) and limited:
            yield (*lines[:n], line.removeprefix(LINE).capitalize(), *lines[n + 1 :])


_OF_LINES: dict[str, Callable[[Lines], Iterator[Lines]]] = {
    "line_dropped": _without_a_line,
    "lines_exchanged": _lines_exchanged,
    "figures_exchanged": _figures_exchanged,
    "condition_left_behind": _condition_left_behind,
}


def mutants_that_pass(
    lines: Lines, claim: str, drugs: DrugLexicon, gates: Sequence[Gate]
) -> list[PatientMutant]:
    """Return the mutants of the summary of a claim that its guard accepts: none is right."""
    return [
        mutant
        for mutant in patient_mutants(lines)
        if not reasons_against(mutant.lines, claim, drugs, gates)
    ]
