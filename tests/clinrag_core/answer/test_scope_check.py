"""The scope of a release, and the questions it refuses: what is missing is named, and what is not.

The documents here are written for the tests; none of their figures is a dose to give.
"""

from __future__ import annotations

import pytest

from clinrag_core.answer.question.reader import AskedQuestion
from clinrag_core.answer.scope_check import could_ask, out_of_scope
from clinrag_core.errors import ReleaseError
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.index.chunk_table import to_table
from clinrag_core.index.scope import release_scope, title_subjects
from clinrag_core.index.scope_record import SCOPE, ReleaseScope, read_scope
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.model.chunk import Chunk
from clinrag_core.retrieve.route import RouteDecision
from clinrag_core.workspace import write_json

LABELS = {
    "linezolid": ("linezolid", "zyvox"),
    "telavancin": ("telavancin", "vibativ"),
    "hydrocodone-and-acetaminophen": (
        "hydrocodone",
        "acetaminophen",
        "hydrocodone and acetaminophen",
    ),
}
DRUGS = DrugLexicon(LABELS)


def chunk(number: int, text: str, *, title: str, path: tuple[str, ...] = (), **more: object):
    return Chunk.model_validate(
        {
            "id": f"{number:024d}",
            "document_id": title.lower().replace(" ", "-"),
            "document_title": title,
            "kind": "label" if "drug" in more else "guideline",
            "section_ordinal": number,
            "section_path": path,
            "ordinal": 0,
            "start": 0,
            "end": len(text),
            "text": text,
            "embed_title": title,
            "embed_text": text,
            "tokens": 9,
            "file_sha256": "0" * 64,
            **more,
        }
    )


def label(number: int, drug: str, group: str, text: str):
    return chunk(number, text, title=drug.title(), group=group, drug=drug, drug_names=LABELS[drug])


@pytest.fixture(scope="module")
def scope() -> ReleaseScope:
    """A guideline on tuberculosis with one report on pneumonia, and three labels."""
    advice = "Tuberculosis should be treated with isoniazid 5 mg/kg and rifampin 10 mg/kg."
    guidelines = [
        chunk(1, advice, title="TB guide", path=("Treatment of tuberculosis",)),
        chunk(2, "Treat it for six months.", title="TB guide", path=("Tuberculosis treatment",)),
        chunk(3, "No dose can be advised for sutezolid. Linezolid 600 mg is an option.",
              title="TB guide", path=("Treatment of drug-resistant tuberculosis",)),
        chunk(4, "Active tuberculosis must be treated at once.", title="TB guide"),
        chunk(6, "Terizidone: not well defined for it. The usual dose is 600 mg.",
              title="TB guide", path=("Treatment of drug-resistant tuberculosis",)),
        chunk(7, "Amoxicillin and clavulanate are never counted as effective drugs. "
              "Amoxicillin is given with meropenem. Clavulanate is given with meropenem.",
              title="TB guide", path=("Treatment of drug-resistant tuberculosis",)),
        chunk(5, "An outbreak of pneumonia was treated with antibiotics.", title="Outbreak"),
    ]  # fmt: skip
    labels = [
        label(11, "linezolid", "dosage", "600 mg every 12 hours."),
        label(12, "linezolid", "indications", "Indicated for pneumonia."),
        label(
            16,
            "hydrocodone-and-acetaminophen",
            "indications",
            "For skin, in people with risk factors such as pneumonia.",
        ),
        label(13, "linezolid", "interactions", "Digoxin may be combined."),
        label(14, "telavancin", "contraindications", "Contraindicated with heparin."),
        label(15, "hydrocodone-and-acetaminophen", "dosage", "One tablet of 325 mg."),
    ]
    return release_scope([to_table(guidelines)], [to_table(labels)], DRUGS)


def asked(text: str) -> AskedQuestion:
    route = RouteDecision(route="MIXED", confidence=1.0)
    return AskedQuestion(text, (), route, text, (), about_medication=False, is_covered=False)


def gap_of(text: str, scope: ReleaseScope):
    return out_of_scope(asked(text), DRUGS, scope)


def test_a_dose_after_the_name_that_begins_a_text_is_that_drug_s(scope):
    assert gap_of("What is the dose of terizidone?", scope) is None


def test_a_drug_that_is_only_in_a_combination_is_a_gap_of_its_own_kind(scope):
    gap = gap_of("What is the dose of hydrocodone?", scope)
    assert gap is not None
    assert (gap.kind, gap.available) == (
        "combined",
        ("the label of acetaminophen and hydrocodone",),
    )


def test_a_brand_of_one_drug_is_not_the_product_that_has_another_as_well(scope):
    question = "Tylenol missed since Monday, how to go on?"
    gap = gap_of(question, scope)
    assert gap is not None
    assert gap.kind == "product"
    assert out_of_scope(asked(question), DRUGS, scope, {"tylenol"}) is None  # a label speaks of it
    assert gap_of("Acetaminophen missed since Monday, how to go on?", scope) is None


