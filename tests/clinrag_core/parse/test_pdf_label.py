"""Labels in print: sections by their headings, identity from what is printed around them."""

import datetime as dt
import hashlib

import pytest

from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.assemble.flow import BoxEdge, Heading, Piece, SectionStart
from clinrag_core.parse.pdf.label import is_printed_label, printed_label
from clinrag_core.parse.pdf.label_flow import LEAST_SECTIONS, label_flow, label_headings
from clinrag_core.parse.registry import parse_document
from tests.paper import LABEL_HEADINGS, label_pdf, read


def text(words, kind="paragraph"):
    return Piece(kind, words)


def label(*between):
    """A label with the usual headings, and items after that of its contraindications."""
    items = []
    for main in LABEL_HEADINGS:
        items += [Heading(main, 1), text(f"What {main} says.")]
        if main.startswith("4"):
            items += between
    return items


def sections(items):
    """Path, group, audience and role of each section of a flow, with its pieces' texts."""
    found = []
    for item in label_flow(items):
        if isinstance(item, SectionStart):
            found.append((item, []))
        else:
            found[-1][1].append(item.text)
    return found


def paths(items):
    return [start.path for start, _ in sections(items)]


def groups(items):
    return {start.path[-1]: start.group for start, _ in sections(items) if start.path}


def test_numbered_headings_say_what_a_section_is_about():
    assert groups(label()) == {
        "1 INDICATIONS AND USAGE": "indications",
        "2 DOSAGE AND ADMINISTRATION": "dosage",
        "4 CONTRAINDICATIONS": "contraindications",
        "5 WARNINGS AND PRECAUTIONS": "warnings",
        "6 ADVERSE REACTIONS": "adverse_reactions",
        "8 USE IN SPECIFIC POPULATIONS": "specific_populations",
        "17 PATIENT COUNSELING INFORMATION": "patient_information",
    }


def test_a_section_heading_that_is_set_as_text_is_a_heading():
    items = [
        text("4 CONTRAINDICATIONS") if i == Heading(LABEL_HEADINGS[2], 1) else i for i in label()
    ]
    assert paths(items) == paths(label())


def test_a_subsection_is_in_its_section_though_the_label_does_not_print_that_heading():
    items = label(Heading("5.1 Liver Injury", 1), text("Liver injury was seen."))
    start, texts = sections(items)[3]
    assert start.path == ("5 Warnings and precautions", "5.1 Liver Injury")
    assert (start.group, texts) == ("warnings", ["Liver injury was seen."])


def test_a_known_subsection_has_its_own_code():
    items = [*label(), Heading("17.1 Advice", 1)]
    at = items.index(Heading(LABEL_HEADINGS[5], 1)) + 1
    items[at:at] = [Heading("8.1 Pregnancy", 2), text("Zapidine harms a fetus.")]
    found = {start.path: start.loinc for start, _ in sections(items)}
    assert found["8 USE IN SPECIFIC POPULATIONS", "8.1 Pregnancy"] == "42228-7"
    assert found["17 PATIENT COUNSELING INFORMATION", "17.1 Advice"] == "88436-1"


def test_numbers_never_go_back():
    items = label(Heading("2.2 Dose in the study", 2), text("Study text."))
    start, _ = sections(items)[3]
    assert start.path == ("4 CONTRAINDICATIONS", "2.2 Dose in the study")
    assert start.group == "contraindications"


def test_a_heading_without_number_opens_no_other_matter_in_a_label_with_numbers():
    items = label(Heading("Pregnancy", 1), text("Advice."), Heading("Warnings", 1), text("More."))
    found = [start for start, _ in sections(items) if "4 CONTRAINDICATIONS" in start.path]
    assert [start.group for start in found] == ["contraindications"] * 3
    assert found[2].path == ("4 CONTRAINDICATIONS", "Warnings")


def test_highlights_and_contents_are_no_body():
    ahead = [
        text("ZAPID- zapidine tablet"),
        Heading("HIGHLIGHTS OF PRESCRIBING INFORMATION", 1),
        text("These highlights do not include all the information."),
        Heading("CONTRAINDICATIONS", 1),
        text("Hypersensitivity. (4)"),
        Heading("FULL PRESCRIBING INFORMATION: CONTENTS*", 1),
        text("1 INDICATIONS AND USAGE"),
        Heading("FULL PRESCRIBING INFORMATION", 1),
        Heading("WARNING: LIVER INJURY", 1),
        text("Zapidine injures the liver."),
    ]
    found = sections([*ahead, *label()])
    assert [start.role for start, _ in found[:4]] == [
        "front_matter",
        "highlights",
        "highlights",
        "contents",
    ]
    box, texts = found[4]
    assert (box.path, box.group, box.role) == (("WARNING: LIVER INJURY",), "boxed_warning", "body")
    assert texts == ["Zapidine injures the liver."]
    assert len(found) == 5 + len(LABEL_HEADINGS)


