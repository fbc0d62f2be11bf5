"""`clinrag ask`: an answer with its citations, or why there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from clinrag_core.cli.common import errors, progress_bar, prose
from clinrag_core.errors import QueryError
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clinrag_core.answer.records import Answer
    from clinrag_core.users.answering import Answering

NOT_ANSWERED = 3
"""Exit code where a question was not answered: nothing failed, and there is no answer to use."""
STANDARD_INPUT = "-"


def ask(
    question: Annotated[
        str | None,
        typer.Argument(help="a clinical question; '-' reads one a line from standard input"),
    ] = None,
    patient: Annotated[bool, typer.Option("--patient", help="also in plain words")] = False,
    why: Annotated[
        bool, typer.Option("--why", help="every gate's decision and what was rejected")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="for machines; with '-' one line for each answer")
    ] = False,
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

    Without a question, a terminal is asked for one after the other. Exits with 3 where a question
    was not answered. With --questions the answers to a list go to a file; exits with 2 where a row
    cannot be used.
    """

    def show(answer: Answer) -> None:
        if as_json:
            typer.echo(answer.model_dump_json(indent=None if question == STANDARD_INPUT else 1))
        else:
            from clinrag_core.cli.show_answer import show_answer

            show_answer(answer, patient=patient, why=why)

    if questions is not None or out is not None:
        if question is not None or questions is None or out is None:
            raise typer.BadParameter("give a question, or --questions and --out")
        _ask_list(questions, out, pipeline)
    elif question == STANDARD_INPUT:
        _ask_each(_opened(pipeline), sys.stdin, show, rules=not as_json, only_own=only_mine)
    elif question is not None:
        answer = _opened(pipeline).ask(question, only_own=only_mine)
        show(answer)
        if answer.status != "answered":
            raise typer.Exit(NOT_ANSWERED)
    elif sys.stdin.isatty():
        _converse(_opened(pipeline), show, only_own=only_mine)
    else:
        raise typer.BadParameter("give a question, '-', or --questions and --out")


def _opened(pipeline: str) -> Answering:
    """Return answering with a pipeline for its evidence.

    Raises:
        BadParameter: answers cannot be made by that pipeline.
    """
    if pipeline not in {"hybrid", "multistage"}:
        raise typer.BadParameter("hybrid or multistage", param_hint="--pipeline")
    from clinrag_core.retrieve.open import open_engine

    settings = load_settings()
    engine = open_engine(settings, once=True)
    from clinrag_core.users.answering import open_answering  # while the encoder loads

    if pipeline == "hybrid":
        return open_answering(settings, engine)
    from clinrag_core.reason.open import open_staged_engine

    return open_answering(settings, open_staged_engine(settings, engine))


def _ask_each(
    answering: Answering,
    lines: Iterable[str],
    show: Callable[[Answer], None],
    *,
    rules: bool,
    only_own: bool,
) -> None:
    """Answer each line that is not empty, as it arrives.

    Raises:
        Exit: 3, one of them was not answered.
    """
    refused = False
    for line in lines:
        if not (asked := line.strip()):
            continue
        if rules:
            prose.rule(Text(asked), align="left", style="dim")
        answer = answering.ask(asked, only_own=only_own)
        refused |= answer.status != "answered"
        show(answer)
        sys.stdout.flush()
    if refused:
        raise typer.Exit(NOT_ANSWERED)


def _converse(answering: Answering, show: Callable[[Answer], None], *, only_own: bool) -> None:
    """Answer questions of a terminal until it ends; each is answered alone, none is stored."""
    prose.print("One question a line; an empty line ends. Not a medical device.", style="dim")
    while True:
        try:
            asked = input("\nquestion> ").strip()
        except (EOFError, KeyboardInterrupt):
            break
        if not asked:
            break
        try:
            show(answering.ask(asked, only_own=only_own))
        except QueryError as error:
            errors.print(f"error: {error}", style="red", markup=False, highlight=False)


def _ask_list(file: Path, out: Path, pipeline: str) -> None:
    """Answer a list of questions into a file, naming each row that cannot be used."""
    from clinrag_core.cli.ask_file import answer_file, read_questions

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
