"""Whose figure a dose is, and routes, diseases, facets and regimens of a text."""

from __future__ import annotations

import pytest

from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.facts.indications import agree, disease_name, diseases, facet_values
from clinrag_core.facts.owners import owners
from clinrag_core.facts.quantities import quantities
from clinrag_core.facts.regimens import regimens
from clinrag_core.facts.routes import forbids_route, route_words, stated_routes


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("isoniazid 300 mg and rifampin 600 mg", ["isoniazid", "rifampin"]),
        ("600 mg of rifampin and 300 mg of isoniazid", ["rifampin", "isoniazid"]),
        ("Isoniazid (INH): 300 mg; Rifampin: 600 mg", ["isoniazid", "rifampin"]),
        ("When taken with rifampin, dolutegravir 50 mg twice daily", ["dolutegravir"]),
        ("dolutegravir with rifampin: 50 mg twice daily", ["dolutegravir"]),
        ("isoniazid with rifampin 600 mg", ["rifampin"]),
        (
            "regimens containing rifampin (usually at a dose of 600 mg), isoniazid (300 mg)",
            ["rifampin", "isoniazid"],
        ),
        ("Harm: neuritis; Drug: Isoniazid; Management: Pyridoxine 25 mg", ["pyridoxine"]),
        ("Isoniazid and rifapentine: 900 mg", ["isoniazid+rifapentine"]),
        ("Treat with isoniazid at a dose of 300 mg", ["isoniazid"]),
        ("patients on bedaquiline with linezolid who had 600 mg", [""]),
        ("Rifampicin: 600 mg monthly Dapsone: 100 mg daily", ["rifampin", "dapsone"]),
    ],
)
def test_a_figure_belongs_to_the_drug_that_it_is_said_of(
    text: str, expected: list[str], drugs: DrugLexicon
) -> None:
    mentions = drugs.mentions(text)
    found = [owners(text, mentions, q) for q in quantities(text) if q.kind == "dose"]
    assert ["+".join(sorted({d for one in sets for d in one})) for sets in found] == expected


def test_a_label_owns_the_figures_of_sentences_without_a_drug(drugs: DrugLexicon) -> None:
    text = "If coadministered with rifampin, take 50 mg twice daily."
    (figure,) = [q for q in quantities(text) if q.kind == "dose"]
    own = frozenset({"dolutegravir"})
    assert owners(text, drugs.mentions(text), figure, own) == (own,)


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("by mouth", {"oral"}),
        ("one tablet daily", {"oral"}),
        ("oral inhalation", {"inhaled"}),
        ("with oral contraceptives", set[str]()),
        ("infuse over one hour", {"intravenous"}),
        ("for injection", {"intravenous", "intramuscular", "subcutaneous"}),
        ("intramuscular injection", {"intramuscular"}),
        ("once daily", set[str]()),
    ],
)
def test_routes_are_named_or_implied(text: str, routes: set[str]) -> None:
    assert stated_routes(text) == routes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LTBI", {"tuberculosis"}),
        ("community-acquired bacterial pneumonia", {"pneumonia.community"}),
        ("Pneumocystis pneumonia", {"pneumocystis"}),
        ("TULAREMIA: 1 g", {"tularemia"}),
        ("treatment of sporotrichosis and actinomycosis", {"sporotrichosis"}),
        ("for actinomycosis", {"actinomycosis"}),
        ("may cause hepatitis and optic neuritis", set[str]()),
        ("Prognosis and diagnosis", set[str]()),
        ("An adult with CF", {"cystic_fibrosis"}),
        ("QT cF rose by 22 ms", set()),  # a page's "QTcF" with its subscript set apart
    ],
)
def test_diseases_that_drugs_are_given_for_are_read(text: str, expected: set[str]) -> None:
    assert diseases(text) == expected


def test_a_disease_agrees_with_its_kinds_only() -> None:
    assert agree("pneumonia", "pneumonia.community")
    assert not agree("pneumonia.hospital", "pneumonia.community")
    assert not agree("pneumonia", "pneumocystis")
    assert disease_name("pneumonia.community") == "community-acquired pneumonia"


@pytest.mark.parametrize(
    ("text", "facet", "values"),
    [
        ("MDR-TB", "resistance", {"resistant"}),
        ("for at least 18–24 months beyond culture conversion", "resistance", {"resistant"}),
        ("drug-susceptible TB", "resistance", {"susceptible"}),
        ("latent tuberculosis infection", "stage", {"latent"}),
        ("repeat it only if symptoms of TB disease develop", "stage", set[str]()),
        ("longer MDR-TB regimens", "regimen_length", {"longer"}),
        ("the shorter, all-oral regimen", "regimen_length", {"shorter"}),
        ("a longer course", "regimen_length", set[str]()),
        ("TB infection control", "stage", set[str]()),
        ("continuation phase", "phase", {"later"}),
        ("400 mg, then 200 mg", "phase", {"first", "later"}),
        ("TB of bones and joints", "site", {"bone"}),
    ],
)
def test_facets_are_read(text: str, facet: str, values: set[str]) -> None:
    assert facet_values(text, facet) == values


def test_letters_of_a_regimen_name_its_drugs(drugs: DrugLexicon) -> None:
    assert regimens("Is 3HP or 4R better?", drugs) == {
        "3HP": frozenset({"isoniazid", "rifapentine"}),
        "4R": frozenset({"rifampin"}),
    }
    assert regimens("HIV and DNA", drugs) == {}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("isoniazidlike isoniazid, re-isoniazid", ["isoniazid", "isoniazid"]),
        ("xisoniazid_isoniazid", ["isoniazid"]),
        ("Trimethoprim / sulfamethoxazole: sulfamethoxazole alone", None),
        ("para-aminosalicylic acid, acid, aminosalicylic acid", None),
    ],
)
def test_a_mention_has_the_place_of_its_own_words(
    text: str, named: list[str] | None, drugs: DrugLexicon
) -> None:
    mentions = drugs.mentions(text)
    assert mentions
    for one in mentions:
        around = f" {text} "[one.start] + f" {text} "[one.end + 1]
        assert not any(sign.isalnum() for sign in around)
    if named is not None:
        assert [text[one.start : one.end] for one in mentions] == named


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It should not be given by the intravenous route.", True),
        ("Intravenous use is contraindicated.", True),
        ("Do not mix it in the syringe with other drugs; the intravenous line is flushed.", False),
        ("Avoid intrathecal use; intravenous doses follow below.", False),
        ("It is not for oral, intravenous, or topical use.", True),
        (
            "Do not give it as a subcutaneous injection or as an oral bolus or as an intravenous"
            " infusion.",
            True,
        ),
    ],
)
def test_a_route_is_forbidden_where_the_words_are_next_to_it(text: str, found: bool) -> None:
    assert forbids_route(text, frozenset({"intravenous"})) == found


def test_resistant_germs_are_no_regimen(drugs: DrugLexicon) -> None:
    assert regimens("VRE in the blood", drugs) == {}
    assert regimens("BPaL for six months", drugs)


def test_an_injection_that_may_be_any_is_called_parenteral() -> None:
    """A vial had been said to be for the subcutaneous route, which nothing names."""
    assert route_words(stated_routes("Zolumycin, 1 g vial")) == "parenteral"
    assert route_words(frozenset({"oral", "intramuscular"})) == "intramuscular, oral"
