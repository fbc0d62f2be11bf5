"""Reads which drugs strains are resistant or susceptible to, by name or by short names (MDR-TB).

"Resistance to fluoroquinolones has been excluded" is susceptibility.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from clinrag_core.facts.spans import CACHED_TEXTS
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import any_of, lazy_re
from clinrag_core.text.normalise import fold_chars

_NOT_BEFORE = lazy_re(
    r"(?:\bno|\bwithout|\bnot|\bexclud\w+|\brul\w+ out|\babsence of)(?: \w+){0,3} $"
)
_NOT_AFTER = lazy_re(
    r"[^.;,]{0,30}\b(?:ruled out|excluded|absent|lacking|not (?:detected|present|resistan\w+))\b"
)
_DENIED = lazy_re(
    r"\b(?:no|not|without)[ -](?:(?:known|proven|confirmed|any|(?:evidence|signs?) of) )*$"
)
"""What comes right before a resistance that strains do not have: "no MDR"."""
_FEARED = lazy_re(
    r"\b(?:risk|concern\w*|fear\w*|worr\w+|prevent\w*|avoid\w*|lead\w*|result\w*)(?: [\w-]+){0,3}"
    r" (?:develop|acqui|emerg|select|amplif|induc)\w*(?: (?:of|the|for|further|any))* $"
)
"""What comes right before a resistance that strains may get, and do not have."""
_SEVERAL_DRUGS = lazy_re(
    r"\b(?:mdr|xdr|mdr/rr|rr(?!\s*(?:[:=~]|of|is|was|at)?\s*\d))(?:[- ]?tb)?\b"
    r"|\bmulti-?drug|\brifamp\w+[- ](?:mono[- ]?)?resistan"
    r"|\bresistan\w+ to (?:both )?(?:[\w-]+ and )?rifamp"
)
"""Resistance to rifampicin, with or without more of it; "RR 24" is a rate or a risk."""
_ABSENT = lazy_re(
    r"\b(?:no|without|negative for)\b[^.;,]{0,30}\bresistan\w+"
    r"|\b[\w-]+ resistan\w+ (?:was |is )?(?:not (?:detected|found|seen)|negative|absent|excluded)"
    r"|\b(?:not|nor) [\w-]*resistant\b"
)
_STATES = ("resist", "suscept", "sensitiv")
"""What the words for a resistance, or for none, begin with: most texts have none of them."""
_ISONIAZID_ONLY = frozenset({"isoniazid"})


class Resistance(NamedTuple):
    """What strains are resistant to, and what they are susceptible to."""

    to: frozenset[str] = frozenset()
    susceptible: frozenset[str] = frozenset()
    is_either: bool = False
    """Whether strains resistant to one of several drugs are meant: "isoniazid- or rifampin-"."""

    def conflicts(self, other: Resistance) -> bool:
        """Return whether two texts are about strains that need different treatment.

        Rifampin decides the regimen: what is for strains resistant to isoniazid alone is not for
        strains resistant to rifampin, and the other way round.
        """
        if self.to & other.to and (self.is_either or other.is_either):
            return False
        if self.to & other.susceptible or self.susceptible & other.to:
            return True
        if not (self.to and other.to):
            return False
        return self.to.isdisjoint(other.to) or any(
            one == _ISONIAZID_ONLY and "rifampin" in more
            for one, more in ((self.to, other.to), (other.to, self.to))
        )


@lru_cache(maxsize=CACHED_TEXTS)
def read_resistance(text: str) -> Resistance:
    """Return what a text says that strains are resistant and susceptible to."""
    folded = fold_chars(text)
    resistant: set[str] = set()
    susceptible: set[str] = set()
    is_either = False
    stated = _stated().finditer(folded) if any(one in folded for one in _STATES) else ()
    for match in stated:
        if match["spared"]:  # "resistant to isoniazid but not to rifampin"
            resistant.update(_drugs_in(match["first"]))
            susceptible.update(_drugs_in(match["spared"]))
            continue
        if _FEARED.search(folded[: match.start()]):
            continue
        named = _drugs_in(match["before"] or match["after"] or match["alone"])
        is_absent = _NOT_BEFORE.search(folded[: match.start()]) or _NOT_AFTER.match(
            folded, match.end()
        )
        is_resistant = "resist" in match.group() and not is_absent
        (resistant if is_resistant else susceptible).update(named)
        is_either |= is_resistant and len(named) > 1 and " or " in match.group()
    shorts = slot_lexicon().resistance.short
    for name, short in shorts.items() if any_of(tuple(shorts.values())).search(folded) else ():
        found = any(not _DENIED.search(folded[: m.start()]) for m in short.finditer(folded))
        if name not in susceptible and found and not _WHETHER.search(folded):
            resistant.add(name)
    if _IF.search(folded):  # what is done if it is found, and if it is not
        resistant -= (either := resistant & susceptible)
        susceptible -= either
    return Resistance(frozenset(resistant), frozenset(susceptible - resistant), is_either)


_IF = lazy_re(r"\bif\b")
_WHETHER = lazy_re(r"\bif (?:rr|r)\b.*\bif rs\b|\bif rs\b.*\bif (?:rr|r)\b")
"""What says what to do with each of two results: "if RR ... and if RS ..."."""


@cache
def _stated() -> re.Pattern[str]:
    """Return what names drugs with a resistance: "X- or Y-resistant", "resistant to X and Y"."""
    every = "|".join(one.pattern for one in slot_lexicon().resistance.drugs.values())
    drugs = rf"(?:{every})\b"
    listed = rf"\b{drugs}(?:[- ]*(?:,|/|and|or|\bbut\b)*[- ]*(?:to )?{drugs})*"
    state = rf"(?:mono[- ]?)?(?:{'|'.join(_STATES)})\w*"
    return re.compile(
        rf"\bresistan\w+ to (?P<first>{listed}),? (?:but|and) not (?:to )?(?P<spared>{listed})"
        rf"|(?P<before>{listed})[- ](?:(?:only|alone)[- ])?{state}"
        rf"|\b{state} (?:only )?to (?:at least |both |any |the )?(?P<after>{listed})"
        rf"|(?P<alone>{listed}) (?:is|are|was|were) (?:{state})"
    )


def _drugs_in(listed: str) -> set[str]:
    names = slot_lexicon().resistance.drugs
    return {name for name, words in names.items() if re.search(rf"\b(?:{words.pattern})\b", listed)}


def without_absent_resistance(text: str) -> str:
    """Return a folded text without the resistance that a test did not find."""
    return _ABSENT.sub(" ", fold_chars(text))


def resists_several(text: str) -> bool:
    """Return whether a text is on tuberculosis that resists rifampicin, or several drugs."""
    return _SEVERAL_DRUGS.search(without_absent_resistance(text)) is not None


def names_no_resistance(text: str) -> bool:
    """Return whether a text says what to do where no resistance is found, among other things."""
    return _ABSENT.search(fold_chars(text)) is not None


def denies_resistance(text: str) -> bool:
    """Return whether all that a text says of resistance by short names is that there is none."""
    folded = fold_chars(text)
    named = list(_SEVERAL_DRUGS.finditer(folded))
    return bool(named) and all(_DENIED.search(folded[: match.start()]) for match in named)
