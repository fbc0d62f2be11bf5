"""Maintenance of users' documents. Metadata has counts only, neither owners nor contents."""

import dagster as dg

from clinrag_core.users.answering import open_answering
from clinrag_dagster.defs.release.automation import follows_its_sources
from clinrag_dagster.metadata import OWNERS
from clinrag_dagster.resources import ClinragResource

NAME = "user_documents_maintenance"


@dg.asset(
    name=NAME,
    deps=["release"],
    group_name="user_documents",
    kinds={"faiss"},
    owners=OWNERS,
    code_version="1",
    automation_condition=follows_its_sources(),
    check_specs=[dg.AssetCheckSpec("user_documents_readable", asset=NAME)],
)
def user_documents_maintenance(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Every tenant's documents, indexed anew where the encoder changed or an index is damaged."""
    state = open_answering(clinrag.pipeline().settings).documents.maintain()
    return dg.MaterializeResult(
        metadata={
            "tenants": state.tenants,
            "documents": state.documents,
            "passages": state.chunks,
            "reindexed": state.reindexed,
            "broken": len(state.broken),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="user_documents_readable",
                passed=not state.broken,
                severity=dg.AssetCheckSeverity.WARN,
                description="; ".join(state.broken) or "every tenant's documents can be read",
                metadata={"broken": len(state.broken)},
            )
        ],
    )
