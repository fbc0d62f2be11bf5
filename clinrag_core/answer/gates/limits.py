"""Limits gate: a claim keeps what limits its sentence, and takes nothing from another sentence.

"Amikacin should be used" is not what "amikacin should be used only if hearing can be monitored"
says; nor does a sentence on one drug speak of the drug of the next sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.gates.conjuncts import conjunct_dropped
from clinrag_core.answer.gates.exceptions import admitted, routine_dropped
from clinrag_core.answer.gates.merges import content_of, merged
from clinrag_core.answer.gates.protocol import passed, refused
from clinrag_core.facts.concepts import FIGURE, JOINING, WORD
from clinrag_core.facts.populations import PEOPLE_WORDS
from clinrag_core.lexicon.roles import (
    RoleWord,
    is_said,
    limiting_families,
    soft_roles,
)
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.answer.gates.alignment import AlignedSentences, Key, Slot
    from clinrag_core.answer.gates.protocol import ClaimInContext
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.concepts import Concept

_FREQUENCY = r"(?!-| (?:or|a|an|daily|weekly|every|per|monthly)\b)"
"""What follows "once" where it counts doses."""
_NO_LIMIT = rf"(?! (?:all|any|every|each) (?:{PEOPLE_WORDS})\b(?! (?:who|with|in|of|aged|whose)\b))"
"""Behind "in" it limits nothing: "in all patients"."""
_SO = r"(?= (?:\w+ ){1,4}(?:is|are|has|have|had|can|does|do|was|were)\b)"
"""Behind "provided" where it is a condition, not what is given."""
_MARKER = lazy_re(
    rf"\b(?:(?P<condition>(?:only |even )?(?:if|when|where|once{_FREQUENCY})|unless|until"
    rf"|(?<!be )(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )provided(?: that|{_SO})"
    r"|as long as"
    r"|in (?:case|the (?:absence|presence|event)) of"
    r"|except(?: for| in| when| if)?|excluding|other than|apart from"
    r"|after(?= [^.;:]*\b(?:has|have) been\b))"
    rf"|(?P<people>(?:in|for|to|among|who|whose){_NO_LIMIT}"
    rf"(?= (?:\S+ ){{0,3}}(?:{PEOPLE_WORDS})\b)|who|whose))\b"
)
_END = lazy_re(
    r"[,;:.)](?!\d)|[(\[]|\b(?:should|must|is|are|was|were|may|can|use|give|take|start|treat|reduce|avoid"
    r"|increase|consider|the|has|have|had)\b"
    r"|\b(?:and|or) (?:in|for|to|among)\b"
)
_CLAUSE_END = lazy_re(r"[,;:.)](?!\d)|[(\[]")
_WHO = lazy_re(
    r"(?:\s+\S+){0,3}?(?:\s+who(?:se)?)?\s+(?:is|are|was|were|may|can|must|should|have|has|had)\b"
)
"""Between the people and what is said of them: "patients who are stable"."""
_SEGMENT = lazy_re(r"[;:.](?!\d)")
_OR = lazy_re(r",|\bor\b")
_NO_ALTERNATIVE = lazy_re(r"\s*(?:and|but|so|because|since|which)\b")
_PEOPLE_ROLES = frozenset({"age_group", "sex"})
_ONLY = ("quantifier", "only")
_APART = lazy_re(r"[,;:.()]|\b(?:and|or|but)\b")
_NUMBER = lazy_re(r"\d+(?:\.\d+)?")
KEPT = 0.5
"""Least share of a limit's concepts that a claim has."""
LEAST_REPEATED = 3
"""Concepts around a gap that are the same where a sentence is repeated."""
FORM = 5
"""Letters that the forms of a word share ("adhere", "adherence")."""
MONTHS_A_YEAR = 12
ADJACENT = 4
"""Concepts next to a limit that it is said of."""


class _Limit(NamedTuple):
    """A part of a sentence that limits the rest."""

    start: int
    end: int
    part_start: int
    part_end: int
    """Of the part of the sentence it is in."""
    alternatives: tuple[tuple[int, int], ...]
    """Spans of its alternatives ("if A or B"), of which a claim may keep one."""
    is_people: bool
    leads: bool
    """Whether it comes first in its part."""


