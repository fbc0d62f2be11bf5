"""`clinrag ask`: an answer with its citations, or why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from clinrag_core.cli.ask_file import answer_file, read_questions
from clinrag_core.cli.common import cited_places, console, errors, progress_bar
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer, Claim, Contradiction
    from clinrag_core.model.citation import Citation
    from clinrag_core.users.answering import Answering

COLOURS = {"answered": "green", "abstained": "yellow", "out_of_domain": "yellow"}


def ask(
    question: Annotated[str | None, typer.Argument(help="a clinical question")] = None,
    patient: Annotated[bool, typer.Option("--patient", help="also in plain words")] = False,
    why: Annotated[
        bool, typer.Option("--why", help="every gate's decision and what was rejected")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
    pipeline: Annotated[
        str, typer.Option(help="hybrid or multistage: how evidence is searched")
    ] = "hybrid",
    only_mine: Annotated[
        bool, typer.Option("--only-my-documents", help="read nothing but your own documents")
    ] = False,
    questions: Annotated[
        Path | None, typer.Option(help="many: tab-separated, with a column 'question'")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="with --questions: JSON, a line for each question")
    ] = None,
) -> None:
    """Answer from the current release, with citations to check; or abstain and say why.

    With --questions the answers to a list go to a file; exits with 2 where a row cannot be used.
    """
    if question is not None and questions is None and out is None:
        answer = _opened(pipeline).ask(question, only_own=only_mine)
        if as_json:
            typer.echo(answer.model_dump_json(indent=1))
        else:
            _show(answer, patient=patient, why=why)
    elif question is None and questions is not None and out is not None:
        _ask_list(questions, out, pipeline)
    else:
        raise typer.BadParameter("give a question, or --questions and --out")


def _opened(pipeline: str) -> Answering:
    """Return answering with a pipeline for its evidence.

    Raises:
        BadParameter: answers cannot be made by that pipeline.
    """
    from clinrag_core.users.answering import open_answering

    settings = load_settings()
    if pipeline == "hybrid":
        return open_answering(settings)
    if pipeline != "multistage":
        raise typer.BadParameter("hybrid or multistage", param_hint="--pipeline")
    from clinrag_core.reason.open import open_staged_engine
    from clinrag_core.retrieve.open import open_engine

    return open_answering(settings, open_staged_engine(settings, open_engine(settings)))


def _ask_list(file: Path, out: Path, pipeline: str) -> None:
    """Answer a list of questions into a file, naming each row that cannot be used."""
    listed = read_questions(file)
    answering = _opened(pipeline)
    with progress_bar() as progress:
        task = progress.add_task("asking", total=len(listed.rows))
        answer_file(
            listed,
            answering.ask,
            out,
            lambda done, total: progress.update(task, completed=done, total=total),
        )
    for problem in listed.problems:
        errors.print(problem, markup=False, highlight=False)
    errors.print(f"{len(listed.rows)} answers in {out}", markup=False, highlight=False)
    if listed.problems:
        raise typer.Exit(2)


def _show_places(*citations: Citation) -> None:
    for line in cited_places(citations):
        console.print(f"   [dim]{escape(line)}[/dim]", highlight=False)


def _show(answer: Answer, *, patient: bool, why: bool) -> None:
    """Print an answer: status, claims with citations, what was left out."""
    head = f"[bold]{answer.status.replace('_', ' ')}[/bold]"
    if answer.route is not None:
        head += f"   route {answer.route.route} ({answer.route.confidence:.0%})"
    for word in answer.corrections:
        head += f"\nread '{escape(word.typed)}' as {word.drug}"
    if answer.message:
        head += f"\n{escape(answer.message)}"
    console.print(Panel(head, border_style=COLOURS[answer.status], expand=False))
    _show_instead(answer)
    _show_claims(answer)
    _show_notices(answer)
    for contradiction in answer.contradictions:
        _show_contradiction(contradiction)
    _show_own(answer)
    if patient and answer.status == "answered":
        _show_patient(answer)
    _show_left_out(answer)
    if why:
        _show_decisions(answer)
    console.print(
        f"\n[dim]release {answer.release} · {answer.generator} · "
        f"{answer.timings_ms.get('total', 0):.0f} ms · audit {answer.audit_id}. "
        "Not a medical device.[/dim]",
        highlight=False,
    )


def _show_claims(answer: Answer) -> None:
    """Print what the sources contradict, each claim with its place, and what is not answered."""
    for premise in answer.premises:
        console.print(f"[bold yellow]{escape(premise)}[/bold yellow]")
    for missing in answer.unmet:
        console.print(f"[yellow]{escape(missing)}[/yellow]")
    for number, claim in enumerate(answer.claims, start=1):
        console.print(f"[bold]{number}.[/bold] {escape(' '.join(claim.text.split()))}")
        if claim.context:
            console.print(f"   [italic]{escape(claim.context)}[/italic]", highlight=False)
        _show_places(*claim.citations)


def _show_contradiction(contradiction: Contradiction) -> None:
    console.print(f"\nsources differ on {', '.join(contradiction.about)}:")
    for citation, date in zip(contradiction.citations, contradiction.dates, strict=True):
        console.print(f"  {date or 'undated'}: {escape(citation.snippet)}", highlight=False)
        _show_places(citation)


def _show_own(answer: Answer) -> None:
    """Print what the user's own documents say, under a heading that says what they are."""
    own = answer.own_documents
    if own is None or not own.claims:
        return
    console.print("\n[bold]From your own documents[/bold] (not reviewed, not of the sources)")
    for claim in own.claims:
        console.print(f"- {escape(' '.join(claim.text.split()))}", highlight=False)
        _show_places(*claim.citations)
    for conflict in own.conflicts:
        _show_contradiction(conflict)


