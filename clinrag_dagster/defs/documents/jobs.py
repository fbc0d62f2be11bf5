"""Jobs that fetch, parse and chunk documents, one per kind."""

import dagster as dg

from clinrag_core.model.source import DocumentKind

DOCUMENT_JOBS: dict[DocumentKind, str] = {
    "guideline": "guideline_documents",
    "label": "label_documents",
}

guideline_documents = dg.define_asset_job(
    DOCUMENT_JOBS["guideline"],
    selection=dg.AssetSelection.groups("guidelines"),
    description="Fetch, parse and chunk guidelines.",
)
label_documents = dg.define_asset_job(
    DOCUMENT_JOBS["label"],
    selection=dg.AssetSelection.groups("labels"),
    description="Fetch, parse and chunk drug labels.",
)
