"""The task-aware router (seed 000): guidelines, drug labels, both, or none of them.

Decides by triggers it can name. A question that no trigger matches gets a second opinion from the
embedding of shipped example questions. Where that is not sure either, both kinds are searched and
the answer needs the higher, uncalibrated threshold; a disease of another field alone is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from pydantic import Field

from clinrag_core.facts.abbreviations import spell_out
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.intents import Topic
from clinrag_core.lexicon.loader import load_table
from clinrag_core.model.base import Record
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clinrag_core.encode.protocol import Vectors
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.source import DocumentKind

Route = Literal["GUIDELINE", "DRUG", "MIXED", "OUT_OF_DOMAIN"]
KINDS: dict[Route, tuple[DocumentKind, ...]] = {
    "GUIDELINE": ("guideline",),
    "DRUG": ("label",),
    "MIXED": ("guideline", "label"),
    "OUT_OF_DOMAIN": (),
}
"""Kinds of knowledge base that each route searches."""
SURE, LIKELY, UNSURE, OPEN = 1.0, 0.8, 0.6, 0.3
"""Confidences that a decision reports; only their order means something."""


TriggerKind = Literal[Topic, "drug", "labelled_drug", "examples"]
_ORDER: tuple[TriggerKind, ...] = (
    "tb", "cap", "related", "drug", "guideline_task", "drug_task", "other_field", "no_source"
)  # fmt: skip


class Trigger(Record):
    """A word that decided a route, and its meaning."""

    kind: TriggerKind
    text: str


class RouteDecision(Record):
    """Where a question goes, how sure that is, and what decided it."""

    route: Route
    confidence: float = Field(ge=0, le=1)
    triggers: tuple[Trigger, ...] = ()
    sure: bool = Field(
        default=True,
        description="false: nothing but the evidence can say whether it is of the domain",
    )
    target_drugs: tuple[str, ...] = Field(
        default=(), description="ingredients the question asks about, sorted"
    )


class RouteExamples(Record):
    """Example questions of the domain and of other fields."""

    in_domain: tuple[str, ...]
    out_of_domain: tuple[str, ...]


def example_questions() -> tuple[str, ...]:
    """Return the example questions of the domain, then those of other fields."""
    examples = load_table("route_examples", RouteExamples)
    return (*examples.in_domain, *examples.out_of_domain)


class SecondOpinion:
    """Compares a question with example questions of the domain and of other fields.

    Its two limits are by judgement and on the safe side: of 37 dev questions of the benchmark that
    no trigger matches, it admits none. With 0.3 and 0 it would admit 2 of 7 that have an answer and
    2 of 28 that have none.
    """

    MARGIN = 0.05
    """By how much the nearest example of the domain must be nearer than the nearest other."""
    LEAST = 0.45
    """Least cosine with an example of the domain."""

    def __init__(self, encode: Callable[[str], Vectors]) -> None:
        self._encode = encode
        self._vectors: tuple[Vectors, Vectors] | None = None

    def in_domain(self, question: str) -> tuple[bool, float]:
        """Return whether the question is of the domain, and its cosine with the nearest example."""
        if self._vectors is None:
            examples = load_table("route_examples", RouteExamples)
            self._vectors = (self._all(examples.in_domain), self._all(examples.out_of_domain))
        vector = self._encode(question)
        near, far = (float((vectors @ vector).max()) for vectors in self._vectors)
        return near >= self.LEAST and near - far >= self.MARGIN, near

    def _all(self, questions: Sequence[str]) -> Vectors:
        return np.stack([self._encode(question) for question in questions])


_FOR = lazy_re(r"\b(?:for|against|treat\w*|prevent\w*|cur(?:e|es|ing))\s+(?:[\w'’-]+\s+){0,3}$")
"""What comes before that which a drug is for."""


class _Signs(NamedTuple):
    """What of a question decides its route."""

    triggers: tuple[Trigger, ...]
    topics: frozenset[str]
    targets: frozenset[str]
    labelled: frozenset[str]
    of_field: bool
    """A drug named is used in the field, or has a label here."""
    is_for_other_field: bool
    """Something is for a disease of another field; else it may be a harm: "seizures on X"."""

    @property
    def domain(self) -> bool:
        """Whether tuberculosis or pneumonia is named."""
        return bool(self.topics & {"tb", "cap"})


def route(question: str, drugs: DrugLexicon, opinion: SecondOpinion | None = None) -> RouteDecision:
    """Return where a question goes.

    Drug names of the question are already corrected. `opinion` decides if no trigger matches;
    without it the question is out of domain then.

    Raises:
        ConfigurationError: a table of triggers cannot be read.
    """
    signs = _read(question, drugs)
    spelt_out = spell_out(question, drugs)
    if not (signs.domain or signs.targets) and spelt_out != question:
        signs = _read(spelt_out, drugs)
    where, confidence = _with_drug(signs) if signs.targets else _without_drug(signs)
    triggers, sure = signs.triggers, True
    doubtful = where == "OUT_OF_DOMAIN" and not signs.targets
    if "no_source" in signs.topics:
        where, confidence = "OUT_OF_DOMAIN", SURE
    elif doubtful and "other_field" not in signs.topics and opinion:
        sure, cosine = opinion.in_domain(question)
        where, confidence = "MIXED", UNSURE if sure else OPEN
        if sure:
            triggers = (*triggers, Trigger(kind="examples", text=f"cosine {cosine:.2f}"))
    return RouteDecision(
        route=where,
        confidence=confidence,
        triggers=triggers,
        sure=sure,
        target_drugs=tuple(sorted(signs.targets)),
    )


def _read(question: str, drugs: DrugLexicon) -> _Signs:
    """Return the triggers of a question: words of topics, and drugs that are asked about."""
    facts = read_facts(question, drugs)
    folded = fold_chars(question)
    words = {(span.name, folded[span.start : span.end].strip()) for span in facts.topics}
    targets = frozenset[str]().union(*(m.ingredients for m in facts.drugs if m.about == "drug"))
    labelled = targets & drugs.labelled
    of_area = {t for t in targets if drugs.area(t) in {"tb", "cap", "both"}}
    triggers = [Trigger.model_validate({"kind": t, "text": word}) for t, word in words if word]
    triggers += [
        Trigger(kind="labelled_drug" if name in labelled else "drug", text=name) for name in targets
    ]
    return _Signs(
        triggers=tuple(sorted(triggers, key=_place)),
        topics=frozenset(topic for topic, _ in words),
        targets=targets,
        labelled=labelled,
        of_field=bool(labelled or of_area),
        is_for_other_field=any(
            span.name == "other_field" and _FOR.search(folded[: span.start])
            for span in facts.topics
        ),
    )


def _place(trigger: Trigger) -> tuple[int, str]:
    kind = "drug" if trigger.kind == "labelled_drug" else trigger.kind
    return _ORDER.index(kind), trigger.text


def _with_drug(signs: _Signs) -> tuple[Route, float]:
    """Return the route, with its confidence, of a question that names a drug."""
    if not signs.domain and not signs.of_field:
        return "OUT_OF_DOMAIN", SURE
    if not signs.domain and signs.is_for_other_field and not signs.labelled:
        return (
            "OUT_OF_DOMAIN",
            LIKELY,
        )  # the disease is of another field, and no label is of its drug
    if not signs.labelled:
        return "MIXED", UNSURE  # no label here: guidelines may speak of it
    task = "drug_task" in signs.topics
    if not signs.domain and (task or "guideline_task" not in signs.topics):
        return "DRUG", SURE if task else LIKELY
    return "MIXED", LIKELY


def _without_drug(signs: _Signs) -> tuple[Route, float]:
    """Return the route, with its confidence, of a question that names no drug."""
    other_field = "other_field" in signs.topics
    if signs.domain:
        return ("GUIDELINE", SURE) if "guideline_task" in signs.topics else ("MIXED", LIKELY)
    if "related" in signs.topics and not other_field:
        return "MIXED", UNSURE
    return "OUT_OF_DOMAIN", LIKELY if other_field else UNSURE
