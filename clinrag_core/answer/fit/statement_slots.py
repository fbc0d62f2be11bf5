"""What a statement says, as slots, read from the nearest words that say it.

Its own words count first, then caption and run-in label, then headings from the innermost out, then
the title of a guideline. Read lazily and cached, since the same statements come up again.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from clinrag_core.facts.findings import read_findings
from clinrag_core.facts.indications import diseases, every_facet, last_named, sites_left_out
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.owners import owners
from clinrag_core.facts.people import (
    ADULT,
    WEANED,
    People,
    is_for_all,
    named_animals,
    read_people,
    read_people_of_first_amount,
    with_ages,
)
from clinrag_core.facts.populations import OF_MOTHERS, people_labels
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.resistance import Resistance, names_no_resistance, read_resistance
from clinrag_core.facts.routes import INJECTED, stated_routes
from clinrag_core.facts.strengths import given_amounts
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Callable

    from clinrag_core.facts.drugs import DrugLexicon, Mention
    from clinrag_core.facts.findings import PatientFinding
    from clinrag_core.facts.intervals import Interval
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.reader import Facts
    from clinrag_core.model.statement import IndexedStatement

CACHED_TITLES = 4_096
_NONE = frozenset[str]()
CACHED_STATEMENTS = 32_768
"""Statements kept: those read ahead, and those judged for a hundred questions besides."""
_PRODUCT = lazy_re(r"\s*[/+-]\s*")
_LENGTH = "regimen_length"
_DOSE_CELL = lazy_re(r"\bdos\w+[^:;]*\(m?c?g\b[^:;]*\)[^:;]*: ?\d")
_T = TypeVar("_T")
_V = TypeVar("_V", bound="frozenset[object] | tuple[object, ...]")


class StatementSlots:
    """The slots of one statement."""

    def __init__(self, statement: IndexedStatement, drugs: DrugLexicon) -> None:
        self.statement = statement
        self._drugs = drugs

    @cached_property
    def facts(self) -> Facts:
        """What its own words say."""
        return read_facts(self.statement.said, self._drugs)

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Texts that say what it is about, the nearest first."""
        statement = self.statement
        near = " ".join(part for part in (statement.caption, statement.run_in) if part)
        title = (statement.document_title,) if statement.kind == "guideline" else ()
        return tuple(
            text for text in (statement.said, near, *reversed(statement.headings), *title) if text
        )

    def nearest(self, read: Callable[[str], _T]) -> _T | None:
        """Return what the nearest words say that say anything; None where none does."""
        for text in self.levels:
            if found := read(text):
                return found
        return None

    def is_product(self, ingredients: frozenset[str]) -> bool:
        """Return whether a label of the release is of exactly these ingredients."""
        return self._drugs.is_product(ingredients)

    @cached_property
    def label(self) -> frozenset[str]:
        """Ingredients of the label's product; empty for a guideline."""
        return frozenset(self.statement.ingredients)

    @property
    def titled_drug(self) -> frozenset[str]:
        """Ingredients of the drug that is a guideline's whole title, as of the text of a label."""
        is_guideline = self.statement.kind == "guideline"
        return _titled_drug(self.statement.document_title, self._drugs) if is_guideline else _NONE

    @cached_property
    def said_drugs(self) -> frozenset[str]:
        """Ingredients that its own words name, by name or by the letters of a regimen."""
        return self.drugs_of(self.statement.said)

    @property
    def drugs_of_names(self) -> frozenset[str]:
        """Ingredients that its own words name, not those of letters alone."""
        return frozenset[str]().union(*(m.ingredients for m in self.facts.drugs))

    @cached_property
    def said_sets(self) -> frozenset[frozenset[str]]:
        """The ingredient sets that its own words name; a combination counts as one."""
        return self.sets_of(self.statement.said)

    def sets_of(self, text: str) -> frozenset[frozenset[str]]:
        """Return the ingredient sets that a text names: drugs, and products joined by a slash."""
        sets: list[frozenset[str]] = []
        last = 0
        for mention in read_facts(text, self._drugs).drugs:
            if mention.about == "resistance":
                continue
            if sets and last and _PRODUCT.fullmatch(text[last : mention.start]):
                sets[-1] |= mention.ingredients
            else:
                sets.append(mention.ingredients)
            last = mention.end
        return frozenset(sets)

    @cached_property
    def near_drugs(self) -> frozenset[str]:
        """Ingredients that the nearest words name which name any."""
        return self.nearest(self.drugs_of) or frozenset()

    @cached_property
    def all_drugs(self) -> frozenset[str]:
        """Ingredients named by its words, its frame, its headings or its label."""
        return self.label.union(*(self.drugs_of(text) for text in self.levels))

    @cached_property
    def forbids(self) -> bool:
        """Whether its own words forbid something, or advise against it."""
        return says(fold_chars(self.statement.said), slot_lexicon().wordings.prohibits)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Regimens that it or its frame names by letters."""
        return frozenset(code for text in self.levels for code in regimens(text, self._drugs))

    @cached_property
    def said_codes(self) -> frozenset[str]:
        """Regimens that its own words name by letters."""
        return frozenset(regimens(self.statement.said, self._drugs))

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Return the drugs that a text names, with their places."""
        return tuple(m for m in read_facts(text, self._drugs).drugs if m.about == "drug")

    def drugs_of(self, text: str) -> frozenset[str]:
        """Return the ingredients that a text names, by name or by the letters of a regimen."""
        named = [m.ingredients for m in read_facts(text, self._drugs).drugs if m.about == "drug"]
        return frozenset[str]().union(*named, *regimens(text, self._drugs).values())

    @cached_property
    def figures(self) -> tuple[Quantity, ...]:
        """Amounts that are given, in order."""
        in_row = self.statement.statement_kind == "row"
        return given_amounts(self.statement.said, self.facts.quantities, in_row=in_row)

    @property
    def says_more_than_figures(self) -> bool:
        """Whether it has words that are neither drugs nor figures with what they are per."""
        rest = list(self.statement.said)
        named = [(one.start, one.end) for one in self.facts.drugs]
        for start, end in [*named, *((q.start, q.end) for q in self.facts.quantities)]:
            rest[start:end] = " " * (end - start)
        return bool(key_stems("".join(rest)))

    @cached_property
    def has_regimen(self) -> bool:
        """Whether it states an amount, how often or how long."""
        return bool(self.figures) or any(q.kind == "frequency" for q in self.facts.quantities)

    @cached_property
    def has_amount(self) -> bool:
        """Whether it states how much, in volumes or words too, not only how many doses."""
        is_counted = any(q.kind == "dose" and q.unit != "dose" for q in self.facts.quantities)
        in_words = says(fold_chars(self.statement.said), slot_lexicon().wordings.amount)
        return is_counted or in_words or self._has_dose_cell

    @cached_property
    def has_dose(self) -> bool:
        """Whether it states a dose; a row may have the unit in a heading: "Dose (mg/day): 200"."""
        return any(q.kind == "dose" for q in self.facts.quantities) or self._has_dose_cell

    @cached_property
    def _has_dose_cell(self) -> bool:
        is_row = self.statement.statement_kind == "row"
        return is_row and _DOSE_CELL.search(fold_chars(self.statement.said)) is not None

    @cached_property
    def has_schedule(self) -> bool:
        """Whether it states how often, or an amount per weight: what a strength never does."""
        return any(q.kind == "frequency" for q in self.facts.quantities) or any(
            "kg" in q.per for q in self.figures
        )

    @cached_property
    def owners(self) -> tuple[frozenset[frozenset[str]], ...]:
        """The ingredient sets that each figure of `figures` is said of."""
        return tuple(map(self.owners_of, self.figures))

    def owners_of(self, figure: Quantity) -> frozenset[frozenset[str]]:
        """Return the ingredient sets that a figure is said of."""
        default = self.label
        if not default and not self.said_drugs:
            default = self.near_drugs
        return frozenset(owners(self.statement.said, self.facts.drugs, figure, default))

    @cached_property
    def animals(self) -> frozenset[str]:
        """The animals it is about; asked first, and of statements that need no further reading."""
        return self.nearest(named_animals) or frozenset()

    @cached_property
    def people(self) -> People:
        """Whom it is for; ages, weights, kidney and conditions each from the nearest words."""
        said = with_ages(self._said_of_them, self.statement.caption)
        own = read_people_of_first_amount(said)
        warning, others = self._cells  # who is warned is not whom the dose of the row is for
        given = read_people_of_first_amount(others) if warning else own
        frames = [] if is_for_all(said) else [*map(read_people, self.levels[1:])]
        read = [one for one in (given, *frames) if one]

        def first(part: Callable[[People], _T], nothing: _T) -> _T:
            return next((part(one) for one in read if part(one)), nothing)

        nearest = next((p for p in (own, *frames) if p.conditions | p.excluded), own)
        conditions = nearest.conditions - nearest.excluded
        ages = first(lambda p: p.ages, ())
        if own.ages and all(one.high <= ADULT for one in own.ages):
            # A child under a heading on its mother is given the drug itself.
            if "breastfeeding" in conditions - own.conditions:
                ages = tuple(one._replace(high=min(one.high, WEANED)) for one in ages)
            conditions -= OF_MOTHERS - own.conditions
        return People(
            ages=ages,
            weights=first(lambda p: p.weights, ()),
            kidney=first(lambda p: p.kidney, ()),
            conditions=conditions,
            liver=first(lambda p: p.liver, frozenset[str]()),
            trimesters=first(lambda p: p.trimesters, frozenset[str]()),
            excluded=nearest.excluded,
            animals=self.animals,
        )

    @property
    def _said_of_them(self) -> str:
        """Its words from the last run-in label on, if no figure comes before it.

        "Infections in Adults and Children Adults: The usual dosage is ..." is for adults.
        """
        said = self.statement.said
        if self.statement.statement_kind == "row":
            return said
        labels = people_labels(said)
        first = min((figure.start for figure in self.figures), default=len(said))
        before = [at for at in labels if at < first]
        return said[before[-1] :] if before and before[-1] == labels[-1] else said

    @cached_property
    def findings(self) -> tuple[PatientFinding, ...]:
        """Conditions and measured values of a patient that it is about."""
        return self.nearest(read_findings) or ()

    @cached_property
    def warned(self) -> frozenset[str]:
        """Conditions that it names in cells on contraindications or harms only."""
        warning, others = self._cells
        return read_people(warning).conditions - read_people(others).conditions

    @cached_property
    def _cells(self) -> tuple[str, str]:
        """Cells on contraindications or harms, and the others."""
        if self.statement.statement_kind != "row":
            return "", ""
        warns = slot_lexicon().wordings.warns
        cells = self.statement.said.split(";")
        warning = [one for one in cells if says(fold_chars(one.partition(":")[0]), warns)]
        return "; ".join(warning), "; ".join(one for one in cells if one not in warning)

    @cached_property
    def routes(self) -> frozenset[str]:
        """Routes it states or implies, else those of its label's products.

        "Injection" implies each kind of it, of which a product may have one. What is for the skin
        in the box of an injection is its swab.
        """
        stated, has = self.nearest(stated_routes), frozenset(self.statement.routes)
        has -= {"topical"} if has & INJECTED else set()
        if stated and stated >= INJECTED:
            return stated & has or stated
        return stated or has

    @cached_property
    def diseases(self) -> frozenset[str]:
        """What it is for."""
        return self.nearest(diseases) or frozenset()

    @cached_property
    def sites_left_out(self) -> frozenset[str]:
        """The sites of disease that its own words leave out."""
        return sites_left_out(self.statement.said)

    @cached_property
    def resistance(self) -> Resistance:
        """What strains it is about are resistant and susceptible to."""
        found = (read_resistance(text) for text in self.levels)
        return next((one for one in found if one != Resistance()), Resistance())

    @cached_property
    def course(self) -> tuple[Interval, ...]:
        """Parts of the course that its own words name."""
        return tuple(one for one in intervals(self.statement.said) if one.of == "course")

    @cached_property
    def timed_regimens(self) -> frozenset[str]:
        """The lengths of regimens whose months it gives: the one that is named last before them.

        "A shorter regimen of 9 months instead of the longer one" gives those of the shorter.
        """
        said = self.statement.said
        months = (q for q in self.facts.quantities if q.kind == "duration")
        return frozenset[str]().union(*(last_named(said[: q.start], _LENGTH) for q in months))

    def read(self) -> None:
        """Read all, so that no question has to wait for it; equal values are kept as one object."""
        for name in _READ_ONCE:
            value = getattr(self, name)
            if isinstance(value, frozenset | tuple):
                self.__dict__[name] = _shared(value)

    @cached_property
    def _facets(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return each facet that is named, with its values by the nearest words that name any."""
        found: dict[str, frozenset[str]] = {}
        for text in self.levels:
            for name, values in every_facet(text).items():
                found.setdefault(name, values)
        if names_no_resistance(self.statement.said):
            found["resistance"] = found.get("resistance", _NONE) | {"susceptible"}
        return tuple(found.items())

    def facet(self, name: str) -> frozenset[str]:
        """Return the values that the nearest words name of a facet."""
        return dict(self._facets).get(name, _NONE)


_READ_ONCE = tuple(
    name for name, kept in vars(StatementSlots).items() if isinstance(kept, cached_property)
)


@lru_cache(maxsize=CACHED_TITLES)
def _titled_drug(title: str, drugs: DrugLexicon) -> frozenset[str]:
    """Return the ingredients of a title that is a drug's name, and one word more at most."""
    named = read_facts(title, drugs).drugs
    if len(named) != 1 or named[0].about != "drug":
        return _NONE
    rest = key_stems(title[: named[0].start] + title[named[0].end :])
    return named[0].ingredients if len(rest) <= 1 else _NONE


@lru_cache(maxsize=None, typed=True)
def _shared(value: _V) -> _V:
    """Return equal values as one object: there are few, and many statements have them."""
    return value


_READ: OrderedDict[tuple[DrugLexicon, str], StatementSlots] = OrderedDict()
"""Those asked for last at the end; a plain one, since a question asks it some hundred times."""
_LOCK = Lock()


def statement_slots(statement: IndexedStatement, drugs: DrugLexicon) -> StatementSlots:
    """Return the slots of a statement; from the cache if the same one was read before."""
    key = (drugs, statement.id)
    with _LOCK:
        known = _READ.get(key)
        if known is None:
            known = _READ[key] = StatementSlots(statement, drugs)
            if len(_READ) > CACHED_STATEMENTS:
                _READ.popitem(last=False)
        else:
            _READ.move_to_end(key)
    return known
