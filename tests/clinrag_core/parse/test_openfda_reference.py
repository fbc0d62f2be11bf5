"""openFDA answers of 34 real labels: words, codes, partial files."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from lxml import etree

from clinrag_core.lexicon.sections import openfda_section
from clinrag_core.parse.openfda.parser import parse_openfda
from clinrag_core.parse.openfda.sections import Field, nest, normalise

EXPONENTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–", "0123456789+---")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u00ad\u200b\u2060"))
# Their texts hold tables of the fields around them.
UNCLASSIFIED = ("spl_unclassified_section",)


@pytest.fixture(scope="module")
def answers(reference_corpus):
    """Pairs (path, result)."""
    files = sorted((reference_corpus / "labels").glob("openfda*/*.json"))
    assert len(files) == 34
    return [(path, json.loads(path.read_bytes())["results"][0]) for path in files]


@pytest.fixture
def documents(answers, label_source):
    found = []
    for path, result in answers:
        data = path.read_bytes()
        document = parse_openfda(data, label_source(data, path.name, "openfda", None))
        found.append((path, result, document))
    return found


def _texts(result):
    for key, value in result.items():
        info = openfda_section(key)
        if info is not None and key != "spl_product_data_elements":
            yield from (Field(key, info, normalise(text)) for text in value)


def _commas(result) -> Counter[str]:
    """Raised commas between two calls: they go with the calls."""
    tables = {m for key, values in result.items() if key.endswith("_table") for m in values}
    return Counter({",": sum(table.count("<sup>,") for table in tables)})


def letters(text):
    text = text.translate(EXPONENTS).translate(INVISIBLE)
    return re.sub(r"\s+", "", text)


def test_every_word_of_the_longest_texts_once(documents, printed):
    """Text repeated in a subsection's field counts once; nothing else is dropped.

    A table's foot is printed last, although the flat text has it first: so the letters of a whole
    label are counted, and every block is searched for verbatim in the text.
    """
    for path, result, document in documents:
        outer, warnings = nest(list(_texts(result)))
        assert not warnings, path.name
        expected = letters("".join(field.text for field in outer))
        found = letters("".join(printed(s, b) for s in document.sections for b in s.blocks))
        assert Counter(found) == Counter(expected) - _commas(result), path.name
        for section in document.sections:
            for block in section.blocks:
                parts = re.split(r"[\t\n]", printed(section, block))
                wrong = [part for part in parts if letters(part) not in expected]
                # A cell's own notes stand behind the table.
                noted = any(b.kind == "footnote" for b in section.blocks)
                assert not wrong or noted, (path.name, wrong)


def test_no_field_is_lost(documents):
    for path, result, document in documents:
        whole = Counter(letters("".join(s.text for s in document.sections)))
        plain = letters("".join(s.text for s in document.sections))
        for field in _texts(result):
            is_drawn = "\n" in field.text  # notes inside a drawn table come after it
            if f"{field.key}_table" in result or field.key in UNCLASSIFIED or is_drawn:
                assert not Counter(letters(field.text)) - whole, (path.name, field.key)
            else:
                assert letters(field.text) in plain, (path.name, field.key)


def test_tables_come_back_from_their_markup(documents, printed):
    """Every table of the answers once, cell by cell, with its caption; none of them flattened."""
    seen = 0
    for path, result, document in documents:
        rows = {
            tuple(letters(cell) for cell in row.split("\t") if cell)
            for section in document.sections
            for block in section.blocks
            if block.table
            for row in printed(section, block).split("\n")
        }
        for key, values in result.items():
            for markup in values if key.endswith("_table") else ():
                table = etree.fromstring(markup)
                body = [r for part in ("thead", "tbody") for r in table.iterfind(f"./{part}/tr")]
                if all(len(row) <= 1 for row in table.iter("tr")):
                    continue  # a box round prose is prose
                seen += 1
                for row in body:
                    for note in list(row.iter("footnote", "sup")):
                        if note.tag == "footnote" or note.text in (",", ", "):
                            note.clear(keep_tail=True)
                    cells = tuple(t for c in row if (t := letters("".join(c.itertext()))))
                    assert len(cells) < 2 or cells in rows, (path.name, key, cells)
    assert seen > 300


def test_all_keys_are_known(documents):
    for path, _, document in documents:
        assert not document.warnings, path.name


def test_ids_versions_and_names(documents):
    for path, result, document in documents:
        label = document.label
        assert document.id == result["set_id"].lower()
        assert label.version == int(result["version"])
        for key in ("generic_name", "substance_name"):
            for name in result["openfda"].get(key, []):
                assert name.lower() in label.names, path.name


def test_boxed_warnings_and_partial_files(documents):
    for path, result, document in documents:
        assert document.label.has_boxed_warning == ("boxed_warning" in result)
        assert document.label.is_partial == (path.parent.name == "openfda_partial")


def test_numbered_labels_are_split_at_their_headings(documents):
    for path, result, document in documents:
        text = result.get("warnings_and_cautions", [""])[0]
        if not re.match(r"5\.?\s", text.strip()):
            continue
        numbers = [
            s.path[1].split()[0]
            for s in document.sections
            if s.path[:1] == ("5 Warnings and precautions",) and len(s.path) > 1
        ]
        count = len(dict.fromkeys(numbers))
        assert list(dict.fromkeys(numbers)) == [f"5.{k}" for k in range(1, count + 1)], path.name
        assert count >= 2


def test_a_combination_names_every_ingredient(documents):
    names = {path.name: document.label.names for path, _, document in documents}
    rifater = names["rifampin-isoniazid-and-pyrazinamide-NDA050705.json"]
    assert {"rifampin", "rifampicin", "isoniazid", "pyrazinamide", "rifater"} <= set(rifater)
