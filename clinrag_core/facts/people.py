"""Reads whom a text is for as one record: ages in years, weights, kidney function, conditions.

Groups that are ages ("children", "older adults") become ranges of age, so that a question about a
6-year-old meets a statement for children. What a text leaves out ("non-pregnant", "normal renal
function") is no group of it.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.facts.intervals import Interval, intervals
from clinrag_core.facts.populations import population_spans
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re, lookback
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.spans import NamedSpan

AGE_GROUPS: dict[str, tuple[float, float]] = {
    "newborns": (0.0, 29 / 365.25),
    "infants": (0.0, 1.0),
    "children": (0.0, 18.0),
    "adolescents": (10.0, 18.0),
    "adults": (18.0, math.inf),
    "elderly": (60.0, math.inf),
}
"""Ages in years: a newborn is up to 28 days old (WHO); the others as labels use the words."""
_ON_AGES = lazy_re(r"\bages?\b", re.IGNORECASE)
_LIMIT = lazy_re(r"(?<=: )[<>≤≥] ?\d+ ?(?:days?|weeks?|months?|years?)\b")
ADULT = 18.0
"""Age in years from which somebody is an adult."""
WEANED = 2.0
"""Years to which a child under a heading on breastfeeding is taken to be, as WHO advises it."""
GROWING = math.nextafter(ADULT, 0.0)
"""End of an age of children that a text leaves open: "children of 2 years and older"."""
CONDITIONS = {
    "pregnancy": "pregnancy",
    "breastfeeding": "breastfeeding",
    "renal_impairment": "kidney impairment",
    "dialysis": "dialysis",
    "hepatic_impairment": "liver impairment",
}
"""Conditions that make a dose of its own, with their names in words."""
_TRIMESTERS = ("first_trimester", "second_trimester", "third_trimester")
_NEAR = 40
"""Characters between a group and the figure that narrows it: "children 2 to 12 years" (ablation:
ADR 0061)."""
_NORMAL = lazy_re(r"\bnormal (?:renal|kidney|liver|hepatic) function\b")
_EITHER = lazy_re(
    r"\b(?:with or without|with and without|regardless of|irrespective of)\b[^.;]{0,60}$"
    r"|\bwithout [\w -]{1,20} or with\b[^.;]{0,60}$"
)
"""What comes before something that somebody may have or not."""
_TO_MEASURE = lazy_re(r"\b(?:baseline|check|measure|monitor|obtain) (?:the )?$")
_KIDNEY_MEASURE = lazy_re(r"(?:creatinine clearance|crcl|clcr|e?gfr)")
_HEALTHY_KIDNEY = 90.0
"""mL/min from which kidney function is normal (KDIGO G1)."""
_SEVERITY = {"mild": (60.0, 90.0), "moderate": (30.0, 60.0), "severe": (0.0, 30.0)}
"""Creatinine clearance in mL/min of each degree of kidney impairment (FDA guidance of 2020)."""
_COMPARED = lazy_re(
    r"\b(?:as|than) (?:in |for |with )?(?:younger|other|normal|healthy|ordinary|most) "
    r"(?:adults|people|patients|children|women|men)\b|\b(?:like|as) (?:in |for |with )adults\b",
    re.IGNORECASE,
)
"""Whom the people of a text are compared with."""
_STAGES = {
    "3": (30.0, 60.0),
    "3a": (45.0, 60.0),
    "3b": (30.0, 45.0),
    "4": (15.0, 30.0),
    "5": (0.0, 15.0),
}
"""Clearance in mL/min of the stages of chronic kidney disease (KDIGO G3 to G5)."""
_STAGE = lazy_re(
    r"\bstage (?P<before>3[ab]?|4|5)\b[^.;?]{0,12}\b(?:ckd|(?:chronic )?kidney disease)\b"
    r"|\b(?:ckd|(?:chronic )?kidney disease)[ ,-]*(?:stage|grade|g)? ?(?P<after>3[ab]?|4|5)\b"
)
_DEGREE = "|".join(_SEVERITY)
_IMPAIRED = r"\s+(?:impairment|insufficiency|disease|dysfunction|failure)"
_LIST = rf"\b(?:{_DEGREE})(?:\s*(?:to|or|and|/|,|-)\s*(?:{_DEGREE}))*"
_DEGREES = lazy_re(rf"{_LIST}\s+(?:renal|kidney){_IMPAIRED}")
_LIVER_DEGREES = lazy_re(rf"{_LIST}\s+(?:(?:hepatic|liver)(?:{_IMPAIRED}|\s+cirrhosis)|cirrhosis)")
_SEVERE_LIVER = lazy_re(r"\b(?:bad|advanced|end-stage)(?=\s+(?:liver|cirrhosis))")
"""Words for severe disease of the liver that labels do not use."""
DECOMPENSATED = lazy_re(r"\b(?P<word>decompensated) (?:liver|cirrhosis|hepatic)\b")
"""Cirrhosis of Child-Pugh class B or C."""
_CHILD_PUGH = lazy_re(
    r"\b(?P<name>child[- ]pugh|ct?p(?=[- ][abc]\b))"
    r"(?:[- ](?:turcotte|class|score|category|grade))*[\s-]*"
    r"(?P<classes>[abc]\b(?:[\s?]*(?:to|or|and|/|,|-)\s*(?:class\s+)?[abc]\b)*)"
)
_LIVER = lazy_re(r"\b(?:liver|cirrho|hepat)")
"""What the short form of the class is said of: "cirrhosis, CP-B"."""
_CHILD_PUGH_SCORE = lazy_re(
    r"\bchild[- ]pugh(?:[- ](?:turcotte|class|score|category|grade|of))*[\s=:(]*"
    r"(?P<score>[5-9]|1[0-5])\b(?!\s*(?:or|and) (?:less|below|lower|under))"
)
_CHILD_CLASS = lazy_re(
    r"\bchild (?:class )?(?P<classes>[bc])\b(?! vitamins?)"
    r"|\bchild (?:class )?(?P<first>a)\b(?=\s*(?:[])/,;:.?!]|$|cirrho|liver))"
)
"""The class alone; "child a" may be a child and an article."""
_CLASSES = {"a": "mild", "b": "moderate", "c": "severe"}
_MOST_POINTS = {"mild": 6, "moderate": 9, "severe": 15}
"""Of the Child-Pugh score (Pugh et al. 1973)."""
_BACK_THEN = lazy_re(r"\b(?:as|when) (?:an? )?(?:baby|child|infant|toddler|kid|newborn)\b")
"""When something was done to somebody: "had BCG as a baby"."""
_NO_PATIENT = lazy_re(
    r"\b(?:cat|dog|horse|monkey|rat)[- ](?:scratch\w*|bites?|bitten|pills?)\b"
    r"|\b(?:scratch\w*|bit(?:es?|ten)?|licked|kicked) (?:by|from) (?:an?|the|her|his) \w+"
    r"|\blike (?:a |an )?(?:horse|dog|elephant)s?\b"
    r"|\b(?:start\w*|beg[iu]n\w*|initiat\w*|defer\w*|postpon\w*)\b[^.;]{0,40} the \w+ trimester"
    r"|\badult (?=(?:dos(?:es?|ages?|ing)|formulations?) (?:and|can|may|are)\b)"
)
"""An animal that did something, doses that others get ("use adult dosages"), when to begin."""
_IS = lazy_re(r"\s*(?:is|are|was)\b")
_PLACED = lazy_re(
    r"\b(?:after|following|before|during|between|for|in|with|of|on)\s+(?:an?\s+|the\s+|each\s+)?$"
)
"""What makes a group whom or when something else is for."""
_EXCEPTED = lazy_re(
    r"\([^()]*\d[^()]*\b(?:in|for) (?:adult )?(?:patients|adults|children|those)\b[^()]*\)"
)
"""The amount for some people after that for all: "400 mg (200 mg in patients below 40 kg)"."""
_WEEKS_PREGNANT = lazy_re(
    r"(\d{1,2})\s*weeks?(?:'| of)?\s*(?:of\s+)?(?:gestation(?!al age)|pregnan)"
    r"|pregnan\w+[^.;]{0,20}?(\d{1,2})\s*weeks?"
    r"|\b(?:wom[ae]n|lady|girl|she|mother|mum|mom|wife|pt|patient)\b(?: is)?"
    r"(?:,? (?:now|currently))? at (\d{1,2})(?: ?\+ ?\d)? ?(?:weeks|wks?)\b"
    r"|(?<!acuity )(?<!vision )(?<!sight )(?<!va )(?<!bp )\b(\d{1,2})/40\b"
)
_FIRST_WEEKS, _SECOND_WEEKS = 14, 28
"""Weeks of pregnancy at which the second and the third trimester begin (ACOG)."""
CHILD_WEIGHT = 30.0
"""Kilograms below which somebody of unknown age is taken for a child (WHO's child weight bands)."""


class People(NamedTuple):
    """Whom a text is for; each part is empty where the text does not say it."""

    ages: tuple[Interval, ...] = ()
    weights: tuple[Interval, ...] = ()
    kidney: tuple[Interval, ...] = ()
    conditions: frozenset[str] = frozenset()
    """Names of `CONDITIONS`."""
    liver: frozenset[str] = frozenset()
    """Degrees of liver impairment: mild, moderate, severe (Child-Pugh A, B, C)."""
    trimesters: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    """Conditions that the text says are absent or left out."""
    animals: frozenset[str] = frozenset()
    """The animals named, as written, without a hyphen."""

    def __bool__(self) -> bool:
        """Return whether anybody is named."""
        return any(self)


_CHILDREN = lazy_re(
    r"\b(?:pa?ediatric (?:patients|population|subjects)|children|infants)"
    r"(?: (?:living )?with [\w-]+)? (?:\(?(?:who are |aged |from |of |ages? |over |above "
    r"|(?:older|more) than |at least )?){0,2}$"
)
_ADULTS = lazy_re(r"\badults?\b|\ball patients\b|\bpatients (?:of|at) any age\b")
_FORBIDS = lazy_re(r"\b(?:should|must|do|does|may|can|could|to)\s?not\s$")
"""What comes before that which somebody is not to do: "should not breastfeed" is for mothers."""
_FOR_ALL = lazy_re(r"\b(?:for|in) all patients\b(?! (?:with|who|on|taking|aged|over|under))")
_OF_ALL = lazy_re(r"\ball (?:[\w-]+ ){0,2}(?:patients|people|persons),? including (?:[\w-]+ )?$")
"""What comes before a group that is one of all: "all patients, including children"."""


@lru_cache(maxsize=CACHED_TEXTS)
def read_people(text: str) -> People:
    """Return whom a text is for."""
    folded = fold_chars(text)
    measures = intervals(text)
    named = [*population_spans(text), *concept_spans(text, _groups())]
    kept = [
        s
        for s in _kept(folded, named)
        if not (_OF_ALL.search(folded[: s.start]) or _is_measured(folded, s))
    ]
    left_out = frozenset(
        s.name
        for s in named
        if s not in kept
        and not (_is_dialysis(folded, s) or _OF_ALL.search(folded[: s.start]))
        and not _is_measured(folded, s)
    )
    kidney = tuple(one for one in measures if one.of == "kidney") or _degrees(folded)
    if _NORMAL.search(folded) or any(one.high >= _HEALTHY_KIDNEY for one in kidney):
        # The measure of normal function is named by the same words as that of an impaired one.
        kept = [s for s in kept if not _KIDNEY_MEASURE.fullmatch(folded[s.start : s.end])]
    conditions = frozenset(s.name for s in kept if s.name in CONDITIONS)
    either = {s.name for s in named if _EITHER.search(folded[: s.end])}
    conditions -= either  # whether they have it or not
    if "breastfeeding" in conditions:  # the infant is not given the drug
        kept = [s for s in kept if s.name != "infants"]
    liver = _liver(folded)
    if liver and "hepatic_impairment" not in left_out:
        conditions |= {"hepatic_impairment"}  # "Child B" names no liver
    trimesters = _trimesters(folded, kept)
    if trimesters and "pregnancy" not in left_out:
        conditions |= {"pregnancy"}  # nor does "in the first trimester" name a pregnancy
    excluded = left_out.intersection(CONDITIONS) - conditions - either
    if _NORMAL.search(folded) and not conditions & {"renal_impairment", "hepatic_impairment"}:
        excluded |= {"renal_impairment"} if "liver" not in folded else {"hepatic_impairment"}
    return People(
        ages=_ages(kept, [_of_children(folded, one) for one in measures if one.of == "age"]),
        weights=tuple(one for one in measures if one.of == "weight"),
        kidney=kidney,
        conditions=conditions,
        liver=liver,
        trimesters=trimesters,
        excluded=excluded,
        animals=frozenset(_animal(folded[s.start : s.end]) for s in kept if s.name == "animals"),
    )


def _is_measured(folded: str, span: NamedSpan) -> bool:
    """Return whether a measure of the kidneys is to be taken: "baseline eGFR" is of everybody."""
    is_measure = _KIDNEY_MEASURE.fullmatch(folded[span.start : span.end])
    return is_measure is not None and _TO_MEASURE.search(folded[: span.start]) is not None


def _of_children(folded: str, age: Interval) -> Interval:
    """Return an age without an end as one of children, where nobody else is named.

    "Pediatric patients 2 years and older" are no adults; "adults and children over 2 years" are.
    """
    is_open = age.high == math.inf and age.low < ADULT
    is_theirs = _CHILDREN.search(folded[: age.start]) and not _ADULTS.search(folded)
    return age._replace(high=GROWING, with_high=False) if is_open and is_theirs else age


def _is_dialysis(folded: str, span: NamedSpan) -> bool:
    """Return whether impaired kidneys are named by dialysis: who has none may have them."""
    words = _groups()["dialysis"]
    return span.name == "renal_impairment" and bool(words.search(folded[span.start : span.end]))


def is_for_all(text: str) -> bool:
    """Return whether a text says that it holds for all patients, whoever is named above it."""
    return _FOR_ALL.search(fold_chars(text)) is not None


@lru_cache(maxsize=CACHED_TEXTS)
def named_animals(text: str) -> frozenset[str]:
    """Return the animals that a text is about, as written: `read_people(text).animals`."""
    spans = concept_spans(text, _animals())
    if not spans:
        return frozenset()
    folded = fold_chars(text)
    return frozenset(_animal(folded[s.start : s.end]) for s in _kept(folded, spans))


def _animal(named: str) -> str:
    """Return an animal without a hyphen: "guinea-pigs"."""
    return named.replace("-", " ")


def _kept(folded: str, spans: Sequence[NamedSpan]) -> list[NamedSpan]:
    """Return the groups that a text does not leave out, nor names as a class or of the past."""
    excludes = slot_lexicon().wordings.excluded
    others = (_BACK_THEN, _CHILD_CLASS, _NO_PATIENT)
    once = [m.span() for each in others for m in each.finditer(folded)]
    # The child of a pregnancy is no patient yet: "trying for a baby".
    once += [(s.start + 1, s.end) for s in spans if s.name == "pregnancy"]
    return [
        s
        for s in spans
        if not (excludes.search(folded, lookback(s.start), s.start) and not _is_advice(folded, s))
        and not _is_left_out_next(folded, s)
        and not any(start <= s.start < end for start, end in once)
    ]


def _is_advice(folded: str, span: NamedSpan) -> bool:
    """Return whether a mother is named by what she is not to do."""
    before = folded[lookback(span.start) : span.start]
    return span.name == "breastfeeding" and _FORBIDS.search(before) is not None


def _is_left_out_next(folded: str, span: NamedSpan) -> bool:
    """Return whether what follows a group says that nobody is in it: "dialysis not yet".

    "A dose after dialysis is not needed" says so of the dose.
    """
    found = slot_lexicon().wordings.excluded_next.match(folded, span.end)
    if found is None:
        return False
    is_of_group = not _PLACED.search(folded, lookback(span.start), span.start)
    return is_of_group or not _IS.match(found.group())


def _groups() -> dict[str, re.Pattern[str]]:
    return slot_lexicon().people


@cache
def _animals() -> dict[str, re.Pattern[str]]:
    return {"animals": _groups()["animals"]}


def _degrees(folded: str) -> tuple[Interval, ...]:
    """Return the kidney function that "mild to moderate renal impairment", or a stage, means."""
    named = tuple(
        Interval(*match.span(), "kidney", *_SEVERITY[degree], True, False)
        for match in _DEGREES.finditer(folded)
        for degree in re.findall(_DEGREE, match.group())
    )
    stages = tuple(
        Interval(*match.span(), "kidney", *_STAGES[match["before"] or match["after"]], True, False)
        for match in _STAGE.finditer(folded)
    )
    return named or stages


def _liver(folded: str) -> frozenset[str]:
    """Return the degrees of liver impairment named, in words or by Child-Pugh class."""
    if not any(one in folded for one in ("hepat", "liver", "cirrho", "child")):
        return frozenset()
    degrees = {
        degree
        for match in _LIVER_DEGREES.finditer(_SEVERE_LIVER.sub("severe", folded))
        for degree in re.findall(_DEGREE, match.group())
    }
    named = [
        match["classes"]
        for match in _CHILD_PUGH.finditer(folded)
        if match["name"].startswith("child") or _LIVER.search(folded)
    ]
    named += [match["classes"] or match["first"] for match in _CHILD_CLASS.finditer(folded)]
    for classes in named:
        degrees |= {_CLASSES[one] for one in re.findall(r"\b[abc]\b", classes)}
    for match in _CHILD_PUGH_SCORE.finditer(folded):
        points = int(match["score"])
        degrees.add(next(degree for degree, most in _MOST_POINTS.items() if points <= most))
    if not degrees and DECOMPENSATED.search(folded):
        degrees = {"moderate", "severe"}
    return frozenset(degrees)


def _ages(named: list[NamedSpan], numeric: list[Interval]) -> tuple[Interval, ...]:
    """Return the ages of a text; a group right next to figures is what they narrow."""
    ages = list(numeric)
    groups = [s for s in named if s.name in AGE_GROUPS]
    narrow = [s for s in groups if s.name in {"newborns", "elderly"}]
    for span in groups:
        low, high = AGE_GROUPS[span.name]
        whole = Interval(span.start, span.end, "age", low, high, True, False)
        narrowed = any(
            one.meets(whole) and -_NEAR <= one.start - span.end <= _NEAR for one in numeric
        )
        other = span.name in {"infants", "adults"} and any(
            s.start <= span.start < s.end for s in narrow
        )
        if not (narrowed or other):
            ages.append(whole)
    return tuple(sorted(ages))


def _trimesters(folded: str, named: list[NamedSpan]) -> frozenset[str]:
    """Return the trimesters named, or those of the weeks of pregnancy."""
    found = {s.name for s in named if s.name in _TRIMESTERS}
    has_weeks = "week" in folded or "wk" in folded or "/40" in folded
    for match in _WEEKS_PREGNANT.finditer(folded) if has_weeks else ():
        weeks = int(next(filter(None, match.groups())))
        later = (weeks >= _FIRST_WEEKS) + (weeks >= _SECOND_WEEKS)
        found.add(_TRIMESTERS[later])
    return frozenset(found)


def read_people_of_first_amount(text: str) -> People:
    """Return whom a text is for, those aside who have another amount in brackets."""
    rest = _EXCEPTED.sub("", text)
    return read_people(rest if any(map(str.isdigit, rest)) else text)


def with_ages(text: str, caption: str) -> str:
    """Return a row's text with its bare limits of time as ages, where its table is on ages.

    "Zolumycin: > 2 months" under "Medicines with age restrictions" is no course of treatment.
    """
    return _LIMIT.sub(r"aged \g<0>", text) if _ON_AGES.search(caption) else text


def without_compared(text: str) -> str:
    """Return a text without the people that those it is for are compared with."""
    return _COMPARED.sub(" ", text)
