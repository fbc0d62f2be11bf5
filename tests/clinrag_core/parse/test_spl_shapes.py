"""Whole labels of every shape that occurs: 2005, non-PLR, OTC, kit, compressed, with a mark."""

from __future__ import annotations

import codecs
import gzip

import pytest

from clinrag_core.acquire.magic import check_payload
from clinrag_core.parse.spl.parser import parse_spl

USES = "<paragraph>For tests of programs.</paragraph>"
DOSE = "<paragraph>300 mg once daily.</paragraph>"


@pytest.fixture
def read(label_source):
    def parse(data: bytes, name: str = "label.xml"):
        return parse_spl(data, label_source(data, name, "spl"))

    return parse


def test_a_label_compressed_under_the_name_xml_is_the_same_label(read, document, section):
    data = document(section("34067-9", "USES", USES))
    plain = read(data)
    packed = read(check_payload(gzip.compress(data), "spl", "label.xml").data)
    assert packed.sections == plain.sections
    assert packed.label == plain.label


def test_a_byte_order_mark_and_a_stylesheet_do_no_harm(read, document, section):
    sheet = '<?xml-stylesheet href="spl.xsl" type="text/xsl"?>'
    data = document(section("34067-9", "USES", USES), prologue=sheet)
    assert read(codecs.BOM_UTF8 + data).sections == read(data).sections


def test_attributes_and_schema_addresses_of_the_root_do_not_matter(read, document, section):
    data = document(section("34067-9", "USES", USES)).replace(
        b'<document xmlns="urn:hl7-org:v3"',
        b'<document xmlns:voc="urn:hl7-org:v3/voc" xmlns="urn:hl7-org:v3" '
        b'xsi:schemaLocation="urn:hl7-org:v3 http://www.fda.gov/oc/datacouncil/x.xsd"',
    )
    assert read(data).sections[0].text == "For tests of programs."


OLD = """<subject><manufacturedProduct><manufacturedMedicine>
<code code="0001-0002" codeSystem="2.16.840.1.113883.6.69"/><name>Oldaz</name>
<formCode displayName="CAPSULE"/>
<activeIngredient><quantity><numerator value="1"><translation value="1" displayName="mg"/>
</numerator><denominator value="1" unit="1"/></quantity><activeIngredientSubstance>
<code code="OLDUNII"/><name>TESTAZID SODIUM</name><activeMoiety><activeMoiety>
<name>TESTAZID</name></activeMoiety></activeMoiety></activeIngredientSubstance></activeIngredient>
<inactiveIngredient><inactiveIngredientSubstance><name>TALC</name></inactiveIngredientSubstance>
</inactiveIngredient></manufacturedMedicine></manufacturedProduct></subject>"""


def test_a_label_of_2005(read, document, section):
    """Other element names, the set id in capitals, sections of the time before 2006."""
    body = (
        section("48780-1", extra=OLD)
        + section("34071-1", "WARNINGS", "<paragraph>May harm the liver.</paragraph>")
        + section(
            "42232-9",
            "PRECAUTIONS",
            "<paragraph>General care.</paragraph>",
            section("34073-7", "Drug Interactions", "<paragraph>None known.</paragraph>"),
        )
        + section(None, "Rx only", "<paragraph>By prescription.</paragraph>")
    )
    found = read(document(body, set_id="ABCDEF00-1111-2222-3333-444444444444"))
    assert found.id == "abcdef00-1111-2222-3333-444444444444"
    (product,) = found.label.products
    (active,) = product.actives
    assert (active.substance, active.moieties) == ("TESTAZID SODIUM", ("TESTAZID",))
    assert (active.unii, active.strength) == ("OLDUNII", "1 mg / 1")
    assert {"oldaz", "testazid", "testazid sodium"} <= set(found.label.names)
    assert [(s.title, s.loinc, s.group) for s in found.sections[1:]] == [
        ("WARNINGS", "34071-1", "warnings"),
        ("PRECAUTIONS", "42232-9", "warnings"),
        ("Drug Interactions", "34073-7", "interactions"),
        ("Rx only", None, "other"),
    ]
    assert not found.label.has_boxed_warning


