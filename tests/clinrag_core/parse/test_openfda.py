"""openFDA answers: sections rebuilt, every word once, errors that name the key."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.lexicon.sections import openfda_section
from clinrag_core.parse.assemble.assembler import assemble
from clinrag_core.parse.openfda.parser import parse_openfda
from clinrag_core.parse.openfda.sections import Field, SectionWriter, nest

NAMES = {"generic_name": ["TESTAZID SODIUM"], "brand_name": ["Testaz"], "route": ["ORAL"]}
USES = "1 INDICATIONS AND USAGE Testaz is indicated for testing of programs."
DOSE = "2 DOSAGE AND ADMINISTRATION Take 300 mg once daily with water."


def answer(fields=None, **result):
    base = {
        "set_id": "ABCD-1",
        "id": "v-1",
        "version": "3",
        "effective_time": "20230208",
        "openfda": NAMES,
        "indications_and_usage": [USES],
        "dosage_and_administration": [DOSE],
    }
    return {"meta": {}, "results": [base | result | (fields or {})]}


@pytest.fixture
def parse(label_source):
    def read(tree, drug="testazid sodium"):
        data = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
        return parse_openfda(data, label_source(data, "label.json", "openfda", drug))

    return read


def test_header(parse):
    document = parse(answer())
    label = document.label
    assert document.id == label.set_id == "abcd-1"
    assert (label.version, label.version_id, str(label.effective)) == (3, "v-1", "2023-02-08")
    assert document.title == "Testaz (testazid sodium)"
    assert label.names == ("testaz", "testazid", "testazid sodium")
    assert document.parser == "openfda/9"


def test_sections_carry_their_codes(parse):
    found = [(s.path, s.loinc, s.group, s.text) for s in parse(answer()).sections]
    assert found == [
        (("1 Indications and usage",), "34067-9", "indications", USES),
        (("2 Dosage and administration",), "34068-7", "dosage", DOSE),
    ]


def test_numbered_headings_become_subsections(parse):
    text = (
        "5 WARNINGS AND PRECAUTIONS Summary. ( 5.1 , 5.2 ) 5.1 Liver Injury Liver injury was seen "
        "[see Warnings and Precautions (5.2)] . 5.2 Nerve Damage Use pyridoxine, see 5.1 Liver."
    )
    document = parse(answer(warnings_and_cautions=[text]))
    found = [(s.path[1:], s.text) for s in document.sections if s.loinc == "43685-7"]
    assert [path for path, _ in found] == [(), ("5.1 Liver Injury",), ("5.2 Nerve Damage",)]
    assert " ".join(text for _, text in found) == text


def test_repeated_subsection_field_is_cut_out_of_its_parent(parse):
    pregnancy = "8.1 Pregnancy Risk Summary No data on use in pregnant women."
    text = f"8 USE IN SPECIFIC POPULATIONS {pregnancy} 8.2 Lactation Not known if it is in milk."
    document = parse(answer(use_in_specific_populations=[text], pregnancy=[pregnancy]))
    found = [(s.path, s.loinc, s.text) for s in document.sections[2:]]
    assert [(path[1:], loinc) for path, loinc, _ in found] == [
        ((), "43684-0"),
        (("8.1 Pregnancy",), "42228-7"),
        (("8.2 Lactation",), "43684-0"),
    ]
    assert " ".join(text for *_, text in found) == text


def test_text_after_a_subsection_stays_in_its_place(parse):
    storage = "Storage Store at room temperature below 25 C."
    text = f"HOW SUPPLIED Bottles of 100. {storage} Made in a factory."
    document = parse(answer(how_supplied=[text], storage_and_handling=[storage]))
    assert [s.text for s in document.sections[2:]] == [
        "HOW SUPPLIED Bottles of 100.",
        storage,
        "Made in a factory.",
    ]


TABLE = (
    '<table><caption>Table 1: Doses</caption><tfoot><tr><td colspan="2"><sup>a</sup> With food.'
    "</td></tr></tfoot><tbody><tr><td><content styleCode='bold'>Weight</content></td><td>"
    "<content styleCode='bold'>Dose<sup>a</sup></content></td></tr><tr><td>Under 40 kg</td>"
    "<td>150 mg</td></tr></tbody></table>"
)
FLAT = "Table 1: Doses a With food. Weight Dose a Under 40 kg 150 mg"


def test_a_table_comes_back_in_the_place_of_its_flat_text(parse):
    text = f"2 DOSAGE 2.1 Adults The dose depends on weight. {FLAT} Take it at night."
    document = parse(
        answer(dosage_and_administration=[text], dosage_and_administration_table=[TABLE])
    )
    section = document.sections[-1]
    assert section.path[1:] == ("2.1 Adults",)
    kinds = [block.kind for block in section.blocks]
    assert kinds == ["paragraph", "caption", "table", "footnote", "paragraph"]
    table = section.blocks[2].table
    assert table.rows == (("Weight", "Dose"), ("Under 40 kg", "150 mg"))
    assert (table.caption, table.header_rows) == ("Table 1: Doses", 1)
    (call,) = section.blocks[2].calls
    assert (call.label, call.notes, section.blocks[3].label) == ("a", (3,), "a")
    assert section.text.endswith("a With food.\n\nTake it at night.")
    assert section.text.count("150 mg") == 1


def test_a_subsection_finds_its_table_in_the_field_around_it(parse):
    inner = f"8.1 Pregnancy Risk Summary It depends on weight. {FLAT}"
    document = parse(
        answer(
            use_in_specific_populations=[f"8 USE IN SPECIFIC POPULATIONS {inner}"],
            use_in_specific_populations_table=[TABLE],
            pregnancy=[inner],
        )
    )
    assert sum(b.kind == "table" for s in document.sections for b in s.blocks) == 1


@pytest.mark.parametrize(
    ("markup", "warned"),
    [
        ("<table><tr><td>Weight</td><td>other words than the text has</td></tr></table>", False),
        ("<table><tr><td>Weight", True),
        ('<!DOCTYPE x [<!ENTITY a "b">]><table/>', True),
        ("<table/>", False),
    ],
)
def test_a_table_that_cannot_be_read_or_found_stays_the_line_it_is(parse, markup, warned):
    text = f"2 DOSAGE {FLAT}"
    document = parse(
        answer(dosage_and_administration=[text], dosage_and_administration_table=[markup])
    )
    assert document.sections[-1].text == text
    assert ("malformed_table" in {w.code for w in document.warnings}) == warned


def test_one_line_with_gaps_is_a_sentence_and_no_row(parse):
    text = (
        "5 WARNINGS\n\n EXCERPT:   * Zolumycin harms the ear.\n\n\n Test hearing before treatment"
        " and after 2 weeks [see  Adverse Reactions (6.1)    and   Drug Interactions (7.4)  ]  .\n"
    )
    document = parse(answer(warnings_and_cautions=[text]))
    blocks = [block for section in document.sections for block in section.blocks]
    assert not any(block.kind == "table" for block in blocks)
    said = " ".join(section.text for section in document.sections)
    assert "and after 2 weeks [see Adverse Reactions (6.1) and Drug Interactions (7.4) ]" in said


def test_line_breaks_bullets_and_drawn_tables_are_used(parse):
    text = (
        "6 ADVERSE REACTIONS\n\n The following are serious:\n\n *  Liver injury (5.1)\n *  Rash\n\n"
        " 6.1 Clinical Trials\n\n Table 1: Reactions\n"
        "                          Testaz (N=9)      Placebo (N=8)\n"
        " Skin\n    Rash                      4%               2%\n"
    )
    document = parse(answer(adverse_reactions=[text]))
    first, second = document.sections[2:]
    assert [b.kind for b in first.blocks] == ["paragraph", "paragraph", "list_item", "list_item"]
    assert second.path == ("6 Adverse reactions", "6.1 Clinical Trials")
    table = next(block.table for block in second.blocks if block.table)
    assert table.rows == (
        ("", "Testaz (N=9)", "Placebo (N=8)"),
        ("Skin", "", ""),
        ("Rash", "4%", "2%"),
    )
    assert f"{first.text} {second.text}".split() == text.split()


def test_box_is_read_from_its_field(parse):
    assert parse(
        answer(boxed_warning=["WARNING: LIVER INJURY may be fatal."])
    ).label.has_boxed_warning
    assert not parse(answer()).label.has_boxed_warning
    assert not parse(answer(boxed_warning=[" "])).label.has_boxed_warning


def test_a_box_inside_another_section_is_none(parse):
    """Dose lines and lay summaries carry the box's code by mistake."""
    lines = "Children 3 to 12 years: 0.05 mg/kg daily in two doses."
    text = f"DOSAGE AND ADMINISTRATION Doses vary. {lines}"
    document = parse(answer(dosage_and_administration=[text], boxed_warning=[lines]))
    assert not document.label.has_boxed_warning
    last = document.sections[-1]
    assert (last.text, last.group, last.loinc) == (lines, "dosage", "34068-7")
    assert last.path == ("Dosage and administration",)


