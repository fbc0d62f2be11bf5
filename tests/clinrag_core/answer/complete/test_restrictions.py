"""Statements that are never shown without what limits them, and warnings asked for as a whole."""

from __future__ import annotations

import pytest
from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label, statement

from clinrag_core.answer.complete.restrictions import (
    joined,
    with_orders,
    with_restriction,
    with_such_drugs,
    with_their_meaning,
)
from clinrag_core.answer.lead.asked_warnings import asked_warnings
from clinrag_core.answer.lead.companions import ceiling
from clinrag_core.answer.lead.forbidden_pairs import advice_of_pair, pairs_forbidden
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.answer.select.label_indications import LabelIndications, for_the_disease
from clinrag_core.answer.sources import RankedStatement
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement, Quote


@pytest.fixture(scope="module")
def drugs() -> DrugLexicon:
    return DrugLexicon(LABELS)


def ranked(one: IndexedStatement) -> RankedStatement:
    return RankedStatement(one, one.kind, 1.0, 1.0)


@pytest.mark.parametrize(
    ("before", "said", "after", "shown"),
    [
        ("Zolumycin is for anthrax in children.", "Its use in children is appropriate.", "", "bs"),
        ("Nausea is common.", "Its use in children is appropriate.", "", "s"),
        ("Nausea is common.", "Zolumycin may be used.", "Only in hospital, however.", "sa"),
        ("Nausea is common.", "Zolumycin is swallowed.", "Only in hospital, however.", "s"),
        ("", "Take the next dose on the next day.", "Do NOT take two doses.", "sa"),
        ("", "Take the next dose on the next day.", "Nausea is common.", "s"),
        ("", "Take it when remembered.", "Advise patients not to double the next dose.", "sa"),
        ("", "Take it when remembered.", "However, a dose should not be doubled.", "sa"),
        ("", "Take it when remembered.", "Advise patients to drink enough.", "s"),
        ("", "Zolumycin is not given.", "However, if it is needed, stop velotrib.", "sa"),
        ("", "Zolumycin is not given.", "However, nausea is rare.", "s"),
        ("", "Monitor for several months.", "Hepatitis came back for at least 12 months.", "sa"),
        ("", "Monitor for several months.", "Hepatitis lasts for 12 days.", "s"),
        ("", "Tests of the liver come first.", "Clinicians should also obtain an ECG.", "sa"),
        ("", "The starting dose is 100 mg.", "The maintenance dose is 200 mg.", "sa"),
        ("The starting dose is 100 mg.", "The maintenance dose is 200 mg.", "", "bs"),
        ("Take it with food.", "The maintenance dose is 200 mg.", "", "s"),
    ],
)
def test_a_statement_is_joined_with_what_limits_it(
    before: str, said: str, after: str, shown: str, drugs: DrugLexicon
) -> None:
    texts = {"b": before, "s": said, "a": after}
    parts = {name: label(text) for name, text in texts.items() if text}
    joined = with_restriction(ranked(parts["s"]), sources_of(list(parts.values()), drugs))
    assert joined.statement.said == " ".join(texts[name] for name in shown)
    assert len(joined.statement.quotes) == len(shown)


WARNINGS = [
    label("Zolumycin is contraindicated in gout.", group="contraindications"),
    label("It is contraindicated in porphyria.", group="contraindications"),
    label("WARNING: LIVER INJURY", group="boxed_warning"),
    label("Fatal liver injury has occurred.", group="boxed_warning"),
    label("Avoid alcohol.", group="warnings"),
    label("Velotrib must not be used in gout.", "velotrib", group="contraindications"),
]


