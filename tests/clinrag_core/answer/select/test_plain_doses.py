"""The usual dose of a drug alone: before what limits, compares or joins it; invented texts."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.fit.conclusive import concludes
from clinrag_core.answer.fit.question_gate import is_fit
from clinrag_core.answer.generate.protocol import QuotableStatement
from clinrag_core.answer.lead.companions import safety_companions
from clinrag_core.answer.lead.forbidden_pairs import pairs_forbidden
from clinrag_core.answer.lead.label_warnings import forbidden_to_sex
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.question.split import split_questions
from clinrag_core.answer.rank.unspoken import unspoken
from clinrag_core.answer.select.arrange import arrange
from clinrag_core.answer.select.label_indications import doses_are_for_others
from clinrag_core.answer.select.part_selection import PartSelection
from clinrag_core.answer.select.selection import Selection, headed_by, of_dosage
from clinrag_core.answer.sources import RankedStatement, Sources, is_quotable
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.lexicon.drugs import known_drugs
from clinrag_core.lexicon.slots import slot_lexicon


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


@pytest.mark.parametrize(
    ("question", "nearer", "usual"),
    [
        (
            "What is the dose of zolumycin?",
            "The total daily dose of zolumycin should not exceed 900 mg.",
            "Zolumycin 300 mg is given twice daily.",
        ),
        (
            "What is the dose of zolumycin?",
            "Weight: 40 kg; Tablets of zolumycin every 12 hours: 1",
            "For cystitis the usual adult dosage is 1 tablet of zolumycin every 12 hours.",
        ),
        (
            "What is the dose of zolumycin?",
            "The recommended dose of 200 mg zolumycin by mouth achieves the exposure of 3 mg/kg.",
            "The usual dose of zolumycin is 200 mg every 12 hours.",
        ),
        (
            "What is the dose of zolumycin?",
            "Rise to the highest dose of 30 mg. A slow rise is needed.",
            "The recommended dose of zolumycin is 30 mg three times per week.",
        ),
        (
            "What is the dose of Zolumax (zolumycin)?",
            "The recommended dose by mouth is one 30 mg tablet of another zolumycin daily.",
            "The recommended dose of Zolumax is a single 400 mg injection monthly.",
        ),
    ],
)
def test_the_usual_dose_leads(question: str, nearer: str, usual: str, drugs: DrugLexicon) -> None:
    near = label(nearer, statement_kind="row" if "Weight:" in nearer else "sentence")
    wanted = label(usual).model_copy(update={"block": 7})
    ranked = [RankedStatement(near, "label", 4.0, 0.5), RankedStatement(wanted, "label", 3.9, 0.5)]
    slots = read_slots(question, drugs)
    found = arrange(ranked, slots, sources_of([near, wanted], drugs))
    assert found[0].statement.said == usual


def test_a_dose_for_another_disease_is_not_lowered_where_none_is_for_the_field(
    drugs: DrugLexicon,
) -> None:
    adults = label("Zolumycin 80 mg four times a day, less in urinary tract infections.")
    others = label("Zolumycin 5 mg/kg in four divided doses.").model_copy(update={"block": 7})
    ranked = [RankedStatement(o, "label", 4.0 - n / 9, 0.5) for n, o in enumerate((adults, others))]
    slots = read_slots("What is the dose of zolumycin?", drugs)
    found = arrange(ranked, slots, sources_of([adults, others], drugs))
    assert found[0].statement.said == adults.said


def test_the_dose_of_one_drug_is_not_followed_by_that_of_a_regimen(drugs: DrugLexicon) -> None:
    alone, both = (
        statement(said, statement_kind="row")
        for said in (
            "Isoniazid; 6 months; 5 mg/kg daily",
            "Isoniazid and rifampin; 3 months; 5 mg/kg and 10 mg/kg daily",
        )
    )
    ranked = [RankedStatement(one, "g", 4.0 - n / 9, 0.5) for n, one in enumerate((alone, both))]
    sources = sources_of([alone, both], drugs)
    asked = "isoniazid dose for latent TB"
    assert [o.statement for o in arrange(ranked, read_slots(asked, drugs), sources)] == [alone]
    pair = read_slots("isoniazid with rifampin: dose for latent TB", drugs)
    assert both in [one.statement for one in arrange(ranked, pair, sources)]


def test_a_plain_dose_needs_a_figure(drugs: DrugLexicon) -> None:
    silent = statement("Doses of zolumycin beyond this follow local practice.")
    assert not is_fit(read_slots("What is the dose of zolumycin?", drugs), silent, drugs)
    assert is_fit(
        read_slots("zolumycin dose in pregnancy", drugs), label("Pregnancy: avoid."), drugs
    )


def test_what_names_a_class_in_the_label_of_a_combination_is_not_on_a_pair(
    drugs: DrugLexicon,
) -> None:
    product = "Rifazol is contraindicated after a reaction to rifampin or any aminoglycoside."
    of_product = label(product, "rifampin", "zolumycin", group="contraindications")
    slots = read_slots("who should not get amikacin plus rifampin", drugs)
    assert not safety_companions(slots, [of_product], drugs)
    assert not is_fit(slots, of_product, drugs)
    of_partner = label(product, "rifampin", group="contraindications")
    assert safety_companions(slots, [of_partner], drugs)


@pytest.mark.parametrize("asked", ["rifampin + zolumycin ok?", "zolumycin and rifampin: ok?"])
def test_what_forbids_two_drugs_of_a_question_leads(asked: str, drugs: DrugLexicon) -> None:
    forbidden = label("Zolumycin is contraindicated with rifampin.", group="contraindications")
    names = {**LABELS}
    del names["rifampin-and-zolumycin"]
    own = DrugLexicon(names)
    slots = read_slots(asked, own)
    found = pairs_forbidden(slots, sources_of([forbidden], own))
    assert found or (slots.partners and safety_companions(slots, [forbidden], own))


def test_drugs_against_tuberculosis_with_a_sign_between_are_a_regimen(drugs: DrugLexicon) -> None:
    slots = read_slots("isoniazid + ethambutol ok for a dialysis patient?", drugs)
    assert slots.regimens
    assert not slots.partners


def test_the_drugs_of_a_product_in_brackets_are_one_question(drugs: DrugLexicon) -> None:
    text = "What is the dose of Rifazol Forte (rifampin and zolumycin)?"
    assert split_questions(text, drugs) == (text,)
    assert read_slots(text, drugs).drugs == (frozenset({"rifampin", "zolumycin"}),)


def test_two_diseases_of_one_patient_are_one_question(drugs: DrugLexicon) -> None:
    text = "Leprosy and TB together: which drug is left out?"
    assert split_questions(text, drugs) == (text,)


@pytest.mark.parametrize(
    ("said", "leads"),
    [
        ("Zolumycin: for use by men only.", True),
        ("Do not use zolumycin if you are a woman.", True),
        ("Zolumycin must not be used in women who are pregnant.", False),
        ("Zolumycin has been studied in women.", False),
        ("Zolumycin should not be used in men for whom sport is inadvisable.", False),
    ],
)
def test_what_is_not_for_the_sex_asked_about_leads(
    said: str, leads: bool, drugs: DrugLexicon
) -> None:
    warning = label(said, group="warnings")
    sources = sources_of([warning], drugs)
    slots = read_slots("How often do women apply zolumycin for men?", drugs)
    assert bool(forbidden_to_sex(slots, sources)) == leads
    for asked in ("May she use zolumycin?", "42F, balding: may zolumycin be used?"):
        assert bool(forbidden_to_sex(read_slots(asked, drugs), sources)) == leads
    assert forbidden_to_sex(read_slots("May it be used?", drugs), sources) == []


def test_a_substance_by_its_code_must_be_named(drugs: DrugLexicon) -> None:
    said = [label("The half-life of the metabolite ZM-4711 of zolumycin is 6 hours.")]
    sources = Sources([], drugs, {"metabolite": 3.0})

    def refusing(text: str) -> tuple[str, ...]:
        return unspoken(text, said, said, sources, read_slots(text, drugs)).refusing

    assert refusing("Half-life of zolumycin's metabolite ZM-4712") == ("ZM-4712",)
    assert not refusing("Half-life of zolumycin's metabolite ZM4711")


def test_what_a_combination_gives_of_one_drug_is_headed_by_what_is_missing(
    drugs: DrugLexicon,
) -> None:
    dose = QuotableStatement(
        label("Zolumycin 30 mg in one of two tablets daily.", group="dosage"), 4.0, (), "direct"
    )
    part = PartSelection(read_slots("zolumycin dose", drugs), [dose], "", ("Noted.",))
    headed = headed_by("No dose of zolumycin alone.", Selection([part], []))
    assert headed.parts[0].premises == ("No dose of zolumycin alone.", "Noted.")
    assert of_dosage(headed) == dose.statement
    limit = dose._replace(statement=label("Not more than 90 mg of zolumycin.", group="warnings"))
    assert of_dosage(Selection([part._replace(statements=[limit])], [])) is None
    warned = part._replace(statements=[dose._replace(role="warning")])
    assert of_dosage(Selection([warned], [])) is None


@pytest.mark.parametrize("name", ["streptozocin", "pentobarbital", "enalaprilat", "inulin"])
def test_the_name_of_a_drug_is_no_misspelling_of_another(name: str) -> None:
    known = {one.name: (one.name,) for one in known_drugs()}
    assert DrugLexicon(known).correct(f"dose of {name}") == (f"dose of {name}", ())


def test_what_only_points_elsewhere_is_not_quoted() -> None:
    assert not is_quotable(label("See CLINICAL PHARMACOLOGY, for the dose in renal failure."))
    assert is_quotable(label("See a doctor at once if zolumycin causes pain. Stop it."))


def test_an_exchange_with_a_partner_is_judged_as_a_pair(drugs: DrugLexicon) -> None:
    slots = read_slots("Can I swap rifampin for isoniazid to go with zolumycin?", drugs)
    pair = label("Avoid zolumycin with rifampin and isoniazid.", group="interactions")
    assert is_fit(slots, pair, drugs)


def test_drugs_asked_about_at_the_same_time_are_a_pair(drugs: DrugLexicon) -> None:
    text = "Zolumycin and rifampin: same time or apart?"
    assert split_questions(text, drugs) == (text,)
    slots = read_slots(text, drugs)
    assert (slots.drugs, slots.partners) == (
        (frozenset({"zolumycin"}),),
        (frozenset({"rifampin"}),),
    )


def test_what_names_all_drugs_of_a_product_without_a_dose_is_on_it(drugs: DrugLexicon) -> None:
    slots = read_slots("Do I lower rifampin and zolumycin in renal failure?", drugs)
    said = "Zolumycin, and rifampin as well, may be given in normal dosage in renal failure."
    assert is_fit(slots, statement(said), drugs)


def test_a_product_for_children_only_gives_their_dose(drugs: DrugLexicon) -> None:
    often = label("may be given every 4 hours")
    theirs = label("children 6 to under 12 years: 2 spoonfuls (10 mL)", statement_kind="row")
    slots = read_slots("What is the dose of zolumycin?", drugs)
    often_one, theirs_one = (RankedStatement(one, "label", 4.0, 0.5) for one in (often, theirs))
    sources = sources_of([often, theirs], drugs)
    assert doses_are_for_others(slots, [often_one], [theirs_one], sources)
    adults = RankedStatement(label("Zolumycin 10 mg daily."), "label", 3.0, 0.5)
    assert not doses_are_for_others(slots, [often_one, adults], [theirs_one], sources)


def test_a_numbered_definition_is_one() -> None:
    slots = read_slots("Definition of treatment completed", DrugLexicon(LABELS))
    assert concludes(slots, "b) Treatment completed: a course that was finished.")
    assert not concludes(slots, "Treatment sorting is a way to group patients.")


def test_a_drug_that_is_joined_with_the_one_asked_about_is_its_partner() -> None:
    names = {name: LABELS[name] for name in ("zolumycin", "rifampin", "isoniazid")}
    slots = read_slots("Zolumax + rifampin, 62 kg man. Zolumycin dose?", DrugLexicon(names))
    assert slots.drugs == (frozenset({"zolumycin"}),)
    assert slots.partners == (frozenset({"rifampin"}),)


def test_how_a_body_handles_a_drug_is_no_dose_of_a_pair(drugs: DrugLexicon) -> None:
    handled = label("A dose of 100 mg zolumycin with rifampin raised its levels.",
                    group="clinical_pharmacology")  # fmt: skip
    dose = label("Start with 25 mg zolumycin in patients on isoniazid, dapsone or rifampin.",
                 group="dosage").model_copy(update={"block": 7})  # fmt: skip
    ranked = [
        RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate((handled, dose))
    ]
    slots = read_slots("On rifampin. Starting dose of zolumycin?", drugs)
    assert arrange(ranked, slots, sources_of([handled, dose], drugs))[0].statement.said == dose.said


def test_days_with_none_of_a_drug_are_missed_doses(drugs: DrugLexicon) -> None:
    asked = "Zolumycin settled for a year, had none for 6 days. Carry on?"
    assert slot_lexicon().wordings.missed.search(asked.lower())
    assert not is_fit(read_slots(asked, drugs), label("Day 15 and later: 20 mg daily."), drugs)


def test_for_whom_a_drug_is_does_not_follow_for_whom_it_is_not(drugs: DrugLexicon) -> None:
    no = label("Zolumycin is not recommended for children younger than 2 years.")
    yes = label("Zolumycin is recommended for people of 2 years and older.")
    yes = yes.model_copy(update={"block": 7})
    ranked = [RankedStatement(one, "label", 4.0 - n / 9, 0.5) for n, one in enumerate((no, yes))]
    sources = sources_of([no, yes], drugs)
    asked = arrange(ranked, read_slots("who should not receive zolumycin", drugs), sources)
    assert [one.statement for one in asked] == [no]
    assert len(arrange(ranked, read_slots("who may receive zolumycin", drugs), sources)) > 1


def test_the_dose_a_drug_is_started_again_with_is_not_the_usual_one(drugs: DrugLexicon) -> None:
    again = label("After a rash, give zolumycin at a rate of 3 mL/hour.", group="dosage")
    again = again.model_copy(update={"block": 4})
    usual = label("The usual dose of zolumycin is 200 mg every 12 hours.", group="dosage")
    ranked = [
        RankedStatement(one, "label", 5.0 - n / 9, 0.5) for n, one in enumerate((again, usual))
    ]
    sources = sources_of([again, usual], drugs)
    asked = read_slots("A rash on zolumycin has gone. What rate to restart at?", drugs)
    assert is_fit(asked, again, drugs)
    assert arrange(ranked, asked, sources)[0].statement.said.startswith(again.said)


@pytest.mark.parametrize(("use", "refuses"), [("gout", ("palsy",)), ("palsy", ())])
def test_a_dose_is_for_a_use_that_the_label_lists(
    use: str, refuses: tuple[str, ...], drugs: DrugLexicon
) -> None:
    """A warning that speaks of palsy lists no use for it."""
    dose = label("The usual dose of zolumycin is 600 mg.", group="dosage")
    warns = label("A palsy was reported with zolumycin.", group="warnings")
    listed = label(f"Zolumycin is for {use}.", group="indications")
    near = [dose, warns, listed]
    sources = sources_of(near, drugs)._replace(idf={"palsy": 3.0, "gout": 3.0})
    asked = "zolumycin dose for palsy?"
    found = unspoken(asked, [dose], near, sources, read_slots(asked, drugs))
    assert found.refusing == refuses


def test_an_infusion_rate_and_a_gap_answer_for_a_dose(drugs: DrugLexicon) -> None:
    asked = read_slots("A rash on zolumycin: stop? What rate then?", drugs)
    assert is_fit(asked, label("After a rash infuse 12 mL/hour.", group="dosage"), drugs)
    gap = read_slots("What is the shortest interval between zolumycin infusions?", drugs)
    assert is_fit(gap, label("Infusions are separated by five months.", group="dosage"), drugs)
