"""The daily anchor of the audit trail: what it was, where its machine cannot rewrite it.

Put `audit.anchors` on other storage. Metadata has counts and codes only; the trail itself holds no
text of a question or an answer.
"""

import dagster as dg

from clinrag_core.answer.audit.anchors import anchors_folder, read_anchors, write_anchor
from clinrag_core.answer.audit.trail import audit_log
from clinrag_core.errors import AuditError
from clinrag_dagster.metadata import OWNERS
from clinrag_dagster.resources import ClinragResource

NAME = "audit_anchor"
CHECK = "audit_trail_unbroken"
_NONE_WRITTEN = "no anchor was written: the trail is not what it was"


@dg.asset(
    name=NAME,
    group_name="audit",
    kinds={"json"},
    owners=OWNERS,
    code_version="1",
    check_specs=[dg.AssetCheckSpec(CHECK, asset=NAME)],
)
def audit_anchor(clinrag: ClinragResource) -> dg.MaterializeResult:
    """What the audit trail is today, compared with every earlier anchor first."""
    settings = clinrag.pipeline().settings
    folder, trail = anchors_folder(settings), audit_log(settings)
    try:
        known = read_anchors(folder) if any(folder.glob("*.json")) else []
        found = trail.verify(known)
    except AuditError as error:
        return _result(passed=False, why=f"{error}; {_NONE_WRITTEN}", metadata={})
    write_anchor(folder, trail.anchor())
    metadata = {
        "records": found.records,
        "last_code": found.last,
        "gaps": found.gaps,
        "unkeyed_records": found.unkeyed,
        "anchors_compared": found.anchors,
    }
    return _result(passed=True, why="every record and every anchor agrees", metadata=metadata)


def _result(*, passed: bool, why: str, metadata: dict[str, int | str]) -> dg.MaterializeResult:
    check = dg.AssetCheckResult(
        check_name=CHECK, passed=passed, severity=dg.AssetCheckSeverity.ERROR, description=why
    )
    return dg.MaterializeResult(metadata=metadata, check_results=[check])