def test_a_condition_of_the_other_drug_is_no_gap(scope):
    alone = gap_of("Dose of hydrocodone and acetaminophen for tuberculosis", scope)
    both = "Dose of hydrocodone and acetaminophen on day 1 of isoniazid for tuberculosis"
    assert alone is not None
    assert alone.kind == "pair"
    assert gap_of(both, scope) is None
    assert gap_of("Missed dose of hydrocodone/acetaminophen, what now?", scope) is None


def test_what_a_regimen_is_for_is_no_gap_of_a_drug_besides_it(scope):
    assert gap_of("Hydrocodone and acetaminophen dose in TB?", scope) is not None
    assert gap_of("TB patient on RHZE, hydrocodone and acetaminophen dose?", scope) is None


def test_the_dose_of_a_drug_with_a_labelled_one_is_looked_for(scope):
    asked_of_pair = "Gout in a man on linezolid: how much colchicine can I give?"
    assert gap_of(asked_of_pair, scope) is None


def test_a_scope_counts_what_labels_and_guidelines_cover(scope):
    assert scope.drugs["linezolid"].label["dose"] == 1
    assert scope.drugs["linezolid"].guideline["dose"] == 1
    assert scope.drugs["isoniazid"].guideline["dose"] == 1
    assert not scope.drugs["telavancin"].covers("dose")
    assert scope.conditions["pneumonia"].indicated == ("linezolid",)
    assert scope.conditions["tuberculosis"].guideline["treatment"] >= 3
    assert scope.products[0].ingredients == ("acetaminophen", "hydrocodone")


def test_a_figure_of_another_drug_in_the_passage_is_no_dose(scope):
    """The sentence after the one on sutezolid gives a dose of linezolid."""
    assert "sutezolid" in scope.drugs
    assert not scope.drugs["sutezolid"].covers("dose")


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("What is the dose of telavancin?", "dose", "dose of telavancin"),
        ("dose of sutezolid for TB", "dose", "dose of sutezolid"),
        ("dose of telavancin and of sutezolid", "dose", "dose of telavancin or sutezolid"),
        ("Cefotaxime dose", "drug", "no label of cefotaxime and no guideline passage about it"),
        ("How often is digoxin toxic to the eyes?", "drug", "no label of digoxin"),
        ("Overdose of telavancin: what to do?", "aspect", "overdose of telavancin"),
        ("Dose of paracetamol", "combined", "acetaminophen alone"),
        ("Rifamate dose", "product", "label of rifamate"),
        ("Dose of linezolid for plague", "pair", "linezolid for plague"),
        ("Is linezolid effective in plague?", "pair", "use of linezolid for plague"),
        ("Linezolid for plague?", "pair", "use of linezolid for plague"),
        ("Linezolid kills plague - at what level?", "pair", "use of linezolid for plague"),
        ("How is pneumonia treated?", "condition", "treatment of pneumonia"),
        ("CAP treatment in a penicillin-allergic adult", "condition", "pneumonia"),
        ("How to treat hypertension in a patient with TB?", "condition", "hypertension"),
        ("Man of 70, CURB-65 of 3: which empiric antibiotics, doses?", "condition", "pneumonia"),
        ("Chest infection at 50, which antibiotic?", "condition", "pneumonia"),
        ("When to switch from IV to oral antibiotics in pneumonia?", "condition", "pneumonia"),
        (
            "CAP in a man of 66 with COPD, which is the best of all regimens?",
            "condition",
            "pneumonia",
        ),
        ("Are blood cultures needed in pneumonia?", "condition", "diagnosis of pneumonia"),
        ("Isoniazid or rifampin for mild pneumonia?", "condition", "treatment of pneumonia"),
        ("Is linezolid better than omadacycline?", "drug", "omadacycline"),
        ("Augmentin dose in TB?", "product", "label of augmentin"),
    ],
)
def test_what_the_sources_do_not_cover_is_named(scope, question, kind, said):
    gap = gap_of(question, scope)
    assert gap is not None
    assert gap.kind == kind
    assert said in gap.sentence


def test_a_gap_says_what_there_is(scope):
    gap = gap_of("How is pneumonia treated?", scope)
    assert gap is not None
    assert "labels that list it, which is no advice to choose them: linezolid" in gap.sentence
    assert "contraindications" in gap_of("telavancin dose", scope).sentence


