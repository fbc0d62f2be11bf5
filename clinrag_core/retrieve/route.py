"""The task-aware router (seed 000): guidelines, drug labels, both, or none of them.

Decides by triggers it can name. A question that no trigger matches gets a second opinion from the
embedding of shipped example questions. Where that is not sure either, both kinds are searched and
the answer is held to the higher, uncalibrated threshold; a disease of another field alone is out.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from pydantic import Field, ValidationError

from clinrag_core.errors import ConfigurationError
from clinrag_core.lexicon.domain import domain_triggers
from clinrag_core.model.base import Record
from clinrag_core.settings import data_folder

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


class Trigger(Record):
    """A word that decided, and what it stands for."""

    kind: Literal[
        "tb",
        "cap",
        "related",
        "drug",
        "labelled_drug",
        "guideline_task",
        "drug_task",
        "other_field",
        "examples",
    ]
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


class _Examples(Record):
    in_domain: tuple[str, ...]
    out_of_domain: tuple[str, ...]


class SecondOpinion:
    """Compares a question with example questions of the domain and of other fields.

    Args:
        encode: question to normalised vector.
    """

    MARGIN = 0.05
    """By how much the nearest example of the domain must be nearer than the nearest other."""
    LEAST = 0.45
    """Least cosine with an example of the domain."""

    def __init__(self, encode: Callable[[str], Vectors]) -> None:
        self._encode = encode
        self._vectors: tuple[Vectors, Vectors] | None = None

    def in_domain(self, question: str) -> tuple[bool, float]:
        """Whether the question is of the domain, and its cosine with the nearest example."""
        if self._vectors is None:
            examples = _examples()
            self._vectors = (self._all(examples.in_domain), self._all(examples.out_of_domain))
        vector = self._encode(question)
        ours, others = (float((vectors @ vector).max()) for vectors in self._vectors)
        return ours >= self.LEAST and ours - others >= self.MARGIN, ours

    def _all(self, questions: Sequence[str]) -> Vectors:
        return np.stack([self._encode(question) for question in questions])


@cache
def _examples() -> _Examples:
    path = data_folder() / "lexicons" / "route_examples.toml"
    try:
        return _Examples.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from error


class _Found(NamedTuple):
    triggers: tuple[Trigger, ...]
    domain: bool
    related: bool
    guideline_task: bool
    drug_task: bool
    other_field: bool
    targets: frozenset[str]
    labelled: frozenset[str]
    of_field: bool
    """A drug named is used in the field, or has a label here."""
    ours: bool
    """A drug named has a label here, and is used in the field."""


def route(question: str, drugs: DrugLexicon, opinion: SecondOpinion | None = None) -> RouteDecision:
    """Decide where a question goes.

    Args:
        question: with drug names mended.
        drugs: finds the drugs named.
        opinion: asked where no trigger matches; out of domain where None.

    Raises:
        ConfigurationError: a table of triggers cannot be read.
    """
    found = _find(question, drugs)
    where, confidence = _decide(found)
    triggers, sure = found.triggers, True
    if where == "OUT_OF_DOMAIN" and not found.other_field and not found.targets and opinion:
        ours, cosine = opinion.in_domain(question)
        where, confidence, sure = "MIXED", UNSURE if ours else OPEN, ours
        if ours:
            triggers = (*triggers, Trigger(kind="examples", text=f"cosine {cosine:.2f}"))
    return RouteDecision(
        route=where,
        confidence=confidence,
        triggers=triggers,
        sure=sure,
        target_drugs=tuple(sorted(found.targets)),
    )


def _find(question: str, drugs: DrugLexicon) -> _Found:
    words = domain_triggers(question)
    mentions = drugs.mentions(question)
    targets = frozenset[str]().union(*(m.ingredients for m in mentions if m.about == "drug"))
    labelled = targets & drugs.labelled
    triggers = [Trigger(kind="tb", text=word) for word in words.tb]
    triggers += [Trigger(kind="cap", text=word) for word in words.cap]
    triggers += [Trigger(kind="related", text=word) for word in words.related]
    triggers += [
        Trigger(kind="labelled_drug" if name in labelled else "drug", text=name)
        for name in sorted(targets)
    ]
    triggers += [Trigger(kind="guideline_task", text=word) for word in words.guideline_tasks]
    triggers += [Trigger(kind="drug_task", text=word) for word in words.drug_tasks]
    triggers += [Trigger(kind="other_field", text=word) for word in words.other_fields]
    of_area = {t for t in targets if drugs.area(t) in {"tb", "cap", "both"}}
    return _Found(
        triggers=tuple(triggers),
        domain=bool(words.tb or words.cap),
        related=bool(words.related),
        guideline_task=bool(words.guideline_tasks),
        drug_task=bool(words.drug_tasks),
        other_field=bool(words.other_fields),
        targets=targets,
        labelled=labelled,
        of_field=bool(labelled or of_area),
        ours=bool(labelled & of_area),
    )


def _decide(found: _Found) -> tuple[Route, float]:
    return _decide_with_drug(found) if found.targets else _decide_without_drug(found)


def _decide_with_drug(found: _Found) -> tuple[Route, float]:
    if not found.domain and not found.of_field:
        return "OUT_OF_DOMAIN", SURE
    if not found.domain and found.other_field and not found.ours:
        return "OUT_OF_DOMAIN", LIKELY  # the disease is of another field
    if not found.labelled:
        return "MIXED", UNSURE  # no label here: guidelines may speak of it
    if not found.domain and (found.drug_task or not found.guideline_task):
        return "DRUG", SURE if found.drug_task else LIKELY
    return "MIXED", LIKELY


def _decide_without_drug(found: _Found) -> tuple[Route, float]:
    if found.domain:
        return ("GUIDELINE", SURE) if found.guideline_task else ("MIXED", LIKELY)
    if found.related and not found.other_field:
        return "MIXED", UNSURE
    return "OUT_OF_DOMAIN", LIKELY if found.other_field else UNSURE