def test_otc_answer_has_no_boxed_warning(parse):
    names = NAMES | {"product_type": ["HUMAN OTC DRUG"]}
    document = parse(answer(openfda=names, boxed_warning=["Do not use if the seal is broken."]))
    assert not document.label.has_boxed_warning


def test_partial_by_note_or_by_missing_main_fields(parse):
    noted = answer()
    noted["meta"] = {"note": "Partial label: some sections only"}
    missing = answer()
    del missing["results"][0]["dosage_and_administration"]
    assert parse(noted).label.is_partial
    assert parse(missing).label.is_partial
    assert not parse(answer()).label.is_partial


def test_answer_without_set_id_is_named_by_its_drug(parse):
    tree = answer()
    del tree["results"][0]["set_id"]
    document = parse(tree, drug="Testazid & Rifampin")
    assert document.id == "openfda-testazid-rifampin"
    assert document.label.set_id is None


def test_unknown_key_is_kept_and_reported(parse):
    document = parse(answer(brand_new_section=["Words that nobody has classified yet."]))
    assert document.sections[-1].text == "Words that nobody has classified yet."
    assert [(w.code, w.place) for w in document.warnings] == [
        ("unknown_field", "brand_new_section")
    ]


def test_every_product_code_is_a_product(parse):
    block = NAMES | {
        "substance_name": ["TESTAZID SODIUM"],
        "unii": ["U1"],
        "product_ndc": ["0001-0002", "0001-0003"],
        "package_ndc": ["0001-0002-01", "0001-0003-01"],
        "application_number": ["NDA000001"],
        "original_packager_product_ndc": ["0009-0009"],
    }
    products = parse(answer(openfda=block)).label.products
    assert [(p.ndc, p.package_ndcs) for p in products] == [
        ("0001-0002", ("0001-0002-01",)),
        ("0001-0003", ("0001-0003-01",)),
    ]
    assert {p.source_ndcs for p in products} == {("0009-0009",)}
    assert products[0].actives[0].unii == "U1"


