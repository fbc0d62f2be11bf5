"""What may be quoted at all: no titles, headings alone or lists of abbreviations."""

from __future__ import annotations

import pytest
from fakes.statements import statement

from clinrag_core.answer.sources import is_quotable


@pytest.mark.parametrize(
    "said",
    [
        "Guidelines for the Care of Persons with Infectious Tuberculosis: Notes from Two Societies",
        "Updates on the Treatment of Resistant Tuberculosis: A Clinical Practice Guideline (2031)",
        "Dosing Recommendations for Zolumax Scored Tablets in Children",
        "+ A Raised Level of Zolumycin",
        "Clinical question/ PICO Intervention: zolumycin",
        "Abbreviations: ZLM = zolumycin; CI = confidence interval. * Of those treated.",
        "ACT, acute care team; ZLM, zolumycin; VTB, velotrib; UNC, Union of Northland Clinics; "
        "WX, Westland trial",
    ],
)
def test_a_title_or_list_of_abbreviations_is_not_quoted(said: str):
    assert not is_quotable(statement(said))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Guidelines recommend treatment of tuberculosis for six months", "sentence"),
        ("WARNING: LIVER INJURY, SEE STANDARD PRECAUTIONS AND RECOMMENDATIONS", "sentence"),
        ("Standard Drug Class: Zolumycin; Plasma Exposure: Significantly Reduced", "row"),
        ("Standard precautions, gloves, gown and a mask in the room", "item"),
        ("Recommendations for Zolumycin Should Be Kept.", "sentence"),
        ("The Dose of Zolumycin Is Halved", "sentence"),
        ("Weight: 40 kg; Dose: 300 mg; Route: by mouth; Time: morning", "row"),
    ],
)
def test_what_says_something_is_quoted(said: str, kind: str):
    assert is_quotable(statement(said, statement_kind=kind))


def test_an_item_whose_lead_in_cannot_be_cited_is_not_quoted():
    whole = statement("The first to be seen are: children", statement_kind="item")
    (quote,) = whole.quotes
    torn = whole.model_copy(update={"quotes": (quote.model_copy(update={"end": 10}),)})
    assert is_quotable(whole)
    assert not is_quotable(torn)


def test_what_an_earlier_edition_forbade_is_not_quoted():
    assert not is_quotable(statement("The use of zolumycin was specifically contraindicated."))
    assert is_quotable(statement("The use of zolumycin is contraindicated."))
