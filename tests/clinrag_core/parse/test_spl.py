"""The SPL parser: header, section tree, boxed warnings, refusals and errors."""

from __future__ import annotations

import datetime as dt
import gzip

import pytest

from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.parse.spl.parser import parse_spl

DOSE = "<paragraph>Take 300 mg once daily.</paragraph>"
BOX = "<paragraph>WARNING: may cause harm.</paragraph>"


def test_header_is_read(parse, section):
    label = parse(section("34068-7", "2 DOSAGE AND ADMINISTRATION", DOSE)).label
    assert label.set_id == "0f1e2d3c-0000-4000-8000-00000000000a"
    assert (label.version, label.type_code) == (7, "34391-3")
    assert label.effective == dt.date(2024, 2, 29)
    assert label.labeler == "Test Laboratories"
    assert label.version_id == "99999999-0000-4000-8000-000000000001"


def test_document_id_is_the_set_id_in_lower_case(parse, section):
    document = parse(section("34068-7", "DOSAGE", DOSE))
    assert document.id == document.label.set_id == document.id.lower()
    assert document.parser == "spl/9"


def test_sections_have_their_own_text_only_and_inherit_codes(parse, section):
    inner = section("42229-5", "2.1 Adults", DOSE) + section(None, "2.2 Children", DOSE)
    document = parse(section("34068-7", "2 DOSAGE", "<paragraph>General.</paragraph>", inner))
    assert [s.text for s in document.sections] == [
        "General.",
        "Take 300 mg once daily.",
        "Take 300 mg once daily.",
    ]
    assert [s.path for s in document.sections] == [
        ("2 DOSAGE",),
        ("2 DOSAGE", "2.1 Adults"),
        ("2 DOSAGE", "2.2 Children"),
    ]
    assert [s.own_loinc for s in document.sections] == ["34068-7", "42229-5", None]
    assert {s.loinc for s in document.sections} == {"34068-7"}
    assert {s.group for s in document.sections} == {"dosage"}
    assert {s.effective for s in document.sections} == {dt.date(2024, 1, 31)}


def test_own_code_wins_over_inherited(parse, section):
    inner = section("34082-8", "8.5 Geriatric Use", DOSE)
    document = parse(section("43684-0", "8 USE IN SPECIFIC POPULATIONS", "", inner))
    assert document.sections[1].loinc == "34082-8"


def test_sections_without_text_stay_in_order(parse, section):
    document = parse(section("48780-1") + section("34067-9", "1 USES", DOSE))
    assert [s.ordinal for s in document.sections] == [0, 1]
    assert document.sections[0].role == "product_data"
    assert document.sections[0].text == ""


def test_highlights_are_separate_after_their_section(parse, section):
    excerpt = f"<excerpt><highlight><text>{DOSE}</text></highlight></excerpt>"
    full = section("34068-7", "2 DOSAGE", "<paragraph>Full text.</paragraph>", extra=excerpt)
    roles = [(s.role, s.text, s.loinc) for s in parse(full).sections]
    assert roles == [
        ("body", "Full text.", "34068-7"),
        ("highlights", "Take 300 mg once daily.", "34068-7"),
    ]


def test_highlights_are_body_where_a_part_of_their_section_is_a_title_only(parse, section):
    excerpt = f"<excerpt><highlight><text>{DOSE}</text></highlight></excerpt>"
    inner = section("42229-5", "4.1 Liver disease", "") + section("42229-5", "4.2 Babies", DOSE)
    full = section("34070-3", "4 CONTRAINDICATIONS", "", inner, extra=excerpt)
    highlights = parse(full).sections[1]
    assert (highlights.role, highlights.text) == ("body", "Take 300 mg once daily.")


def test_untitled_section_takes_the_path_around_it(parse, section):
    inner = section("42229-5", None, DOSE) + section("42229-5", "", DOSE)
    document = parse(section("34068-7", "2 DOSAGE", "", inner))
    assert {s.path for s in document.sections} == {("2 DOSAGE",)}


