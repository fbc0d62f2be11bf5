"""Every definition, assembled here and nowhere else.

The asset names of the knowledge bases carry the encoder's name, so a profile is read first; that
reads one small TOML file and nothing else.
"""

import warnings

import dagster as dg

from clinrag_core.index.knowledge_base import knowledge_base_name
from clinrag_core.model.source import DocumentKind
from clinrag_core.settings import Settings, load_settings
from clinrag_dagster.assets.baseline import accepted_baseline
from clinrag_dagster.assets.documents import document_assets
from clinrag_dagster.assets.evaluation import evaluation_assets
from clinrag_dagster.assets.external_benchmarks import external_benchmarks
from clinrag_dagster.assets.knowledge_bases import knowledge_base_assets
from clinrag_dagster.assets.parse_audit import parse_audit
from clinrag_dagster.assets.release import blocking_checks, release_asset
from clinrag_dagster.assets.reports.answers import answer_report
from clinrag_dagster.assets.reports.corpus import corpus_report
from clinrag_dagster.assets.reports.latency import latency_report
from clinrag_dagster.assets.reports.page import report_page
from clinrag_dagster.assets.reports.retrieval import retrieval_report
from clinrag_dagster.assets.reports.safety import safety_report
from clinrag_dagster.assets.user_documents import user_documents_maintenance
from clinrag_dagster.automation import automation
from clinrag_dagster.checks.knowledge_bases import candidate_checks
from clinrag_dagster.jobs import JOBS
from clinrag_dagster.resources import ClinragResource
from clinrag_dagster.schedules import SCHEDULES
from clinrag_dagster.sensors import SENSORS

warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)

KINDS: tuple[DocumentKind, ...] = ("guideline", "label")
REPORTS = [
    retrieval_report,
    answer_report,
    safety_report,
    latency_report,
    corpus_report,
    report_page,
]


def build_defs(
    settings: Settings | None = None, clinrag: ClinragResource | None = None
) -> dg.Definitions:
    """All definitions of a profile.

    Args:
        settings: the profile whose encoder names the knowledge bases; the environment's where
            None.
        clinrag: replaces the resource, in tests.
    """
    encoder = (settings or load_settings()).encoder.name
    bases: dict[DocumentKind, str] = {kind: knowledge_base_name(kind, encoder) for kind in KINDS}
    candidates = [f"{base}_candidate" for base in bases.values()]
    assets: list[dg.AssetsDefinition] = []
    checks: list[dg.AssetChecksDefinition] = []
    for kind, base in bases.items():
        assets += knowledge_base_assets(kind, base)
        checks += candidate_checks(kind, base)
    assets += [parse_audit, *evaluation_assets(candidates), *REPORTS]
    released = release_asset(candidates, blocking_checks([*assets, *checks]))
    assets += [*document_assets("guideline"), *document_assets("label")]
    assets += [accepted_baseline, released, user_documents_maintenance, external_benchmarks]
    return dg.Definitions(
        assets=assets,
        asset_checks=checks,
        jobs=JOBS,
        schedules=SCHEDULES,
        sensors=[*SENSORS, automation],
        resources={"clinrag": clinrag or ClinragResource()},
        executor=dg.in_process_executor,
    )
