"""The part that each drug of a question has: asked about, given with it, or not tolerated.

"On linezolid, may I start escitalopram?" asks about escitalopram, with linezolid.
"""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.absent_drugs import REACH, is_absent
from clinrag_core.answer.question.asking import asking_sentences
from clinrag_core.answer.question.joined_drugs import goes_into_product, with_rifamycin
from clinrag_core.answer.question.not_tolerated import is_not_tolerated
from clinrag_core.answer.question.ruled_out import ruled_out
from clinrag_core.facts.owners import ends_clause
from clinrag_core.facts.times import are_apart
from clinrag_core.lexicon.drugs import field_drugs, hiv_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clinrag_core.facts.drugs import Mention
    from clinrag_core.facts.reader import Facts

_TAKEN = lazy_re(
    r"\b(?:(?<!do )(?<!problem )(?<!problems )(?<!issue )(?<!wrong )with|plus|on|taking|takes"
    r"|receiv\w+|(?:hours?|hrs?|days?|weeks?|months?) into|(?<!after )(?<!before )getting"
    r"|gives? (?:him|her|them)(?: [\w-]+)?|(?<!is )during|throughout"
    r"|incl(?:uding|udes|\.)?|and also|together with|added to|alongside"
    r"|(?:who|s?he|patient) (?:also |still |now |sometimes )?us(?:es|ing)|interacts? with|while on"
    r"|combin(?:ed|ation) with|co-?administered with|concomitant(?:ly)?(?: with)?"
    r"|(?:treatments?|therapy|regimens?) (?:containing|contains|including|includes|has|have)"
    r"|(?:live|do|manage|cope|go|sleep|be) without|(?:can\W?t|cannot|unable to) (?:come off|stop)"
    r"|\b(?:when|once|if|after|since|because)\b[^,.;?]{0,30}"
    r"\b(?:starts|started|begins|began|goes on|went on|gets|needs))"
    r"\s+(?:(?:a|an|the|oral|daily|weekly|monthly|regular|chronic|long-?term|low-?dose|high-?dose)\s+)*$"
)
_TAKER = lazy_re(
    r"(?: \d[\d.,]* ?m?c?g(?:(?: |/)\w+)?)?"
    r" (?:pt|patient|user)\b(?! group)"
)
"""Who takes it, right after a drug: "lexapro 20 mg pt"."""
_RESISTANT_TO = lazy_re(
    r"\b(?:(?:non-?)?(?:resistan(?:t|ce)|suscept\w+)|sensitiv\w+) to (?:at least |both |only )?"
    r"(?:[\w-]+(?:,| and| or|/)\s*(?:and |or )?)*(?:[\w-]+,? (?:but|and) not (?:to )?)?$"
)
_HARM_OF = lazy_re(
    r"(?:[- ](?:induced|associated|related))?[- ](?:neuropath|hepatitis|hepatotox|toxicit|rash"
    r"|nephrotox|liver injury|optic neuritis|h?a?emolysis|colitis|psychosis|an[ae]+mia|bleed"
    r"|thrombocytop|failure)\w*"
)
"""What makes a drug the cause of what another one is given for: "INH neuropathy"."""
_REMEDY = lazy_re(
    r"\b(?:settled (?:with|after)|(?<=[a-z] )(?<!\bis )(?<!\bwell )settled on"
    r"|(?:resolved|subsided|improved|relieved|eased) (?:with|on|after))\s+(?:\w+\s+)?$"
    r"|\b(?:dos\w+|how much)\b[^?]*\bto (?:reverse|neutrali[sz]e)\s+(?:\w+\s+)?$"
)
"""What is said of a drug that a reaction to another was treated with, or that another reverses."""
_EARLIER = lazy_re(
    r"\b(?:failed|(?:previously|already|has|had|have|who) relapsed (?:on|after)|after failing"
    r"|(?:previously|formerly|once) (?:treated with|had|received|took|on)"
    r"|failures? (?:of|on)|past treatment with|relaps(?:e|ed|es|ing) (?:after|on|following)"
    r"|(?:prior|previous|earlier) (?:exposure to|courses? of|treatment with|therapy with))"
    r"\s+(?:\w+\s*(?:\+|and|plus|/|,)\s*)*$"
)
"""What is said of a drug of an earlier treatment: "previously failed X + Y"."""
_NOT_MEANT = lazy_re(
    r"^\W*(?:(?!only\b|have\b|got\b|has\b)[\w/-]+\W+){0,4}?[\w/-]+\s*[,(;]\s*not\s+(?:the\s+)?$"
)
"""What comes before a drug that another one is told apart from: "X, not Y". Y may be given too."""
_HARMED_BY = lazy_re(
    r"\b(?:jaundiced?|hepatitis|icteric|rash|neuropathy|neuritis|ill|unwell|sick|anaphylaxis"
    r"|(?:liver|kidney) (?:injury|damage|failure|trouble)|reaction|fever|psychosis|seizures?)"
    r"\s+(?:on|from|due to|caused by|after|to|with)\s+(?:the\s+)?$"
)
_IN_THE_PAST = lazy_re(
    r"\b(?:last|previous(?:ly)?|ago|recovered|in the past|once|earlier|resolved|history|had"
    r"|years? before|formerly)\b"
)
"""What makes a drug the cause of a harm that is over: "jaundiced on X last year"."""
_SENSITIVE_TO = lazy_re(r"\b(?:suscept\w+|sensitiv\w+) to $")
_NOT_CHOSEN = lazy_re(r"\b(?:over|instead of|rather than|in place of)\s+$")
"""What is said of the drug that another one is preferred to."""
_DOSE_CHANGES = lazy_re(
    r"\s+dos(?:e|ing|age)\s+(?:\w+\s+)?(?:need|have|has|go|goes|change|be|up|increase|adjust)"
)
"""What follows a drug whose dose may have to change."""
_ADJUST = lazy_re(
    r"\b(?:adjust|chang|increas|rais|reduc)e?(?: (?:it|this|that|the dose))?\s*\?"
    r"|\b(?:leave|keep|stay)\b[^?]{0,30}\bat \d|\bsame dose\b"
)
_FIGURE = lazy_re(r"\s+(\d{2,4})\b(?!%)")
"""What follows the drug whose dose a story gives: "X 600 at night. Adjust?"."""
_IT = lazy_re(r"\b(?:it|(?:the|these|those) two|both|together)\b")
ASKS_WHICH = lazy_re(
    r"\b(?:which|what)\s+(?:\w+\s+){0,2}?"
    r"(?:regimens?|antibiotics?|drugs?|treatments?|therapy|medications?)\b"
)
"""What asks for a drug to be chosen: those that a story names are taken."""
OTHER_TREATMENT = lazy_re(
    r"\b(?:change|stop|adjust|alter|modify)\b[^.?]{0,20}\b(?:mdt|art|haart)\b"
    r"|\bon [a-z]+ (?:too|also|as well)\b"
)
"""Another treatment that is asked about, not the drug that is taken with it: "on X too"."""
_ART = lazy_re(r"\b(?:ART|HAART|ARVs?|[Aa]ntiretrovirals?)\b(?! naive)")
_AND, _OR = lazy_re(r"\s+and\s+"), lazy_re(r"\s+or\s+")
_LISTED = lazy_re(r"\s*(?:,|and|,\s*and|/|\+|&)\s*")
_BETWEEN = lazy_re(
    r"\b(?:interact\w*|together|combin\w+|co-?administ\w*|concomitant\w*|simultaneous\w*"
    r"|same time\b|or apart|(?:spaced?|far|many \w+) apart|separate them"
    r"|separat(?:e|ed|ing)\b[^.?;]{0,40}\bfrom\b|spacing\b|space (?:out )?(?:them|the two)\b"
    r"|off [^,.;?]{0,30}\bbefore)\b"
)
_STARTED = lazy_re(
    r"(?<!after )(?<!since )(?<!when )(?<!while )(?<!before )"
    r"\b(?:start(?:ing)?|begin(?:ning)?|add(?:ing)?|initiat(?:e|ing)|introduc(?:e|ing)"
    r"|prescrib(?:e|ing)|commenc(?:e|ing)|wants?|suggests?|proposes?"
    r"|think(?:ing)?(?: of| about)?|planning(?: on)?"
    r"|(?:put|putting) (?:her|him|them|my patient|the patient) on)"
    r"\s+(?:(?:a|an|the|his|her|him|them|on|oral|daily)\s+)*$"
)
"""What is said of a drug that somebody is about to give."""
_SWITCHED = lazy_re(
    r"\b(?:swap|switch|chang)\w*\s+(?:(?:her|him|them|it|over|back)\s+)*(?:to|for)\s+(?:the\s+)?$"
    r"|\b(?:replac|substitut)\w*\s+(?:(?:it|this|that)\s+)?(?:with|by)\s+$"
)
_INSTEAD = lazy_re(r"(?:\s+(?:tablets?|pills?|capsules?|now))?\s+instead\b(?! of)")
"""What is said, before or after it, of the drug that takes another one's place."""
_AFFECTS = lazy_re(
    r"^[^,;.?]*\b(?:affect|lower|raise|increase|decrease|reduce|change|alter|weaken|interfere|induce|inhibit)"
    r"(?:s|d|ed|ing)?\b[^,;.?]*$"
)
_CONTAINING = lazy_re(r"[- ](?:based|containing)\b")