def test_untitled_top_section_is_named_by_its_code(parse, section):
    document = parse(section("34066-1", None, BOX) + section(None, None, DOSE))
    assert [s.path for s in document.sections] == [("Boxed warning",), ()]


def test_title_breaks_do_not_glue_words(parse, section):
    document = parse(section("34067-9", "1 USES<br/>AND <sup>more</sup>", DOSE))
    assert document.sections[0].path == ("1 USES AND more",)


def test_patient_labelling_keeps_its_audience_throughout(parse, section):
    inner = section("34084-4", "Side effects", DOSE) + section("34066-1", "Important", BOX)
    document = parse(section("42231-1", "Medication Guide", "", inner))
    assert {s.audience for s in document.sections} == {"patient"}
    assert {s.loinc for s in document.sections} == {"42231-1"}
    assert {s.group for s in document.sections} == {"patient_information"}


def test_counselling_is_for_the_clinician(parse, section):
    assert (
        parse(section("34076-0", "17 PATIENT COUNSELING", DOSE)).sections[0].audience == "clinician"
    )


def test_unknown_code_is_kept_and_reported(parse, section):
    inner = section("12345-6", "New kind", DOSE)
    document = parse(section("43685-7", "5 WARNINGS", "", inner))
    assert document.sections[1].loinc == "12345-6"
    assert document.sections[1].group == "warnings"
    assert [w.code for w in document.warnings] == ["unknown_section_code"]


class TestBoxedWarning:
    """A missed box hides a risk, an invented one buries the real ones."""

    def test_top_level_box_is_believed(self, parse, section):
        document = parse(section("34066-1", "WARNING", BOX))
        assert document.label.has_boxed_warning
        assert document.sections[0].group == "boxed_warning"

    def test_box_whose_words_are_in_its_children_is_accepted(self, parse, section):
        inner = section("42229-5", None, BOX)
        document = parse(section("34066-1", "WARNING", "", inner))
        assert document.label.has_boxed_warning
        assert document.sections[1].loinc == "34066-1"

    def test_box_inside_an_empty_wrapper_is_at_the_top(self, parse, section):
        document = parse(section("42229-5", None, "", section("34066-1", "WARNING", BOX)))
        assert document.label.has_boxed_warning

    @pytest.mark.parametrize("around", ["34068-7", "34071-1", "42231-1"])
    def test_box_code_inside_another_section_is_not_a_box(self, parse, section, around):
        document = parse(section(around, "Around", "", section("34066-1", "Lines", BOX)))
        assert not document.label.has_boxed_warning
        assert document.sections[1].loinc == around
        assert document.sections[1].own_loinc == "34066-1"
        assert document.sections[1].group != "boxed_warning"
        assert [w.code for w in document.warnings] == ["miscoded_boxed_warning"]

    def test_otc_label_has_no_box(self, parse, section):
        document = parse(section("34066-1", "Tamper seal", BOX), code="34390-5")
        assert not document.label.has_boxed_warning

    def test_box_without_words_is_not_a_box(self, parse, section):
        document = parse(section("34066-1", "WARNING") + section("34068-7", "DOSAGE", DOSE))
        assert not document.label.has_boxed_warning
        assert [w.code for w in document.warnings] == ["empty_boxed_warning"]

    def test_precautions_are_not_a_box(self, parse, section):
        document = parse(section("42232-9", "PRECAUTIONS", DOSE))
        assert not document.label.has_boxed_warning
        assert document.sections[0].group == "warnings"