@pytest.mark.parametrize(
    "question",
    [
        "What is the dose of linezolid?",
        "dose of isoniazid in children with TB",
        "Digoxin dose when linezolid is given",
        "Is the pneumonia resistant to isoniazid or rifampin?",
        "Telavancin for pneumonia?",  # no indications of it are here
        "Which drugs interact with digoxin?",
        "Is linezolid useful in pneumonia?",
        "Does linezolid work with food in a patient with plague on digoxin?",
        "Contraindications of telavancin",
        "Treatment of tuberculosis",
        "Linezolid for pneumonia, dose?",
        "How does TB spread?",
        "A man on digoxin has TB. He takes linezolid. Which dose?",
        "Hydrocodone and acetaminophen dose",
        "What is linezolid-resistant TB?",
        "Linezolid intrathecally for gram-negative meningitis, how?",
        "Does Augmentin count as an active drug in TB?",
        "Hydrocodone and acetaminophen: pneumonia cover, which antibiotics?",
        "Is linezolid ok with Rifamate?",
    ],
)
def test_what_they_cover_is_not_refused(scope, question):
    assert gap_of(question, scope) is None


def test_a_release_without_a_scope_refuses_nothing():
    assert out_of_scope(asked("Dose of telavancin"), DRUGS, None) is None
    assert could_ask(asked("Dose of telavancin"), DRUGS, None) == ()


def test_what_could_be_asked_is_covered_and_was_not_asked(scope):
    offers = could_ask(asked("Dose of telavancin"), DRUGS, scope)
    assert offers == ("contraindications of telavancin", "interactions of telavancin")
    assert could_ask(asked("Best pizza"), DRUGS, scope)[0] == "treatment of tuberculosis"


def test_a_scope_is_read_as_it_was_written(scope, tmp_path):
    assert read_scope(tmp_path) is None
    write_json(tmp_path / SCOPE, scope.model_dump(mode="json"))
    assert read_scope(tmp_path) == scope
    write_json(tmp_path / SCOPE, {"format": "scope/0"})
    with pytest.raises(ReleaseError, match="another version"):
        read_scope(tmp_path)


def test_meningitis_is_tuberculous_only_where_tuberculosis_is_named():
    table = scope_table()
    named = {c.name for c in table.conditions_in("gram-negative meningitis")}
    assert "tuberculous meningitis" not in named
    named = {c.name for c in table.conditions_in("tb meningitis")}
    assert named == {"tuberculous meningitis"}


def test_what_a_sentence_says_in_passing_of_a_drug_is_not_known_of_it():
    said = "Isoniazid and rifampin may cause hepatitis, as may phenytoin. Linezolid (MIC 2 µ g/mL)."
    scope = release_scope([to_table([chunk(1, said, title="TB guide")])], [], DRUGS)
    assert scope.drugs["rifampin"].covers("adverse_reactions")
    assert not scope.drugs["phenytoin"].covers("adverse_reactions")
    assert not scope.drugs["linezolid"].covers("dose")


def test_a_dose_without_a_unit_of_mass_is_a_dose():
    rows = [label(21, "telavancin", "dosage", "Apply half a capful twice a day.")]
    scope = release_scope([], [to_table(rows)], DRUGS)
    assert scope.drugs["telavancin"].covers("dose")


def test_what_another_field_is_asked_is_offered_nothing_that_would_be_refused(scope):
    other = asked("Dose of telavancin")
    other = other._replace(route=RouteDecision(route="OUT_OF_DOMAIN", confidence=1.0))
    assert could_ask(other, DRUGS, scope)[0] == "treatment of tuberculosis"


def test_a_title_says_what_its_document_is_about() -> None:
    assert title_subjects("Guidelines for the treatment of dengue and Zika, 2nd edition") == {
        "dengu",
        "zika",
    }
    assert not title_subjects("Report of the national committee on prevention, 2023")
    assert not title_subjects("Regimens for drug resistant strains of virus B: notice to readers")


def test_names_of_diseases_of_other_fields_are_counted() -> None:
    texts = ("Measure blood pressure.", "Blood pressure was high.", "Treat tuberculosis.")
    chunks = [chunk(n, text, title="Dengue guide") for n, text in enumerate(texts)]
    found = release_scope([to_table(chunks)], [], DRUGS)
    assert (found.fields, found.subjects) == ({"blood pressure": 2}, ("dengu",))


@pytest.mark.parametrize(
    ("row", "is_treatment"),
    [
        ("linezolid\tFIRST CHOICE − Community acquired pneumonia\tSECOND CHOICE − Gout", True),
        ("linezolid\tSeen in − Community acquired pneumonia", False),
    ],
)
def test_a_list_of_choices_is_on_treatment(row: str, *, is_treatment: bool) -> None:
    found = release_scope([to_table([chunk(1, row, title="List")])], [], DRUGS)
    pneumonia = [found.conditions[name] for name in found.conditions if "pneumonia" in name]
    assert any("treatment" in one.guideline for one in pneumonia) is is_treatment