class Roles(NamedTuple):
    """Ingredient sets by their part; none has two."""

    asked: tuple[frozenset[str], ...]
    partners: tuple[frozenset[str], ...]
    """Those that what is asked about is given with."""
    allergies: tuple[frozenset[str], ...]
    absent: frozenset[str]
    """Ingredients that are said not to be given."""
    joined: frozenset[frozenset[str]]
    """Those of several drugs that a sign joins: "X/Y", "X + Y"."""


def read_roles(facts: Facts) -> Roles:
    """Return the drugs asked about, those given with them, and those not tolerated."""
    own, partners, allergies, absent, joined = _by_words_before(facts)
    folded = fold_chars(facts.text)
    switched = _named_after(facts, folded, _SWITCHED) or [
        one.ingredients for one in facts.drugs if _INSTEAD.match(folded, one.end)
    ]
    if switched:  # what is stopped is not asked about
        own, partners = switched, [one for one in partners if _goes_on(one, switched)]
    started = _named_after(facts, folded, _STARTED)
    if started and any(one not in started for one in own):
        partners = [*(one for one in own if one not in started), *partners]
        own = started
    dosed = _dosed(facts, folded)
    chosen = dosed if dosed and dosed not in own else _adjusted(facts, folded)
    if chosen:
        own, partners = [chosen], [one for one in (*own, *partners) if one != chosen]
    if len(own) > 1 and (
        _BETWEEN.search(folded) or are_apart(folded) or _affects(facts, folded)
    ):  # "do X and Y interact"
        own, partners = own[:1], own[1:] + partners
    if len(own) > 1:
        own, partners = with_rifamycin(facts, folded, own, partners)
        own, partners = _asked_last(facts, own, partners)
    if len(own) > 1 and _is_pair_of_story(facts, folded, own):
        own.sort(
            key=lambda drug: bool(drug & field_drugs())
        )  # the label of another drug has what rifampin does to it
        own, partners = own[:1], own[1:] + partners
    if not own and (chosen := _chosen_by_test(facts)):
        own = [chosen]
    if not own and not (is_case(facts) or OTHER_TREATMENT.search(folded)):
        own, partners = partners[:1], partners[1:]
    if (is_case(facts) and ASKS_WHICH.search(folded)) or _asks_of_art(facts):
        # the drugs named are what is taken
        own, partners = [], [*own, *partners]
    asked = tuple(dict.fromkeys(own))
    return Roles(
        asked,
        tuple(dict.fromkeys(_besides(asked, partners, joined))),
        tuple(dict.fromkeys(allergies)),
        frozenset[str]().union(*absent).difference(*asked, *partners),
        frozenset(joined),
    )