def test_items_of_one_list_are_not_the_same_for_what_introduces_them(drugs: DrugLexicon) -> None:
    lead = "The use of zolumycin is contraindicated in the following conditions: "
    own = ("History of seizure", "History of allergy to zolumycin", "Kidney impairment")
    items = [
        label(lead + words, text=words, statement_kind="item", group="contraindications")
        for words in own
    ]
    found = asked_warnings(
        read_slots("who must not take zolumycin", drugs), sources_of(items, drugs)
    )
    assert [one.statement.text for one in found] == list(own)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Contraindications of zolumycin", (0, 1, 3)),
        ("What is the boxed warning of zolumycin?", (3, 0, 1)),
        ("Contraindications of velotrib", (5,)),
        ("Is zolumycin contraindicated in pregnancy?", ()),
        ("Side effects of zolumycin", ()),
        ("What is contraindicated?", ()),
    ],
)
def test_warnings_asked_for_are_shown_whole(
    question: str, expected: tuple[int, ...], drugs: DrugLexicon
) -> None:
    found = asked_warnings(read_slots(question, drugs), sources_of(WARNINGS, drugs))
    assert [one.statement for one in found] == [WARNINGS[n] for n in expected]


CREAM = label("For acne in adults.", group="indications")
APPLY = label("Apply 1 g twice daily.", group="dosage")


@pytest.mark.parametrize(
    ("question", "misfits"),
    [
        ("zolumycin dose for tuberculosis", True),
        ("zolumycin dose for acne", False),
        ("zolumycin dose", False),
    ],
)
def test_a_dose_is_for_what_its_label_is_for(
    question: str, misfits: bool, drugs: DrugLexicon
) -> None:
    labels = LabelIndications(sources_of([CREAM, APPLY], drugs))
    found = labels.misfit(read_slots(question, drugs), ranked(APPLY))
    assert (found is not None) is misfits


def test_when_one_drug_follows_another_is_no_dose_for_a_disease(drugs: DrugLexicon) -> None:
    after = label("Apply zolumycin 24 hours after the last dose of rifampin.")
    labels = LabelIndications(sources_of([CREAM, after], drugs))
    story = "On zolumycin, needs rifampin for TB."
    asked = f"{story} How soon after the last rifampin dose can zolumycin resume?"
    assert labels.misfit(read_slots(asked, drugs), ranked(after)) is None
    assert labels.misfit(read_slots("zolumycin dose for tuberculosis", drugs), ranked(after))


@pytest.mark.parametrize(("disease", "is_misfit"), [("hepatitis B", True), ("hepatitis C", False)])
def test_a_disease_that_is_only_tested_for_is_no_indication(
    disease: str, is_misfit: bool, drugs: DrugLexicon
) -> None:
    """A dose for hepatitis C had been shown for hepatitis B, which is looked for before it."""
    used = label("Zolumycin is indicated for chronic hepatitis C.", group="indications")
    dose = label(
        "Test all patients for hepatitis B. One 400 mg tablet of zolumycin daily.", group="dosage"
    ).model_copy(update={"document_id": used.document_id})
    slots = read_slots(f"Zolumycin dose for chronic {disease}", drugs)
    labels = LabelIndications(sources_of([used, dose], drugs))
    assert (labels.misfit(slots, ranked(dose)) is not None) == is_misfit


TB_DOSE = label("Tuberculosis: 15 mg/kg daily.")
SEVERE = label("1 to 2 g daily for severe infections.")
PLAGUE = label("Plague: 2 g daily.")


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("zolumycin dose for tuberculosis", [TB_DOSE]),
        ("What is the dose of zolumycin?", [TB_DOSE]),
        ("side effects of zolumycin", [SEVERE, TB_DOSE, PLAGUE]),
    ],
)
def test_doses_of_a_label_for_something_else_are_left_out(
    question: str, kept: list[IndexedStatement], drugs: DrugLexicon
) -> None:
    fitting = [ranked(one) for one in (SEVERE, TB_DOSE, PLAGUE)]
    sources = sources_of([SEVERE, TB_DOSE, PLAGUE], drugs)
    found = for_the_disease(fitting, read_slots(question, drugs), sources)
    assert [one.statement for one in found] == kept


def test_a_dose_with_a_partner_is_kept_whatever_it_is_given_for(drugs: DrugLexicon) -> None:
    with_partner = label("Plague: 1 g daily with rifampin.")
    fitting = [ranked(one) for one in (TB_DOSE, PLAGUE, with_partner)]
    slots = read_slots("What is the dose of zolumycin with rifampin?", drugs)
    assert slots.partners
    found = for_the_disease(fitting, slots, sources_of([one.statement for one in fitting], drugs))
    assert [one.statement for one in found] == [TB_DOSE, with_partner]


