"""Names of the drugs of all real labels, from their coded product data."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from clinrag_core.errors import RefusedDocumentError
from clinrag_core.lexicon.drug_names import normalise_drug_name, strip_salt
from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex

ACCESSORIES = {"isopropyl alcohol"}  # the wipe of a kit


@pytest.fixture(scope="module")
def labels(reference_corpus: Path) -> list[Document]:
    manifest = tomllib.loads((reference_corpus / "corpus.toml").read_text(encoding="utf-8"))
    found: list[Document] = []
    for entry in manifest["label"]:
        path = reference_corpus / entry["path"]
        data = path.read_bytes()
        file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
        source = DocumentSource(kind="label", format=entry["format"], file=file, drug=entry["drug"])
        try:
            found.append(parse_document(data, source))
        except RefusedDocumentError:
            continue
    assert len(found) == len(manifest["label"]) - 1  # an emergency use sheet is no label
    return found


def test_every_label_goes_by_its_brand_generic_substance_and_moiety(labels):
    for document in labels:
        names = set(document.label.names)
        assert normalise_drug_name(document.label.drug) in names
        for product in document.label.products:
            printed = [product.name or "", *product.generic_names]
            for active in product.actives:
                if normalise_drug_name(active.substance) not in ACCESSORIES:
                    printed += [active.substance, *active.moieties]
            for name in filter(None, printed):
                assert normalise_drug_name(name) in names, (document.file.name, name)


def test_every_ingredient_of_every_label_is_found_without_its_salt(labels):
    for document in labels:
        for product in document.label.products:
            for active in product.actives:
                if normalise_drug_name(active.substance) in ACCESSORIES:
                    continue
                assert strip_salt(active.substance) in document.label.names, document.file.name


def test_every_coded_ingredient_has_its_unii(labels):
    """openFDA does not say which code is whose where a label has several."""
    for document in labels:
        for product in document.label.products:
            if document.format == "spl" or (
                len(product.actives) == 1 and not document.label.is_partial
            ):
                assert all(active.unii for active in product.actives), document.file.name


def test_no_name_is_a_fragment(labels):
    for document in labels:
        for name in document.label.names:
            assert name == normalise_drug_name(name)
            assert name.split()[-1] not in {"in", "and", "with", "for", "of"}, document.file.name
            assert len(name) > 2


def test_no_two_drugs_share_a_name_unless_they_share_an_ingredient(labels):
    owners: dict[str, set[frozenset[str]]] = {}
    for document in labels:
        moieties = frozenset(
            strip_salt(moiety)
            for product in document.label.products
            for active in product.actives
            for moiety in (active.moieties or (active.substance,))
        )
        for name in document.label.names:
            owners.setdefault(name, set()).add(moieties)
    for name, drugs in owners.items():
        assert frozenset.intersection(*drugs) or len(drugs) == 1, (name, drugs)
