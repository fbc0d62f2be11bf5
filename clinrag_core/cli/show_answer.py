"""An answer on the terminal: what is said first, then what must be read with it, then its sources.

Every source is printed once, under the number that the statements give it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from clinrag_core.cli.common import prose
from clinrag_core.present.blocks import answer_blocks
from clinrag_core.present.lines import (
    NOT_A_DEVICE,
    first_lines,
    marks,
    notice_lines,
    own_lines,
    reason_of,
    source_line,
)
from clinrag_core.present.numbering import number_sources

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer, Claim
    from clinrag_core.present.blocks import ShownBlock
    from clinrag_core.present.numbering import NumberedAnswer

INDENT = (0, 0, 0, 2)  # top, right, bottom, left


def show_answer(answer: Answer, *, patient: bool = False, why: bool = False) -> None:
    """Print an answer, with its version in plain words and every decision on request."""
    numbered = number_sources(answer)
    _show_first(answer)
    for block in answer_blocks(answer):
        _show_block(block, numbered)
    errors = [f"Searched without: {error}" for error in answer.component_errors]
    for line in (*notice_lines(answer), *errors):
        _line(line, "yellow")
    for line in own_lines(answer):
        _line(line)
    _show_instead(answer)
    if patient:
        _show_patient(answer)
    if numbered.sources:
        prose.print()
    for source in numbered.sources:
        _line(source_line(source), "dim")
    if why:
        _show_decisions(answer)
    milliseconds = answer.timings_ms.get("total", 0)
    audit = f" · audit {answer.audit_id}" if answer.audit_id else ""
    end = f"release {answer.release} · {answer.generator} · {milliseconds:.0f} ms{audit}"
    prose.print()
    _line(f"{end}. {NOT_A_DEVICE}", "dim")


def _show_first(answer: Answer) -> None:
    """Print what must be read before the claims: corrections, the reason for silence, premises."""
    for word in answer.corrections:
        _line(f"Read '{word.typed}' as {word.meant}.")
    if answer.status != "answered":
        _line("No answer", "bold yellow")
        _line(reason_of(answer))
    for line in first_lines(answer):
        _line(line, "yellow")


def _line(text: str, style: str = "") -> None:
    """Print words of a document or of the program as they are, folded to the width."""
    prose.print(Text(text, style=style))


def _show_block(block: ShownBlock, numbered: NumberedAnswer) -> None:
    """Print the rows of a table as a table, other claims as paragraphs, and where they are from."""
    if block.headings:
        table = Table(show_lines=len(block.rows) > 1)
        for heading in (*block.headings, ""):
            table.add_column(Text(heading), overflow="fold")
        for row in block.rows:
            table.add_row(*(Text(c) for c in (*row.cells, marks(numbered.by_claim[row.claim]))))
        prose.print(table)
    else:
        for row in block.rows:
            text = f"• {row.cells[0]} {marks(numbered.by_claim[row.claim])}"
            prose.print(Text(text, style="bold"))
    if block.context:
        prose.print(Padding(Text(block.context, style="dim"), INDENT, expand=False))


def _show_instead(answer: Answer) -> None:
    """Print the passages nearest to a question that is not answered, and what could be asked."""
    if answer.status == "answered":
        return
    if answer.could_ask:
        _line(f"Could be asked: {'; '.join(answer.could_ask)}")
    places = dict.fromkeys(
        " › ".join((item.document_title, *item.section_path[-2:])) for item in answer.evidence
    )
    if places:
        _line("Nearest passages, which do not answer it:")
    for place in places:
        prose.print(Padding(Text(place, style="dim"), INDENT, expand=False))


def _show_patient(answer: Answer) -> None:
    """Print the answer in plain words."""
    if not answer.patient_summary.parts:
        return
    prose.print()
    _line("In plain words", "bold green")
    for part in answer.patient_summary.parts:
        if part.advice:
            _line(part.advice, "italic")
        for sentence in part.sentences:
            _line(" ".join(sentence.split()))


def _show_decisions(answer: Answer) -> None:
    """Print what was left out, the confidence per knowledge base and every decision of a gate."""
    counts: dict[str, int] = {}
    for rejection in answer.rejected_evidence:
        counts[rejection.code] = counts.get(rejection.code, 0) + 1
    prose.print()
    if answer.route is not None:
        _line(f"route {answer.route.route} ({answer.route.confidence:.0%})")
    if counts:
        counted = ", ".join(f"{count} {code}" for code, count in sorted(counts.items()))
        _line(f"rejected passages: {counted}")
    for claim in answer.rejected_claims:
        _line(f"rejected claim: {_reasons(claim)}")
    columns = ("knowledge base", "configuration", "signal", "threshold", "source")
    confidence = Table(*columns, title="confidence")
    for c in answer.confidence:
        row = (c.knowledge_base, c.configuration, f"{c.signal:.3f}", f"{c.threshold:.3f}", c.source)
        confidence.add_row(*row)
    prose.print(confidence)
    table = Table("claim", "gate", "passed", "code", "value", "threshold", title="gates")
    for number, claim in enumerate((*answer.claims, *answer.rejected_claims), start=1):
        for d in claim.decisions:
            numbers = ("" if x is None else f"{x:g}" for x in (d.value, d.threshold))
            table.add_row(str(number), d.gate, "yes" if d.passed else "NO", d.code or "", *numbers)
    prose.print(table)


def _reasons(claim: Claim) -> str:
    failed = [d for d in claim.decisions if not d.passed]
    return "; ".join(
        d.gate + ": " + str(d.code) + (f" ({', '.join(d.detail)})" if d.detail else "")
        for d in failed
    )
