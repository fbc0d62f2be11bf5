"""Narrative to text: every word once, none glued, none split."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from clinrag_core.parse.assemble.blocks import write_blocks
from clinrag_core.parse.spl.narrative import read_pieces

EXPONENTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


def kinds(blocks):
    return [block.kind for block in blocks]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<paragraph>tablets</paragraph><paragraph>and</paragraph>", "tablets\n\nand"),
        ("<paragraph>H<sub>2</sub>O (<linkHtml href='#a'>5.1</linkHtml>)</paragraph>", "H2O (5.1)"),
        ("<paragraph>C\n   <sub>17</sub>H</paragraph>", "C 17H"),
        ("<paragraph>300\u00a0mg\n  daily</paragraph>", "300 mg daily"),
        ("<paragraph>One.<br/>Two.</paragraph>", "One.\nTwo."),
        ("<paragraph>a line<br/>that wraps</paragraph>", "a line that wraps"),
        ("<paragraph>One.<br/><br/>Two.</paragraph>", "One.\n\nTwo."),
        ("loose text<br/><br/>More", "loose text\n\nMore"),
        ("<paragraph>soft\u00adhy\ufeffphen</paragraph>", "softhyphen"),
        (
            "<paragraph><content styleCode='xmChange'>new <content styleCode='bold'>dose"
            "</content></content></paragraph>",
            "new dose",
        ),
        ("<list><item>one</item><item>two</item></list>", "one\n\ntwo"),
        ("<list><item><caption>•</caption>one</item></list>", "• one"),
        (
            "<list><item><caption>1.</caption><paragraph>one</paragraph>"
            "<paragraph>Two</paragraph></item></list>",
            "1. one\nTwo",
        ),
        (
            "<list><item>outer<list><item>inner</item></list>rest</item></list>",
            "outer\n\ninner\n\nrest",
        ),
        ("<list><item/><item> </item><item>one</item></list>", "one"),
        ("<paragraph>before</paragraph><list><item>x</item></list>", "before\n\nx"),
    ],
)
def test_text(narrative, markup, text):
    assert narrative(markup)[0] == text


def test_an_item_number_never_joins_the_dose_after_it(narrative):
    text, _ = narrative("<list><item><caption>1.</caption>5 mg daily</item></list>")
    assert text == "1. 5 mg daily"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("0.5 × 10<sup>9</sup>/L", "0.5 × 10⁹/L"),
        ("6.00 × 10 <sup>6</sup> cells", "6.00 × 10⁶ cells"),
        ("0.02<sup>3</sup>", "0.02"),
        ("50 mg<sup>b</sup>", "50 mg"),
        ("1.73 m<sup>2</sup>", "1.73 m²"),
        ("cells/mm\n   <sup>3</sup>", "cells/mm³"),
        ("ELIQUIS<sup>®</sup>", "ELIQUIS®"),
    ],
)
def test_raised_text_follows_the_rule_of_all_formats(narrative, markup, text):
    """A p-value of 0.02 with note 3 is no 0.02³, and 10 to the power of 9 never 109."""
    assert narrative(f"<paragraph>{markup}</paragraph>")[0] == text
    assert narrative(f"<table><tr><td>{markup}</td><td>b</td></tr></table>")[0] == f"{text}\tb"


def test_footnotes_follow_their_block(narrative):
    text, blocks = narrative(
        "<paragraph>Rate 5%<footnote ID='f1'>In adults.</footnote> rose"
        "<footnoteRef IDREF='f1'/>.</paragraph><paragraph>Next.</paragraph>"
    )
    assert text == "Rate 5% rose.\n\nIn adults.\n\nNext."
    assert kinds(blocks) == ["paragraph", "footnote", "paragraph"]
    assert blocks[1].xml_id == "f1"
    assert [(text[: c.at], c.notes) for c in blocks[0].calls] == [
        ("Rate 5%", (1,)),
        ("Rate 5% rose", (1,)),
    ]


def test_images_are_blocks_without_words(narrative):
    text, blocks = narrative(
        "<paragraph>See <renderMultiMedia referencedObject='MM1'/> here</paragraph>"
    )
    assert text == "See here"
    assert kinds(blocks) == ["paragraph", "image"]
    assert (blocks[1].start, blocks[1].end, blocks[1].xml_id) == (8, 8, "MM1")


def test_a_box_round_prose_is_prose(narrative):
    text, blocks = narrative(
        "<table><tbody><tr><td><paragraph>Warning.</paragraph><list><item>One</item></list></td>"
        "</tr></tbody></table>"
    )
    assert text == "Warning.\n\nOne"
    assert kinds(blocks) == ["paragraph", "list_item"]


def test_xml_ids_reach_the_blocks(narrative):
    _, blocks = narrative("<paragraph ID='p1'>a</paragraph><list ID='l1'><item>b</item></list>")
    assert [b.xml_id for b in blocks] == ["p1", "l1"]


WORD = st.from_regex(r"[a-z]{1,6}", fullmatch=True)


def _wrap(tag: str):
    return lambda inner: f"<{tag}>{inner}</{tag}>"


INLINE = st.recursive(
    WORD,
    lambda inner: st.one_of(
        st.builds(_wrap("content"), inner),
        st.builds(_wrap("sub"), inner),
        st.builds(" ".join, st.lists(inner, min_size=1, max_size=3)),
        st.builds("".join, st.lists(inner, min_size=1, max_size=3)),
        st.builds("{}<br/>{}".format, inner, inner),
    ),
    max_leaves=6,
)
BLOCK = st.recursive(
    st.builds(_wrap("paragraph"), INLINE),
    lambda block: st.one_of(
        st.builds("<list><item>{}</item><item>{}</item></list>".format, INLINE, block),
        st.builds("<list><item><caption>{}</caption>{}</item></list>".format, WORD, INLINE),
        st.builds("<table><tr><td>{}</td><td>{}</td></tr></table>".format, INLINE, INLINE),
        st.builds("<table><tr><td>{}</td></tr></table>".format, block),
        st.builds("".join, st.lists(block, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)


def letters(text: str) -> str:
    return re.sub(r"\s+", "", text.translate(EXPONENTS))


@given(BLOCK)
def test_every_character_once_in_order_and_blocks_tile_the_text(markup):
    element = etree.fromstring(f'<text xmlns="urn:hl7-org:v3">{markup}</text>')
    text, blocks = write_blocks(read_pieces(element), repeat_cells=False)
    assert letters(text) == letters("".join(element.itertext()))
    assert letters("".join(text[b.start : b.end] for b in blocks)) == letters(text)
    assert text == text.strip()
    assert "\n\n\n" not in text


@given(st.lists(WORD, min_size=1, max_size=8), st.sampled_from(["paragraph", "item", "td", "th"]))
def test_block_borders_never_glue_words(words, tag):
    inner = "".join(f"<{tag}>{word}</{tag}>" for word in words)
    markup = {
        "paragraph": inner,
        "item": f"<list>{inner}</list>",
        "td": f"<table><tr>{inner}</tr></table>",
        "th": f"<table><thead><tr>{inner}</tr></thead></table>",
    }[tag]
    element = etree.fromstring(f'<text xmlns="urn:hl7-org:v3">{markup}</text>')
    assert write_blocks(read_pieces(element), repeat_cells=False)[0].split() == words
