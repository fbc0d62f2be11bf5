"""What commands share: the consoles, the place of a passage, a pipeline over any folder."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation
    from clinrag_core.pipeline.pipeline import Pipeline

console = Console()
if not console.is_terminal:
    console = Console(width=200)  # a file or a pipe has no width to fold lines to
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


def cited_places(citations: Iterable[Citation]) -> list[str]:
    """Return a line for every place that is cited, with the spans cited there."""
    spans: dict[str, list[str]] = {}
    for citation in citations:
        spans.setdefault(place(citation), []).append(f"{citation.start}-{citation.end}")
    return [f"{where} · characters {', '.join(cited)}" for where, cited in spans.items()]


def progress_bar() -> Progress:
    """A progress bar on the error stream that is gone when it ends."""
    columns = (TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=errors, transient=True)


@contextmanager
def pipeline_over(corpus: Path | None) -> Generator[Pipeline]:
    """The profile's pipeline, or one over another folder in a temporary workspace."""
    from clinrag_core.pipeline.pipeline import Pipeline as NewPipeline

    if corpus is None:
        yield NewPipeline(load_settings())
        return
    with tempfile.TemporaryDirectory(prefix="clinrag-") as home:
        environ = {**os.environ, "CLINRAG_CORPUS": str(corpus.absolute()), "CLINRAG_HOME": home}
        yield NewPipeline(load_settings("folder", environ))
