"""What one answer holds of a question's nuggets and traps, in one corpus.

A nugget counts in a corpus that has one of its documents. A question to answer is judged where a
vital nugget counts, one to refuse where its answer is known to be absent; others are not asked.
Its traps stop a release only of a corpus that it was written for (ADR 0048).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from pydantic import Field

from clinrag_core.evaluate.nuggets import CorpusName, NuggetExpectation
from clinrag_core.evaluate.pooled_judgements import text_digest
from clinrag_core.evaluate.term_match import holds_all, holds_any, matchable
from clinrag_core.model.base import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clinrag_core.answer.records import Answer, Claim
    from clinrag_core.evaluate.nuggets import Nugget, NuggetQuestion, Trap
    from clinrag_core.model.citation import Citation

KNOWN_SHARE = 0.5
"""Least share of the documents named for one corpus alone that a release of it holds: a release may
lack some, but a corpus that shares a few documents with it is another one."""


class NuggetResult(Record):
    """What the answer to one question holds; positions are those of the question's lists."""

    question_id: str
    split: Literal["dev", "test"]
    topic: str
    kind: str
    expect: NuggetExpectation
    absent: bool = Field(description="in the domain, but not in the corpus")
    status: str
    reason: str | None
    counted: tuple[int, ...] = Field(description="nuggets that this corpus holds")
    said: tuple[int, ...] = Field(description="of them, those in one claim of the answer")
    vital: int = Field(description="vital nuggets that this corpus holds")
    vital_said: int
    first_claim: bool | None = Field(
        description="it holds a nugget that belongs there; null: none does"
    )
    usual_dose: bool | None = Field(
        None,
        description="asked for a drug's usual dose: its first claim holds it, or it is rightly "
        "refused; null: it asks for something else",
    )
    other_doses: int = Field(0, description="then, claims that give only other drugs' doses")
    traps_said: tuple[int, ...]
    gates: bool = Field(
        True, description="traps stop a release: the question was written for this corpus"
    )
    relevant: tuple[bool, ...] = Field(
        description="per claim: holds a nugget or quotes a statement judged relevant"
    )
    judged: tuple[bool, ...] = Field(
        (), description="per claim: holds a nugget or quotes a statement with a judgement"
    )
    claims: tuple[str, ...] = Field(description="texts, as a reader sees them")
    said_at: tuple[str, ...] = Field((), description="per claim: the place it cites first")
    missing_at: tuple[str, ...] = Field(
        default=(),
        description="per vital nugget that is missing: a place that holds it, or nothing",
    )
    words: int

    @property
    def answered(self) -> bool:
        """Whether there is an answer."""
        return self.status == "answered"

    @property
    def complete(self) -> bool:
        """Whether the answer holds every vital nugget."""
        return self.vital_said == self.vital

    @property
    def recall(self) -> float:
        """Share of the vital nuggets that the answer holds; 0 if it was refused."""
        return self.vital_said / self.vital if self.vital else 0.0


def place_at(citation: Citation | None = None) -> str:
    """Return a cited place in the form the question page reads; empty without one."""
    return f"{citation.chunk_id}:{citation.start}-{citation.end}" if citation else ""


def shown_text(claim: Claim) -> str:
    """Return the words of a claim as its reader sees them, frame included; not its source's title.

    A title or heading may name what the words leave open: that is not said.
    """
    return claim.text


