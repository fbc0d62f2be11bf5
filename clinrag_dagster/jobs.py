"""Jobs: documents of each kind, and everything from the knowledge bases to the release."""

import dagster as dg

from clinrag_core.model.source import DocumentKind

DOCUMENT_JOBS: dict[DocumentKind, str] = {
    "guideline": "guideline_documents",
    "label": "label_documents",
}
RELEASE_JOB = "build_release"
PROMOTION_JOB = "promote_baseline"

guideline_documents = dg.define_asset_job(
    "guideline_documents",
    selection=dg.AssetSelection.groups("guidelines"),
    description="Fetch, parse and chunk guidelines.",
)
label_documents = dg.define_asset_job(
    "label_documents",
    selection=dg.AssetSelection.groups("labels"),
    description="Fetch, parse and chunk drug labels.",
)
build_release = dg.define_asset_job(
    RELEASE_JOB,
    selection=dg.AssetSelection.groups("knowledge_bases", "evaluation", "release"),
    description="Index, evaluate and release the documents as they are.",
)
promote_baseline = dg.define_asset_job(
    PROMOTION_JOB,
    selection=dg.AssetSelection.assets("accepted_baseline"),
    description="Accept the newest evaluation as the baseline: needs an author and a reason.",
)
user_documents_job = dg.define_asset_job(
    "user_documents",
    selection=dg.AssetSelection.groups("user_documents"),
    description="Keep users' documents searchable after an upgrade.",
)
external_benchmarks_job = dg.define_asset_job(
    "published_benchmarks",
    selection=dg.AssetSelection.groups("external_benchmarks"),
    description="Published test sets through this project's own components.",
)
JOBS = [
    guideline_documents,
    label_documents,
    build_release,
    promote_baseline,
    user_documents_job,
    external_benchmarks_job,
]
