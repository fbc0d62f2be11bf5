"""`clinrag search`: the engine's answer as a table, or as JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from rich.table import Table

from clinrag_core.cli.common import console, errors, place
from clinrag_core.model.base import described
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from clinrag_core.retrieve.request import SearchRequest, SearchResponse
    from clinrag_core.retrieve.stages.multistage import MultistageRetriever

SHOWN_CHARACTERS = 400
SHOWN_VALUES = 40
"""Characters of a passage, and known values of a filter, that a terminal shows."""


def search(  # noqa: PLR0913, PLR0917 - one option each
    question: Annotated[str, typer.Argument(help="a clinical question or keywords")],
    knowledge_base: Annotated[
        list[str] | None, typer.Option(help="repeat for several; all by default")
    ] = None,
    component: Annotated[
        list[str] | None, typer.Option(help="bm25, splade or dense; repeat; default: the profile's")
    ] = None,
    fusion_method: Annotated[str, typer.Option(help="rrf or weighted")] = "rrf",
    rrf_k: Annotated[
        int | None, typer.Option(help="rank constant of rrf; default: the profile's")
    ] = None,
    boost: Annotated[
        bool | None,
        typer.Option("--boost/--no-boost", help="boost sections and tables that fit the intent"),
    ] = None,
    query_intent: Annotated[str | None, typer.Option(help="tabular, or a clinical intent")] = None,
    rerank: Annotated[
        bool | None, typer.Option("--rerank/--no-rerank", help="default: if the profile has one")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="only of this publisher")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="only of this topic")] = None,
    drug: Annotated[list[str] | None, typer.Option(help="only passages of this drug")] = None,
    group: Annotated[list[str] | None, typer.Option(help="only this section group")] = None,
    year_from: Annotated[int | None, typer.Option(help="only from this year on")] = None,
    year_to: Annotated[int | None, typer.Option(help="only up to this year")] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="only passages with a table")
    ] = False,
    min_similarity: Annotated[float | None, typer.Option(help="least cosine")] = None,
    diversity: Annotated[float | None, typer.Option(help="0 to 1; more diverse results")] = None,
    expand: Annotated[
        bool, typer.Option("--expand", help="with --json: each result's whole section")
    ] = False,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="results to show")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="for machines")] = False,
    pipeline: Annotated[str, typer.Option(help="hybrid, multistage or multistage_seed")] = "hybrid",
) -> None:
    """Search the current release: every result with its scores per component and its citation.

    Options are named as the fields of `POST /v1/search`; those to repeat are in the singular.
    """
    from clinrag_core.reason.open import open_multistage, pipeline_named
    from clinrag_core.retrieve.open import open_engine

    request = _request(
        query=question,
        knowledge_bases=knowledge_base,
        components=component,
        fusion_method=fusion_method,
        rrf_k=rrf_k,
        boost=boost,
        query_intent=query_intent,
        rerank=rerank,
        min_similarity=min_similarity,
        diversity=diversity,
        expand=expand,
        top_k=top_k,
        filter={
            "sources": source or (),
            "topics": topic or (),
            "drugs": drug or (),
            "groups": group or (),
            "year_from": year_from,
            "year_to": year_to,
            "tables_only": tables_only,
        },
    )
    settings = load_settings()
    engine = open_engine(settings, once=True)
    for notice in engine.served.notices if engine.served else ():
        errors.print(notice, style="yellow")
    chosen = pipeline_named(pipeline)
    if chosen != "hybrid":
        _search_stages(open_multistage(settings, engine, chosen), request, as_json=as_json)
        return
    response = engine.search(request)
    _warn(response, [base.table for base in engine.knowledge_bases.values()])
    if as_json:
        typer.echo(response.model_dump_json(indent=1))
    else:
        _show(response)


def _search_stages(stages: MultistageRetriever, request: SearchRequest, *, as_json: bool) -> None:
    """Search in stages and print the context, with what each stage did."""
    response = stages.search(request)
    for error in response.component_errors:
        errors.print(f"without: {error}", style="yellow", markup=False)
    if as_json:
        typer.echo(response.model_dump_json(indent=1))
        return
    for report in response.stages:
        notes = f" ({'; '.join(report.notes)})" if report.notes else ""
        console.print(
            f"{report.stage}: {report.passages} passages, {report.added} added, "
            f"{report.milliseconds:.0f} ms{notes}",
            highlight=False,
            markup=False,
        )
    for variant in response.variants:
        console.print(f"variant ({variant.made_by}): {variant.text}", highlight=False, markup=False)
    for added in response.added_concepts:
        line = f"concept: {added.name}, {added.relation} of {added.source}, weight {added.weight:g}"
        console.print(line, highlight=False, markup=False)
    table = Table(show_lines=True)
    for name in ("", "score", "quality"):
        table.add_column(name, justify="right")
    table.add_column("passage", overflow="fold")
    for hit in response.results:
        text = hit.chunk.text[:SHOWN_CHARACTERS]
        row = (str(hit.rank), f"{hit.score:.3f}", f"{hit.quality.score:.2f}")
        table.add_row(*row, f"{place(hit.chunk)}\n\n{text}")
    console.print(table, markup=False)
    console.print(
        f"{response.tokens} tokens; left out: {len(response.pruned)}; ordered by "
        f"{response.ordered_by}",
        highlight=False,
    )


def _request(**choices: Any) -> SearchRequest:
    """Return the request of the options given.

    Raises:
        QueryError: an option's value cannot be used.
    """
    from clinrag_core.errors import QueryError
    from clinrag_core.retrieve.request import SearchRequest as Request

    try:
        return Request.model_validate(choices)
    except ValidationError as error:
        raise QueryError(described(error)) from error


def _warn(response: SearchResponse, tables: Sequence[pa.Table]) -> None:
    """Print what was left out of a search, and filters that nothing has, on the error stream."""
    from clinrag_core.index.filters import known_values

    reranker = response.reranker_error
    for error in (*response.component_errors, *([f"reranker_{reranker}"] if reranker else [])):
        errors.print(f"without: {error}", style="yellow", markup=False)
    for missing in response.unmatched_filters:
        known = known_values(tables, missing.field)
        more = f" and {len(known) - SHOWN_VALUES} more" if len(known) > SHOWN_VALUES else ""
        there = f"; there are: {', '.join(known[:SHOWN_VALUES])}{more}"
        near = f"; nearest: {', '.join(missing.nearest)}" if missing.nearest else there
        text = f"no passage has {missing.field} = {missing.value!r}{near}"
        errors.print(text, style="yellow", markup=False)


def _show(response: SearchResponse) -> None:
    """Print results with their scores per component and their place."""
    if not response.results:
        console.print("nothing found")
        return
    table = Table(show_lines=True)
    for name in ("", response.score_kind, *response.components_used):
        table.add_column(name, justify="right")
    table.add_column("passage", overflow="fold")
    for hit in response.results:
        scores = [
            f"{hit.component_scores[c]:.3f}" if c in hit.component_scores else "-"
            for c in response.components_used
        ]
        text = hit.chunk.text
        if len(text) > SHOWN_CHARACTERS:
            text = f"{text[:SHOWN_CHARACTERS]} …"
        boosts = ", ".join(
            f"{b.name} {'+' if b.kind == 'section' else '×'}{b.value:g}" for b in hit.boosts
        )
        head = place(hit.chunk) + (f"\nboosted: {boosts}" if boosts else "")
        table.add_row(str(hit.rank), f"{hit.score:.4f}", *scores, f"{head}\n\n{text}")
    console.print(table, markup=False)
