"""Statements that answer what is asked, whatever else is nearer to its words.

A route that is forbidden, the limit of a measure, what a term means, when a drug is taken before
meals, whether a tablet may be split.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.fit.limits_of_tests import limits_test
from clinrag_core.answer.question.asking import asked_matters, asking_part, asks
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import facet_values
from clinrag_core.facts.people import read_people
from clinrag_core.facts.routes import (
    allows_one_route,
    forbids_route,
    is_by_meals,
    named_routes,
    names_meals,
    stated_routes,
)
from clinrag_core.lexicon.drugs import drug_classes
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import plain_stems, same_sense
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.list_signs import without_number
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import FUNCTION_WORDS, key_stems, stem
from clinrag_core.text.tokens import NEGATIONS, tokenize
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Collection

    from clinrag_core.answer.question.slots import QuestionSlots

_WITH_ONLY = lazy_re(
    r"\bonly (?:with|using|by means of|through|via)\b"
    r"|\b(?:use|administer)(?:ed|d)? only (?:with|the)\b"
)
"""What makes the one thing named the only one: "only with the nebulizer of the kit"."""
_DEVICE = lazy_re(r"\b(?:nebuli[sz]er|inhaler|pump|machine|device)s?\b")
_DIFFERS = lazy_re(
    r"\b(?:higher|lower|more|fewer|less|better|worse|greater)\b(?! than \d)[^.;]{0,80}"
    r"\b(?:than|versus|vs)\b[^.;]{0,80}\d"
)
_ASKS_DIFFERENCE = lazy_re(
    r"\b(?:by how much|how much (?:better|more|less|worse)"
    r"|(?:better|worse|more|less|fewer) (?:\w+ )?than|compare[ds]? (?:to|with)|difference)\b"
)
"""What compares two things in figures, and what asks for that."""
LEAST_SHARED = 3
"""Key stems of what is compared, by judgement."""
_OF_WHOM = lazy_re(r"\b(?:in|for|under|among|according to|per|when)\b")
"""What comes after a term to be defined: "severe disease in a child"."""
_SOME = lazy_re(r"\W*(?:all|some|most|many|few|these|those|such|both|each|no)\b", re.IGNORECASE)
"""What opens a sentence on several, which explains no term: "All presumptive cases are ..."."""
_DISEASE = lazy_re(r"\bdiseases?\b")
_BRACKETS = lazy_re(r"\([^()]*\)")
_NAMED = lazy_re(
    r"[^:–—.]{3,60}?(?=\s*[:–—]\s|\sAn? [A-Za-z]|\s(?:is|are)\s(?:[a-z]+\s)?defined\b)"
)
"""A term before a colon, or that is said to be defined: "Room fans are not advised" explains none.
"""
_EXPLAINS = lazy_re(
    r"\s*[:–—]\s|\s(?:is|are|means?|refers? to|(?:is|are) defined as)\s"
    r"|(?<=[a-z])\s(?=An? [A-Za-z])"
)
"""What stands between a term and its meaning; where a colon is left out, a capital begins it."""
_COUNTED = lazy_re(
    r"\b(?:\d{1,3}|one|two|three|four|five|six|eight|ten|twelve)(?:[-–]\d{1,3})?"
    r" (?P<things>(?:[a-z-]+ ){0,3}[a-z-]{3,})"
)
_HANDLING = lazy_re(r"\b(?:crush|halv|split|divid|break|broken|chew|dissolv|dispers|open)")
_WHOLE = lazy_re(r"\bwhole\b")
"""Stems of what is done to a tablet or capsule, and what forbids all of it."""
_LEFT_OUT = lazy_re(r"\b(?:omit\w*|(?:left|leav\w+|leave \w+) out|drop(?:ped)? from)\b")
"""What is said of a drug of a regimen that is not given."""
_ASKS_CAUSE = lazy_re(
    r"\b(?:does|do|can|could|will|may)\b[^?]*?\b(?:caus\w+|lead to|induc\w+|increase the risk of)"
    r"\s+(?P<harm>[^?.,;]{3,60})"
)
_CAUSES = lazy_re(
    r"\b(?:increas\w+ (?:the |your )?risks? of|can (?:also )?cause|(?:may|has|have) caused?|causes"
    r"|result(?:s|ed)? in|associated with(?: an increased risk of)?|lead(?:s|ing)? to)\b"
)
_FACTORS = lazy_re(r"\bfactors\b[^.]{0,40}\bincreas")
"""What makes a harm more likely in those who take the drug: not whether it does it."""
_ASKS_CUT = lazy_re(r"\b(?:cut|reduc\w+|lower\w*|adjust\w*|chang\w+|modif\w+|halv\w+)\b")
"""What asks for another dose than before."""
_REASON = lazy_re(r"\b(?:for|on|with|in case of) (?P<reason>[^.;,]{3,60})")
"""Because of what a dose is, or is not, changed."""
CHECKED = 50
"""Characters around a time in which a check is named that is done at it."""
_CHECK = lazy_re(
    r"\b(?:follow(?!ing\b)|monitor|observ|watch|check|measur|repeat|test|screen|examin|assess|review"
    r"|visit|evaluat|obtain|perform|determin|cultur|smear|sputum|x-?ray|radiogra|e[ck]gs?\b"
    r"|electrocard|audiogra|ultrasound|lfts?\b|labs?\b|laborator|bloods?\b)"
)
NEAR_CAUSE = 90
"""Characters after "increases the risk of" in which the harm is named, by judgement."""
MOST_BEFORE = 2
"""Words next to a term before its definition: "a case of", "(MDR-TB)"."""
_BY_CLEARANCE = frozenset({"renal_impairment"})


_ASKS_VALUE = lazy_re(
    r"\b(?:what|which) "
    r"(?P<name>(?!(?:age|dos|disease|drug|patient|regimen|test|time|treatment|weight)\w*)"
    r"[a-z][\w/-]{1,15})"
    r"(?: (?:counts?|levels?|values?|scores?))? "
    r"(?:do|does|is|are|should|would|can|counts?|means?|needs?|makes|qualif\w+)\b"
)
"""What asks for the value of a measure from which something holds."""


def concludes(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text answers what is asked, whatever else is nearer to its words."""
    of_measure = gives_limit(slots, said) or _gives_count(slots, said) or defines(slots, said)
    of_measure = of_measure or _gives_difference(slots, said) or _gives_value(slots, said)
    of_handling = _forbids_route(slots, said) or _settles_handling(slots, said)
    of_handling = of_handling or _names_device(slots, said)
    of_course = settles_restart(slots, said) or _settles_omission(slots, said)
    of_course = of_course or tells_end(slots, said) or _tells_onset(slots, said)
    of_course = of_course or settles_length(slots, said) or _settles_switch(slots, said)
    of_drug = _names_cause(slots, said) or settles_matter(slots, said)
    of_drug = of_drug or _names_at_risk(slots, said)
    is_choice = "regimen" in slots.aspects and not slots.drugs
    of_drug = of_drug or (is_choice and says(fold_chars(said), slot_lexicon().wordings.of_choice))
    return of_measure or of_handling or of_course or of_drug or limits_test(slots, said)


