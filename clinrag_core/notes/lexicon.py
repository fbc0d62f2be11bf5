"""The tables that notes are read with: headings, cues, findings, vital signs and medicines."""

from __future__ import annotations

import re
from functools import cache, cached_property

from pydantic import model_validator

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.lexicon.drugs import known_drugs, wider_classes
from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record
from clinrag_core.notes.records import SummarySection, Urgency

_BOTH = frozenset({"medications", "plan"})
"""Kinds of one heading that heads a plan: "Medicines and actions"."""


class HeaderKind(Record):
    """Headings of one kind and the section of the summary that is filled from under them."""

    section: SummarySection | None = None
    """None: what no section of a summary has a place for."""
    names: Expression
    parts: Expression | None = None


class NoteHeaderTable(Record):
    """The table `note_headers`."""

    kinds: dict[str, HeaderKind]

    def kind_of(self, folded: str) -> str | None:
        """Return the kind of a whole folded heading; None where no name matches."""
        found = (name for name, kind in self.kinds.items() if kind.names.fullmatch(folded))
        return next(found, None)

    def kind_of_part(self, folded: str) -> str | None:
        """Return the kind whose words a folded heading contains; None where there is none."""
        found = [n for n, k in self.kinds.items() if k.parts and k.parts.search(folded)]
        return "plan" if set(found) >= _BOTH else next(iter(found), None)


class AssertionCues(Record):
    """Words that say how certain, whose and when a finding is."""

    negation: Expression
    negation_after: Expression
    negation_void: Expression
    negation_leads: Expression
    ends: Expression
    family: Expression
    past: Expression
    current_history: Expression
    planned: Expression
    possible: Expression
    watched: Expression
    conditional: Expression
    of_relative: Expression
    own_again: Expression
    """Statements of a relative, and words in them that come back to the patient."""
    others: Expression
    """Somebody else whom a line of a plan is about."""
    of_adult: Expression
    for_others: Expression
    relatives: Expression
    affirms_after: Expression
    affirms_before: Expression
    subjects: Expression
    """Words before a denial that affirm nothing: who denies."""
    sides: Expression
    times: Expression


class PlanCues(Record):
    """Words that say which part of a recommendation a statement is, or that it is none."""

    later: Expression
    at_once: Expression
    """What comes before treatment, whatever is repeated later."""
    risks: Expression
    follow_up: Expression
    leaves: Expression
    recommends: Expression
    directs: Expression
    courtesy: Expression
    empty: Expression
    measured: Expression
    """What a name of a test is a finding with: "abnormal liver enzymes"."""
    reports: Expression
    """How things are, whatever words of acts it has."""
    """What sounds like an act and recommends nothing."""
    sentence: Expression
    """How a sentence begins that tells of a patient and names no problem."""
    normal: Expression
    acts: Expression
    """What is to be done, where an impression or a history says it."""
    needless: Expression
    elsewhere: Expression
    safety_net: Expression
    """What a patient is to do should it get worse: no act of now."""
    orders: Expression
    problem_anyway: Expression
    labelled_reasoning: Expression
    considers: Expression
    """What an impression says may be, in words of an act."""
    changes: Expression
    """What is to be done with a medicine, at the begin of an entry of a list of medicines."""
    scope: Expression
    """How far care goes: "for full escalation"."""
    appointed: Expression
    """A visit or meeting with its time."""
    describes: Expression
    problem: Expression


class OperationCues(Record):
    """Words that tell the description of an operation from its name."""

    narrated: Expression
    of_patient: Expression
    """Whom a note is about, without an age."""
    presents: Expression
    afterwards: Expression
    """What the description of an operation orders for the time after it."""
    ended: Expression
    """How an operation ended: complications, blood loss, the state of the patient."""
    showed: Expression
    """What an operation showed, where no word says how it was `done`."""
    done: Expression
    given: Expression


class UnitCues(Record):
    """Words that tell where a statement of a note begins, and which statements say nothing."""

    run_in: Expression
    """Labels of a template before a statement; no part of it."""
    goes_on: Expression
    """How a sentence begins that says nothing without the one before it."""
    says_nothing: Expression
    """What is no fact of the patient: consent, courtesy, dictation, references."""
    announces: Expression
    """Words of which all of a statement consists that only announces a list."""
    shorthand: dict[str, Expression]
    """Short-hand by its meaning."""


class FrameCues(Record):
    """Words of the lines that frame a note."""

    titles: Expression
    places: Expression
    """Words of which all of a first statement consists that says when and where."""
    fields: Expression
    """Labels of a letterhead: "From: ..."."""
    persons: Expression
    """Of a patient: a line with them is more than a title."""
    closings: Expression
    referred: Expression
    """How a letter says whom it is about, in a word of thanks."""
    habits: Expression
    """How a statement of somebody's life begins."""
    subjects: Expression
    """How a sentence begins that tells of the patient."""
    has_illness: Expression
    """How one begins that says what the patient has."""


class BlockCues(Record):
    """Words that say which block of a note a statement is in."""

    orders: Expression
    doses: Expression
    tests: Expression
    """Names of tests, whose result a colon may follow."""
    concludes: Expression
    weighs: Expression
    background: Expression