def _show_instead(answer: Answer) -> None:
    """Print the passages nearest to a question that is not answered, and what could be asked."""
    if answer.status == "answered":
        return
    for item in answer.evidence:
        where = " > ".join((item.document_title, *item.section_path[-2:]))
        console.print(f"nearest: [dim]{escape(where)}[/dim]", highlight=False)
    if answer.could_ask:
        console.print(f"could be asked: {escape('; '.join(answer.could_ask))}", highlight=False)


def _show_notices(answer: Answer) -> None:
    """Print what the reader must know of the release and of the labels that are cited."""
    for change in answer.label_changes:
        sections = "; ".join(change.sections) or "sections that cannot be compared"
        console.print(
            f"\nnot yet reviewed: the label of {change.name} changed from version "
            f"{change.old_version or '?'} to {change.new_version or '?'}: {sections}",
            style="bold red", markup=False, highlight=False,
        )  # fmt: skip
    if answer.damaged_release is not None:
        line = f"\nrelease {answer.damaged_release} is damaged; an earlier one answered"
        console.print(line, style="bold red")
    if answer.unreviewed:
        line = "\nunreviewed: nobody has promoted an evaluation of this corpus yet"
        console.print(line, style="yellow")


def _show_patient(answer: Answer) -> None:
    for part in answer.patient_summary.parts:
        if part.advice:
            console.print(f"  [italic]{escape(part.advice)}[/italic]")
        elif part.kind == "already_plain":
            console.print("  [italic]As in the answer, which is plain already:[/italic]")
        for sentence in part.sentences:
            console.print(f"  - {escape(' '.join(sentence.split()))}", highlight=False)


def _show_left_out(answer: Answer) -> None:
    counts: dict[str, int] = {}
    for rejection in answer.rejected_evidence:
        counts[rejection.code] = counts.get(rejection.code, 0) + 1
    if counts:
        counted = ", ".join(f"{count} {code}" for code, count in sorted(counts.items()))
        console.print(f"\nrejected passages: {counted}", highlight=False)
    for claim in answer.rejected_claims:
        console.print(f"rejected claim: {escape(_reasons(claim))}", highlight=False)
    for error in answer.component_errors:
        console.print(f"without: {error}", style="yellow")


def _reasons(claim: Claim) -> str:
    failed = [d for d in claim.decisions if not d.passed]
    return "; ".join(
        d.gate + ": " + str(d.code) + (f" ({', '.join(d.detail)})" if d.detail else "")
        for d in failed
    )


def _show_decisions(answer: Answer) -> None:
    """Print the confidence per knowledge base and every decision of a gate."""
    columns = ("knowledge base", "configuration", "signal", "threshold", "source")
    confidence = Table(*columns, title="confidence")
    for c in answer.confidence:
        row = (c.knowledge_base, c.configuration, f"{c.signal:.3f}", f"{c.threshold:.3f}", c.source)
        confidence.add_row(*row)
    console.print(confidence)
    table = Table("claim", "gate", "passed", "code", "value", "threshold", title="gates")
    for number, claim in enumerate((*answer.claims, *answer.rejected_claims), start=1):
        for d in claim.decisions:
            numbers = ("" if x is None else f"{x:g}" for x in (d.value, d.threshold))
            table.add_row(str(number), d.gate, "yes" if d.passed else "NO", d.code or "", *numbers)
    console.print(table)