def settles_matter(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says what is asked of a matter, such as how a drug is stored."""
    asked, folded = asked_matters(slots.text, of_drug=bool(slots.drugs)), fold_chars(said)
    return any(one.says.search(folded) and one.settles.search(folded) for one in asked)


def _settles_omission(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that a drug may be left out, where that is asked."""
    asked = slots.drugs and _LEFT_OUT.search(fold_chars(asking_part(slots.text)))
    return bool(asked) and _LEFT_OUT.search(fold_chars(said)) is not None


def keeps_dose(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text names drugs whose dose stays as it is, where it is asked which.

    Or leaves the dose of one on just what is asked: "none are recommended for lymphopenia".
    """
    folded, wordings = fold_chars(said), slot_lexicon().wordings
    if not slots.drugs:
        is_asked = asks(slots.text, "dose_kept")
        return is_asked and wordings.dose_kept.search(folded) is not None
    if not says(folded, wordings.no_change):
        return False
    named = {stem for match in _REASON.finditer(folded) for stem in key_stems(match["reason"])}
    is_cut = _ASKS_CUT.search(fold_chars(asking_part(slots.text))) is not None
    return is_cut and not named.isdisjoint(key_stems(slots.text))


def _gives_difference(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says in figures how much better one thing is, where that is asked."""
    is_asked = not slots.drugs and _ASKS_DIFFERENCE.search(fold_chars(slots.text))
    if not is_asked or not _DIFFERS.search(fold_chars(said)):
        return False
    shared = set(key_stems(asking_part(slots.text))).intersection(key_stems(said))
    return len(shared) >= LEAST_SHARED


def _gives_value(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives a limit of the measure that is asked for: "what BMI do ...?"."""
    if slots.asks_dosing:
        return False
    asked = _ASKS_VALUE.search(fold_chars(asking_part(slots.text)))
    if asked is None:
        return False
    name = re.escape(asked["name"])
    limit = r"(?:[<>≤≥]|\b(?:above|below|over|under|at least|less|more)\b)[^.;\d]{0,10}\d"
    return re.search(rf"\b{name}s?\b[^.;,\d]{{0,20}}{limit}", fold_chars(said)) is not None


def _settles_switch(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says if somebody may be switched, where that is asked."""
    is_asked = not slots.drugs and asks(slots.text, "switches")
    return is_asked and slot_lexicon().wordings.switches.search(fold_chars(said)) is not None


def tells_end(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says until when something is given, where that is asked."""
    says_end = slot_lexicon().wordings.says_end
    return asks(slots.text, "asks_end") and says_end.search(fold_chars(said)) is not None


def _tells_onset(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says how soon something sets in, where that is asked."""
    says_onset = slot_lexicon().wordings.says_onset
    return asks(slots.text, "asks_onset") and says_onset.search(fold_chars(said)) is not None


def settles_length(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says if a phase is made longer, where that is asked."""
    if slots.drugs or not asks(asking_part(slots.text), "prolongs"):
        return False
    folded = fold_chars(said)
    is_on_phase = bool(facet_values(slots.text, "phase")) and "phase" in folded
    return is_on_phase and slot_lexicon().wordings.prolongs.search(folded) is not None


def _names_cause(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that a drug does the harm which is asked about: "does X cause Y".

    What is said of those who have the harm already is no answer.
    """
    asked = _ASKS_CAUSE.search(fold_chars(slots.text))
    if not asked or not slots.drugs:
        return False
    harms = {one.name for one in read_findings(asked["harm"])}
    wanted = frozenset(key_stems(asked["harm"])) - plain_stems()
    cause = _CAUSES.search(fold_chars(said))
    if not cause or _FACTORS.search(fold_chars(said)):
        return False
    done = fold_chars(said)[cause.end() : cause.end() + NEAR_CAUSE]
    same = harms & {one.name for one in read_findings(done)}
    return bool(same) or (bool(wanted) and wanted.issubset(key_stems(done)))


def settles_restart(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says when a drug is given again, or never, where that is asked."""
    is_asked = bool(slots.drugs) and asks(asking_part(slots.text), "restarts")
    return is_asked and slot_lexicon().wordings.restarts.search(fold_chars(said)) is not None


def gives_limit(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text has a value of a measure, such as ALT, whose limit is asked for."""
    asks_limit = "criterion" in slots.aspects and "when" not in slots.aspects
    asks_stop = "stopping" in slots.aspects and not asks(slots.text, "checked")
    if not (asks_limit or asks_stop):
        return False  # a schedule is asked for as well
    if slots.people.conditions & _BY_CLEARANCE and read_people(said).kidney:
        return True
    asked = {finding.name for finding in read_findings(slots.text) if not finding.is_measured}
    return any(found.is_measured and found.name in asked for found in read_findings(said))


def times_by_meals(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says when to take a drug, before meals or with them, where asked."""
    return bool(slots.drugs) and names_meals(slots.text) and is_by_meals(said)


def excludes_others(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says that only one thing is used, where another is asked about."""
    is_asked = asks(slots.text, "asks_permission")
    return is_asked and _WITH_ONLY.search(fold_chars(said)) is not None


def _settles_handling(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says whether a product may be split or crushed, where that is asked."""
    if not (slots.drugs and asks(slots.text, "handled")):
        return False
    folded = fold_chars(said)
    asked = {m.group() for m in _HANDLING.finditer(fold_chars(slots.text))}
    is_same = any(m.group() in asked for m in _HANDLING.finditer(folded))
    return is_same or bool(asked and _WHOLE.search(folded))


def _names_device(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says which device alone is used, where that is asked."""
    is_asked = slots.drugs and _DEVICE.search(fold_chars(slots.text))
    folded = fold_chars(said)
    return bool(is_asked and _WITH_ONLY.search(folded) and _DEVICE.search(folded))


def _forbids_route(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text forbids the route asked about, or allows another one only.

    A mixture that is forbidden in the nebulizer does not forbid to inhale.
    """
    if not slots.routes:
        return False
    if slots.routes & named_routes(said):
        return forbids_route(said, slots.routes) or allows_one_route(said)
    return bool(stated_routes(said)) and allows_one_route(said)


def defines(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text begins with what is to be defined, and explains it."""
    if "definition" not in slots.aspects:
        return False
    opening = _EXPLAINS.split(without_number(said), maxsplit=1)
    if len(opening) < 2 or _SOME.match(opening[0]):  # noqa: PLR2004 - a term and its meaning
        return False
    term = slot_lexicon().aspects["definition"].sub(" ", fold_chars(slots.text))
    pairs = [(term, opening[0]), (_bare(term), opening[0]), (_bare(term), _bare(opening[0]))]
    whom = _OF_WHOM.search(term)
    if whom and (named := _NAMED.match(without_number(said))):  # "severe disease in a child"
        pairs += [(_bare(term[: whom.start()]), _bare(named[0]))]
    return any(_opens_with(one, start) for one, start in pairs)


def term_asked(slots: QuestionSlots) -> str:
    """Return the term to be defined, without the disease and whom it is said of; mostly nothing."""
    if "definition" not in slots.aspects:
        return ""
    term = slot_lexicon().aspects["definition"].sub(" ", fold_chars(slots.text))
    whom = _OF_WHOM.search(term)
    return _bare(term[: whom.start()] if whom else term)


def _bare(term: str) -> str:
    """Return a term without the disease and what is in brackets: "cured TB" is under "Cure"."""
    folded = slot_lexicon().diseases["tuberculosis"].sub(" ", fold_chars(term))
    return _DISEASE.sub(" ", _BRACKETS.sub(" ", folded))


def _opens_with(term: str, opening: str) -> bool:
    """Return whether what comes before an explanation is a term, with few words besides."""
    named = frozenset(_senses(term))
    wanted = named - plain_stems() or named
    begins = _senses(opening)
    is_short = len(opening.split()) <= len(wanted) + MOST_BEFORE
    is_term = is_short and named.issuperset(begins[:1])
    is_whole = named.issubset(begins) or named.issuperset(begins)
    return is_term and bool(wanted) and wanted.issubset(begins) and is_whole


def _senses(text: str) -> list[str]:
    """Return the key stems of a text, one for all words of a sense: "cure" for "cured"."""
    words = [token for token in tokenize(text) if token not in FUNCTION_WORDS | NEGATIONS]
    joined = {"".join(pair) for pair in pairwise(words)}  # of "XDR-TB", which is in two words too
    return [min((stem(w), *map(stem, same_sense(w)))) for w in words if w not in joined]


def _gives_count(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text has the number of what is to be counted: "how many samples"."""
    asked = slot_lexicon().wordings.how_many.search(fold_chars(slots.text))
    if not asked or slots.asks_dosing:
        return False
    things = set(_senses(asked["things"]))
    counted = (_senses(match["things"]) for match in _COUNTED.finditer(fold_chars(said)))
    return any(things.issuperset(one[-1:]) or things & set(one) for one in counted if one)


def names_avoided(slots: QuestionSlots, said: str, named: frozenset[str]) -> bool:
    """Return whether a text names drugs, or a class, to be avoided, where it is asked which."""
    if slots.drugs or not asks(slots.text, "asks_avoided"):
        return False
    folded = fold_chars(said)
    names_some = bool(named) or drug_classes().search(folded) is not None
    return names_some and says(folded, slot_lexicon().wordings.prohibits)


def forbids_to_them(slots: QuestionSlots, said: str, narrowing: Collection[str]) -> bool:
    """Return whether something is forbidden to those whom the facets of a question name."""
    if slots.asks_dosing or not slots.facets:
        return False
    asked = [(name, values) for name, values in slots.facets if values and name in narrowing]
    is_theirs = any(values & facet_values(said, name) for name, values in asked)
    return is_theirs and says(fold_chars(said), slot_lexicon().wordings.prohibits)


def _names_at_risk(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says whose risk is raised, where that is asked."""
    says_at_risk = slot_lexicon().wordings.says_at_risk
    return asks(slots.text, "asks_at_risk") and says(fold_chars(said), says_at_risk)


def gives_reason(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives a reason, where one is asked for."""
    return "why" in slots.aspects and says(fold_chars(said), slot_lexicon().wordings.gives_reason)


def settles_first(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives the times of a check, or what comes first, where asked for."""
    times = slot_lexicon().wordings.times
    return ranks_first(slots, said) or ("when" in slots.aspects and times.search(said) is not None)


def times_check(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text gives the time of a check, where how long or often is asked."""
    if not asks(slots.text, "checked"):
        return False
    times = (match.span() for match in slot_lexicon().wordings.times.finditer(said))
    return any(_CHECK.search(said[max(0, start - CHECKED) : end + CHECKED]) for start, end in times)


def ranks_first(slots: QuestionSlots, said: str) -> bool:
    """Return whether a text says what comes first, where that is asked for."""
    states_first = slot_lexicon().wordings.states_first
    return asks(slots.text, "asks_first") and states_first.search(said) is not None
