"""Jobs from the knowledge bases to the release, and those that maintain what is served."""

import dagster as dg

RELEASE_JOB = "build_release"
PROMOTION_JOB = "promote_baseline"

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
audit_job = dg.define_asset_job(
    "audit",
    selection=dg.AssetSelection.groups("audit"),
    description="Check the audit trail against its anchors and write today's.",
)