class LabelCues(Record):
    """Words of labels that tell a warning for a patient from what a medicine does."""

    harmless: Expression
    given_with: Expression
    deficiency: Expression
    allergy: Expression
    study: Expression
    unknown: Expression
    """What is not known harms nobody yet."""
    of_whole: Expression
    """What a label of a combination says of the whole of it."""
    caused: Expression
    worsens: Expression
    allowed: Expression
    patients: Expression
    ends: Expression


class NoteCueTable(Record):
    """The table `note_cues`."""

    units: UnitCues
    frame: FrameCues
    blocks: BlockCues
    operations: OperationCues
    sections: dict[SummarySection, Expression]
    assertion: AssertionCues
    urgency: dict[Urgency, Expression]
    plan: PlanCues
    labels: LabelCues


class NoteFindingTable(Record):
    """The table `note_findings`."""

    findings: dict[str, Expression]


class EntryWords(Record):
    """Words of the entries of medication lists."""

    continues: Expression
    other_words: Expression
    """Abbreviations of medicines that are other words where something follows."""
    not_medicines: Expression
    formed: Expression
    unformed: Expression
    given_with: Expression
    """Words before a medicine with which another one is given."""
    course_before: Expression
    course_after: Expression
    """Words of a course that is over, before and behind its medicine."""
    tested_after: Expression
    tested_before: Expression
    before_name: Expression
    """Words between a figure and the medicine it is of."""
    to_come: Expression
    """What says that a medicine is not yet taken."""
    of_course: Expression
    """What comes before the end of a course."""
    if_none: Expression
    """A condition that denies no medicine."""
    kept_before: Expression
    """What says that a medicine must not be stopped."""
    forbidden_after: Expression
    not_given_after: Expression
    """Words behind a medicine that must not be taken, or was not."""
    changed_before: Expression
    changed_after: Expression
    changed_behind: Expression
    """Words around a medicine that the next one replaces."""
    over_behind: Expression
    """Words behind a medicine whose course is over."""
    to_stop: Expression
    """An order to stop something, and no report that it was stopped."""
    stopped_label: Expression
    """A label of several medicines that are not taken."""
    next_stopped: Expression
    """What a medicine ends with where it stops the next one."""


class BrandNames(Record):
    """Medicines by how notes write them."""

    names: Expression


class NoteMeasureTable(Record):
    """The table `note_measures`."""

    vitals: dict[str, tuple[Expression, ...]]
    medicines: dict[str, Expression]
    entries: EntryWords
    brands: BrandNames
    short_names: dict[str, str]
    """Names cut shorter than five letters, by what they mean."""
    brand_names: dict[str, str]
    """Brand names that the table of drugs does not have, by what they mean."""

    @property
    def brand(self) -> re.Pattern[str]:
        """Whole words that are medicines."""
        return _whole_words(self.brands.names.pattern)

    @cached_property
    def branded(self) -> re.Pattern[str]:
        """Whole words that are brand names of known drugs."""
        return _whole_words("|".join(map(re.escape, sorted(self.brand_names))))


_ADJUNCTS = frozenset({"vitamin", "antiretroviral", "corticosteroid"})
"""Classes of drugs that go with a treatment of tuberculosis."""


@cache
def _whole_words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])")


class IdentifierRule(Record):
    """Something that identifies a person; `pattern` may name `parts`."""

    kind: str
    pattern: str


class NoteIdentifierTable(Record):
    """The table `note_identifiers`."""

    rules: tuple[IdentifierRule, ...]
    parts: dict[str, str]

    @cached_property
    def compiled(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        """Kind and expression of each rule, in the order of search."""
        return tuple((rule.kind, re.compile(self._whole(rule.pattern))) for rule in self.rules)

    def _whole(self, pattern: str) -> str:
        for name, part in self.parts.items():
            pattern = pattern.replace(f"<{name}>", part)
        return pattern

    @model_validator(mode="after")
    def _expressions_compile(self) -> NoteIdentifierTable:
        for rule in self.rules:
            try:
                re.compile(self._whole(rule.pattern))
            except re.error as error:
                raise ValueError(f"{rule.kind}: {error}") from error
        return self


def note_headers() -> NoteHeaderTable:
    """The headings of notes."""
    return load_table("note_headers", NoteHeaderTable)


def note_cues() -> NoteCueTable:
    """The words that place and qualify what a note says."""
    return load_table("note_cues", NoteCueTable)


def note_findings() -> NoteFindingTable:
    """Symptoms and signs."""
    return load_table("note_findings", NoteFindingTable)


def note_measures() -> NoteMeasureTable:
    """Vital signs and what is done with medicines."""
    return load_table("note_measures", NoteMeasureTable)


def identifier_rules() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What identifies a person: kind and expression, in the order of search."""
    return load_table("note_identifiers", NoteIdentifierTable).compiled


@cache
def note_drugs() -> DrugLexicon:
    """The drugs of the shipped table: a note is read the same whatever release is open."""
    return DrugLexicon()


@cache
def tb_drugs() -> frozenset[str]:
    """The drugs that act against tuberculosis and are used in little else."""
    return frozenset(
        d.name
        for d in known_drugs()
        if d.area == "tb" and _ADJUNCTS.isdisjoint(wider_classes(d.drug_class))
    )