def test_the_box_may_be_on_the_line_of_the_heading_above_it():
    ahead = [
        Heading("HIGHLIGHTS OF PRESCRIBING INFORMATION", 1),
        Heading("FULL PRESCRIBING INFORMATION WARNING: LIVER INJURY", 1),
    ]
    assert ("WARNING: LIVER INJURY",) in paths([*ahead, *label()])


def test_without_highlights_all_text_is_body():
    ahead = [Heading("ZAPID", 1), text("WARNING: LIVER INJURY"), text("It injures the liver.")]
    found = sections([*ahead, *label()])
    assert {start.role for start, _ in found} == {"body"}
    assert [texts for start, texts in found if start.group == "boxed_warning"] == [
        ["It injures the liver."]
    ]


def test_a_warning_inside_the_label_is_no_box():
    items = label(Heading("WARNING: KEEP DRY", 2), text("Keep it dry."))
    assert "boxed_warning" not in {start.group for start, _ in sections(items)}


def test_text_for_patients_pictures_and_data_come_after_the_text():
    items = [
        *label(),
        text("MEDICATION GUIDE ZAPID (zap-id)"),
        Heading("What is ZAPID?", 1),
        text("A medicine."),
        Heading("PRINCIPAL DISPLAY PANEL - 5 mg bottle", 1),
        text("MEDICATION GUIDE"),
        Heading("Product Information", 1),
        text("NDC 1"),
        Heading("Packaging", 1),
    ]
    found = {start.path: (start.group, start.audience) for start, _ in sections(items)}
    assert found["Medication guide", "What is ZAPID?"] == ("patient_information", "patient")
    panel = "PRINCIPAL DISPLAY PANEL - 5 mg bottle"
    assert found[panel,] == ("package_label", "clinician")
    assert found["Product Information", "Packaging"] == ("product_data", "clinician")
    assert len([path for path in found if path[0] == "Medication guide"]) == 2


def test_advice_for_patients_begins_with_its_first_sentence_where_nothing_heads_it():
    advice = "Advise the patient to read the FDA-approved patient labeling (Medication Guide)."
    lay = "Read this Medication Guide before you start ZAPID."
    items = [*label()[:-2], text(advice), text(lay)]
    found = sections(items)[-2:]
    assert [(s.group, s.audience) for s, _ in found] == [
        ("patient_information", "clinician"),
        ("patient_information", "patient"),
    ]
    assert [texts for _, texts in found] == [[advice], [lay]]


def test_a_label_of_the_older_form_has_names_without_numbers():
    names = ["DESCRIPTION", "INDICATIONS AND USAGE", "CONTRAINDICATIONS", "WARNINGS"]
    names += ["PRECAUTIONS", "ADVERSE REACTIONS", "OVERDOSAGE", "DOSAGE AND ADMINISTRATION"]
    items = [Heading(name, 1) for name in names]
    items.insert(5, Heading("Pregnancy", 2))
    found = groups(items)
    assert found["PRECAUTIONS"] == "warnings"
    assert found["Pregnancy"] == "specific_populations"
    assert found["DOSAGE AND ADMINISTRATION"] == "dosage"
    assert ("PRECAUTIONS", "Pregnancy") in paths(items)


@pytest.mark.parametrize(
    "box", [Heading("WARNING: LIVER", 1), Piece("paragraph", "WARNING: LIVER")]
)
def test_the_box_of_an_older_label_ends_with_the_next_heading(box):
    names = ["OUR NOTE", "DESCRIPTION", "INDICATIONS AND USAGE", "CONTRAINDICATIONS", "WARNINGS"]
    names += ["PRECAUTIONS", "ADVERSE REACTIONS"]
    found = sections([box, text("It harms the liver."), *(Heading(name, 1) for name in names)])
    of_box = [start.path for start, _ in found if start.group == "boxed_warning"]
    assert of_box == [("WARNING: LIVER",)]
    assert ("DESCRIPTION",) in [start.path for start, _ in found]


def test_a_number_somewhere_makes_no_label_with_numbers():
    names = ["INDICATIONS AND USAGE", "CONTRAINDICATIONS", "WARNINGS", "PRECAUTIONS"]
    names += ["ADVERSE REACTIONS", "1.2 A study of ours", "DOSAGE AND ADMINISTRATION"]
    assert groups([Heading(name, 1) for name in names])["DOSAGE AND ADMINISTRATION"] == "dosage"


def test_no_word_is_lost():
    items = label(text("• item", "list_item"), BoxEdge.START, text("In a box."), BoxEdge.END)
    words = [piece.text for piece in items if isinstance(piece, Piece)]
    assert [t for _, texts in sections(items) for t in texts] == words


@pytest.mark.parametrize(
    ("headings", "is_label"),
    [
        (LABEL_HEADINGS, True),
        ([f"{n}. Chapter" for n in range(1, 18)], False),
        (["Pregnancy", "Contraindications", "Dosage and administration", "References"], False),
        (["6.1 Clinical Trials Experience", "8.1 Pregnancy", "8.4 Pediatric Use"], False),
        (["CONTRAINDICATIONS", *[m.split(" ", 1)[1] for m in LABEL_HEADINGS]], False),
    ],
    ids=["label", "chapters", "few", "few numbered", "compendium"],
)
def test_a_label_is_known_by_its_headings(headings, is_label):
    assert (label_headings(headings) >= LEAST_SECTIONS) is is_label


