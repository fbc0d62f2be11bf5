"""Reads what a clinical text says, once, as the record that gates, search and answers share.

Each kind of fact is read when it is first asked for. Records are cached per text in memory only,
and in a bounded number, since texts may hold patient data.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from clinrag_core.facts.negation import polarity
from clinrag_core.facts.numbers import numbers_and_codes
from clinrag_core.facts.populations import (
    is_age_or_weight,
    population_spans,
    populations_of_figure,
)
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.relations import nouns_of_drugs, ordered_pairs
from clinrag_core.facts.spans import CACHED_TEXTS, concept_spans, names_of
from clinrag_core.lexicon.intents import DISEASES, disease_expressions, topic_expressions
from clinrag_core.lexicon.safety import safety_lexicon
from clinrag_core.text.sentences import sentence_spans
from clinrag_core.text.stems import key_stems

if TYPE_CHECKING:
    from collections import Counter

    from clinrag_core.facts.drugs import DrugLexicon, Mention
    from clinrag_core.facts.negation import Polarity
    from clinrag_core.facts.quantities import Quantity
    from clinrag_core.facts.spans import NamedSpan
    from clinrag_core.lexicon.intents import Disease


class Facts:
    """What a text says. Spans are characters of `text`.

    Raises:
        ConfigurationError: on reading a kind of fact whose table is missing or malformed.
    """

    def __init__(self, text: str, finder: DrugLexicon) -> None:
        self.text = text
        self._finder = finder

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Doses, frequencies, durations and other numbers with a unit, in order."""
        return tuple(quantities(self.text))

    @cached_property
    def ages_and_weights(self) -> tuple[Quantity, ...]:
        """The quantities that say whom a statement is for, not what is given."""
        return tuple(q for q in self.quantities if is_age_or_weight(self.text, q))

    @cached_property
    def _plain_figures(self) -> tuple[Counter[str], frozenset[str]]:
        return numbers_and_codes(self.text, self.quantities)

    @property
    def numbers(self) -> Counter[str]:
        """Numbers without a unit, each as often as it occurs."""
        return self._plain_figures[0]

    @property
    def codes(self) -> frozenset[str]:
        """Words of letters and digits: "3HP", "B6", "CYP3A4"."""
        return self._plain_figures[1]

    @cached_property
    def drugs(self) -> tuple[Mention, ...]:
        """Drugs named, in order."""
        return tuple(self._finder.mentions(self.text))

    @cached_property
    def ingredients(self) -> frozenset[str]:
        """Every ingredient named."""
        return frozenset[str]().union(*(m.ingredients for m in self.drugs))

    @cached_property
    def nouns_of_drugs(self) -> dict[str, set[str]]:
        """Each drug with the stems of the nouns right behind its mentions."""
        return nouns_of_drugs(self.text, self.drugs)

    @cached_property
    def ordered_drugs(self) -> set[tuple[frozenset[str], frozenset[str]]]:
        """Pairs of drugs whose order counts, as in "rifabutin rather than rifampin"."""
        return ordered_pairs(self.text, self.drugs)

    @cached_property
    def populations(self) -> tuple[NamedSpan, ...]:
        """Groups of people named, in order: age groups, pregnancy, kidney and liver impairment."""
        return population_spans(self.text)

    @cached_property
    def routes(self) -> tuple[NamedSpan, ...]:
        """Ways a drug is given, in order."""
        return concept_spans(self.text, safety_lexicon().routes)

    @cached_property
    def high_risk(self) -> tuple[NamedSpan, ...]:
        """Conditions, harms and drug classes that must not be invented, in order."""
        return concept_spans(self.text, safety_lexicon().high_risk)

    @cached_property
    def directions(self) -> tuple[NamedSpan, ...]:
        """Words for an increase or decrease, and for before or after, in order.

        "At least" and "at most" are the comparators of `quantities`.
        """
        return concept_spans(self.text, safety_lexicon().directions)

    @cached_property
    def topics(self) -> tuple[NamedSpan, ...]:
        """Words that say what a question is about, each named by its `lexicon.intents.Topic`."""
        return concept_spans(self.text, topic_expressions())

    @cached_property
    def diseases(self) -> tuple[Disease, ...]:
        """Diseases of the field that are named, sorted."""
        named = names_of(concept_spans(self.text, disease_expressions()))
        return tuple(disease for disease in DISEASES if disease in named)

    @cached_property
    def polarity(self) -> Polarity:
        """What it denies, and how strongly it says the rest; of one sentence."""
        return polarity(self.text)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Key stems, in order."""
        return tuple(key_stems(self.text))

    @cached_property
    def sentences(self) -> tuple[Facts, ...]:
        """The facts of each sentence, with spans of its own text; itself where it has none."""
        spans = sentence_spans(self.text)
        return tuple(read_facts(self.text[a:b], self._finder) for a, b in spans) or (self,)

    def populations_of(self, quantity: Quantity) -> frozenset[str]:
        """Return the groups of people for whom the text states a figure."""
        return populations_of_figure(self.text, self.populations, quantity.start)


@lru_cache(maxsize=CACHED_TEXTS)
def read_facts(text: str, finder: DrugLexicon) -> Facts:
    """Return what a text says; from the cache where the same finder read it before."""
    return Facts(text, finder)
