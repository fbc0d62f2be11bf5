"""The clauses of a question that ask, each a question of its own.

A later one carries the drug, the disease and the people that only the first names: "dose of X in
pregnancy, and does it harm the ear?".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.question.shared_tails import shared_tail
from clinrag_core.answer.question.slots import people_asked, read_slots
from clinrag_core.answer.question.stand_ins import (
    named_drugs,
    names_both_tests,
    spelt_out,
    with_other_partner,
)
from clinrag_core.facts.indications import diseases
from clinrag_core.facts.people import CONDITIONS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.spans import concept_spans
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import is_plain
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.facts.drugs import DrugLexicon, Mention

_ASKS = (
    r"(?:(?:(?:at|for|in|on|with|by|to|from|after|until|over|above|below|under|within|during"
    r"|before) )?(?:what|which|whom|how (?:many|much|long|often))"
    r"|how|when|where|why|who|does|do|is|are|can|should|could|may|will|must|would"
    r"|(?:was|were) there)\b"
)
_BY_MEALS = (
    r"(?:(?:before|after|with|without)\b[^?]{0,20}\b(?:food|meals?|eating)\b"
    r"|(?:on )?(?:an )?(?:empty|full) stomach\b)"
)
_ANY_THAT = r"any (?:[\w-]+ )?(?:drugs?|medicines?|tests?|antibiotics?) (?:that|which|to|i|we)\b"
MEALS = lazy_re(_BY_MEALS, re.IGNORECASE)
"""What asks how a drug is taken by meals."""
_IF_ADDED = (
    r"(?:if|when|once|what if) (?:we|i|you|he|she|they)(?: (?:also|then|later))?"
    r" (?:start|add|give|begin|need|take)s?\b"
)
GAPS = lazy_re(
    rf"\?\s+(?=(?:and\s+|also\s+|what about\s+|how about\s+)?(?:with\b|of\b|[\w-]+ with\b|{_ASKS}))"
    r"|\?\s+(?=and\s+(?:s?he|they|if|when)\b[^?]{12,}\?)"
    rf"|[,;]?\s+(?:and|also)\s+(?={_ASKS}|{_IF_ADDED})"
    rf"|(?<!\w)(?<=[,;])\s+(?=(?:what|how|why|does|do|should|can)\b)"
    rf"|(?<!before)(?<!after)(?<!with)(?<!without)[,;]?\s+and\s+(?={_BY_MEALS})"
    rf"|[,;]\s+(?={_BY_MEALS}[^?]{{0,10}}\?)"
    rf"|(?<!\w)(?<=[,;])\s+(?={_ANY_THAT})",
    re.IGNORECASE,
)
ASKING = lazy_re(rf"\s*{_ASKS}", re.IGNORECASE)
"""A comma parts two questions only if the first of them asks: "On linezolid, can I ..." is one."""
_DESCRIBES = lazy_re(
    r"(?:is|are)(?: (?:also|already|currently|now|still))*"
    r" (?:on|taking|receiving|pregnant|breast-?feeding|nursing|allergic|diabetic|HIV"
    r"|(?:quite )?well|healthy|asymptomatic|stable|thriving|unwell)\b",
    re.IGNORECASE,
)
"""What goes on about the patient: "dose if she is 62 kg and is also on X?" is one question."""
_PREMISE = lazy_re(
    rf"(?:since|as|because|given that|seeing that)\s+(?P<premise>[^,?]{{12,}}),"
    rf"\s+(?P<rest>{_ASKS}.*)",
    re.IGNORECASE | re.DOTALL,
)
"""What a question takes for granted before it asks; it is looked up like a question."""
_PRONOUN = lazy_re(r"\b(?:it|they|this drug|the drug|them)\b", re.IGNORECASE)
_ON_IT = lazy_re(r"(?<=\b(?:on|of|to|by)\s)it\b|(?<=\bwith\s)it\b", re.IGNORECASE)
"""What a clause on another drug says of the first: "does Y affect glucose on it?"."""
_IT_WITH = lazy_re(r"\b(?:it|they)\b[^?]{1,40}\bwith\b", re.IGNORECASE)
"""What a clause asks of the first drug with another one: "how is it timed with Y?"."""
OF_TREATMENT = lazy_re(r"\bmonths of (?:tb|tuberculosis) (?:drugs|treatment)\b", re.IGNORECASE)
"""What asks of the treatment of the disease, not of one drug: "how long are TB drugs given?"."""
_ITS = lazy_re(r"\b(?:its|their)\b", re.IGNORECASE)
_BARE_FIRST = lazy_re(
    r"\W*(?:what|which) (?:regimens?|treatments?|drugs?|medicines?|antibiotics?|dos(?:es?|age))\W*",
    re.IGNORECASE,
)
"""What asks of what only comes after it: "what regimen and how long for X?" is one question."""
BARE = lazy_re(r"\b(?:why|how|when)\b(?: not| so)?", re.IGNORECASE)
"""What asks on without a subject of its own: "which one, and why?"."""
_HOW_OFTEN = lazy_re(r"how often\W*", re.IGNORECASE)
_ELSE = lazy_re(
    r"(?:and |so )?(?:what|anything) else "
    r"(?:(?:do|should|can|must|could) (?:i|we)|to|needs? to be) (?:do|done|give|given)\W*"
    r"|(?:and )?(?:is there )?anything to (?:add|do|give)\W*",
    re.IGNORECASE,
)
"""What asks for the rest of what is done."""
_AT_DOSE = lazy_re(r"(?:at|on) (?:what|which) dos(?:e|age)\W*", re.IGNORECASE)
"""What asks on about giving a drug again: "when do I restart and at what dose?"."""
_HOW_BIG = lazy_re(r"\bhow (?:big|large|small|far)\b", re.IGNORECASE)
"""What asks on about the same step: "how big should each drop be and how often?"."""
IF_NOT = lazy_re(r"\bif (?:not|so|yes|no)\b", re.IGNORECASE)
_TOPIC = lazy_re(r"[^:?]{1,60}:\s")
_BEFORE_DASH = lazy_re(r"[^:?]{1,60}?\s[-–—]\s|[^:?]{4,60}[a-z]\.\s(?=[A-Z][^.]*$)")
"""What a question is about, before it asks: "X + Y: which dose of X"."""
_WHICH = lazy_re(r"(?:and )?which (?:one|test|drug|regimen|is|for)\b", re.IGNORECASE)
"""What chooses from what the topic names: "A or B: which one for X, and which one for Y?"."""
_STAGE = lazy_re(
    r"\b(?:latent|active) (?:tb|tuberculosis)(?: infection)?\b|\bLTBI\b"
    r"|\bcontacts? (?:of|with|to) (?:[\w-]+ ){0,5}?"
    r"(?:(?:m|x)dr|[\w-]+-resistant)(?:[- ](?:tb|tuberculosis))?\b",
    re.IGNORECASE,
)
"""What the clauses after it are about as well: a dose for the disease is none for the infection."""
_HEADED = lazy_re(
    r"\W*(?:(?:while|when|already) )?(?:on|with|taking|receiving|during) [\w-]+(?: [\w-]+){0,4}"
    r"\s*[:,]",
    re.IGNORECASE,
)
"""What all that a question asks goes with: "On rifampin: what dose of X, and what of Y?"."""
_TAKES = lazy_re(
    r"\b(?:patients?|pts?|man|woman|child|boy|girl|he|she|they|person|people)"
    r"(?: (?:is|are|already|currently|still|who (?:is|are)))* (?:on|takes|taking|receiving) $",
    re.IGNORECASE,
)
"""What comes before the drug that somebody takes, whatever is asked about another one."""
_ADDED = lazy_re(
    rf"\b(?:as well|in addition|in between|on top|add(?:ed|ing)?)\b|{_IF_ADDED}", re.IGNORECASE
)
"""What a drug is given besides the one named before: "if we give Y as well"."""
_ADDS = lazy_re(r"(?:and )?(?:do|should|must|can) (?:i|we|you) (?:also )?add\b", re.IGNORECASE)
"""What asks of another drug for the topic of the first clause: "and do I add Y?"."""
_KEPT = lazy_re(
    r"\b(?:keep|continue|carry on|go on|stay|remain)\b"
    r"|\b(?:may|can|could|should) (?:(?:the|my|this|our) patient|he|she|they|i|we)\b"
    r"[^?]*\b(?:take|have|use|get|receive)\b",
    re.IGNORECASE,
)
"""What a patient takes all the same: "dose of X, and may the patient keep taking Y?"."""
_PEOPLE = lazy_re(
    r"\s+((?:in|for|during|with)\s+(?:(?!\b(?:and|or)\b|\s[-–—]\s|:\s).)+?)"
    r"(?:(?:\s[-–—]|:)\s[\w ,/]+)?\s*[?.]?$",
    re.IGNORECASE,
)
_CHILD_PUGH = lazy_re(r"\bChild-Pugh(?: class)? [ABC]\b", re.IGNORECASE)
MOST = 4
"""Parts of one question; a longer list is answered as one."""


def parts_questions(text: str, at: int) -> bool:
    """Return whether what is before a gap asks too: "we stopped X, how long ..." is one."""
    if text[at - 1] not in ",;" or (_TOPIC.match(text) and re.match(_ANY_THAT, text[at:].lstrip())):
        return True
    begins = text.rfind("?", 0, at) + 1
    return ASKING.match(text, begins) is not None and not IF_NOT.search(text[:at], at - 8)


def clauses(text: str, drugs: DrugLexicon) -> Iterator[str]:
    """Yield the clauses that ask; a later one carries the drug and the people of the first."""
    gaps = [match.span() for match in GAPS.finditer(text)]
    ends_at = [*(start for start, _ in gaps), len(text)][1:]
    gaps = [
        gap
        for gap, end in zip(gaps, ends_at, strict=True)
        if not _DESCRIBES.match(text, gap[1])
        and not _says_nothing(text[: gap[0]], text[gap[1] : end], drugs)
        and not _BARE_FIRST.fullmatch(text[: gap[0]])
        and parts_questions(text, gap[0])
    ]
    if premise := _PREMISE.match(text):
        gaps = [(premise.end("premise"), premise.start("rest")), *gaps]
    cuts = [0, *(end for _, end in gaps), len(text)]
    ends = [*(start for start, _ in gaps), len(text)]
    tail = shared_tail(text[: ends[0]], text[cuts[1] : ends[1]], drugs) if gaps else ""
    first = _first(f"{text[: ends[0]].rstrip(', ')} {tail}?" if tail else text[: ends[0]], drugs)
    yield first.text.strip()
    for begin, end in zip(cuts[1:-1], ends[1:], strict=True):
        clause = text[begin:end].strip()
        if names_both_tests(clause, first.text):  # how they are used is a rule for everybody
            yield spelt_out(clause, first.text, drugs)
        elif other := with_other_partner(clause, first.text, drugs):
            yield other
        else:
            is_on_art = slot_lexicon().wordings.on_art.search(fold_chars(clause))
            yield clause if is_on_art else _carrying(clause, first, drugs)


_FORM = r"\s(?:capsules?|suspension|syrup)\b"
"""How a medicine is named with a form for which other directions hold than for tablets."""


class _First(NamedTuple):
    """The first clause of a question, and what of it those after it are about as well."""

    text: str
    drug: str
    """Its first drug, or the letters of its one regimen."""
    partner: str
    """The one drug that this goes with."""
    taken: str
    """What a patient takes already: "a patient on X needs ..."."""
    paired: dict[str, str]
    """The other drug of such a pair, by each of them, where the pair is named before all."""
    people: str
    stage: str
    disease: str


def _first(text: str, drugs: DrugLexicon) -> _First:
    """Return the first clause with what later ones are about as well."""
    mentions = named_drugs(text, drugs)
    drug = by_its_parts(text, mentions) if mentions else _code(text, drugs)
    pair = {text[m.start : m.end].casefold(): m for m in mentions if m.about == "drug"}
    others = [name for name in pair if name != drug.casefold()]
    partner = others[0] if len(others) == 1 and read_slots(text, drugs).partners else ""
    paired = {drug.casefold(): partner, partner: drug} if partner and _TOPIC.match(text) else {}
    stage = _STAGE.search(text)
    spans = concept_spans(text, slot_lexicon().diseases)
    disease = stage[0] if stage else text[spans[0].start : spans[0].end] if spans else ""
    people = ends_with_people(text)
    taken = _taken(text, mentions)
    if drug and not partner and (form := re.search(rf"{re.escape(drug)}{_FORM}", text)):
        drug = form[0]  # what holds of tablets may not hold of capsules
    return _First(text, drug, partner, taken, paired, people, stage[0] if stage else "", disease)


def _taken(text: str, mentions: Sequence[Mention]) -> str:
    """Return the drug, or the combination by its parts, that somebody takes; else nothing."""
    for number, first in enumerate(mentions):
        if _TAKES.search(text[: first.start]):
            return by_its_parts(text, mentions[number:])
    return ""


def by_its_parts(text: str, mentions: Sequence[Mention]) -> str:
    """Return the first drug of some as it is written, with the parts joined to it: "X/Y"."""
    end = mentions[0].end
    for other in mentions[1:]:
        if text[end : other.start] != "/":
            break
        end = other.end
    return text[mentions[0].start : end]


def _carrying(clause: str, first: _First, drugs: DrugLexicon) -> str:
    """Return a later clause with the drugs, the disease and the people of the first."""
    on_topic = _WHICH.match(clause) or _is_on_disease(clause, first, drugs) or _ADDS.match(clause)
    if on_topic and (topic := _on_topic(clause, first.text, drugs)):
        return topic
    before = _BEFORE_DASH.match(first.text)
    names_none = not (read_facts(clause, drugs).drugs or diseases(fold_chars(clause)))
    is_bare = names_none and (all(map(is_plain, key_stems(clause))) or not first.drug)
    if before and is_bare and key_stems(before[0].replace(first.drug, " ")):
        return f"{before[0]}{clause}"  # "eye checks - when first and how often after"
    clause = spelt_out(clause, first.text, drugs)
    is_on_meals = MEALS.match(clause)  # which are the same for everybody
    if first.drug and not (read_facts(clause, drugs).drugs or regimens(clause, drugs)):
        clause = _on_drug(clause, first, drugs)
    elif illness := _illness(clause, first):
        clause = f"{clause.rstrip('?. ')} for {illness}?"
    elif len(own := read_facts(clause, drugs).drugs) == 1:
        other = first.paired.get(clause[own[0].start : own[0].end].casefold(), "")
        is_kept = _KEPT.search(clause) and not names_people(clause)
        heading = _HEADED.match(first.text)
        is_headed = heading is not None and first.drug in heading[0]
        is_added = is_kept or is_headed or _ADDED.search(clause)
        other = other or (first.drug if is_added else first.taken)
        if first.drug and _IT_WITH.search(clause):
            clause, other = _PRONOUN.sub(first.drug, clause, count=1), ""
        elif first.drug and _ON_IT.search(clause):
            clause, other = _ON_IT.sub(first.drug, clause, count=1), ""
        clause = f"{clause.rstrip('?. ')} with {other}?" if other else clause
        slots = read_slots(clause, drugs)
        if first.disease and slots.asks_dosing and not slots.diseases:
            clause = f"{clause.rstrip('?. ')} for {first.disease}?"
    if is_on_meals or ends_with_people(clause) or names_people(clause):
        return clause
    asks_dose = read_slots(clause, drugs).asks_dosing
    people = first.people or (_patient(first.text) if asks_dose else "")
    return f"{clause.rstrip('?. ')} {people}?" if people else clause


def _illness(clause: str, first: _First) -> str:
    """Return what the first clause is about that a later one leaves out; else nothing."""
    if first.stage and not _STAGE.search(clause):
        return first.stage
    is_bare = slot_lexicon().wordings.asks_treatment_only.fullmatch(
        fold_chars(clause.strip(" ?.,"))
    )
    return first.disease if is_bare else ""


def _is_on_disease(clause: str, first: _First, drugs: DrugLexicon) -> bool:
    """Return whether a clause without drug or disease is on the disease that heads the first."""
    topic = _TOPIC.match(first.text)
    heads = topic is not None and bool(first.disease) and first.disease in topic[0]
    if not heads or first.drug or first.stage:
        return False
    return not (named_drugs(clause, drugs) or read_slots(clause, drugs).diseases)


def _on_topic(clause: str, before: str, drugs: DrugLexicon) -> str:
    """Return a clause after the topic of the first, which names no drug; nothing without one."""
    topic = _TOPIC.match(before)
    return f"{topic[0]}{clause}" if topic and not named_drugs(topic[0], drugs) else ""


def _on_drug(clause: str, first: _First, drugs: DrugLexicon) -> str:
    """Return a clause that names no drug as one on the drug of the first, but "TB drugs" as is."""
    if OF_TREATMENT.search(clause):
        return clause
    drug = first.drug
    named = _ITS.sub(f"{drug}'s", _PRONOUN.sub(drug, clause, count=1), count=1)
    bare = clause.rstrip("?. ")
    if MEALS.match(clause):
        clause = f"Should {drug} be taken {bare}?"
    elif _ON_IT.search(clause):  # "are antacids ok with it?" asks of no other drug
        clause = _ON_IT.sub(drug, clause, count=1)
    elif named != clause:
        clause = f"{named.rstrip('?. ')} with {first.partner}?" if first.partner else named
    elif first.partner and _asks_dose_of_pair(clause, drugs):
        clause = f"{bare} of {drug} with {first.partner}?"
    else:
        clause = f"{bare} with {drug}?"
    if first.disease and not read_slots(clause, drugs).diseases:
        clause = f"{clause.rstrip('?. ')} for {first.disease}?"
    return clause


def _asks_dose_of_pair(clause: str, drugs: DrugLexicon) -> bool:
    """Return whether a clause asks for a dose of one of a pair: it is that with the other.

    Not the dose of other people: "X with Y? And the dose in Child-Pugh B?".
    """
    slots = read_slots(clause, drugs)
    return slots.asks_dosing and not slots.people


def _code(clause: str, drugs: DrugLexicon) -> str:
    """Return the letters of the one regimen that a clause names: "3HP"; else nothing."""
    codes = list(regimens(clause, drugs))
    return codes[0] if len(codes) == 1 else ""


def _says_nothing(before: str, clause: str, drugs: DrugLexicon) -> bool:
    """Return whether a clause is no question without the one before it: "what do I do next?".

    A pronoun refers to a drug that was named before it; without one it leaves the clause open. One
    that chooses among what the topic is about is asked of the topic.
    """
    bare, wordings = fold_chars(clause.strip(" ?.,")), slot_lexicon().wordings
    is_on_step = _HOW_OFTEN.fullmatch(clause) and _HOW_BIG.search(before)
    is_on_step = is_on_step or (_AT_DOSE.fullmatch(clause) and wordings.restarts.search(before))
    if _ELSE.fullmatch(clause) or is_on_step or wordings.asks_source.fullmatch(bare):
        return True
    when_only = wordings.asks_when_only
    if not key_stems(BARE.sub("", clause)) or when_only.fullmatch(fold_chars(clause)):
        return True
    has_drug = bool(named_drugs(before, drugs) or regimens(before, drugs))
    if not has_drug and wordings.asks_treatment_only.fullmatch(bare):
        return not (_TOPIC.match(before) or concept_spans(before, slot_lexicon().diseases))
    is_on_topic = _WHICH.match(clause) and _on_topic(clause, before, drugs)
    is_on_missed = wordings.missed.search(fold_chars(clause))
    is_on_drug = _PRONOUN.search(clause) and has_drug
    if is_on_topic or is_on_missed or is_on_drug or names_both_tests(clause, before):
        return False
    rest = fold_chars(clause)
    for cue in slot_lexicon().aspects.values():
        if cue.search(rest) and has_drug:
            return False
        rest = cue.sub(" ", rest)
    return all(is_plain(word) for word in key_stems(rest))


def ends_with_people(clause: str) -> str:
    """Return the words at the end of a clause that say whom it is about: "in pregnancy"."""
    match = _PEOPLE.search(clause)
    return match[1] if match and names_people(match[1]) else ""


def _patient(clause: str) -> str:
    """Return in words the patient whom a clause describes: "pt on HD with ...".

    A dose that is asked after it is none for others.
    """
    people = people_asked(clause)
    figures = (*people.kidney, *people.ages, *people.weights)
    described = [*(CONDITIONS[one] for one in sorted(people.conditions))]
    described += [clause[one.start : one.end] for one in figures]
    described += _CHILD_PUGH.findall(clause)[:1]
    return f"in a patient ({', '.join(described)})" if described else ""


def names_people(text: str) -> bool:
    """Return whether a text names an age, a weight, a kidney function or a state of people."""
    people = people_asked(text)
    return bool(people.ages or people.conditions or people.weights or people.kidney)