def of_label(data, drug=None):
    file = SourceFile(name="z.pdf", sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    return DocumentSource(kind="label", format="pdf", file=file, drug=drug)


PRODUCT = "ZAPID- zapidine hydrochloride tablet, film coated"


def test_identity_is_what_is_printed():
    document = parse_document((data := label_pdf(PRODUCT)), of_label(data))
    found = document.label
    assert found is not None
    assert document.kind == "label"
    assert document.id == "pdf-zapidine-hydrochloride-example-pharma-inc-zapid"
    assert document.title == "ZAPID (zapidine hydrochloride)"
    assert found.names == ("zapid", "zapidine", "zapidine hydrochloride")
    assert (found.labeler, found.effective) == ("Example Pharma Inc", dt.date(2025, 7, 1))
    assert not found.is_partial
    assert not found.has_boxed_warning
    assert all(block.page for one in document.sections for block in one.blocks)


def test_a_label_without_dosage_is_partial():
    data = label_pdf(
        PRODUCT, mains=[main for main in [*LABEL_HEADINGS, "10 OVERDOSAGE"] if main[0] != "2"]
    )
    found = parse_document(data, of_label(data)).label
    assert found is not None
    assert found.is_partial


@pytest.mark.parametrize(
    ("line", "brand", "generic"),
    [
        (PRODUCT, "ZAPID", "zapidine hydrochloride"),
        ("ZAPID (zapidine) tablets, for oral use", "ZAPID", "zapidine"),
        ("ZAPID® (zapidine and lorim) capsules", "ZAPID", "zapidine and lorim"),
    ],
)
def test_the_product_is_named_above_the_text(line, brand, generic):
    found = printed_label([text(line), *label()], of_label(b""))
    assert (found.products[0].name, found.products[0].generic_names) == (brand, (generic,))


def test_active_ingredients_are_those_with_a_moiety():
    data = [
        text(
            "ZAPIDINE HYDROCHLORIDE (UNII: 1234567890) (ZAPIDINE - UNII:ABCDEFGHIJ) ZAPIDINE 5 mg"
        ),
        text("STARCH, CORN (UNII: O8232NY3SJ)"),
    ]
    found = printed_label([*label(), *data], of_label(b""))
    assert [(a.substance, a.moieties) for a in found.products[0].actives] == [
        ("ZAPIDINE HYDROCHLORIDE", ("ZAPIDINE",))
    ]
    assert found.drug == "zapidine"


def test_a_month_that_does_not_exist_is_no_date():
    assert printed_label([*label(), text("Revised: 13/2025")], of_label(b"", "z")).effective is None


def test_what_is_no_label_is_refused():
    data = label_pdf(mains=["1 Purpose", "2 Scope", "3 Methods"])
    with pytest.raises(ParseError, match="not those of a drug label") as refused:
        parse_document(data, of_label(data, "zapidine"))
    assert refused.value.code == "not_a_label"


def test_a_label_needs_the_name_of_its_drug():
    data = label_pdf()
    with pytest.raises(ParseError) as refused:
        parse_document(data, of_label(data))
    assert refused.value.code == "no_drug_name"
    assert parse_document(data, of_label(data, "zapidine")).title == "zapidine"


def test_the_fact_sheet_of_an_emergency_use_authorisation_is_no_label():
    data = label_pdf("EMERGENCY USE AUTHORIZATION (EUA) OF ZAPID")
    with pytest.raises(RefusedDocumentError) as refused:
        parse_document(data, of_label(data, "zapidine"))
    assert refused.value.code == "eua_fact_sheet"
    assert not is_printed_label(read(data))


def test_a_guideline_that_is_a_label_is_recognised():
    assert is_printed_label(read(label_pdf(PRODUCT)))
    assert not is_printed_label(read(label_pdf(mains=["1 Purpose", "2 Scope", "3 Methods"])))


@pytest.mark.parametrize(
    ("name", "drug", "has_dosage", "box"),
    [("fda-warfarin.pdf", "warfarin", True, 4), ("fda-cipro.pdf", "ciprofloxacin", False, 1)],
)
def test_real_labels(reference_corpus, name, drug, has_dosage, box):
    """Groups of the sections that were looked up in the files, and the page of the box."""
    data = (reference_corpus / "layouts" / name).read_bytes()
    document = parse_document(data, of_label(data))
    found = document.label
    assert found is not None
    assert (found.drug, found.is_partial, found.has_boxed_warning) == (drug, not has_dosage, True)
    body = [section for section in document.sections if section.role == "body"]
    assert [one.page for one in body if one.group == "boxed_warning"] == [box]
    groups = {one.group for one in body}
    assert {"indications", "contraindications", "warnings", "specific_populations"} <= groups
    assert ("dosage" in groups) is has_dosage
    assert {one.audience for one in body if one.path[0].lower() == "medication guide"} == {
        "patient"
    }
