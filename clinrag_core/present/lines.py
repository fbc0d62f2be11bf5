"""An answer as lines of text, for a terminal without colours, a notebook or another program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.present.blocks import headed_text
from clinrag_core.present.numbering import number_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.records import Answer, Claim, Contradiction
    from clinrag_core.present.numbering import NumberedSource

NOT_A_DEVICE = "Not a medical device."
OWN_HEADING = "From your own documents (not reviewed, not part of the sources)"
ABSTAIN = "ABSTAIN:"
"""How the message of an abstention begins for programs; people read the reason alone."""


def marks(sources: Sequence[NumberedSource]) -> str:
    """Return the numbers of a claim's sources as they follow it: '[1][3]'."""
    return "".join(f"[{source.number}]" for source in sources)


def claim_lines(answer: Answer) -> list[str]:
    """Return each claim in one line with the numbers of its sources."""
    by_claim = number_sources(answer).by_claim
    return [
        f"{_of_table(claim)}{headed_text(claim)} {marks(sources)}"
        for claim, sources in zip(answer.claims, by_claim, strict=True)
    ]


def _of_table(claim: Claim) -> str:
    """Return what the table of a row is about, which its cells do not say; else nothing.

    "No treatment while waiting for results" holds for those who come back after months.
    """
    last = claim.context.rpartition(" › ")[2]
    path = claim.citations[0].section_path if claim.citations else ()
    is_said = last in (claim.context, *path[-1:]) or last in claim.text
    return "" if claim.kind != "row" or is_said else f"{last.rstrip(':. ')}: "


def source_lines(answer: Answer) -> list[str]:
    """Return each source in one line: number, document, heading, page or code, date."""
    return [source_line(source) for source in number_sources(answer).sources]


def source_line(source: NumberedSource) -> str:
    """Return a source in one line."""
    return f"[{source.number}] {' · '.join(p for p in (source.title, source.where) if p)}"


def reason_of(answer: Answer) -> str:
    """Return the reason of an abstention as a sentence; empty for an answer."""
    message = answer.message.removeprefix(ABSTAIN).strip()
    return message[:1].upper() + message[1:]


def differing(found: Contradiction) -> str:
    """Return what sources differ on and what each of them says, with organisation and date."""
    organisations = found.organisations or (None,) * len(found.dates)
    sides = zip(found.citations, found.dates, organisations, strict=True)
    said = (
        f"{', '.join(filter(None, (organisation, date or 'undated')))}: "
        f"{' '.join(citation.snippet.split())}"
        for citation, date, organisation in sides
    )
    return f"Sources differ on {', '.join(found.about)}: {'; '.join(said)}"


def own_lines(answer: Answer) -> list[str]:
    """Return what documents of the user who asks say, under its own heading; empty without any."""
    own = answer.own_documents
    if own is None or not own.claims:
        return []
    claims = [
        f"• {' '.join(claim.text.split())} ({claim.citations[0].document_title})"
        for claim in own.claims
    ]
    return [OWN_HEADING, *claims, *map(differing, own.conflicts)]


def first_lines(answer: Answer) -> list[str]:
    """Return what must be read before an answer: wrong premises, and what it does not answer."""
    lines = [f"Check what the question assumes: {text}" for text in answer.premises]
    return lines + [f"Not answered: {text}" for text in answer.unmet]


def notice_lines(answer: Answer) -> list[str]:
    """Return what must be read after an answer, most important first."""
    lines = [*map(differing, answer.contradictions)]
    lines += [
        f"Not yet reviewed: the label of {c.name} changed from version {c.old_version or '?'} to "
        f"{c.new_version or '?'}"
        for c in answer.label_changes
    ]
    if answer.damaged_release is not None:
        lines.append(f"Release {answer.damaged_release} is damaged; an earlier one answered")
    if answer.unreviewed:
        lines.append("Not reviewed: nobody has accepted an evaluation of this release yet")
    return lines


def answer_text(answer: Answer) -> str:
    """Return an answer as text: reason or claims, what must be read with them, numbered sources."""
    head = [reason_of(answer)] if answer.status != "answered" else []
    if answer.could_ask:
        head.append(f"Could be asked: {'; '.join(answer.could_ask)}")
    parts = (
        head,
        first_lines(answer),
        claim_lines(answer),
        notice_lines(answer),
        own_lines(answer),
        source_lines(answer),
    )
    end = f"Release {answer.release}. {NOT_A_DEVICE}"
    return "\n\n".join("\n".join(lines) for lines in (*parts, [end]) if lines)
