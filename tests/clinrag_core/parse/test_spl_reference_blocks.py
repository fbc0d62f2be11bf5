"""Blocks of 30 real labels against plain XPath: tables, notes, lists, pictures, links, tokens."""

from __future__ import annotations

import re
from collections import Counter

from lxml import etree

from clinrag_core.parse.spl.xml import V3

EXPONENTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–º", "0123456789+---o")
TOKEN = re.compile(r"[A-Za-z]+")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u00ad\u200b\u2060"))


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text.translate(EXPONENTS).translate(INVISIBLE))


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


def test_tables_lists_images_and_footnotes(labels):
    for fact, root, document in labels:
        blocks = Counter(block.kind for section in document.sections for block in section.blocks)
        tables = list(root.iter(f"{V3}table"))
        boxes = sum(
            t.find(f"{V3}thead") is None and all(len(row) <= 1 for row in t.iter(f"{V3}tr"))
            for t in tables
        )
        empty = sum(not "".join(t.itertext()).strip() for t in tables)
        items = [i for i in root.iter(f"{V3}item") if "".join(i.itertext()).strip()]
        assert len(tables) == fact["n_tables"]
        assert fact["n_tables"] - boxes - empty <= blocks["table"] <= fact["n_tables"] - boxes
        assert sum(1 for _ in root.iter(f"{V3}item")) == fact["n_items"]
        assert blocks["list_item"] <= len(items) + sum(len(i) > 1 for i in items)
        assert blocks["image"] == fact["n_render"]
        assert sum(1 for _ in root.iter(f"{V3}footnote")) == fact["n_footnotes"]
        assert blocks["footnote"] >= fact["n_footnotes"]


def test_notes_in_the_foot_of_a_table_are_footnotes_behind_it(labels, printed):
    """As a row they would be under the header of the first column: 'Dose: a In children ...'."""
    seen = 0
    for fact, root, document in labels:
        notes = "".join(
            letters(printed(section, block))
            for section in document.sections
            for block in section.blocks
            if block.kind == "footnote"
        )
        for row in root.iterfind(f".//{V3}tfoot/{V3}tr"):
            if all(len(r) <= 1 for r in row.getparent().getparent().iter(f"{V3}tr")):
                continue  # a box round prose is prose
            cells = [t for cell in row if (t := letters(_printed(cell, [])))]
            if len(cells) == 1:
                seen += 1
                assert cells[0] in notes, (fact["file"], cells[0][:60])
    assert seen > 100


def test_rows_of_a_table_are_its_printed_rows(labels, printed):
    """Every other row is a row of the grid, cell by cell, with its caption and no cell twice."""
    for fact, root, document in labels:
        rows = Counter(
            tuple(text for cell in row.split("\t") if (text := letters(cell)))
            for section in document.sections
            for block in section.blocks
            if block.table
            for row in printed(section, block).split("\n")
        )
        captions = {
            letters(printed(section, block))
            for section in document.sections
            for block in section.blocks
            if block.kind == "caption"
        }
        missing = 0
        for table in root.iter(f"{V3}table"):
            for row in table.iter(f"{V3}tr"):
                cells = tuple(text for cell in row if (text := letters(_printed(cell, []))))
                if len(cells) > 1:
                    missing += rows[cells] <= 0
                    rows[cells] -= 1
            caption = table.find(f"{V3}caption")
            text = letters(_printed(caption, [])) if caption is not None else ""
            assert text in captions or not text, (fact["file"], text[:60])
        assert missing == 0, fact["file"]


def test_images_are_kept_by_reference_with_their_alternative_text(labels):
    for fact, root, document in labels:
        media = {
            m.get("ID"): (
                m.find(f"{V3}value/{V3}reference").get("value"),
                " ".join("".join(m.find(f"{V3}text").itertext()).split())
                if m.find(f"{V3}text") is not None
                else "",
            )
            for m in root.iter(f"{V3}observationMedia")
        }
        assert len(media) == fact["n_media"]
        expected = Counter(
            media[r.get("referencedObject")] for r in root.iter(f"{V3}renderMultiMedia")
        )
        images = [b for s in document.sections for b in s.blocks if b.kind == "image"]
        assert all(b.start == b.end and b.image for b in images), fact["file"]
        assert Counter((b.image.reference, b.image.alt) for b in images) == expected
        words = letters("".join(s.text for s in document.sections))
        for file in {b.image.reference for b in images}:
            assert file not in words


def test_links_leave_their_words_and_no_target(labels):
    """Internal links, dangling ones too, are plain words; no '#ID' reaches the text."""
    for fact, root, document in labels:
        targets = {
            link.get("href", "").removeprefix("#")
            for link in root.iter(f"{V3}linkHtml")
            if link.get("href", "").startswith("#")
        }
        text = "\n".join(s.text for s in document.sections)
        marked = set(re.findall(r"#([A-Za-z_][\w.-]*)", text))
        assert not marked & targets, fact["file"]


def _block_joined(element) -> str:
    """Text with a space at every block border, break and raised run, none inside a word."""
    blocks = {"paragraph", "list", "item", "caption", "table", "tr", "td", "th", "br", "footnote"}
    blocks.add("sup")
    inner = (element.text or "") + "".join(
        _block_joined(child) + (child.tail or "") for child in element
    )
    return f" {inner} " if etree.QName(element).localname in blocks else inner


def test_no_word_is_glued_or_split(labels):
    """Tokens of all labels against XPath's text joined at block borders: the same vocabulary."""
    for fact, root, document in labels:
        expected = Counter(
            token
            for text in root.iter(f"{V3}text")
            if etree.QName(text.getparent()).localname != "observationMedia"
            for token in TOKEN.findall(_block_joined(text).translate(INVISIBLE))
        )
        found = Counter(
            token for section in document.sections for token in TOKEN.findall(section.text)
        )
        found += Counter(
            token
            for section in document.sections
            for block in section.blocks
            for call in block.calls
            for token in TOKEN.findall(call.label)
        )
        signs = {"TM", "th", "o", "F", "C"}  # raised text that stays attached to a word
        odd = {token for token in (found - expected) + (expected - found) if token not in signs}
        assert not odd, (fact["file"], odd)


def test_bullets_are_not_repeated(labels):
    for fact, _, document in labels:
        for section in document.sections:
            assert not re.search(r"(?:^|\n)[•●▪o]\s+[•●▪]", section.text), (
                fact["file"],
                section.path,
            )


def _own_words(item) -> str:
    """Letters of an item that are not those of a list or table inside it."""
    inside = {f"{V3}list", f"{V3}table"}
    own = (item.text or "") + "".join(
        ("" if child.tag in inside else "".join(child.itertext())) + (child.tail or "")
        for child in item
    )
    return letters(own)


def test_list_items_outside_tables_are_blocks(labels):
    for fact, root, document in labels:
        outside = [
            item
            for item in root.iter(f"{V3}item")
            if _own_words(item) and not any(a.tag == f"{V3}td" for a in item.iterancestors())
        ]
        blocks = sum(b.kind == "list_item" for s in document.sections for b in s.blocks)
        assert blocks >= len(outside), fact["file"]
