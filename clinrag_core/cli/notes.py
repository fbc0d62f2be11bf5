"""`clinrag notes`: the summary and the plan of clinical notes, each item with its characters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from clinrag_core.cli.common import console, errors, progress_bar
from clinrag_core.errors import ClinragError
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.notes.records import GuidelineFinding, NotePlan, NoteResult
    from clinrag_core.notes.summarise import NoteSummariser

app = typer.Typer(
    help="Clinical notes: summary and plan with exact citations.", no_args_is_help=True
)
_PRIVATE = 0o600  # only the owner reads a note


@app.callback()
def _group() -> None:
    """Keep `summarise` a command of the group."""


@app.command()
def summarise(
    source: Annotated[Path, typer.Argument(help="a note (.txt, .md, .pdf), or a folder of notes")],
    plan: Annotated[bool, typer.Option("--plan", help="also what the note recommends")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="put medicines and plan to the current release")
    ] = False,
    html: Annotated[
        bool, typer.Option("--html", help="a page with the note and its spans")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
    out: Annotated[
        Path | None, typer.Option(help="file of the result; of a folder: the folder of results")
    ] = None,
) -> None:
    """Summarise a note, or every note of a folder into --out; goes on where it was stopped.

    Exits with 2 where a note of a folder cannot be used.
    """
    from clinrag_core.notes.summarise import NoteSummariser as Summariser

    settings = load_settings()
    summariser = Summariser(settings)
    engine = _engine() if check else None
    if source.is_dir():
        if out is None:
            raise typer.BadParameter("a folder of notes needs --out", param_hint="--out")
        _summarise_folder(source, out, summariser, engine, plan=plan, html=html)
        return
    text, result = _summarised(source, summariser, engine, plan=plan)
    written = _rendered(text, result, source.stem, html=html, as_json=as_json or out is not None)
    if out is not None and written is not None:
        _write(out, written)
    elif written is not None:
        typer.echo(written)
    else:
        _show(result)


def _engine() -> AnswerEngine:
    from clinrag_core.users.answering import open_answering

    return open_answering(load_settings()).engine


def _summarised(
    path: Path, summariser: NoteSummariser, engine: AnswerEngine | None, *, plan: bool
) -> tuple[str, NoteResult]:
    from clinrag_core.notes.read import note_text

    text = note_text(path)
    return text, summariser.summarise(text, with_plan=plan, engine=engine)


def _rendered(
    text: str, result: NoteResult, title: str, *, html: bool, as_json: bool
) -> str | None:
    """Return a result as a page or as JSON; None where it is to be printed."""
    if html:
        from clinrag_core.notes.html import note_page

        return note_page(text, result, title)
    return result.model_dump_json(indent=1) if as_json else None


def _write(path: Path, text: str) -> None:
    """Write a result that its owner alone may read; whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.touch(mode=_PRIVATE)
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _summarise_folder(
    folder: Path,
    out: Path,
    summariser: NoteSummariser,
    engine: AnswerEngine | None,
    *,
    plan: bool,
    html: bool,
) -> None:
    """Write a result for each note that has none yet."""
    from clinrag_core.notes.folder import note_files, result_name

    files = note_files(folder)
    made = failed = 0
    with progress_bar() as progress:
        task = progress.add_task("notes", total=len(files))
        for path in files:
            name = result_name(
                path, folder, summariser.name, with_plan=plan, checked=engine is not None
            )
            target = out / (f"{name}.html" if html else f"{name}.json")
            if not target.exists():
                try:
                    text, result = _summarised(path, summariser, engine, plan=plan)
                except ClinragError as error:
                    failed += 1
                    errors.print(f"{path.name}: {error}", markup=False, highlight=False)
                else:
                    written = _rendered(text, result, path.stem, html=html, as_json=True)
                    _write(target, written or "")
                    made += 1
            progress.advance(task)
    there = len(files) - made - failed
    errors.print(f"{made} notes summarised, {there} there already, {failed} failed")
    if failed:
        raise typer.Exit(2)


def _show(result: NoteResult) -> None:
    """Print a summary, and the plan and the check if there are any."""
    from clinrag_core.notes.outline import outline
    from clinrag_core.notes.records import section_title

    for section in outline(result):
        console.print(f"\n[bold]{section_title(section.name)}[/bold]")
        if not section.groups:
            console.print(f"  [dim]{section.remark}[/dim]")
        for group in section.groups:
            console.print(f"  [italic]{escape(' '.join(group.title.split()))}[/italic]")
            for item in group.items:
                status = f" [yellow]({escape(item.status)})[/yellow]" if item.status else ""
                place = f"[dim]\\[{escape(_place(item.source))}][/dim]"
                console.print(f"  - {escape(item.text)}{status} {place}", highlight=False)
    if result.plan is not None:
        _show_plan(result.plan)
    if result.not_summarised:
        count = len(result.not_summarised)
        console.print(
            f"\n[dim]{count} statements of the note are in no section: how an operation was done, "
            "consent, courtesy (see --html or --json).[/dim]",
            highlight=False,
        )
    _show_check(result.guideline_check or ())
    figures = result.figures
    console.print(
        f"\n[dim]{figures.valid} of {figures.items} items cited · {result.generator} · "
        f"{result.milliseconds:.0f} ms. {escape(result.notice)}[/dim]",
        highlight=False,
    )


def _show_check(findings: Sequence[GuidelineFinding]) -> None:
    """Print what the knowledge bases say, each verdict with the items that it is about."""
    from clinrag_core.notes.check_outline import check_entries

    if entries := check_entries(findings):
        console.print("\n[bold]Guidelines and labels[/bold]")
    for entry in entries:
        said = escape(f"{entry.verdict}: {' '.join(entry.questions)}")
        console.print(f"  {said}", highlight=False)
        for item in entry.items:
            place = f"[dim]\\[{escape(_place(item.source))}][/dim]"
            console.print(f"     about: {escape(item.text)} {place}", highlight=False)
        for quote in entry.quotes:
            above = "(quoted above) " if quote.is_above else ""
            place = f"[dim]{above}{escape(quote.place)}[/dim]"
            console.print(f"     {escape(quote.text)} {place}", highlight=False)
    if silent := sum(1 for one in findings if not one.evidence):
        console.print(f"  no guideline evidence: {silent} questions (see --html or --json)")


def _show_plan(plan: NotePlan) -> None:
    """Print the recommendations, most urgent first."""
    from clinrag_core.notes.plan import how_soon, problems_to_show

    console.print("\n[bold]Plan[/bold]")
    if not plan.recommendations:
        console.print("  [dim]the note recommends nothing[/dim]")
    for one, problem in zip(plan.recommendations, problems_to_show(plan), strict=True):
        about = f"{' '.join(problem.text.split()).rstrip('.:')}: " if problem else ""
        urgency = f" ({soon})" if (soon := how_soon(one)) else ""
        said = escape(about + " ".join(one.recommendation.split()))
        place = f"[dim]\\[{escape(_place(one.source))}][/dim]"
        console.print(f"  {one.number}.{urgency} {said} {place}", highlight=False)
        if one.hallucination_guard_note:
            note = f"confidence {one.confidence:.1f}: {one.hallucination_guard_note}"
            console.print(f"     [yellow]{escape(note)}[/yellow]", highlight=False)


def _place(source: str) -> str:
    """Return the chunk and characters of a source; its heading is printed above."""
    return source.rsplit(" section, ", maxsplit=1)[-1]
