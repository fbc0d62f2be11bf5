"""The query of a live corpus for a drug's label.

The filters are those of DailyMed's `/spls` resource (services v2). `form` and `choose` are not sent
to the service: `choose_label` applies them to its results.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from clinrag_core.model.base import Record

PRESCRIPTION_LABEL = "34391-3"
"""LOINC document type of a human prescription drug label."""

SET_ID = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
SetId = Annotated[str, StringConstraints(to_lower=True, pattern=f"^{SET_ID}$")]
_Value = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_OPENFDA = {"drug_name", "name_type", "application_number", "labeler", "choose", "doctype"}
_CLIENT_SIDE = {"form", "choose"}


class LabelQuery(Record):
    """Selects the candidate labels of a drug and how to choose among several."""

    drug_name: _Value
    name_type: Literal["generic", "brand", "both"] | None = None
    doctype: _Value = Field(PRESCRIPTION_LABEL, description="LOINC document type")
    labeler: _Value | None = None
    manufacturer: _Value | None = None
    application_number: _Value | None = Field(None, description="e.g. 'NDA204384'")
    marketing_category_code: _Value | None = None
    ndc: _Value | None = None
    rxcui: _Value | None = None
    unii_code: _Value | None = None
    boxed_warning: bool | None = None
    dea_schedule_code: _Value | None = None
    drug_class_code: _Value | None = None
    drug_class_coding_system: _Value | None = None
    published_date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    published_date_comparison: Literal["lt", "lte", "gt", "gte", "eq"] | None = None
    form: _Value | None = Field(
        None, description="words that the title must contain, e.g. 'tablet'"
    )
    choose: Literal["only", "newest"] = Field(
        "only",
        description="if several candidates match: 'only' is an error, 'newest' takes the latest "
        "published",
    )

    def filters(self) -> dict[str, str]:
        """Return the filters to send to the server, in a fixed order."""
        values: dict[str, object] = self.model_dump(exclude=_CLIENT_SIDE, exclude_none=True)
        return {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in values.items()
        }

    def check_openfda(self) -> None:
        """Check that openFDA's label search supports all filters.

        Raises:
            ValueError: it does not support one of them.
        """
        unknown = sorted(self.model_fields_set - _OPENFDA)
        if self.doctype != PRESCRIPTION_LABEL:
            unknown.append(f"doctype {self.doctype}")
        if unknown:
            raise ValueError(f"openFDA cannot filter by {', '.join(unknown)}")