class TestRefusals:
    """What is readable but no label of a drug for people never becomes evidence."""

    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("60685-5", "drug_class_index"),
            ("50577-6", "animal_label"),
            ("50578-4", "animal_label"),
            ("53409-9", "not_a_finished_drug"),
            ("58476-3", "not_a_drug"),
            ("00000-0", "not_a_label"),
        ],
    )
    def test_other_documents_are_refused(self, parse, section, code, reason):
        with pytest.raises(RefusedDocumentError) as caught:
            parse(section("34068-7", "DOSAGE", DOSE), code=code)
        assert caught.value.code == reason

    @pytest.mark.parametrize("code", ["34391-3", "34390-5", "53404-0", "60684-8"])
    def test_labels_for_people_are_accepted(self, parse, section, code):
        assert parse(section("34068-7", "DOSAGE", DOSE), code=code).label.type_code == code

    def test_emergency_use_fact_sheet_is_refused(self, parse, section):
        title = "FACT SHEET FOR PROVIDERS EMERGENCY USE<br/>AUTHORIZATION (EUA) OF TESTAZID"
        with pytest.raises(RefusedDocumentError) as caught:
            parse(section("34068-7", "DOSAGE", DOSE), title=title)
        assert caught.value.code == "eua_fact_sheet"

    def test_product_approved_for_emergency_use_only_is_refused(self, parse, section):
        product = (
            "<subject><manufacturedProduct><subjectOf><approval><code code='C96966' "
            "displayName='Emergency Use Authorization'/></approval></subjectOf>"
            "</manufacturedProduct></subject>"
        )
        with pytest.raises(RefusedDocumentError) as caught:
            parse(section("48780-1", extra=product) + section("34068-7", "DOSAGE", DOSE))
        assert caught.value.code == "eua_fact_sheet"

    def test_a_label_that_mentions_an_eua_is_accepted(self, parse, section):
        text = "<paragraph>Formerly under emergency use authorization.</paragraph>"
        assert parse(section("34089-3", "DESCRIPTION", text)).words == 5


class TestErrors:
    """Every unusable file ends in a reason that names the file."""

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            (b"", "not_xml"),
            (b"  \n ", "not_xml"),
            (b"<document", "not_xml"),
            (b"<html><body/></html>", "not_spl"),
            (b"<document/>", "not_spl"),
            (b"<" * (65 * 2**20), "too_large"),
            (gzip.compress(b"<document/>", mtime=0), "not_xml"),
            (b"PK\x03\x04rest", "not_xml"),
            (b"%PDF-1.7", "not_xml"),
            (b"\xff\xfe\x00", "not_xml"),
        ],
    )
    def test_unusable_bytes(self, label_source, data, code):
        with pytest.raises(ParseError) as caught:
            parse_spl(data, label_source(data, "broken.xml", "spl"))
        assert caught.value.code == code
        assert "broken.xml" in str(caught.value)

    def test_malformed_xml_names_the_line(self, document, label_source, section):
        data = document(section("34068-7", "DOSAGE", DOSE)).replace(b"</structuredBody>", b"")
        with pytest.raises(ParseError, match=r"line \d+"):
            parse_spl(data, label_source(data, "x.xml", "spl"))

    def test_entities_are_never_expanded(self, document, parse, section):
        prologue = '<!DOCTYPE document [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
        body = section("34068-7", "DOSAGE", "<paragraph>&secret;</paragraph>")
        with pytest.raises(ParseError) as caught:
            parse(document(body, prologue=prologue))
        assert caught.value.code == "xml_doctype"

    @pytest.mark.parametrize("set_id", ["", "../../etc", "a b"])
    def test_bad_set_id(self, parse, section, set_id):
        with pytest.raises(ParseError) as caught:
            parse(section("34068-7", "DOSAGE", DOSE), set_id=set_id)
        assert caught.value.code == "bad_set_id"

    @pytest.mark.parametrize("version", ["", "-1", "two", "1.5"])
    def test_bad_version(self, parse, section, version):
        with pytest.raises(ParseError) as caught:
            parse(section("34068-7", "DOSAGE", DOSE), version=version)
        assert caught.value.code == "bad_version"

    def test_label_without_text(self, parse, section):
        with pytest.raises(ParseError) as caught:
            parse(section("48780-1"))
        assert caught.value.code == "no_text"


def test_same_bytes_give_the_same_document(document, label_source, section):
    data = document(section("34068-7", "DOSAGE", DOSE))
    source = label_source(data, "x.xml", "spl")
    first, second = (parse_spl(data, source).model_dump_json() for _ in range(2))
    assert first == second
