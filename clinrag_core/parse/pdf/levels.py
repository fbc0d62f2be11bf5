"""How deep headings are nested.

By the rank of their styles; within one style, by the depth of their numbers. A real outline
overrules both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.pdf.headings import NUMBER, number_depth

if TYPE_CHECKING:
    from clinrag_core.parse.pdf.groups import Group

_DECIMAL = re.compile(rf"^(?P<number>{NUMBER})\.?\s+(?=[A-Z‘“\"(])")
_MAJOR = re.compile(
    r"^(?:annex(?:es)?|appendix|appendices|glossary|references|bibliography|abbreviations|"
    r"acknowledge?ments?|executive summary|foreword|preface|"
    r"(?:chapter|section|part)\s+(?:\d{1,2}|[ivx]{1,4}|one|two|three|four|five|six|seven|eight|nine|"
    r"ten))\b(?!\s+and\b)",
    re.IGNORECASE,
)
_RANK = 10  # room between levels for numbering
_OUTLINE = 1_000  # room between levels of the outline for styles

Style = tuple[float, bool, bool, bool]


def style_of(group: Group) -> Style:
    """Return what ranks a heading: size, bold, capitals, upright; larger tuples rank higher."""
    line = group.first
    bold = all(i.bold for i in group.lines)
    return (line.size, bold, group.text.isupper(), not line.italic)


def levels(headings: list[tuple[Group, int | None]], bare: set[int] | None = None) -> list[int]:
    """Return the level of each heading, 1 the highest, given groups with their outline level.

    `bare` are the identities of headings that only a number marks.
    """
    bare = bare or set()
    ranks = _ranks([style_of(g) for g, _ in headings])
    known: dict[int, int] = {}
    for group, level in headings:
        if level is not None:
            rank = ranks[style_of(group)]
            known[rank] = min(known.get(rank, level), level)
    deepest = max((level for _, level in headings if level is not None), default=0)
    depths = _depths(headings, ranks, bare)
    stack = _Stack()
    out: list[int] = []
    following = _next_numbers([group.text for group, _ in headings])
    for (group, level), after in zip(headings, following, strict=True):
        rank = ranks[style_of(group)]
        depth = number_depth(group.text)
        fine = rank * _RANK + (depth if depth is not None else depths.get(rank, _RANK - 1))
        if level is not None:
            wanted = level * _RANK
        elif rank in known:
            wanted = known[rank] * _RANK
        elif deepest and all(rank < r for r in known):
            wanted = _RANK - 1
        else:
            wanted = (deepest * _OUTLINE if deepest else 0) + fine + _RANK
        out.append(stack.place(group.text, wanted, after))
    return out


def _depths(
    headings: list[tuple[Group, int | None]], ranks: dict[Style, int], bare: set[int]
) -> dict[int, int]:
    """Depth of a style's numbers if it has one depth only: its unnumbered titles share it.

    Titles that nothing but their number marks are set in no style of titles.
    """
    seen: dict[int, set[int]] = {}
    for group, _ in headings:
        depth = number_depth(group.text)
        if depth is not None and id(group) not in bare:
            seen.setdefault(ranks[style_of(group)], set()).add(depth)
    return {rank: next(iter(depths)) for rank, depths in seen.items() if len(depths) == 1}


def _next_numbers(titles: list[str]) -> list[tuple[int, ...] | None]:
    """Return the number of the next numbered title after each title, None without one."""
    out: list[tuple[int, ...] | None] = []
    after: tuple[int, ...] | None = None
    for title in reversed(titles):
        out.append(after)
        after = _number(title) or after
    return out[::-1]


class _Stack:
    """Open headings, on which numbers and annexes are nested as they must.

    '3.3' is never placed under '2.7', whatever the type: a dose for adults filed under 'children'
    is worse than a heading a level too high.
    """

    def __init__(self) -> None:
        self._open: list[tuple[int, tuple[int, ...] | None]] = []

    def place(self, title: str, wanted: int, after: tuple[int, ...] | None) -> int:
        """Return the level of a title; `after` is the number of the next numbered one."""
        number = _number(title)
        level = wanted
        if number is not None:
            level = self._under_prefix(number, wanted)
        elif _MAJOR.match(title):
            level = min([wanted, *(lv for lv, n in self._open if n is not None)])
        elif after is not None:
            # A title between 2.3 and 2.4 is inside chapter 2, whatever its type.
            above = (lv + 1 for lv, n in self._open if n and n != after and n == after[: len(n)])
            level = max([wanted, *above])
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, number))
        return level

    def _under_prefix(self, number: tuple[int, ...], wanted: int) -> int:
        """Return the level of a numbered heading: below the one that its number extends."""
        level = wanted
        for depth, (open_level, other) in enumerate(self._open):
            if other is None:
                continue
            if len(number) == len(other) == 1 and open_level < wanted:
                continue  # "1. Diet" in smaller type, under chapter 2
            if len(other) < len(number) and number[: len(other)] == other:
                level = open_level + 1
                deeper = self._open[depth + 1 :]
                if not any(n is not None for _, n in deeper):
                    return level
            else:
                return min(level, open_level)
        return level


def _number(title: str) -> tuple[int, ...] | None:
    match = _DECIMAL.match(title)
    return tuple(map(int, re.findall(r"\d+", match["number"]))) if match else None


def _ranks(styles: list[Style]) -> dict[Style, int]:
    """Rank of each style; sizes within 4 % are one size."""
    merged: dict[float, float] = {}
    top = 0.0
    for size in sorted({s[0] for s in styles}, reverse=True):
        if not top or size < 0.96 * top:
            top = size
        merged[size] = top
    keys = {s: (merged[s[0]], *s[1:]) for s in styles}
    order = sorted(set(keys.values()), reverse=True)
    return {s: order.index(k) for s, k in keys.items()}
