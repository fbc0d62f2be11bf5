"""`clinrag`: thin, every command a call into the packages above it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from clinrag_core.cli import labels, parse, release
from clinrag_core.cli.common import console, guarded
from clinrag_core.settings import load_settings
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from clinrag_core.retrieve.engine import Component, SearchHit

app = typer.Typer(
    help="Search released TB and CAP knowledge bases. Not a medical device.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(release.app, name="release")
app.add_typer(parse.app, name="parse")
app.add_typer(labels.app, name="labels")


def citation_line(hit: SearchHit) -> str:
    """Where a hit stands: document, section, page or LOINC code, label version and date."""
    chunk = hit.chunk
    parts = [chunk.document_title, " › ".join(chunk.section_path)]
    if chunk.page is not None:
        parts.append(f"p. {chunk.page_label or chunk.page}")
    if chunk.loinc:
        parts.append(f"LOINC {chunk.loinc}")
    if chunk.label_version is not None:
        parts.append(f"version {chunk.label_version}")
    if chunk.effective is not None:
        parts.append(chunk.effective.isoformat())
    return " · ".join(part for part in parts if part)


def _as_json(hit: SearchHit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "score": hit.score,
        "knowledge_base": hit.knowledge_base,
        "component_scores": hit.component_scores,
        "component_ranks": hit.component_ranks,
        "citation": citation_line(hit),
        "chunk": hit.chunk.model_dump(mode="json"),
    }


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="a clinical question or keywords")],
    kb: Annotated[
        list[str] | None, typer.Option(help="knowledge base; repeat for several; all by default")
    ] = None,
    component: Annotated[
        list[str] | None, typer.Option(help="bm25 or dense; repeat for both; both by default")
    ] = None,
    top_k: Annotated[int | None, typer.Option(min=1, max=100, help="hits to show")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
) -> None:
    """Search the current release: every hit with its scores per component and its citation."""

    def work() -> None:
        from clinrag_core.errors import QueryError
        from clinrag_core.retrieve.engine import COMPONENTS, SearchEngine

        chosen: list[Component] = [c for c in COMPONENTS if component is None or c in component]
        if unknown := set(component or ()) - set(COMPONENTS):
            raise QueryError(f"unknown component {sorted(unknown)}; there are: bm25, dense")
        settings = load_settings()
        engine = SearchEngine.open_release(Workspace(settings.home), settings.retrieval)
        result = engine.search(question, kb, chosen, top_k)
        if as_json:
            rows = [_as_json(hit) for hit in result.hits]
            typer.echo(json.dumps({"score_kind": result.score_kind, "hits": rows}, indent=1))
            return
        if not result.hits:
            console.print("nothing found")
            return
        table = Table(show_lines=True)
        for name in ("", result.score_kind, *chosen):
            table.add_column(name, justify="right")
        table.add_column("passage", overflow="fold")
        for hit in result.hits:
            own = [
                f"{hit.component_scores[c]:.3f}" if c in hit.component_scores else "-"
                for c in chosen
            ]
            text = hit.chunk.text if len(hit.chunk.text) < 400 else hit.chunk.text[:400] + " …"
            passage = f"{citation_line(hit)}\n\n{text}"
            table.add_row(str(hit.rank), f"{hit.score:.4f}", *own, passage)
        console.print(table, markup=False)

    guarded(work)


if __name__ == "__main__":
    app()
