"""The drug-class table as an asset."""

from collections import Counter

import dagster as dg

from clinrag_core.build.drug_classes import build_drug_classes
from clinrag_core.workspace import fingerprint
from clinrag_dagster.metadata import OWNERS, table
from clinrag_dagster.resources import ClinragResource


@dg.asset(
    group_name="knowledge_bases",
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec("index_files_read", asset="drug_classes")],
)
def drug_classes(clinrag: ClinragResource) -> dg.MaterializeResult:
    """Pharmacologic classes by substance, from FDA's index files."""
    found = build_drug_classes(clinrag.pipeline())
    types = Counter(entry.type for entry in found.classes)
    return dg.MaterializeResult(
        data_version=dg.DataVersion(fingerprint(found.model_dump(mode="json"))),
        metadata={
            "substances": len({entry.substance for entry in found.classes}),
            "classes": len(found.classes),
            "by_type": table([{"type": t, "classes": n} for t, n in sorted(types.items())]),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="index_files_read",
                passed=not found.failures,
                severity=dg.AssetCheckSeverity.WARN,
                description="; ".join(found.failures[:3]) or "every index file was read",
            )
        ],
    )