def test_otc_drug_facts(read, document, section):
    inner = section("50570-1", "Do not use", "<paragraph>with other sedatives.</paragraph>")
    body = (
        section("55106-9", "Active ingredient", "<paragraph>Testazid 300 mg</paragraph>")
        + section("55105-1", "Purpose", "<paragraph>Cough</paragraph>")
        + section("34071-1", "Warnings", "", inner)
        + section("34066-1", None, "<paragraph>Do not use if the seal is broken.</paragraph>")
        + section("51945-4", "Carton", "<paragraph>NDC 0001-0002</paragraph>")
    )
    found = read(document(body, code="34390-5", title="Drug Facts"))
    assert [s.group for s in found.sections] == [
        "description",
        "indications",
        "warnings",
        "contraindications",
        "other",
        "package_label",
    ]
    assert not found.label.has_boxed_warning
    assert found.label.type_code == "34390-5"


MEDIA = """<component><observationMedia ID="MM1"><text>  Structural
formula </text><value mediaType="image/jpeg"><reference value="formula.jpg"/></value>
</observationMedia></component><component><observationMedia ID="MM2">
<value mediaType="image/jpeg"><reference value="carton.jpg"/></value></observationMedia>
</component>"""


def test_images_keep_file_and_alternative_text_on_the_block_only(read, document, section):
    text = (
        '<paragraph>Its formula is:</paragraph><renderMultiMedia referencedObject="MM1"/>'
        '<renderMultiMedia referencedObject="MM2"><caption>Carton of 30</caption>'
        '</renderMultiMedia><renderMultiMedia referencedObject="gone"/>'
    )
    found = read(document(section("34089-3", "DESCRIPTION", text, MEDIA)))
    (described,) = found.sections
    assert described.text == "Its formula is:\n\nCarton of 30"
    images = [b for b in described.blocks if b.kind == "image"]
    assert [(b.image.reference, b.image.alt) for b in images if b.image] == [
        ("formula.jpg", "Structural formula"),
        ("carton.jpg", ""),
    ]
    assert [b.xml_id for b in images] == ["MM1", "MM2", "gone"]
    assert [(w.code, w.place) for w in found.warnings] == [("missing_image", "gone")]
    assert found.words == 6


def test_links_are_words_whether_they_lead_anywhere_or_not(read, document, section):
    text = (
        '<paragraph>See <linkHtml href="#LINK_1">Dosage (<content>2.1</content>)</linkHtml> and '
        '<linkHtml href="#gone">5.1</linkHtml>, <linkHtml href="https://www.example.org">the site'
        '</linkHtml>.<linkHtml href="#x"/></paragraph>'
    )
    found = read(document(section("34067-9", "USES", text)))
    assert found.sections[0].text == "See Dosage (2.1) and 5.1, the site."


def test_notes_of_a_table_follow_it_and_are_not_under_a_header(read, document, section):
    """'Dose: a Lower in children' as a row would be a false dose."""
    text = (
        "<table><caption>Table 1: Doses</caption><thead><tr><th>Age</th><th>Dose</th></tr></thead>"
        '<tfoot><tr><td colspan="2"><sup>a</sup> Lower in renal failure.</td></tr></tfoot>'
        "<tbody><tr><td>Adults</td><td>300 mg<footnote>Once daily.</footnote></td></tr>"
        '<tr><td colspan="2">* With food.</td></tr></tbody></table>'
    )
    (found,) = read(document(section("34068-7", "DOSAGE", text))).sections
    table = next(b.table for b in found.blocks if b.table)
    assert table.rows == (("Age", "Dose"), ("Adults", "300 mg"))
    assert (table.caption, table.header_rows) == ("Table 1: Doses", 1)
    assert found.text.split("\n\n") == [
        "Table 1: Doses",
        "Age\tDose\nAdults\t300 mg",
        "* With food.",
        "a Lower in renal failure.",
        "Once daily.",
    ]
    kinds = [b.kind for b in found.blocks]
    assert kinds == ["caption", "table", "footnote", "footnote", "footnote"]


def test_rows_that_head_a_group_stay_in_the_table(read, document, section):
    text = (
        '<table><tbody><tr><td colspan="2">Skin</td></tr><tr><td>Rash</td><td>4%</td></tr>'
        '<tr><td colspan="2">Total of both studies</td></tr></tbody></table>'
    )
    (found,) = read(document(section("34084-4", "ADVERSE REACTIONS", text))).sections
    table = next(b.table for b in found.blocks if b.table)
    assert table.rows == (("Skin", ""), ("Rash", "4%"), ("Total of both studies", ""))


def test_versions_and_kits_do_not_depend_on_the_title(read, document, section):
    found = read(document(section("34068-7", "DOSAGE", DOSE), title="", version="1560"))
    assert found.label.version == 1560
    assert found.title == "label.xml"
