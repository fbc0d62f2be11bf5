"""Reading a corpus manifest: errors name the entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clinrag_core.acquire import manifest
from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.errors import ManifestError
from clinrag_core.settings import data_folder

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '[corpus]\nname = "c"\n'
GUIDELINE = """
[[guideline]]
id = "{id}"
title = "T"
organisation = "WHO"
year = 2020
topics = ["tb"]
format = "pdf"
licence = "CC BY"
{more}
"""
LABEL = '\n[[label]]\ndrug = "{drug}"\nformat = "spl"\n{more}\n'


def guideline(slug="g-1", more='path = "a.pdf"'):
    return GUIDELINE.format(id=slug, more=more)


def label(drug="Isoniazid", more='path = "a.xml"'):
    return LABEL.format(drug=drug, more=more)


@pytest.fixture
def load(tmp_path):
    def write_and_load(text):
        (tmp_path / "corpus.toml").write_text(text, encoding="utf-8")
        return load_manifest(tmp_path)

    return write_and_load


def test_reads_a_corpus_by_file_or_folder(load, tmp_path):
    manifest = load(HEAD + guideline() + label())
    assert manifest == load_manifest(tmp_path / "corpus.toml")
    assert (manifest.name, manifest.root) == ("c", tmp_path)
    assert manifest.guidelines[0].topics == ("tb",)


def test_topics_are_any_slugs_of_the_corpus(load):
    manifest = load(HEAD + guideline().replace('["tb"]', '["hiv", "drug-safety"]'))
    assert manifest.guidelines[0].topics == ("hiv", "drug-safety")


def test_a_guideline_needs_an_id_a_title_and_a_path_only(load):
    entry = load(HEAD + '[[guideline]]\nid = "g-1"\ntitle = "T"\npath = "a"\n').guidelines[0]
    assert (entry.organisation, entry.year, entry.licence, entry.sha256) == (None,) * 4
    assert (entry.topics, entry.format) == ((), None)


def test_a_label_needs_a_drug_and_a_path_only(load):
    (entry,) = load(HEAD + '[[label]]\ndrug = "isoniazid"\npath = "a.json"\n').labels
    assert entry.format is None


def test_a_topic_is_any_word_in_any_case(load):
    manifest = load(HEAD + guideline().replace('["tb"]', '["TB", "Pädiatrie", "2hrze"]'))
    assert manifest.guidelines[0].topics == ("tb", "pädiatrie", "2hrze")


def test_every_problem_is_named_at_once(load):
    bad = guideline("g-1", "path = '/a'") + guideline("g-2").replace("2020", "20") + label("---")
    with pytest.raises(ManifestError) as caught:
        load("x = 1\n" + HEAD + bad)
    problems = caught.value.problems
    assert len(problems) == 4
    assert [p.partition(":")[0] for p in problems] == [
        "corpus.toml",
        "corpus.toml, guideline 1 (g-1)",
        "corpus.toml, guideline 2 (g-2)",
        "corpus.toml, label 1 (---)",
    ]


def test_a_missing_manifest_names_the_folder_and_the_command_that_writes_one(tmp_path):
    with pytest.raises(ManifestError, match=rf"clinrag corpus init {tmp_path}"):
        load_manifest(tmp_path)
    with pytest.raises(ManifestError, match=r"the corpus .*/nowhere does not exist"):
        load_manifest(tmp_path / "nowhere")


def test_labels_are_grouped_by_drug_and_sorted(load):
    text = HEAD + label("rifampin", 'path = "r.xml"') + label("Isoniazid", 'path = "i1.xml"')
    drugs = load(text + label("isoniazid", 'path = "i2.xml"')).drugs
    assert list(drugs) == ["isoniazid", "rifampin"]
    assert [e.path for e in drugs["isoniazid"]] == ["i1.xml", "i2.xml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "the corpus is empty"),
        ("", "the corpus is empty"),
        (guideline(), r"\[corpus\] table with a name is missing"),
        (HEAD + "x = 1\n" + guideline(), r"\[corpus\]: unknown key x"),
        (HEAD + guideline() + "[[guidline]]\n", "unknown table guidline"),
        (HEAD + '[guideline]\nid = "x"\n', "two brackets"),
        (HEAD + "x = ]\n", "not TOML: .*line 3"),
        (HEAD + guideline(more='path="a"\ncolour = 1'), r"guideline 1 \(g-1\): colour: Extra"),
        (HEAD + guideline(slug="Bad_Slug"), r"guideline 1 \(Bad_Slug\): id: "),
        (HEAD + guideline() + guideline(), r"guideline 2 \(g-1\): the id is taken by guideline 1"),
        (HEAD + guideline(more=""), "exactly one of path, url is needed; given: none"),
        (HEAD + guideline(more='path="a"\nurl="https://h/x"'), "given: path and url"),
        (HEAD + guideline(more='path = "../a.pdf"'), "leaves the corpus folder"),
        (HEAD + guideline(more='path = "/etc/passwd"'), "leaves the corpus folder"),
        (HEAD + guideline(more="path = 'a\\\\b.pdf'"), "not a path with '/'"),
        (HEAD + guideline(more='path = "C:/a.pdf"'), "not a path with '/'"),
        (HEAD + guideline(more='path = "a"\nsha256 = "abc"'), "sha256: "),
        (HEAD + guideline(more='url = "ftp://h/x"'), "only http and https"),
        (HEAD + guideline(more='url = "https://u:p@h/x"'), "carries credentials"),
        (HEAD + guideline(more='path = "a"\nmanual = true'), "manual is for entries with a url"),
        (HEAD + guideline(more='path = "a"\nsuperseded_by = "g-2"'), "kept out of the knowledge"),
        (HEAD + guideline().replace('["tb"]', '["T B"]'), "topics.0: String should match"),
        (HEAD + guideline().replace('["tb"]', '["tb", "tb"]'), "named twice"),
        (HEAD + guideline().replace('"pdf"', '"spl"'), "format: "),
        (HEAD + guideline().replace("2020", "20"), "year: "),
        (HEAD + guideline().replace('"WHO"', '" "'), "organisation: "),
        (HEAD + label(more=""), "exactly one of path, url, query is needed"),
        (HEAD + label(drug="---"), r"label 1 \(---\): drug: .*no letter"),
        (HEAD + label() + label(), r"label 2 \(Isoniazid\): the same label as label 1"),
        (HEAD + label(more='query = { drug = "x" }'), r"query.drug_name: Field required"),
        (HEAD + label(more='path = "a"\nset_id = "1"'), "set_id: "),
        (HEAD + label(more='query = { drug_name = "x", doctype = "" }'), "query.doctype"),
    ],
)
def test_errors_name_file_and_entry(load, text, message):
    with pytest.raises(ManifestError, match=message) as caught:
        load(text)
    assert str(caught.value).startswith("corpus.toml")


def test_superseding_publication_must_be_in_the_corpus(load):
    old = guideline("old", 'path="o"\nsuperseded_by="new"').replace('["tb"]', '["other"]')
    with pytest.raises(ManifestError, match=r"guideline 1 \(old\): superseded_by names 'new'"):
        load(HEAD + old)
    assert load(HEAD + old + guideline("new")).guidelines[0].superseded_by == "new"


def test_openfda_query_with_an_unsupported_filter(load):
    more = 'query = { drug_name = "x", unii_code = "Y" }'
    text = HEAD + label(more=more).replace('"spl"', '"openfda"')
    with pytest.raises(ManifestError, match="openFDA cannot filter by unii_code"):
        load(text)


def test_link_out_of_the_folder_is_refused(load, tmp_path):
    (tmp_path / "link").symlink_to("/etc")
    with pytest.raises(ManifestError, match="leads outside"):
        load(HEAD + guideline(more='path = "link/passwd"'))


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(ManifestError, match=r"corpus\.toml is missing"):
        load_manifest(tmp_path)
    (tmp_path / "corpus.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(ManifestError, match="not UTF-8 at byte 8"):
        load_manifest(tmp_path)


def test_live_corpus_is_valid():
    live = load_manifest(data_folder() / "corpora" / "live")
    assert len(live.guidelines) >= 40
    assert len(live.drugs) >= 60
    assert all(e.query is not None and e.query.doctype == "34391-3" for e in live.labels)
    assert all(e.url is not None for e in live.guidelines)
    replaced = [e for e in live.guidelines if e.superseded_by]
    assert replaced
    assert all(e.topics == ("other",) for e in replaced)


def test_reference_corpus_is_read(reference_corpus):
    manifest = load_manifest(reference_corpus)
    assert (len(manifest.guidelines), len(manifest.labels)) == (21, 63)
    assert len(manifest.drugs["apixaban"]) == 2


def test_parsed_tables_of_a_manifest_are_taken_while_its_bytes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(manifest, "LARGE", 0)
    file, parsed = tmp_path / "corpus.toml", tmp_path / "cache" / "parsed.bin"
    text = '[corpus]\nname = "one"\n[[label]]\ndrug = "isoniazid"\npath = "a.xml"\n'
    file.write_text(text)
    first = manifest.load_manifest(tmp_path, parsed)
    with monkeypatch.context() as patched:
        patched.setattr(manifest.tomllib, "loads", lambda _: pytest.fail("it was parsed"))
        assert manifest.load_manifest(tmp_path, parsed) == first
    file.write_text(text.replace('"one"', '"two"'))
    assert manifest.load_manifest(tmp_path, parsed).name == "two"
