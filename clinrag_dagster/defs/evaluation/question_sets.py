"""The thesaurus, and the external question sets, in the job of the published benchmarks.

MIRAGE's recorded outputs must give the published accuracies: another figure shows a broken scorer.
"""

from pathlib import Path

import dagster as dg

from clinrag_core.errors import ThesaurusError
from clinrag_core.evaluate.mirage import reproduce
from clinrag_core.evaluate.question_sets import question_set_rows
from clinrag_core.lexicon.concepts.open import open_thesaurus
from clinrag_dagster.metadata import OWNERS, counts, summary
from clinrag_dagster.resources import ClinragResource

GROUP = "external_benchmarks"
EXACT = 17
"""Of 20 cells: the other three are of runs with outputs that are not public."""


def _mirage_folder(root: Path) -> Path | None:
    """Return the folder of MIRAGE, the root or one in it; None if there is none."""
    places = [root, *sorted(root.glob("*"))]
    return next((p for p in places if (p / "benchmark.json").is_file()), None)


@dg.asset(
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("thesaurus_recognises", asset="thesaurus")],
)
def thesaurus(clinrag: ClinragResource) -> dg.MaterializeResult:
    """The shipped thesaurus and those of the profile, compiled to a memory-mapped form."""
    pipeline = clinrag.pipeline()
    try:
        opened = open_thesaurus(pipeline.settings.concepts.thesauri, pipeline.workspace.thesauri)
    except ThesaurusError as error:
        raise dg.Failure(str(error), allow_retries=False) from error
    record = opened.record
    usable = record.hashes / (record.hashes + record.dropped)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": record.names,
            **counts(concepts=record.concepts, recognisable=record.hashes, dropped=record.dropped),
            **counts(**record.links),
            "sources": ", ".join(record.sources),
            "mapped_mib": round(opened.bytes / 2**20, 2),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="thesaurus_recognises",
                # Half leaves room for a source of codes; a broken reader drops nearly all.
                passed=usable >= 1 / 2 and bool(record.links),
                description=f"{usable:.0%} of the names can be recognised",
            )
        ],
    )


@dg.asset(
    group_name=GROUP,
    kinds={"python"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("accuracies_as_published", asset="question_sets")],
)
def question_sets(clinrag: ClinragResource) -> dg.MaterializeResult:
    """MIRAGE's recorded outputs, MedicationQA and LiveQA-Med below `$CLINRAG_BENCH`."""
    root = clinrag.pipeline().settings.external_benchmarks
    if root is None:
        raise dg.Failure("set CLINRAG_BENCH to a folder with question sets", allow_retries=False)
    folder = _mirage_folder(root)
    cells = reproduce(folder) if folder is not None else []
    known = [cell for cell in cells if cell.reproduced is not None]
    exact = sum(cell.exact for cell in known)
    rows = question_set_rows(root)
    return dg.MaterializeResult(
        metadata={
            "accuracies": summary(
                ("system", "set", "published", "here", "no letter by default", "abstained"),
                [(c.system, c.set, c.published, c.reproduced, c.stated, c.abstained)
                 for c in known],
            ),
            "retrieval": summary(
                ("set", "questions", "unanswerable", "nDCG@10", "R@100", "MRR@10"),
                [(r.name, r.questions, r.unanswerable, r.metrics["ndcg_at_10"],
                  r.metrics["recall_at_100"], r.metrics["mrr_at_10"]) for r in rows],
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="accuracies_as_published",
                passed=exact >= EXACT,
                description=f"{exact} of {len(known)} published accuracies come out exactly"
                if known
                else "no recorded outputs to score",
            )
        ],
    )  # fmt: skip
