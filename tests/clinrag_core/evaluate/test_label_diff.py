"""What a new version of a label changed: by section, with the severity a prescriber needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clinrag_core.evaluate.label_diff import LabelDiff, diff_labels, severity_of
from clinrag_core.model.document import Document
from clinrag_core.model.label import Label
from clinrag_core.model.section import Section
from clinrag_core.model.source import DocumentSource, Format, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.workspace import sha256_hex


def label(version: int, *sections: tuple[str, str, str], boxed: bool = False) -> Document:
    file = SourceFile(name=f"v{version}.xml", sha256="0" * 64, size=1)
    return Document(
        id="set-1",
        kind="label",
        format="spl",
        title="A drug",
        file=file,
        parser="spl/0",
        label=Label(drug="a-drug", set_id="set-1", version=version, has_boxed_warning=boxed),
        sections=tuple(
            Section(ordinal=n, path=(title,), text=text, group=group, loinc=group)
            for n, (group, title, text) in enumerate(sections)
        ),
    )


DOSE = ("dosage", "2.1 Adults", "Take 300 mg once daily.")
WARNING = ("warnings", "5.1 Liver", "Monitor the liver [see Dosage and Administration (2.1)].")


def changes(old: Document, new: Document) -> list[tuple[str, str, str]]:
    return [(c.change, c.severity, c.path[-1]) for c in diff_labels(old, new).changes]


def test_the_same_label_has_no_changes():
    found = diff_labels(label(1, DOSE, WARNING), label(2, WARNING, DOSE))
    assert (found.changes, found.unchanged, found.severity) == ((), 2, None)


def test_a_changed_dose_is_high_and_shows_the_words():
    new = label(2, ("dosage", "2.1 Adults", "Take 600 mg once daily."), WARNING)
    found = diff_labels(label(1, DOSE, WARNING), new)
    (change,) = found.changes
    assert (change.change, change.severity) == ("changed", "HIGH")
    assert (change.words_added, change.words_removed) == (1, 1)
    assert (change.edits[0].removed, change.edits[0].added) == ("300", "600")
    assert change.edits[0].before == "Take"


def test_a_new_boxed_warning_comes_first():
    boxed = ("boxed_warning", "WARNING", "Severe liver injury.")
    new = label(2, ("other", "Storage", "Keep dry."), DOSE, WARNING, boxed, boxed=True)
    found = diff_labels(label(1, DOSE, WARNING), new)
    assert changes(label(1, DOSE, WARNING), new) == [
        ("added", "HIGH", "WARNING"),
        ("added", "LOW", "Storage"),
    ]
    assert found.header["boxed warning"] == ("False", "True")


@pytest.mark.parametrize(
    "same",
    [
        ("dosage", "2.3 Adults", "Take 300 mg once daily."),
        ("dosage", "2.1 Adults", "• Take  300 mg\nonce daily."),
    ],
    ids=["renumbered", "bullets and white space"],
)
def test_what_means_the_same_is_no_change(same: tuple[str, str, str]):
    assert changes(label(1, DOSE), label(2, same)) == []


def test_a_moved_cross_reference_is_no_change():
    moved = ("warnings", "5.1 Liver", "Monitor the liver [see Dosage and Administration (2.4)].")
    assert changes(label(1, WARNING), label(2, moved)) == []


def test_two_labels_are_not_compared():
    other = label(2, DOSE).model_copy(update={"id": "set-2"})
    with pytest.raises(ValueError, match="two versions"):
        diff_labels(label(1, DOSE), other)


@pytest.mark.parametrize(
    ("group", "severity"),
    [
        ("boxed_warning", "HIGH"),
        ("contraindications", "HIGH"),
        ("dosage", "HIGH"),
        ("interactions", "MEDIUM"),
        ("how_supplied", "LOW"),
        (None, "LOW"),
    ],
)
def test_severity_by_section_group(group: str | None, severity: str):
    assert severity_of(group) == severity


def real(path: Path, kind: Format) -> Document:
    data = path.read_bytes()
    file = SourceFile(name=path.name, sha256=sha256_hex(data), size=len(data))
    return parse_document(data, DocumentSource(kind="label", format=kind, file=file, drug="x"))


def count(found: LabelDiff, change: str) -> int:
    return sum(c.change == change for c in found.changes)


def test_the_two_apixaban_versions(reference_corpus: Path):
    spl = reference_corpus / "labels" / "spl"
    found = diff_labels(
        real(spl / "apixaban-v29.xml", "spl"), real(spl / "apixaban-v30.xml", "spl")
    )
    assert (found.old_version, found.new_version) == (29, 30)
    added = [c for c in found.changes if c.severity == "HIGH" and c.change == "added"]
    assert any("Pediatric" in c.path[-1] for c in added)  # version 30 brought paediatric doses
    assert not any(c.group == "boxed_warning" for c in found.changes)  # only renumbered references
    assert found.unchanged > 30


def test_the_two_amikacin_versions(reference_corpus: Path):
    labels = reference_corpus / "labels"
    paths = (
        labels / "openfda_history" / "amikacin-NDA207356-v8.json",
        labels / "openfda" / "amikacin-NDA207356.json",
    )
    versions = [int(json.loads(p.read_bytes())["results"][0]["version"]) for p in paths]
    assert versions == [8, 9]
    found = diff_labels(*(real(p, "openfda") for p in paths))
    assert found.unchanged > 20
    assert count(found, "changed") + count(found, "added") + count(found, "removed") > 0