class LimitsGate:
    """Rejects claims that drop a condition or exception, or that merge two sentences."""

    name = "limits"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `limit_dropped`, `limiting_word_dropped`, `exception_admitted` or a merge."""
        if wrong := admitted(claim.claim.text, claim.cited.text):
            return refused(self.name, "exception_admitted", wrong)
        for pair in claim.compared:
            if routine_dropped(*map(fold_chars, (pair.claim, pair.text))):
                return refused(self.name, "limiting_word_dropped", ["routine"])
            if wrong := [*_dropped(pair), *_cut_out(pair), *conjunct_dropped(pair)]:
                return refused(self.name, "limit_dropped", wrong)
            if not claim.is_rewritten and (wrong := _words_dropped(pair)):
                return refused(self.name, "limiting_word_dropped", wrong)
        is_whole = claim.claim.text in claim.sources  # one statement as it is merges none
        if not is_whole and (wrong := merged(claim)):
            return refused(self.name, "sentences_merged", wrong)
        return passed(self.name)


def _dropped(pair: AlignedSentences) -> list[str]:
    """Return the first words of limits of a sentence that the claim does not keep."""
    content = content_of(pair.stated)
    text = fold_chars(pair.text)
    words = frozenset(key_stems(pair.claim))
    said = _forms(pair.said) | {c.key for c in content if _in_words(c, text, words)}
    wrong: list[str] = []
    for limit in _limits(text):
        parts = [
            inside
            for a, b in limit.alternatives
            if (inside := [c for c in content if a <= c.start < b])
        ]
        if limit.is_people and parts and len(parts[0]) > 1:
            parts[0] = parts[0][1:]  # "adults" alone does not say which adults
        if limit.is_people:
            parts = [kept for part in parts if (kept := [c for c in part if not _is_count(c)])]
            parts = [[c for c in part if not _is_soft(c)] or part for part in parts]
        if not parts or any(_share(p, said) >= KEPT for p in parts):
            continue
        near = _near(content, limit)
        if near and _share(near, said) > KEPT:
            wrong.append(text[limit.start : limit.end].split()[0])
    return wrong


def _is_count(concept: Concept) -> bool:
    """Return whether a figure counts people, or their share: "in 17 (11%) patients"."""
    unit = concept.value.rpartition(" ")[2] if " " in concept.value else ""
    return concept.family == FIGURE and unit in {"", "percent"}


def _is_soft(concept: Concept) -> bool:
    """Return whether a role may be left unsaid: patients "treated with" a drug are "on" it."""
    return concept.family != WORD and RoleWord(*concept.key) in soft_roles()


def _in_words(concept: Concept, text: str, words: frozenset[str]) -> bool:
    """Return whether a claim has the words of a role, which may be none there: "food"."""
    if concept.family in {WORD, FIGURE}:
        return False
    own = frozenset(key_stems(text[concept.start : concept.end]))
    return bool(own) and own <= words


def _forms(concepts: Iterable[Concept]) -> set[Key]:
    """Return what concepts say, of words also what their other forms begin with."""
    return {key for c in concepts for key in (c.key, _form(c), *_bare(c))}


def _form(concept: Concept) -> Key:
    return (concept.family, concept.value[:FORM] if concept.family == WORD else concept.value)


def _share(concepts: Sequence[Concept], said: set[Key]) -> float:
    """Return the share of concepts that a claim has in some form."""
    return sum(bool(({c.key, _form(c)} | _bare(c)) & said) for c in concepts) / len(concepts)


def _bare(concept: Concept) -> set[Key]:
    """Return a figure without its unit, as a claim may say it: "over 60" is "60 years of age"."""
    number = _NUMBER.match(concept.value) if concept.family == FIGURE else None
    if number is None:
        return set()
    years = float(number.group()) / MONTHS_A_YEAR
    is_age = " month" in concept.value and years.is_integer()
    return {(FIGURE, f"{years:.0f}" if is_age else number.group())}


def _cut_out(pair: AlignedSentences) -> list[str]:
    """Return the first words of limits that a claim leaves out of a sentence it repeats.

    Where all around is repeated, what a comma parts from the limit is no alternative to it.
    """
    text = fold_chars(pair.text)
    content = content_of(pair.stated)
    said = _forms(pair.said)
    new = _forms(one for slot in pair.slots for one in slot.said)
    gaps = [
        _gap(pair.stated, slot)
        for slot in pair.slots
        if slot.stated and slot.kept >= LEAST_REPEATED
    ]
    wrong: list[str] = []
    for limit in _limits(text):
        if not any(a <= limit.start < b for a, b in gaps):
            continue
        found = _SEGMENT.search(text, limit.end)
        cuts = [limit.start, *_alternatives_of(text, limit.start, found), limit.end]
        parts = [[c for c in content if a <= c.start < b] for a, b in pairwise(sorted(set(cuts)))]
        parts = [part for part in parts if part]
        own = [c for c in content if limit.start <= c.start < limit.end]
        if limit.is_people and own and all(map(_is_count, own)):
            continue
        nouns = [c for c in own[:1] if limit.is_people and c.family in _PEOPLE_ROLES]
        if any(c.family == FIGURE and c.key in pair.said_keys for c in own):
            nouns = [c for c in nouns if c.family != "age_group"]  # their age is kept
        if any(_in(noun, gaps) and noun.key not in new for noun in nouns):
            wrong.append(text[limit.start : limit.end].split()[0])
            continue
        if (
            any(not _in(c, gaps) for c in own)
            or not parts
            or any(_share(p, new) >= KEPT for p in parts)
        ):
            continue
        near = _near(content, limit)
        if not near or _share(near, said) > KEPT:
            wrong.append(text[limit.start : limit.end].split()[0])
    return wrong


def _gap(stated: Sequence[Concept], slot: Slot) -> tuple[int, int]:
    """Return the span of what a claim leaves out, with the joining word that it begins with."""
    at = stated.index(slot.stated[0])
    if at and stated[at - 1].key == slot.stated[-1].key:
        return (stated[at - 2].end if at > 1 else 0, slot.stated[-1].start)
    return (stated[at - 1].end if at else 0, slot.stated[-1].end)


def _in(concept: Concept, spans: Sequence[tuple[int, int]]) -> bool:
    return any(a <= concept.start < b for a, b in spans)


def _alternatives_of(text: str, start: int, stop: re.Match[str] | None) -> list[int]:
    """Return where the alternatives begin that follow a limit ("if A or B")."""
    last = stop.start() if stop else len(text)
    found = [m.end() for m in re.finditer(r"\bor\b", text) if start <= m.start() < last]
    return [*found, last] if found else []


def _near(content: list[Concept], limit: _Limit) -> list[Concept]:
    """Return the concepts that a limit is said of: before it in its part, or else after it."""
    before = [c for c in content if limit.part_start <= c.start and c.end <= limit.start]
    after = [c for c in content if limit.end <= c.start < limit.part_end]
    return before[-ADJACENT:] or (after[:ADJACENT] if limit.leads else [])


def _limits(text: str) -> Iterator[_Limit]:
    """Yield conditions, exceptions and the people of a sentence."""
    for match in _MARKER.finditer(text):
        begin = match.end()
        if (
            match["people"]
            and (head := _WHO.match(text, begin))
            and "who" in text[match.start() : head.end()]
        ):
            begin = head.end()
        found = (_END if match["people"] else _CLAUSE_END).search(text, begin)
        end = found.start() if found else len(text)
        cuts = [0, *(m.end() for m in _SEGMENT.finditer(text)), len(text)]
        start = max(cut for cut in cuts if cut <= match.start())
        stop = min(cut for cut in cuts if cut >= end)
        leads = not text[start : match.start()].strip()
        last = end if leads or match["people"] else stop
        alternatives: list[tuple[int, int]] = []
        at = match.end()
        for cut in (*_OR.finditer(text, match.end(), last), None):
            until = cut.start() if cut else last
            if not (alternatives and _NO_ALTERNATIVE.match(text, at)):
                alternatives.append((at, until))
            at = cut.end() if cut else last
        people = bool(match["people"])
        yield _Limit(match.start(), end, start, stop, tuple(alternatives), people, leads)


def _words_dropped(pair: AlignedSentences) -> list[str]:
    """Return limiting words that a claim leaves out before the word that they limit."""
    said = pair.said_keys
    families = {family for family, _ in said}
    text = fold_chars(pair.claim)
    other = {c.family for c in pair.stated if is_said(RoleWord(*c.key), text)}
    wrong: list[str] = []
    content = [c for c in pair.stated if c.family != JOINING]
    for one, following in pairwise(content):
        if one.family in limiting_families() and one.family not in families | other:
            once = pair.stated_keys.count(following.key) == 1
            apart = _APART.search(pair.text[one.end : following.start])
            if once and not apart and following.key in said and following.family != FIGURE:
                wrong.append(one.value)
    left = Counter(said)
    for slot in pair.slots:
        if slot.kept >= LEAST_REPEATED and len(slot.stated) <= ADJACENT:
            gone = [c for c in slot.stated if not left[c.key]]
            there = {c.family for c in slot.said} | other
            wrong += [
                c.value for c in gone if c.family in limiting_families() and c.family not in there
            ]
    return [*wrong, *_only_dropped(pair)]


def _only_dropped(pair: AlignedSentences) -> list[str]:
    """Return "only" where a claim has what is next to it, and no such word."""
    content = [c for c in pair.stated if c.family != JOINING]
    for at, one in enumerate(content):
        near = {c.key for c in content[max(0, at - 1) : at + 2]} - {one.key}
        if one.key == _ONLY and near & set(pair.said_keys) and _ONLY not in pair.said_keys:
            return [one.value]
    return []
