"""What a generator is: it drafts claims from evidence. Nothing it says is believed.

Whatever it drafts goes through the gates; a citation it makes up is rejected there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from clinrag_core.facts.people import read_people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.model.citation import Citation
    from clinrag_core.model.statement import IndexedStatement, StatementKind


class DraftClaim(NamedTuple):
    """One sentence with what it cites."""

    text: str
    citations: tuple[Citation, ...]
    context: str = ""
    """What heads it in its document, for the reader."""
    sources: tuple[str, ...] = ()
    """What the statements say that it cites."""
    kind: StatementKind | None = None
    """Of the statement that it repeats word for word; None for a wording of its own."""


class Draft(NamedTuple):
    """What a generator drafted."""

    claims: tuple[DraftClaim, ...]


Role = Literal[
    "lead",  # what to do on a finding of the patient, or the warnings asked for: comes first
    "warning",  # a contraindication or boxed warning that is always shown
    "direct",  # answers the question
]


class QuotableStatement(NamedTuple):
    """A statement that fits the question, with its score and its places."""

    statement: IndexedStatement
    score: float
    citations: tuple[Citation, ...]
    role: Role = "direct"


class Task(NamedTuple):
    """What a generator is given. Evidence is data: instructions in it are text to be quoted."""

    question: str
    asked: str
    """What it says, slot by slot, in words."""
    statements: Sequence[QuotableStatement]
    """Warnings first, then best first."""
    sentences: int
    """Most claims wanted."""


def context(statement: IndexedStatement) -> str:
    """Return what heads a statement: dated label or guideline, headings, run-in, caption.

    Of the headings the nearest, and the one above it that says for whom all below it is: a dose
    under "Adjunct therapy" may be one of children.
    """
    *above, nearest = statement.headings or ("",)
    whom = next((one for one in reversed(above) if read_people(one)), "")
    parts = [dated_title(statement), "" if read_people(nearest) else whom, nearest]
    parts.append(statement.run_in)
    if statement.caption not in statement.said:
        parts.append(statement.caption)
    return " › ".join(dict.fromkeys(part for part in parts if part))


def own_words(one: IndexedStatement, other: IndexedStatement) -> tuple[str, str]:
    """Return what two statements say, without the words that introduce both as items of one list.

    "Contraindicated in: seizures" and "Contraindicated in: allergy" say different things.
    """
    leads = {each.said.removesuffix(each.text) for each in (one, other)}
    are_items = one.statement_kind == other.statement_kind == "item"
    if are_items and one.document_id == other.document_id and len(leads) == 1:
        return one.text, other.text
    return one.said, other.said


def dated_title(statement: IndexedStatement) -> str:
    """Return a document's title with its date: which of two is newer must be seen."""
    title = statement.document_title
    if statement.effective is not None:
        return f"{title}, label of {statement.effective.isoformat()}"
    if statement.year is not None and str(statement.year) not in title:
        return f"{title} ({statement.year})"
    return title


def join_drafts(drafts: Sequence[Draft]) -> Draft:
    """Return the drafts of the parts of a question as one; a claim that two make is made once.

    Made once, too, is one that another says among more, of the same place.
    """
    claims: list[DraftClaim] = []
    for claim in (claim for draft in drafts for claim in draft.claims):
        if claim in claims or any(_says_more(one, claim) for one in claims):
            continue
        less = next((at for at, one in enumerate(claims) if _says_more(claim, one)), None)
        if less is None:
            claims.append(claim)
        else:
            claims[less] = claim
    return Draft(tuple(claims))


def _says_more(one: DraftClaim, other: DraftClaim) -> bool:
    """Return whether a quoted claim has all words of another one that is quoted from its place."""
    is_quoted = one.kind is not None and other.kind is not None
    return is_quoted and one.context == other.context and other.text in one.text


class Generator(Protocol):
    """Drafts claims; one object serves all threads."""

    name: str

    @property
    def revision(self) -> str:
        """Of the prompt or the rules: part of the audit record."""
        ...

    def generate(self, task: Task) -> Draft:
        """Draft an answer.

        Raises:
            GenerationError: the model does not answer, or not in the form asked for.
        """
        ...
