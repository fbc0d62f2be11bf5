"""Analyses a question, once for every later stage.

Tokens, drugs, section groups, intents with confidence, whether figures or a diagnosis are asked
for, and the type of question that selects fusion weights. Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from clinrag_core.facts.drugs import Correction
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.intents import Disease, Intent, intent_lexicon
from clinrag_core.model.base import Record
from clinrag_core.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon, Mention

QueryType = Literal["keyword", "question", "paraphrase", "tabular"]

CACHED_QUESTIONS = 64
"""Questions kept in memory only: passages are searched for with one, and statements ranked."""
KEYWORD_TOKENS = 5
PARAPHRASE_TOKENS = 9
"""Lengths by which weighted fusion chooses its weights, by judgement: seed 002 names the types, not
their lengths. The default fusion (RRF) has none."""
TABULAR_FROM = 0.5
"""Confidence from which a question counts as one for a table: more likely than not."""


class QueryAnalysis(Record):
    """The properties of a question that the search uses."""

    tokens: tuple[str, ...]
    """As BM25 sees them."""
    drugs: tuple[str, ...] = ()
    """Partition keys of the labels of the drugs named, else their ingredients; sorted."""
    ingredients: tuple[str, ...] = ()
    """Ingredients of the drugs named, sorted."""
    diseases: tuple[Disease, ...] = ()
    """Diseases named, sorted."""
    corrections: tuple[Correction, ...] = ()
    """Words that were read as misspelt drug names."""
    groups: tuple[str, ...] = ()
    """Section groups that answer it, sorted."""
    intents: dict[Intent, float] = Field(default_factory=dict[Intent, float])
    """Confidence in (0, 1] of each intent found."""
    tabular: float = 0.0
    """Confidence in [0, 1] that figures of a table are asked for."""
    diagnosis: bool = False
    """It asks how a diagnosis is made."""
    query_type: QueryType = "question"


@lru_cache(maxsize=CACHED_QUESTIONS)
def analyse(question: str, drugs: DrugLexicon) -> QueryAnalysis:
    """Analyse a question; misspelt drug names are corrected."""
    question, corrections = drugs.correct(question)
    lexicon = intent_lexicon()
    text = " ".join(question.casefold().split())
    intents: dict[Intent, float] = {
        rule.name: confidence
        for rule in lexicon.intent
        if (confidence := rule.confidence(text)) > 0
    }
    groups = {group for rule in lexicon.intent if rule.name in intents for group in rule.groups}
    groups |= {rule.group for rule in lexicon.section if rule.cue.search(text)}
    facts = read_facts(question, drugs)
    mentions = [mention for mention in facts.drugs if mention.about == "drug"]
    named = _keys(mentions, drugs)
    tabular = lexicon.tabular.confidence(text)
    tokens = tuple(tokenize(question))
    return QueryAnalysis(
        tokens=tokens,
        drugs=named,
        ingredients=tuple(sorted(frozenset[str]().union(*(m.ingredients for m in mentions)))),
        diseases=facts.diseases,
        corrections=corrections,
        groups=tuple(sorted(groups)),
        intents=intents,
        tabular=tabular,
        diagnosis=lexicon.making_diagnosis.asked_in(text),
        query_type=_query_type(text, tokens, named, tabular),
    )


def asked(analysis: QueryAnalysis, intent: Intent | Literal["tabular"]) -> QueryAnalysis:
    """Return an analysis with one intent, at full confidence, instead of those of the question."""
    if intent == "tabular":
        chosen = {"groups": (), "intents": {}, "tabular": 1.0, "query_type": "tabular"}
    else:
        (groups,) = (rule.groups for rule in intent_lexicon().intent if rule.name == intent)
        chosen = {"groups": tuple(sorted(groups)), "intents": {intent: 1.0}, "tabular": 0.0}
    return analysis.model_copy(update=chosen)


def _keys(mentions: Sequence[Mention], finder: DrugLexicon) -> tuple[str, ...]:
    """Return the label keys of the drugs asked about, or the ingredients of those without one."""
    keys = frozenset[str]().union(*(finder.labels(m) or m.ingredients for m in mentions))
    return tuple(sorted(keys))


def _query_type(
    text: str, tokens: tuple[str, ...], drugs: tuple[str, ...], tabular: float
) -> QueryType:
    """Return how a question is put.

    `tabular` comes before all; `keyword` is few words without grammar; `paraphrase` is a long
    sentence that names no drug, so that its words may not be the document's words.
    """
    if tabular >= TABULAR_FROM:
        return "tabular"
    grammar = any(word.strip("?,.;:") in intent_lexicon().function_words for word in text.split())
    if len(tokens) <= KEYWORD_TOKENS and not grammar:
        return "keyword"
    return "paraphrase" if len(tokens) >= PARAPHRASE_TOKENS and not drugs else "question"
