"""The parser against facts computed by plain XPath on 30 real labels.

The facts count words of `''.join(itertext())`, which glues words across block borders; so the
words are compared character by character, which is stricter.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from clinrag_core.errors import RefusedDocumentError
from clinrag_core.parse.spl.parser import parse_spl
from clinrag_core.parse.spl.xml import V3

EXPONENTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–º", "0123456789+---o")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u00ad\u200b\u2060"))


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text.translate(EXPONENTS).translate(INVISIBLE))


def _sources(root):
    """For each section of a document: its text elements; then those of its highlights."""
    for section in root.iter(f"{V3}section"):
        yield "own", section, section.findall(f"{V3}text")
        for excerpt in section.findall(f"{V3}excerpt"):
            yield "highlights", section, list(excerpt.iter(f"{V3}text"))


def _printed(element, footnotes: list[str]) -> str:
    """Text in printed order: footnotes apart, a table's caption first and its foot last."""
    if element.tag == f"{V3}footnote":
        footnotes.append("".join(element.itertext()))
        return ""
    if element.tag == f"{V3}sup" and not "".join(element.itertext()).strip(" ,"):
        return ""  # a comma between two calls
    children = list(element)
    if element.tag == f"{V3}table":
        rank = {f"{V3}caption": 0, f"{V3}tfoot": 2}
        children.sort(key=lambda child: rank.get(child.tag, 1))
    return (element.text or "") + "".join(
        _printed(child, footnotes) + (child.tail or "") for child in children
    )


def test_every_word_is_kept_once_in_order_in_its_section(labels, printed):
    """Coverage 1.00 and duplication 1.00, section by section, in all files, calls put back."""
    for fact, root, document in labels:
        sources = list(_sources(root))
        assert len(sources) == len(document.sections), fact["file"]
        for (_, _, texts), section in zip(sources, document.sections, strict=True):
            footnotes: list[str] = []
            expected = letters("".join(_printed(text, footnotes) for text in texts))
            left = Counter(letters(note) for note in footnotes)
            running = ""
            for block in section.blocks:
                own = letters(printed(section, block))
                if block.kind == "footnote" and left[own] > 0:
                    left[own] -= 1
                else:
                    running += own
            assert running == expected, (fact["file"], section.path)
            assert not +left, (fact["file"], section.path)
            assert letters(section.text) == "".join(
                letters(section.text[b.start : b.end]) for b in section.blocks
            )


def test_word_counts_are_those_of_the_facts(labels):
    """Counts follow the reference facts; parsed tokens differ only where glued or split."""
    for fact, root, document in labels:
        counts: Counter[str] = Counter()
        for kind, _, texts in _sources(root):
            counts[kind] += sum(len("".join(text.itertext()).split()) for text in texts)
        assert counts["own"] == fact["body_words"], fact["file"]
        assert counts["highlights"] == fact["excerpt_words"]
        ours = sum(len(section.text.split()) for section in document.sections)
        assert ours / counts.total() == pytest.approx(1.0, abs=0.025), fact["file"]


def test_sections_and_codes(labels):
    for fact, root, document in labels:
        own = [
            section
            for (kind, _, _), section in zip(_sources(root), document.sections, strict=True)
            if kind == "own"
        ]
        assert len(own) == fact["n_sections"]
        assert len(document.sections) - len(own) == fact["n_excerpts"]
        assert Counter(str(section.own_loinc) for section in own) == fact["loinc"]


def test_section_depths(labels):
    for fact, root, _ in labels:
        depths = Counter(
            str(sum(1 for a in section.iterancestors() if a.tag == f"{V3}section"))
            for section in root.iter(f"{V3}section")
        )
        assert depths == fact["n_by_depth"]


def test_paths_are_the_titles_from_the_top(labels):
    for _, root, document in labels:
        for (_, element, _), section in zip(_sources(root), document.sections, strict=True):
            chain = [element, *(a for a in element.iterancestors(f"{V3}section"))]
            titles = [a.find(f"{V3}title") for a in reversed(chain)]
            texts = [letters("".join(t.itertext())) for t in titles if t is not None]
            expected = [text for text in texts if text]
            assert all(section.path)
            if len(expected) == len(section.path):
                assert [letters(title) for title in section.path] == expected
            else:
                # An untitled top-level section is named by its code.
                assert [letters(title) for title in section.path[1:]] == expected


def _squeezed(names):
    return [letters(name) for name in names]


def test_products(labels):
    for fact, _, document in labels:
        for ours, theirs in zip(document.label.products, fact["products"], strict=True):
            assert ours.ndc == theirs["ndc"]
            assert letters(ours.name or "") == letters(theirs["name"] or "")
            assert _squeezed(ours.generic_names) == list(
                dict.fromkeys(_squeezed(theirs["generic"]))
            )
            assert ours.form == theirs["form"]
            assert set(ours.routes) == set(theirs["routes"])
            assert ours.parts == theirs["parts"]
            assert list(ours.package_ndcs) == list(dict.fromkeys(theirs["package_ndcs"]))
            assert list(ours.source_ndcs) == theirs["source_ndc"]
            assert set(ours.applications) == set(theirs["application"])
            for active, expected in zip(ours.actives, theirs["actives"], strict=True):
                assert letters(active.substance) == letters(expected["name"])
                assert active.unii == expected["unii"]
                assert _squeezed(active.moieties) == _squeezed(expected["moiety"])
                amounts = [
                    value if unit == "1" else f"{value} {unit}"
                    for value, unit in (expected["num"], expected["den"])
                ]
                assert active.strength == " / ".join(amounts)


def test_headers(labels):
    for fact, _, document in labels:
        label = document.label
        assert document.id == fact["setid"].lower()
        assert label.version == int(fact["version"])
        assert f"{label.effective:%Y%m%d}" == fact["effective"]
        assert (label.version_id, label.type_code) == (fact["doc_id"], fact["doc_code"])
        assert label.labeler == fact["labeler"]
        assert label.names


def test_boxed_warnings(labels):
    for fact, _, document in labels:
        true_boxes = [box for box in fact["boxed"] if box["depth"] == 0]
        assert document.label.has_boxed_warning == bool(true_boxes), fact["file"]
        boxed = [s for s in document.sections if s.group == "boxed_warning" and s.role == "body"]
        assert bool(boxed) == bool(true_boxes)
        assert sum(len(s.text.split()) for s in boxed) >= sum(b["words"] for b in true_boxes)
        miscoded = [w for w in document.warnings if w.code == "miscoded_boxed_warning"]
        assert len(miscoded) == len(fact["boxed"]) - len(true_boxes)


def test_only_the_emergency_use_sheet_is_refused(spl_files, label_source):
    refused = []
    for path in spl_files:
        data = path.read_bytes()
        try:
            parse_spl(data, label_source(data, path.name, "spl"))
        except RefusedDocumentError as error:
            refused.append((path.name, error.code))
    assert refused == [("remdesivir-v7.xml", "eua_fact_sheet")]


def test_class_index_files_are_refused(reference_corpus, label_source):
    files = sorted((reference_corpus / "labels" / "other" / "indexing").glob("*.xml"))
    assert files
    for path in files:
        data = path.read_bytes()
        with pytest.raises(RefusedDocumentError) as caught:
            parse_spl(data, label_source(data, path.name, "spl"))
        assert caught.value.code == "drug_class_index"


def test_two_versions_share_their_set_id(labels):
    versions = {
        document.label.version: document.id
        for fact, _, document in labels
        if fact["file"].startswith("apixaban")
    }
    assert set(versions) == {29, 30}
    assert len(set(versions.values())) == 1