@pytest.mark.parametrize(
    ("tree", "code", "place"),
    [
        (b"", "not_json", ""),
        (b"{", "not_json", ""),
        (b"\xff\xff", "not_json", ""),
        (b"[" * 100000, "not_json", ""),
        ([], "not_openfda", "the top level"),
        ({}, "not_openfda", "results"),
        ({"results": []}, "not_openfda", "results"),
        ({"results": [{}, {}]}, "not_openfda", "results"),
        ({"error": {"code": "NOT_FOUND"}}, "not_openfda", "results"),
        ({"results": ["x"]}, "not_openfda", "results.0"),
        (answer(warnings="text"), "not_openfda", "results[0].warnings"),
        (answer(warnings=[1]), "not_openfda", "results[0].warnings"),
        (answer(version=3), "not_openfda", "results[0].version"),
        (answer(version="three"), "bad_version", "results[0].version"),
        (answer(set_id="../x"), "bad_set_id", "results[0].set_id"),
        (answer(openfda=[]), "not_openfda", "results[0].openfda"),
        (answer(openfda={"route": "ORAL"}), "not_openfda", "results[0].openfda.route"),
        ({"results": [{"set_id": "a"}]}, "no_text", "results[0]"),
    ],
)
def test_shape_errors_name_file_and_key(parse, tree, code, place):
    with pytest.raises(ParseError) as caught:
        parse(tree)
    assert caught.value.code == code
    assert place in (caught.value.place or "")
    assert "label.json" in str(caught.value)


def test_nameless_answer_needs_the_manifest(parse):
    with pytest.raises(ParseError) as caught:
        parse(answer(openfda={}), drug=None)
    assert caught.value.code == "no_drug_name"


def test_animal_product_is_refused(parse):
    names = NAMES | {"product_type": ["PRESCRIPTION ANIMAL DRUG"]}
    with pytest.raises(RefusedDocumentError):
        parse(answer(openfda=names))


SENTENCE = st.lists(st.sampled_from(["alpha", "Beta", "gamma", "5.1", "5.2", "Delta"]), min_size=8)


@given(st.lists(SENTENCE, min_size=1, max_size=4), st.data())
def test_every_word_once_however_fields_repeat_each_other(sentences, data):
    texts = [" ".join(sentence) for sentence in sentences]
    whole = " ".join(["5 Warnings", *texts])
    inner = data.draw(st.lists(st.sampled_from(texts), max_size=3))
    keys = ["warnings_and_cautions", "pregnancy", "storage_and_handling", "overdosage"]
    fields = [
        Field(key, openfda_section(key), text)
        for key, text in zip(keys, [whole, *inner], strict=False)
    ]
    writer = SectionWriter(None)
    outer, _ = nest(fields)
    for item in outer:
        writer.write(item)
    texts = [section.text for section in assemble(writer.items, "")]
    assert " ".join(texts).split() == whole.split()
    assert re.sub(r"\s", "", "".join(texts)) == re.sub(r"\s", "", whole)
