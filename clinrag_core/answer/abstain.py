"""Abstaining: the exception that ends an answer, and the standard message of every reason."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.records import Reason


MOST_TITLES, MOST_OF_TITLE = 3, 70
"""Guidelines that a message names, and characters of each of their titles."""


class Abstain(Exception):  # noqa: N818 - a way out of answering, not an error
    """Ends an answer with its reason; `detail` names what was missing, for the message."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.detail = detail


MESSAGES: dict[Reason, str] = {
    "out_of_domain": "ABSTAIN: {detail}.",
    "self_harm": (
        "I am sorry that this question has come up. If you or someone else may be in danger, call "
        "your local emergency number now; if something has been taken, call a poison centre or "
        "emergency number now. A doctor, a crisis line or a person you trust can help you today. "
        "Questions about doses that harm are not answered here."
    ),
    "other_language": (
        "ABSTAIN: questions are read in English only; please ask this one in English."
    ),
    "unknown_term": "ABSTAIN: the sources never mention {detail}.",
    "out_of_scope": "ABSTAIN: {detail}",
    "retrieval_failed": "ABSTAIN: the sources could not be searched.",
    "no_evidence": "ABSTAIN: no passage of the sources is near the question.",
    "drug_not_in_evidence": "ABSTAIN: no passage found names {detail}.",
    "no_diagnostic_evidence": "ABSTAIN: no passage found is about making a diagnosis.",
    "low_confidence": (
        "ABSTAIN: no passage fits the question well enough to answer it safely; the nearest ones "
        "are listed."
    ),
    "calibration_missing": (
        "ABSTAIN: this release has no calibrated thresholds, so it may not answer."
    ),
    "calibration_stale": (
        "ABSTAIN: the thresholds of this release were measured on another state of its sources."
    ),
    "generation_failed": "ABSTAIN: no answer could be drafted.",
    "nothing_fits": "ABSTAIN: {detail}",
    "no_claims": "ABSTAIN: the retrieved passages contain no sentence that answers the question.",
    "all_claims_rejected": "ABSTAIN: no drafted statement is supported by what it cites.",
    "gate_error": "ABSTAIN: a safety check failed, so nothing it should have checked is shown.",
    "contradiction": (
        "ABSTAIN: the sources give different figures for the same thing; compare them with their "
        "dates."
    ),
    "lexicon_error": "ABSTAIN: a table that safety checks rest on could not be read.",
    "internal_error": "ABSTAIN: the answer could not be completed because of an internal error.",
}
"""By reason; `{detail}` is what was missing."""


def abstain_message(reason: Reason, detail: str) -> str:
    """Return the standard ABSTAIN message of a reason, with what was missing."""
    if reason == "low_confidence" and detail:
        return f"{MESSAGES[reason]} {detail}"
    if reason == "out_of_domain":
        detail = detail or outside_field((), ())
    return MESSAGES[reason].format(detail=detail or "what was asked for")


def outside_field(titles: Sequence[str], unlabelled: Sequence[str]) -> str:
    """Return in words why a question is out of the field, for the message.

    Args:
        titles: of the guidelines of other fields that a release has.
        unlabelled: drugs that the question asks about and no label here is of.
    """
    drugs = " or ".join(unlabelled)
    if titles:
        named = "; ".join(shorten(title, MOST_OF_TITLE) for title in titles[:MOST_TITLES])
        more = len(titles) - MOST_TITLES
        others = f"; and {more} more" if more > 0 else ""
        label = f", and there is no label of {drugs}" if drugs else ""
        return (
            "nothing in this release is near enough to this question. "
            f"Its guidelines are: {named}{others}{label}"
        )
    if not drugs:
        return (
            "this is not a question on tuberculosis, community-acquired pneumonia or a drug of "
            "this release"
        )
    return (
        "this is not a question on tuberculosis or community-acquired pneumonia, and there is no "
        f"label of {drugs} in this release"
    )
