"""What a question says about itself, worked out once and used by every later stage.

Tokens, drugs, conditions, section groups, intents with confidence, whether figures or a diagnosis
are asked for, and the type of question that per-type fusion weights go by. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from clinrag_core.lexicon.drug_names import name_variants, normalise_drug_name
from clinrag_core.lexicon.intents import Intent, intent_lexicon
from clinrag_core.model.base import Record
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

QueryType = Literal["keyword", "question", "paraphrase", "tabular"]

MAX_NAME_WORDS = 8
KEYWORD_TOKENS = 5
PARAPHRASE_TOKENS = 9
TABULAR_FROM = 0.5
"""Confidence from which a question counts as one for a table."""
DIAGNOSIS_FROM = 0.5


class QueryAnalysis(Record):
    """What is known about a question before anything is searched."""

    tokens: tuple[str, ...]
    """As BM25 sees them."""
    drugs: tuple[str, ...] = ()
    """Partition keys of the labels of the drugs named, else the names themselves; sorted."""
    conditions: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """Section groups that answer it, sorted."""
    intents: dict[Intent, float] = Field(default_factory=dict[Intent, float])
    """Confidence in (0, 1] of each intent found."""
    tabular: float = 0.0
    """Confidence in [0, 1] that figures of a table are asked for."""
    diagnosis: bool = False
    query_type: QueryType = "question"


class DrugNames:
    """Finds drug names in text, longest first.

    Args:
        names: name to the drug it names (a label's partition key); all spellings of a name are
            added.
    """

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        self._drugs: dict[tuple[str, ...], set[str]] = {}
        for drug, own in names.items():
            for name in own:
                for variant in name_variants(name):
                    self._drugs.setdefault(tuple(variant.split()), set()).add(drug)
        self._longest = min(max((len(key) for key in self._drugs), default=0), MAX_NAME_WORDS)

    def find(self, text: str) -> tuple[str, ...]:
        """Drugs named in the text, sorted; a word belongs to one name only."""
        words = [normalise_drug_name(word.strip("()[]{}?!\"'’“”")) for word in text.split()]
        words = [word.removesuffix("'s").removesuffix("’s") for word in words]
        found: set[str] = set()
        at = 0
        while at < len(words):
            length = next(
                (
                    n
                    for n in range(min(self._longest, len(words) - at), 0, -1)
                    if tuple(words[at : at + n]) in self._drugs
                ),
                0,
            )
            if length:
                found |= self._drugs[tuple(words[at : at + length])]
            at += length or 1
        return tuple(sorted(found))


def analyse(question: str, drugs: DrugNames) -> QueryAnalysis:
    """Analyse a question."""
    lexicon = intent_lexicon()
    text = " ".join(question.casefold().split())
    intents: dict[Intent, float] = {
        rule.name: confidence
        for rule in lexicon.intents
        if (confidence := rule.cues.confidence(text)) > 0
    }
    groups = {group for rule in lexicon.intents if rule.name in intents for group in rule.groups}
    groups |= {group for group, cue in lexicon.sections if cue.search(text)}
    named = drugs.find(question)
    tabular = lexicon.tabular.confidence(text)
    tokens = tuple(tokenize(question))
    return QueryAnalysis(
        tokens=tokens,
        drugs=named,
        conditions=tuple(name for name, words in lexicon.conditions if words.search(text)),
        groups=tuple(sorted(groups)),
        intents=intents,
        tabular=tabular,
        diagnosis=intents.get("DIAGNOSIS", 0.0) >= DIAGNOSIS_FROM,
        query_type=_query_type(text, tokens, named, tabular),
    )


def _query_type(
    text: str, tokens: tuple[str, ...], drugs: tuple[str, ...], tabular: float
) -> QueryType:
    """How a question is put.

    `tabular` comes before all; `keyword` is few words without grammar; `paraphrase` is a long
    sentence that names no drug, so that its words may not be the document's words.
    """
    if tabular >= TABULAR_FROM:
        return "tabular"
    grammar = any(word.strip("?,.;:") in intent_lexicon().function_words for word in text.split())
    if len(tokens) <= KEYWORD_TOKENS and not grammar:
        return "keyword"
    return "paraphrase" if len(tokens) >= PARAPHRASE_TOKENS and not drugs else "question"
