"""Which block of a note its statements are in, where no heading says it.

A note reports what was, then what was found, what is thought of it and what is to be done. A
statement alone is a weak sign, so all of them are read together: the best sequence of blocks has
the most matched words and the fewest changes (dynamic programming after Viterbi 1967). A change
costs least at a blank line, most inside a line, and more where it goes back from a plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from clinrag_core.notes.households import person_lines
from clinrag_core.notes.lexicon import note_cues
from clinrag_core.notes.lists import note_lists
from clinrag_core.notes.measures import read_medications, read_vitals
from clinrag_core.notes.shorthand import in_full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.notes.records import NoteUnit

Block = Literal["background", "findings", "assessment", "plan"]
BLOCKS: tuple[Block, ...] = get_args(Block)
_FINDINGS = BLOCKS.index("findings")
_CLEAR, _LIKELY, _FAINT = 2.0, 1.0, 0.3
"""What words weigh that say a block plainly, that are mostly said in it, and nothing at all."""
_AT_BLANK, _AT_LINE, _IN_LINE = 0.3, 0.5, 0.9
_BACK = 0.8
"""What a change of block costs, and more where it goes back from what is thought or planned."""
_BODY = frozenset({"weight", "height", "bmi"})
"""Figures that are said of who the patient is as well as of an examination."""


def blocks_of(note: str, units: Sequence[NoteUnit]) -> tuple[Block, ...]:
    """Return the block of each of some neighbouring units; that of a list is one for all of it."""
    groups = _groups(note, units)
    found = _best_path(note, groups)
    return tuple(block for block, group in zip(found, groups, strict=True) for _ in group)


def _groups(note: str, units: Sequence[NoteUnit]) -> list[list[NoteUnit]]:
    """Return units in order, those of one list together."""
    spans = [(one.items[0].start, one.items[-1].end) for one in note_lists(note)]
    people = person_lines(note)
    spans += [(people[0].start, people[-1].end)] if people else []
    groups: list[list[NoteUnit]] = []
    last: tuple[int, int] | None = None
    for unit in units:
        own = next((span for span in spans if span[0] <= unit.start < span[1]), None)
        if groups and own is not None and own == last:
            groups[-1].append(unit)
        else:
            groups.append([unit])
        last = own
    return groups


def _best_path(note: str, groups: Sequence[Sequence[NoteUnit]]) -> tuple[Block, ...]:
    """Return the best sequence of blocks over groups of units."""
    if not groups:
        return ()
    scores = [_totals(note, group) for group in groups]
    best = scores[0]
    came_from: list[list[int]] = []
    for place in range(1, len(groups)):
        change = _change(note[groups[place - 1][-1].end : groups[place][0].start])
        steps = [
            max(range(len(BLOCKS)), key=lambda b, to=to: best[b] - _cost(b, to, change))
            for to in range(len(BLOCKS))
        ]
        came_from.append(steps)
        best = [best[at] - _cost(at, to, change) + scores[place][to] for to, at in enumerate(steps)]
    path = [max(range(len(BLOCKS)), key=lambda b: best[b])]
    for steps in reversed(came_from):
        path.append(steps[path[-1]])
    return tuple(BLOCKS[at] for at in reversed(path))


def block_of(note: str, units: Sequence[NoteUnit]) -> Block:
    """Return the one block of all that is under a heading which no table knows."""
    totals = _totals(note, units)
    return BLOCKS[max(range(len(totals)), key=lambda b: totals[b])]


def _totals(note: str, units: Sequence[NoteUnit]) -> list[float]:
    """Return the sums of the scores of some units."""
    scores = [_scores(in_full(note[u.start : u.end])) for u in units]
    return [sum(column) for column in zip(*scores, strict=True)]


def _scores(text: str) -> list[float]:
    """Return how far the words of a statement speak for each block, in the order of `BLOCKS`."""
    cues, sections = note_cues().blocks, note_cues().sections
    is_order = cues.orders.search(text) is not None
    plan = _CLEAR if is_order else 0.0
    if not is_order and cues.doses.match(text) and any(m.dose for m in read_medications(text, "")):
        plan = _LIKELY
    is_of_whom = sections["patient_snapshot"].search(text) is not None
    findings = _LIKELY if not is_order and not is_of_whom and is_seen(text) else 0.0
    thought = 0.0
    if cues.concludes.search(text):
        thought = _CLEAR
    elif cues.weighs.search(text) and not is_order:
        thought = _LIKELY
    background = _LIKELY if cues.background.search(text) and not (is_order or thought) else _FAINT
    background = _CLEAR if is_of_whom and not thought else background
    return [background, findings, thought, plan]


def is_seen(text: str) -> bool:
    """Return whether a folded text has words or figures of an examination or a result."""
    sections = note_cues().sections
    if sections["objective_findings"].search(text) or sections["labs_imaging"].search(text):
        return True
    return any(vital.name not in _BODY for vital in read_vitals(text))


def _change(between: str) -> float:
    if "\n" not in between:
        return _IN_LINE
    return _AT_BLANK if between.count("\n") > 1 else _AT_LINE


def _cost(at: int, to: int, change: float) -> float:
    """Return what it costs to go from one block to another."""
    return 0.0 if at == to else change + (_BACK if to < at and at > _FINDINGS else 0.0)
