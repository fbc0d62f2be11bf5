"""What labels and guidelines say to do on a finding in a patient: QTcF 520 ms, G6PD deficiency.

The statement for exactly that finding is looked up by its words, whatever the ranking says: an
answer that recommends a drug without it could hurt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.complete.lists import with_lists
from clinrag_core.answer.complete.paragraphs import with_these_people
from clinrag_core.answer.complete.tables import is_of_named_body
from clinrag_core.answer.fit.conclusive import settles_restart
from clinrag_core.answer.fit.found import finding_misfit, is_on_strains
from clinrag_core.answer.fit.pairs import is_of_other_pair
from clinrag_core.answer.fit.people import names_them
from clinrag_core.answer.fit.question_gate import LATENT
from clinrag_core.answer.fit.statement_slots import statement_slots
from clinrag_core.answer.fit.strains import TUBERCULOSIS
from clinrag_core.answer.lead.companions import is_about_drug
from clinrag_core.answer.lead.finding_kinds import is_of_kind
from clinrag_core.answer.lead.label_warnings import says_same
from clinrag_core.answer.question.findings import deciding
from clinrag_core.answer.question.first_line import FIRST_LINE
from clinrag_core.answer.rank.labels import WARNING_GROUPS, of_labels
from clinrag_core.answer.rank.topic_words import share_said, topic_words
from clinrag_core.answer.sources import RankedStatement, is_quotable, statement_bases
from clinrag_core.facts.contraindications import CONTRAINDICATIONS
from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import agree
from clinrag_core.facts.missed_doses import missed_doses
from clinrag_core.facts.people import read_people
from clinrag_core.facts.populations import OF_MOTHERS
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import letter_drugs
from clinrag_core.lexicon.drugs import field_drugs
from clinrag_core.lexicon.findings import finding_lexicon
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.tokens import tokenize
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clinrag_core.answer.fit.statement_slots import StatementSlots
    from clinrag_core.answer.question.slots import QuestionSlots
    from clinrag_core.answer.sources import Sources
    from clinrag_core.index.statements import StatementIndex
    from clinrag_core.lexicon.slots import Aspect
    from clinrag_core.model.statement import IndexedStatement

SHOWN = 3
"""Statements shown for the findings of a patient."""
_GROUPS = (*WARNING_GROUPS, "warnings", "interactions", "dosage", "specific_populations")
"""People that a statement on a finding may be about instead of the patient."""
_GIVEN_AGAIN = (*reversed(WARNING_GROUPS), "warnings")
"""Section groups that say whether a drug may be given again, the strongest first."""
_OTHERS = lazy_re(r"\b(?:all|any) other\b")
"""What is to be done with the other drugs of a patient as well: it comes with the first."""
_UNTIL = lazy_re(r"\b[Cc]ontinue\b[^.;]*\buntil (?P<what>[^.;]+)")
_ALL_DRUGS = lazy_re(r"\ball (?:the )?(?:[\w-]+ )?(?:medications?|medicines|drugs)\b")
"""What is for each drug of a regimen."""
_COUNTED = lazy_re(r"\b\d+ \(\d+(?:\.\d+)? ?%\)")
_MANAGED = lazy_re(r"\b(?:management|actions?(?: to take)?|what to do): ")
"""The cell of a row with what is done on a finding."""
_NO_ADVICE: frozenset[Aspect] = frozenset({"adverse_effect", "definition", "test", "monitoring"})
"""Aspects of a question that names a finding and does not ask what to do on it."""
_ACTS = (3,)
"""Rank of what forbids nothing."""
_EVEN = lazy_re(r"\b(?:even (?:if|when|after|though)|although)\b[^.;,]*")
"""What is said to make no difference."""
_EARLIER = lazy_re(r"\b(?:prior|previous(?:ly)?|history of|following an?|re-?start\w*)\b")
"""What is said of those who had a reaction, not of one that a drug is doing now."""


class _FindingAdvice(NamedTuple):
    """A statement with how well it says what to do."""

    rank: tuple[int, int, bool, int, int]
    """Smaller is better: directness; what is done with the other drugs, then warnings; values met;
    section group; findings met."""
    found: RankedStatement


def finding_advice(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the statements that say what to do on the findings of a question, best first.

    Values are compared as numbers: a limit of 500 ms is for 520 ms, not for 480.
    """
    if not slots.findings or (slots.aspects & _NO_ADVICE and not slots.decides_on_finding):
        return []
    if slots.asks_time:
        return []
    if first := _on_giving_again(slots, sources) or _given_until(slots, sources):
        return first
    advice = sorted(_advice(slots, sources), key=lambda one: (one.rank, one.found.statement.order))
    advice.sort(key=lambda one: not (one.rank < _ACTS and is_of_kind(slots, one.found.statement)))
    theirs = [one for one in advice if is_of_stage(slots, one.found, sources)]
    is_as_direct = bool(theirs) and theirs[0].rank[:1] == advice[0].rank[:1]
    if is_as_direct or slots.regimens or not theirs:  # a regimen says who is treated
        advice = theirs
    advice = [o for o in advice if is_of_named_body(slots.text, o.found.statement)] or advice
    chosen: list[_FindingAdvice] = []
    for one in _of_their_limits(advice, slots, sources):
        if not any(says_same(one.found.statement, c.found.statement) for c in chosen):
            chosen.append(one)
        if len(chosen) == SHOWN:
            break
    found = [with_these_people(one.found, slots, sources) for one in chosen]
    found = with_lists(found, slots, sources) if "stopping" in slots.aspects else found
    before = _after_missed_doses(slots, sources) if found else []
    return before + _doses_of_them(slots, found, sources) + found