def test_every_dose_of_a_label_for_one_disease_is_for_it(drugs: DrugLexicon) -> None:
    indication = label("Zolumycin is indicated for tuberculosis.", group="indications")
    row = label("CrCl 15 to 29: 10 mg/kg every 48 hours", statement_kind="row")
    sources = sources_of([indication, TB_DOSE, row], drugs)
    slots = read_slots("zolumycin dose for tuberculosis, CrCl 20", drugs)
    found = for_the_disease([ranked(TB_DOSE), ranked(row)], slots, sources)
    assert [one.statement for one in found] == [TB_DOSE, row]


def test_doses_that_differ_by_a_lost_heading_are_left_out(drugs: DrugLexicon) -> None:
    slots = read_slots("zolumycin dose", drugs)
    items = [ranked(statement(f"Zolumycin: {dose} mg daily")) for dose in (50, 100)]
    other = ranked(statement("Zolumycin 200 mg daily in severe disease"))
    sources = sources_of([one.statement for one in (*items, other)], drugs)
    assert for_the_disease([*items, other], slots, sources) == [other]
    assert for_the_disease(items[:1], slots, sources) == items[:1]


def test_a_dose_per_kilogram_is_shown_with_its_maximum(drugs: DrugLexicon) -> None:
    slots = read_slots("zolumycin dose", drugs)
    dose, maximum = statement("Zolumycin 10 mg/kg daily."), statement("Zolumycin: at most 300 mg.")
    others = [statement("Zolumycin 200 mg."), statement("Rifampin: at most 600 mg."), maximum]
    assert ceiling(slots, dose, others, drugs) == maximum
    assert ceiling(slots, statement("Zolumycin 10 mg/kg, maximum 1 g."), others, drugs) is None
    assert ceiling(slots, statement("Zolumycin 300 mg."), others, drugs) is None


def test_the_maximum_of_another_use_is_not_shown(drugs: DrugLexicon) -> None:
    slots = read_slots("zolumycin dose", drugs)
    dose = label("Zolumycin 10 mg/kg daily.", headings=("Dosage", "Treatment"))
    other = label("Zolumycin: at most 300 mg.", headings=("Dosage", "Prophylaxis"))
    whole = label("Zolumycin: at most 900 mg.", headings=("Dosage",))
    assert ceiling(slots, dose, [other], drugs) is None
    assert ceiling(slots, dose, [other, whole], drugs) == whole


def test_a_label_that_the_next_sentence_repeats_is_said_once():
    head = statement("Zolumycin is not for children.")
    body = statement("Zolumycin is not for children. It may be used in adults.")
    whole = joined(head, [head, body])
    assert whole.said == body.said
    assert whole.quotes == body.quotes


def test_a_sentence_that_the_next_one_refers_to_is_said_once():
    first, second, third = "Zolumycin is red.", "This stains.", "Therefore wear black."
    parts = [
        statement(f"{first} {second}", text=second),
        statement(f"{second} {third}", text=third),
    ]
    assert joined(parts[0], parts).said == f"{first} {second} {third}"


def test_a_contraindication_of_two_drugs_of_a_case_leads(drugs: DrugLexicon):
    forbids = label("Zolumycin is contraindicated with velotrib.", group="contraindications")
    other = label("Zolumycin is contraindicated in gout.", group="contraindications")
    sources = sources_of([other, forbids], drugs)
    case = "A man of 40 on zolumycin has worms. He has to get velotrib. How do we time the two?"
    found = pairs_forbidden(read_slots(case, drugs), sources)
    assert [one.statement for one in found] == [forbids]
    assert pairs_forbidden(read_slots("Dose of zolumycin?", drugs), sources) == []


def test_times_of_a_forbidden_pair_are_shown_where_they_are_asked(drugs: DrugLexicon):
    resumed = label("Zolumycin may be resumed 24 hours after the last dose of velotrib.")
    other = label("Zolumycin may cause a rash within 2 weeks.")
    fitting = [ranked(one) for one in (other, resumed)]
    sources = sources_of([other, resumed], drugs)
    case = "A man of 40 had zolumycin, then velotrib until noon. When can he have zolumycin again?"
    whether = "A man of 40 on zolumycin needs velotrib. Is that allowed?"
    found = advice_of_pair(fitting, read_slots(case, drugs), sources)
    assert [one.statement for one in found] == [resumed]
    assert advice_of_pair(fitting, read_slots(whether, drugs), sources) == []


