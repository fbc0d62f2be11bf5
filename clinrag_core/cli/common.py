"""What commands share: the consoles, the place of a passage, a pipeline over any folder."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from rich.progress import Progress

    from clinrag_core.model.base import Record
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation
    from clinrag_core.pipeline.pipeline import Pipeline

Json = Annotated[bool, typer.Option("--json", help="for machines")]
PROSE_WIDTH = 100
"""Characters that running text is folded to, in a pipe or on a wider terminal."""

console = Console()
if not console.is_terminal and "COLUMNS" not in os.environ:
    console = Console(width=200)  # tables in a file or a pipe lose nothing
prose = Console(highlight=False)
if prose.width > PROSE_WIDTH or (not prose.is_terminal and "COLUMNS" not in os.environ):
    prose = Console(width=PROSE_WIDTH, highlight=False)
errors = Console(stderr=True)


def place(where: Chunk | Citation) -> str:
    """Place of a passage: document, section, page or LOINC code, label version and date."""
    parts = [where.document_title, " › ".join(where.section_path)]
    if where.page is not None:
        parts.append(f"p. {where.page_label or where.page}")
    if where.loinc:
        parts.append(f"LOINC {where.loinc}")
    if where.label_version is not None:
        parts.append(f"version {where.label_version}")
    if where.effective is not None:
        parts.append(where.effective.isoformat())
    return " · ".join(part for part in parts if part)


def echo_records(records: Iterable[Record]) -> None:
    """Print records as a JSON list."""
    listed = [record.model_dump(mode="json") for record in records]
    typer.echo(json.dumps(listed, indent=1, ensure_ascii=False))


def echo_json(value: object) -> None:
    """Print facts as JSON; paths and dates as text."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False, default=str))


def progress_bar() -> Progress:
    """Return a progress bar on the error stream that is gone when it ends."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as NewProgress

    columns = (TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn())
    return NewProgress(*columns, console=errors, transient=True)


@contextmanager
def pipeline_over(corpus: Path | None) -> Generator[Pipeline]:
    """The profile's pipeline, or one over another folder in a temporary workspace."""
    from clinrag_core.pipeline.pipeline import Pipeline as NewPipeline

    if corpus is None:
        yield NewPipeline(load_settings())
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="clinrag-") as home:
        environ = {**os.environ, "CLINRAG_CORPUS": str(corpus.absolute()), "CLINRAG_HOME": home}
        yield NewPipeline(load_settings("folder", environ))