class NuggetJudge:
    """Judges answers from a release that holds the given documents."""

    def __init__(self, questions: Sequence[NuggetQuestion], document_ids: Sequence[str]) -> None:
        self._documents = document_ids
        self.corpora = _known_corpora(questions, document_ids)
        self._counted = {question.id: self._counting(question) for question in questions}
        self.questions = tuple(q for q in questions if self._is_judged(q))

    def holds_nugget(self, question: NuggetQuestion, text: str) -> bool:
        """Return whether a text holds a nugget of a question that this corpus has."""
        found = matchable(text)
        return any(
            holds_all(found, question.nuggets[number].terms)
            for number in self._counted[question.id]
        )

    def judge(
        self,
        question: NuggetQuestion,
        answer: Answer,
        grades: Mapping[str, int],
        other_doses: int = 0,
    ) -> NuggetResult:
        """Judge an answer.

        Args:
            question: one of `questions`.
            answer: to it.
            grades: of statements for the question, by digest of the text.
            other_doses: claims that give only other drugs' doses.
        """
        claims = answer.claims if answer.status == "answered" else ()
        texts = [shown_text(claim) for claim in claims]
        matchables = [matchable(text) for text in texts]
        counted = self._counted[question.id]
        holds = {
            number: [holds_all(text, question.nuggets[number].terms) for text in matchables]
            for number in counted
        }
        said = [number for number in counted if any(holds[number])]
        vital = [number for number in counted if question.nuggets[number].vital]
        with_nugget = [any(row[n] for row in holds.values()) for n in range(len(claims))]
        graded = [_grades(claim, grades) for claim in claims]
        traps = [t if self._counts(t.corpora) else None for t in question.traps]
        return NuggetResult(
            question_id=question.id,
            split=question.split,
            topic=question.topic,
            kind=question.kind,
            expect=question.expect,
            absent=question.is_absent,
            status=answer.status,
            reason=answer.reason,
            counted=counted,
            said=tuple(said),
            vital=len(vital),
            vital_said=len(set(vital) & set(said)),
            first_claim=_first_claim(question, holds),
            usual_dose=_usual_dose(question, answer, holds) if question.asks_usual_dose else None,
            other_doses=other_doses,
            traps_said=tuple(
                number
                for number, trap in enumerate(traps)
                if trap is not None and any(_says(text, trap) for text in matchables)
            ),
            gates=self._is_written_for(question),
            relevant=tuple(
                has or any(found) for has, found in zip(with_nugget, graded, strict=True)
            ),
            judged=tuple(
                has or bool(found) for has, found in zip(with_nugget, graded, strict=True)
            ),
            claims=tuple(texts),
            said_at=tuple(place_at(*claim.citations[:1]) for claim in claims),
            words=sum(len(text.split()) for text in texts),
        )

    def _counts(self, corpora: Sequence[CorpusName]) -> bool:
        """Return whether what is said of these corpora applies; of none named, it does."""
        return not corpora or not self.corpora or bool(self.corpora & set(corpora))

    def _counting(self, question: NuggetQuestion) -> tuple[int, ...]:
        """Return the positions of the nuggets that this corpus holds."""

        def counts(nugget: Nugget) -> bool:
            named = nugget.corpora or question.corpora
            return nugget.is_in(self._documents) and self._counts(named)

        return tuple(n for n, nugget in enumerate(question.nuggets) if counts(nugget))

    def _is_judged(self, question: NuggetQuestion) -> bool:
        """Return whether this corpus can judge a question."""
        if question.expect == "answer":
            counted = self._counted[question.id]
            return any(question.nuggets[number].vital for number in counted)
        # Nobody knows what a corpus of a user's own answers.
        return self._is_written_for(question)

    def _is_written_for(self, question: NuggetQuestion) -> bool:
        """Return whether a question was written for this corpus; one that names none is for any."""
        return not question.corpora or bool(self.corpora & set(question.corpora))


def _grades(claim: Claim, grades: Mapping[str, int]) -> list[int]:
    """Return the grades of the statements that a claim quotes, of those that have one."""
    digests = map(text_digest, claim.sources or (claim.text,))
    return [grades[digest] for digest in digests if digest in grades]


def _says(text: str, trap: Trap) -> bool:
    """Return whether a claim, made matchable, says a trap."""
    return holds_all(text, trap.terms) and not holds_any(text, trap.unless)


def _first_claim(question: NuggetQuestion, holds: Mapping[int, Sequence[bool]]) -> bool | None:
    """Return whether the first claim holds what belongs there; None if nothing is asked for."""
    asked = [number for number in holds if question.nuggets[number].first_claim]
    return any(any(holds[number][:1]) for number in asked) if asked else None


def _usual_dose(
    question: NuggetQuestion, answer: Answer, holds: Mapping[int, Sequence[bool]]
) -> bool:
    """Return whether the first claim holds the usual dose, or a question is rightly refused."""
    if answer.status != "answered":
        return question.expect != "answer"
    vital = [number for number in holds if question.nuggets[number].vital]
    return any(any(holds[number][:1]) for number in vital)


def _known_corpora(
    questions: Sequence[NuggetQuestion], document_ids: Sequence[str]
) -> frozenset[CorpusName]:
    """Return the corpora that a release with these documents is of; none of a user's corpus.

    A corpus is known by the documents that are named for it alone.
    """
    named: dict[CorpusName, dict[str, bool]] = {name: {} for name in get_args(CorpusName)}
    for question in questions:
        for nugget in question.nuggets:
            corpora = nugget.corpora or question.corpora
            if len(corpora) == 1:
                named[corpora[0]][nugget.document] = nugget.is_in(document_ids)
    return frozenset(
        name
        for name, held in named.items()
        if held and sum(held.values()) >= KNOWN_SHARE * len(held)
    )