def _goes_on(partner: frozenset[str], switched: Sequence[frozenset[str]]) -> bool:
    """Return whether a patient goes on with a drug when others take another's place.

    That is a drug against HIV, and any other one where those are against HIV.
    """
    is_of_hiv = any(one & hiv_drugs() for one in (partner, *switched))
    return is_of_hiv or partner in switched


def _asks_of_art(facts: Facts) -> bool:
    """Return whether antiretroviral treatment is asked about after a story that names drugs."""
    asking = asking_sentences(facts.text)
    in_asking = any(one.drugs for one in facts.sentences if one.text in asking)
    return asking != facts.text and not in_asking and _ART.search(asking) is not None


def _dosed(facts: Facts, folded: str) -> frozenset[str] | None:
    """Return the one drug whose dose is asked: "starts X. Does the Y dose need to go up?"."""
    named = {
        mention.ingredients
        for mention in facts.drugs
        if _DOSE_CHANGES.match(folded, mention.end) and mention.about == "drug"
    }
    return named.pop() if len(named) == 1 else None


def _adjusted(facts: Facts, folded: str) -> frozenset[str] | None:
    """Return the one drug that a story gives a dose of, where it is asked whether to adjust it."""
    if not _ADJUST.search(fold_chars(asking_sentences(facts.text))):
        return None
    times = {q.start for q in facts.quantities if q.kind == "duration"}
    figures = ((one, _FIGURE.match(folded, one.end)) for one in facts.drugs)
    given = {one.ingredients for one, match in figures if match and match.start(1) not in times}
    return given.pop() if len(given) == 1 else None