def test_the_dose_of_a_pair_that_is_forbidden_as_usual_is_shown_where_it_is_asked(
    drugs: DrugLexicon,
) -> None:
    changed = label("With velotrib the dose of zolumycin is 400 mg daily.", group="dosage")
    usual = label("The dose of zolumycin is 200 mg daily.", group="dosage")
    fitting = [ranked(one) for one in (usual, changed)]
    sources = sources_of([usual, changed], drugs)
    case = "A man of 40 is on velotrib. He needs zolumycin. Which dose of zolumycin?"
    found = advice_of_pair(fitting, read_slots(case, drugs), sources)
    assert [one.statement for one in found] == [changed]


def test_a_definition_comes_with_what_it_means_for_them(drugs: DrugLexicon) -> None:
    every = statement("Extensive disease: cavities on both sides.")
    young = statement("In children under 15 years any cavity is enough.")
    sources = sources_of([every, young], drugs)
    one = ranked(every)
    asked = ("in a child of 12 years", "in a man of 40 years")
    child, adult = (read_slots(f"What is extensive disease {whom}?", drugs) for whom in asked)
    assert with_their_meaning(one, child, sources).statement.said == f"{every.said} {young.said}"
    assert with_their_meaning(one, adult, sources) is one


def test_what_goes_on_about_listed_drugs_comes_with_the_list(drugs: DrugLexicon) -> None:
    listed = label("Some drugs raise glucose, such as velotrib.", group="interactions")
    given = label("When such drugs are given with zolumycin, glucose may rise.")
    stopped = label("When such drugs are withdrawn, glucose may fall.")
    after = label("Zolumycin is kept dry.")
    sources = sources_of([listed, given, stopped, after], drugs)
    found = with_such_drugs(ranked(listed), sources).statement
    assert found.said == f"{listed.said} {given.said} {stopped.said}"
    run_on = label(f"{listed.said} {given.said}", text=given.said)
    sources = sources_of([listed, run_on, stopped], drugs)
    found = with_such_drugs(ranked(listed), sources).statement
    assert found.said == f"{listed.said} {given.said} {stopped.said}"
    assert with_such_drugs(ranked(after), sources).statement == after


def test_a_row_with_a_sign_goes_on_with_the_footnote_under_that_sign(drugs) -> None:
    row = label("Zolumycin; Dose: 900 mg; Twice weekly‡", statement_kind="row", group="dosage")
    note = label("‡ Twice-weekly doses must be observed.", group="dosage")
    other = label("† Daily doses must be written down.", group="dosage")
    study = label("‡ Children were studied as well.", group="dosage")
    every = [row, other, study, note]
    (found,) = with_orders([ranked(row)], sources_of(every, drugs))
    assert found.statement.said == f"{row.said} {note.said}"
    plain = row.model_copy(update={"said": "Zolumycin; Dose: 900 mg; Daily"})
    (same,) = with_orders([ranked(plain)], sources_of([plain, note], drugs))
    assert same.statement.said == plain.said


def test_a_row_of_doses_goes_on_with_what_its_footnote_orders(drugs: DrugLexicon) -> None:
    order = label("Adults under 40 kg should take half.", group="dosage")
    own, note = (Quote(chunk_id="invented", start=a, end=b) for a, b in ((0, 20), (60, 99)))
    order = order.model_copy(update={"quotes": (note,)})
    row = label("Dose: 200 mg", group="dosage", statement_kind="row")
    row = row.model_copy(update={"quotes": (own, note)})
    bare = label("Dose: 300 mg", group="dosage", statement_kind="row")
    of_study = row.model_copy(update={"id": "studied", "group": "clinical_studies"})
    every = [row, bare, of_study, order]
    found = with_orders([ranked(one) for one in every], sources_of(every, drugs))
    said = [one.statement.said for one in found]
    assert said == [f"Dose: 200 mg {order.said}", "Dose: 300 mg", "Dose: 200 mg"]
    assert found[0].statement.quotes == (own, note)