def _of_their_limits(
    advice: Sequence[_FindingAdvice], slots: QuestionSlots, sources: Sources
) -> list[_FindingAdvice]:
    """Return the advice on a drug alone where its label has a limit for a value of the question.

    "Stop all drugs at three times the limit" is said of first-line treatment, not of bedaquiline.
    """
    asked = frozenset[str]().union(*slots.drugs)
    if slots.regimens or not asked or asked & letter_drugs(FIRST_LINE):
        return list(advice)
    own = [
        one
        for one in advice
        if asked & {*one.found.statement.ingredients}
        or statement_slots(one.found.statement, sources.drugs).said_drugs & asked
    ]
    measured = {one.name for one in slots.findings if one.is_measured}
    has_limit = any(
        found.is_measured and found.name in measured
        for one in own
        for found in read_findings(one.found.statement.said)
    )
    return own if has_limit else list(advice)


def _after_missed_doses(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return the label's rule for as many missed doses as a question counts.

    What is monitored at a slow pulse does not say that the doses begin anew.
    """
    asked = missed_doses(slots.text)
    return [
        one
        for one in (of_labels(slots, sources, ("dosage",)) if asked else ())
        if any(mine.meets(has) for mine in asked for has in missed_doses(one.statement.said))
    ][:1]


def _doses_of_them(
    slots: QuestionSlots, found: Sequence[RankedStatement], sources: Sources
) -> list[RankedStatement]:
    """Return the dose that a label has in the same section for the very people, of any finding.

    "250 mg at a high glucose" is not for somebody old who eats badly: "then 100 mg".
    """
    if not (found and slots.asks_dosing and slots.people):
        return []
    first = found[0].statement
    return [
        one
        for one in of_labels(slots, sources, ("dosage",))
        if one.statement.document_id == first.document_id
        and one.statement.section_ordinal == first.section_ordinal
        and one.statement.id not in {other.statement.id for other in found}
        and names_them(slots, one.statement.said)
        and statement_slots(one.statement, sources.drugs).has_regimen
        and not read_findings(one.statement.said)
    ][:1]


def is_of_stage(slots: QuestionSlots, one: RankedStatement, sources: Sources) -> bool:
    """Return whether a statement is for those who are infected, or else for those who are ill.

    What names no stage is for the ill. What is done at the first occurrence is not what is done at
    the second.
    """
    own = statement_slots(one.statement, sources.drugs)
    asked, has = (read.facet("occurrence") for read in (slots, own))
    if asked and has and not asked & has:
        return False
    is_for_infected = own.facet("stage") == LATENT
    if slots.facet("stage") == LATENT:
        return is_for_infected
    is_ill = TUBERCULOSIS in slots.diseases or slots.facet("stage")
    return not (is_ill and is_for_infected)


def _given_until(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return until which value the label of a drug named has a treatment go on, if that is asked.

    A count of 150 is no advice to people with HIV where the label says "until it is 200".
    """
    measured = {one.name for one in slots.findings if one.is_measured}
    if not measured or "stopping" not in slots.aspects:
        return []
    return [
        one
        for one in of_labels(slots, sources, ("dosage", "warnings"))
        for match in _UNTIL.finditer(one.statement.said)
        if measured & {found.name for found in read_findings(match["what"]) if found.is_measured}
    ][:1]


def _on_giving_again(slots: QuestionSlots, sources: Sources) -> list[RankedStatement]:
    """Return what labels warn of giving a drug again after a reaction, where that is asked.

    Nothing of reactions in general, nor of other drugs, comes before "never restart it".
    """
    found = [
        RankedStatement(statement, base.name, 0.0, 0.0)
        for base, index in statement_bases(sources.engines)
        if slots.drugs
        for statement in index.statements(
            index.rows_of(frozenset[str]().union(*slots.drugs), _GIVEN_AGAIN)
        )
        if is_quotable(statement)
        and settles_restart(slots, statement.said)
        and _is_for(own := statement_slots(statement, sources.drugs), slots.drugs)
        and (own.forbids or not slots.asks_dosing)  # at which dose is not settled by a doubt
    ]
    found.sort(
        key=lambda one: (
            not statement_slots(one.statement, sources.drugs).forbids,
            _GIVEN_AGAIN.index(one.statement.group or ""),
            one.statement.order,
        )
    )
    chosen: list[RankedStatement] = []
    for one in found:
        if not any(says_same(one.statement, other.statement) for other in chosen):
            chosen.append(one)
    return chosen[:SHOWN]


def _advice(slots: QuestionSlots, sources: Sources) -> Iterator[_FindingAdvice]:
    """Yield what labels of the drugs named, and guidelines, say to do on a finding."""
    named = [*slots.drugs, *slots.partners, *(own for _, own in slots.regimens)]
    every = frozenset[str]().union(*named)
    is_stage = slots.asks_dosing and not deciding(slots.findings, slots.aspects)
    for base, index in statement_bases(sources.engines):
        rows = index.rows_of(every, _GROUPS)
        if base.manifest.kind == "guideline":
            rows = _naming(slots, index)
        for statement in index.statements(rows):
            if not is_quotable(statement) or "narrative" in statement.unfit:
                continue
            if _COUNTED.search(statement.said):
                continue  # how many had it in a study is no advice
            own = statement_slots(statement, sources.drugs)
            is_for = _is_for(own, [*named, every]) or is_of_named_body(slots.text, statement)
            is_for = is_for or (_is_on_case(slots, own) and _is_related(slots, own, sources))
            if is_stage and not _in_one_sentence(slots, own, every):
                continue  # when something else is begun
            is_other = is_on_strains(slots, own) or is_of_other_pair(slots, own)
            if is_other or not _is_in_time(slots, own):
                continue
            if is_for and (rank := _rank(slots, own)):
                yield _FindingAdvice(rank, RankedStatement(statement, base.name, 0.0, 0.0))


def _is_in_time(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement is on the weeks of treatment that a question names, if on any."""
    pairs = [(mine, its) for mine in slots.course for its in own.course]
    return not pairs or any(mine.meets(its) for mine, its in pairs)


def _in_one_sentence(slots: QuestionSlots, own: StatementSlots, drugs: frozenset[str]) -> bool:
    """Return whether a sentence of a statement names a drug asked about and a finding."""
    names = {one.name for one in slots.findings}
    return any(
        names & {found.name for found in read_findings(sentence.text)}
        and any(drugs & mention.ingredients for mention in sentence.drugs)
        for sentence in own.facts.sentences
    )


def _naming(slots: QuestionSlots, index: StatementIndex) -> list[int]:
    """Return the rows that have a word of a finding of the question."""
    lexicon = finding_lexicon()
    words: set[str] = set()
    for one in slots.findings:
        measure = lexicon.measures.get(one.name)
        words.update(lexicon.terms.get(one.name, ()))
        written = f"{one.name.replace('_', ' ')} {slots.text[one.start : one.end]}"
        words.update(measure.terms if measure else tokenize(written))
    return sorted({row for word in words for row in index.bm25.rows_with([word]).tolist()})


def _is_for(own: StatementSlots, drugs: Sequence[frozenset[str]]) -> bool:
    """Return whether a statement is about one of the drugs."""
    return any(drug and is_about_drug(own, drug) for drug in drugs)


def _is_related(slots: QuestionSlots, own: StatementSlots, sources: Sources) -> bool:
    """Return whether a statement names no drug, and has more of a question than its finding.

    A question on when to start something is not answered by how often something else is given.
    """
    if not any(one.is_measured for one in slots.findings):
        return True
    if slots.regimens and _ALL_DRUGS.search(fold_chars(own.statement.said)):
        return True
    asked = {f.key for f in read_facts(slots.text, sources.drugs).quantities}
    if asked & {q.key for q in own.facts.quantities if q.kind == "frequency"}:
        return True
    words = [
        word
        for word in topic_words(slots.text, sources.drugs, sources.idf)
        if not any(word.word in fold_chars(slots.text[f.start : f.end]) for f in slots.findings)
    ]
    return not words or share_said(words, own.statement) > 0


def _is_on_case(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a statement that names no drug is on the disease of a patient."""
    is_measured = any(one.is_measured for one in slots.findings)
    if slots.drugs and not (slots.is_case or slots.is_patient or is_measured):
        return False
    asks_dose = slots.asks_dosing and "stopping" not in slots.aspects
    if slots.drugs and (asks_dose or field_drugs().isdisjoint(frozenset().union(*slots.drugs))):
        return False
    if own.label or (own.said_drugs and own.has_regimen):
        return False
    taken = frozenset[str]().union(*slots.drugs, *slots.partners, *(d for _, d in slots.regimens))
    if taken and own.said_drugs and taken.isdisjoint(own.said_drugs):
        return False  # "stop ethambutol" is for those who take it
    known = own.diseases
    named = slots.diseases or known  # without one, that of the drug
    return not known or any(agree(one, other) for one in named for other in known)


def _without_other_bars(slots: QuestionSlots, statement: IndexedStatement) -> str:
    """Return a folded statement; of a row not the contraindications that are no finding asked.

    What is listed under side effects is not what forbids the drug in the next cell; nor is "even if
    alcohol is discontinued" advice to stop.
    """
    said = _EVEN.sub(" ", fold_chars(statement.said))
    names = {one.name for one in slots.findings}
    if statement.statement_kind != "row":
        return said
    for cell in CONTRAINDICATIONS.finditer(said):
        if names.isdisjoint(found.name for found in read_findings(cell.group())):
            said = said.replace(cell.group(), " ")
    return said


def _is_caused_and_managed(slots: QuestionSlots, own: StatementSlots) -> bool:
    """Return whether a row is on a finding that a drug asked about causes, with what to do then."""
    label, _, rest = own.statement.said.partition("; ")
    cause = rest[: match.start()] if (match := _MANAGED.search(fold_chars(rest))) else ""
    named = frozenset[str]().union(*slots.drugs, *slots.partners, *(d for _, d in slots.regimens))
    met = any(a.meets(f) for a in slots.findings for f in read_findings(label))
    return met and bool((named or own.drugs_of(slots.text)) & own.drugs_of(cause))


def _rank(slots: QuestionSlots, own: StatementSlots) -> tuple[int, int, bool, int, int] | None:
    """Return how directly a statement says what to do on a finding; None if it does not."""
    said = _without_other_bars(slots, own.statement)
    group = own.statement.group or ""
    wordings = finding_lexicon().wordings
    is_warning = group in WARNING_GROUPS
    has = read_findings(own.statement.said)
    met = [(a, f) for a in slots.findings for f in has if a.meets(f)]
    if not met or own.statement.said.isupper():
        return None  # it names no finding of the question, or is a heading
    others = read_people(own.statement.said).conditions - slots.people.conditions
    if others & OF_MOTHERS or finding_misfit(slots, own):
        return None
    forbids = any(says(said, one) for one in (wordings.stops, slot_lexicon().wordings.prohibits))
    is_listed = group == "contraindications"  # an item there need not repeat the word
    is_managed = own.statement.statement_kind == "row" and _MANAGED.search(said) is not None
    is_on_it = is_managed and _is_caused_and_managed(slots, own)
    if not (forbids or is_listed or is_on_it or says(said, wordings.acts)):
        return None
    if forbids and all(a.is_measured and not f.is_measured for a, f in met):
        return None  # "stop at arrhythmia ... QT" says nothing of a QTc of 440 ms
    is_value = any(a.is_measured and f.is_measured for a, f in met)
    is_direct = forbids and (is_value or is_warning)
    if is_direct and "stopping" in slots.aspects and _EARLIER.search(said):
        is_direct, is_listed = False, True  # it is happening now
    directness = 0 if is_direct else 1 if is_listed or is_managed else 2 if forbids else 3
    order = _GROUPS.index(group) if group in _GROUPS else len(_GROUPS)
    names_others = len(slots.drugs) + len(slots.partners) > 1 and _OTHERS.search(said) is not None
    return (
        directness,
        0 if names_others else 1 if is_warning else 2,
        not is_value,
        order,
        -len({a.name for a, _ in met}),
    )