def _besides(
    asked: Sequence[frozenset[str]],
    partners: Sequence[frozenset[str]],
    joined: Sequence[frozenset[str]],
) -> Iterator[frozenset[str]]:
    """Yield partners without what is asked about: of "X + Y. Dose of X?" Y is the partner."""
    every = frozenset[str]().union(*asked)
    for one in partners:
        if not one & every:
            yield one
        elif one in joined:
            yield from (frozenset([drug]) for drug in sorted(one - every))
        elif not any(drug <= one for drug in asked):
            yield one


def _asked_last(
    facts: Facts, own: list[frozenset[str]], partners: list[frozenset[str]]
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the drugs asked about and their partners where a story comes before the question.

    "Zolumycin since Monday. Which dose of rifampin?" asks about rifampin, with zolumycin.
    """
    asking = [one for one in facts.sentences if "?" in one.text]
    named = {mention.ingredients for one in asking for mention in one.drugs}
    earlier = [one for one in own if one not in named]
    if len(earlier) in {0, len(own)} or len(asking) == len(facts.sentences):
        return own, partners
    left = _named_after(facts, fold_chars(facts.text), _NOT_CHOSEN)
    given = [one for one in earlier if one not in left]
    return [one for one in own if one in named], [*given, *partners]


def _is_pair_of_story(facts: Facts, folded: str, own: Sequence[frozenset[str]]) -> bool:
    """Return whether what asks names none of the drugs of a story: they are given together.

    "Zolumycin at night, rifampin in the morning. Does it matter?" asks about the two, not of each.
    """
    asking = asking_sentences(facts.text)
    is_named = any(one.drugs for one in facts.sentences if one.text in asking)
    gaps = (folded[one.end : other.start] for one, other in pairwise(facts.drugs))
    if is_named or any(map(_OR.fullmatch, gaps)) or ASKS_WHICH.search(folded):
        return False
    asked = fold_chars(asking)
    if any(c.search(asked) for name, c in slot_lexicon().aspects.items() if name != "interaction"):
        return False  # it is asked of the last one
    return not any(one & other for one, other in combinations(own, 2))


def _chosen_by_test(facts: Facts) -> frozenset[str]:
    """Return the drug that a culture is sensitive to where it is asked of: "it", "the two"."""
    story, asking = facts.sentences[:-1], facts.sentences[-1]
    if not story or asking.drugs or not _IT.search(fold_chars(asking.text)):
        return frozenset()
    found = _named_after(facts, fold_chars(facts.text), _SENSITIVE_TO)
    return found[-1] if found else frozenset()


def taken_in_story(facts: Facts) -> list[frozenset[str]]:
    """Return the drugs that the sentences before the question say somebody takes."""
    folded = fold_chars(facts.text)
    asking = folded.rfind(fold_chars(facts.sentences[-1].text)) if len(facts.sentences) > 1 else 0
    return [m.ingredients for m in facts.drugs if m.end <= asking and is_taken(folded, m)]


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with some spans as blanks."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def is_case(facts: Facts) -> bool:
    """Return whether a text describes a patient before it asks: several sentences with a person."""
    return len(facts.sentences) > 1 and names_person(facts.text)


def names_person(text: str) -> bool:
    """Return whether a text is about one person, by age, sex or "patient"."""
    return slot_lexicon().wordings.person.search(fold_chars(text)) is not None


def is_taken(folded: str, mention: Mention) -> bool:
    """Return whether what is before a drug, or right after it, says that somebody takes it."""
    before = folded[max(0, mention.start - REACH) : mention.start]
    return bool(_TAKEN.search(before) or _TAKER.match(folded, mention.end))


def _named_after(facts: Facts, folded: str, words: re.Pattern[str]) -> list[frozenset[str]]:
    """Return the drugs right before which a text has some words."""
    return [
        mention.ingredients
        for mention in facts.drugs
        if mention.about != "resistance"
        and words.search(folded[max(0, mention.start - REACH) : mention.start])
    ]


def _affects(facts: Facts, folded: str) -> bool:
    """Return whether a text asks what one drug does to another: "does X lower the levels of Y"."""
    mentions = [one for one in facts.drugs if one.about != "resistance"]
    return any(
        _AFFECTS.search(folded[one.end : other.start])
        for one, other in pairwise(mentions)
        if one.ingredients != other.ingredients
    )


def _has_harmed(folded: str, mention: Mention) -> bool:
    """Return whether a drug is the cause of a harm, which another is given for or after."""
    if slot_lexicon().wordings.restarts.search(folded):
        return False  # it is asked whether to give the very drug again
    if _HARM_OF.match(folded, mention.end):
        return True
    before, after = folded[: mention.start], folded[mention.start :]
    is_over = _IN_THE_PAST.search(before.rpartition(". ")[2] + after.partition(". ")[0])
    return bool(is_over and _HARMED_BY.search(before))


def _by_words_before(facts: Facts) -> tuple[list[frozenset[str]], ...]:
    """Return the drugs asked about, taken with them, not tolerated, not given, and joined."""
    folded = fold_chars(facts.text)
    own: list[frozenset[str]] = []
    partners: list[frozenset[str]] = []
    allergies: list[frozenset[str]] = []
    absent: list[frozenset[str]] = []
    joined: list[frozenset[str]] = []
    last, into = 0, own
    passed_over = ruled_out(facts)  # why another one is asked about
    for mention in facts.drugs:
        if mention.about == "resistance" or mention in passed_over:
            continue
        before = folded[max(0, mention.start - REACH) : mention.start]
        is_other = _EARLIER.search(before) or _NOT_MEANT.match(folded[: mention.start])
        is_earlier = len(facts.drugs) > 1 and is_other
        if _RESISTANT_TO.search(before) or _REMEDY.search(before) or is_earlier:
            last = mention.end
            continue
        if len(facts.drugs) > 1 and _has_harmed(folded, mention):
            continue
        between = folded[last : mention.start] if last else "."
        last = mention.end
        if into and goes_into_product(folded, mention, between):
            into[-1] |= mention.ingredients
            joined.append(into[-1])
        elif (
            into is partners
            and _LISTED.fullmatch(between)
            and not ends_clause(folded, mention.start - len(between), between)
        ):
            into.append(mention.ingredients)
        elif is_not_tolerated(folded, mention.start, mention.end):
            into = allergies
            into.append(mention.ingredients)
        elif is_absent(folded, mention):
            into = absent
            into.append(mention.ingredients)
        else:
            is_started = partners and _STARTED.search(before)  # next to what is taken already
            is_part = not is_started and _CONTAINING.match(folded, mention.end)
            into = partners if is_part or is_taken(folded, mention) else own
            into.append(mention.ingredients)
    return own, partners, allergies, absent, joined
