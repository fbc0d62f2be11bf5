"""Index files of pharmacologic classes become a table, never a label."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinrag_core.build.drug_classes import build_drug_classes, read_drug_class_table
from clinrag_core.build.pipeline import Pipeline
from clinrag_core.errors import ParseError, RefusedDocumentError
from clinrag_core.model import DocumentSource, SourceFile
from clinrag_core.parse.drug_classes import read_drug_classes
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import Settings, data_folder, load_settings
from clinrag_core.workspace import sha256_hex

INDEX = data_folder() / "corpora" / "sample" / "drug_classes" / "antimicrobials.xml"


def test_the_sample_index_gives_classes_by_any_name_and_by_unii(tmp_path: Path):
    settings = load_settings("sample", {"CLINRAG_HOME": str(tmp_path)})
    table = build_drug_classes(Pipeline(settings))
    assert table.failures == ()
    for name in ("rifampin", "Rifampicin", "VJT6J7R4TR"):
        (found,) = table.classes_of(name)
        assert (found.name, found.type) == ("Rifamycin Antibacterial", "EPC")
    assert table.classes_of("aspirin") == ()
    assert read_drug_class_table(Pipeline(settings).workspace) == table


def test_a_broken_index_is_named_and_stops_no_other(tiny_settings: Settings, tiny_corpus):
    folder = tiny_corpus.folder
    (folder / "good.xml").write_bytes(INDEX.read_bytes())
    (folder / "bad.xml").write_bytes(b"<document")
    manifest = folder / "corpus.toml"
    entries = "".join(f'\n[[drug_class_index]]\npath = "{n}.xml"\n' for n in ("bad", "good"))
    manifest.write_text(manifest.read_text() + entries)
    table = build_drug_classes(Pipeline(tiny_settings))
    assert len(table.classes) > 10
    assert len(table.failures) == 1
    assert "bad.xml" in table.failures[0]


def test_before_it_was_built_the_table_is_empty(tiny_settings: Settings):
    assert read_drug_class_table(Pipeline(tiny_settings).workspace).classes == ()


def test_an_index_named_as_a_label_says_where_it_belongs():
    data = INDEX.read_bytes()
    file = SourceFile(name=INDEX.name, sha256=sha256_hex(data), size=len(data))
    source = DocumentSource(kind="label", format="spl", file=file, drug="rifampin")
    with pytest.raises(RefusedDocumentError, match=r"\[\[drug_class_index\]\]") as error:
        parse_document(data, source)
    assert error.value.code == "drug_class_index"


def test_a_label_is_no_index_and_an_empty_index_is_an_error():
    label = next((data_folder() / "corpora" / "sample" / "labels").glob("*.xml"))
    with pytest.raises(RefusedDocumentError, match="no pharmacologic class index"):
        read_drug_classes(label.read_bytes(), label.name)
    empty = INDEX.read_text().replace("2.16.840.1.113883.3.26.1.5", "1.2.3")
    with pytest.raises(ParseError, match="no class"):
        read_drug_classes(empty.encode(), "empty.xml")


def test_real_index_files(reference_corpus: Path):
    folder = reference_corpus / "labels" / "other" / "indexing"
    found = {
        path.name: read_drug_classes(path.read_bytes(), path.name) for path in folder.glob("*.xml")
    }
    assert len(found) == 2
    methoxsalen = found["openfda-METHOXSALEN.xml"]
    assert {c.type for c in methoxsalen} == {"EPC", "MoA", "PE", "CS"}
    assert {c.substance for c in methoxsalen} == {"methoxsalen"}
