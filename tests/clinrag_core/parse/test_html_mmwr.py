"""MMWR articles against a plain XPath count of words, in both of its page templates.

The oracle knows nothing of the parser: it takes the cell or element that holds the article's title
and counts its words, raised marks and list numbers left out.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import html as lxml_html

from clinrag_core.model.document import Document
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.html.parser import parse_html
from clinrag_core.workspace import sha256_hex

WORD = re.compile(r"[A-Za-z]{2,}")
LINES_OF_THE_FRAME = {"return", "top"}  # links back to the top stand inside the article's cell
# What is on the pages round the articles, or is printed by their frame.
NAVIGATION = (
    "Skip Navigation", "Health Topics", "CDC Home", "MMWR SEARCH", "DOWNLOADS", "RSS", "POLICY",
    "ACCESSIBILITY", "Safer, Healthier", "MailStop E-90", "USA.Gov", "Return to top",
)  # fmt: skip
ARTICLES = (
    "hepb-2005",
    "mycoplasma-cap-2001",
    "naat-2000",
    "pneumococcus-fq-2001",
    "rif-pza-2001",
    "rifabutin-hiv-2000",
    "rifamycin-resistance-2002",
)


def parsed(data: bytes, name: str = "page.html") -> Document:
    file = SourceFile(name=name, sha256=sha256_hex(data), size=len(data))
    return parse_html(data, DocumentSource(kind="guideline", format="html", file=file, id="page"))


def words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in WORD.findall(text))


def oracle(data: bytes, region: str) -> Counter[str]:
    tree = lxml_html.document_fromstring(data, lxml_html.HTMLParser(encoding="utf-8"))
    inside = tree.xpath(region)[0]
    texts = inside.xpath(".//text()[not(ancestor::script or ancestor::style or ancestor::sup)]")
    return words(" ".join(texts))


def printed(document: Document, *roles: str) -> Counter[str]:
    """Words of all sections and, once each, of their headings."""
    found: Counter[str] = Counter()
    before: tuple[str, ...] = ()
    for section in document.sections:
        if roles and section.role not in roles:
            continue
        found += words(section.text)
        # One path under several roles is one heading.
        found += words(section.title) if section.path != before else Counter()
        before = section.path
    return found


def everything(document: Document) -> str:
    return "\n".join([*(s.text for s in document.sections), *(s.title for s in document.sections)])


@pytest.fixture(params=ARTICLES)
def article(request, reference_corpus: Path) -> tuple[bytes, Document]:
    data = (reference_corpus / "guidelines" / f"mmwr-{request.param}.html").read_bytes()
    return data, parsed(data)


def test_an_old_article_is_complete_and_nothing_is_repeated(article):
    data, document = article
    expected = oracle(data, "//h1/ancestor::td[1]")
    for word in LINES_OF_THE_FRAME:
        expected.pop(word, None)
    found = printed(document)
    missing, extra = expected - found, found - expected
    assert 1 - missing.total() / expected.total() >= 0.999
    # Two words of the frame may follow the article; a paragraph read twice would be dozens.
    assert extra.total() <= max(8, 0.001 * expected.total()), extra
    paragraphs = [
        section.text[block.start : block.end]
        for section in document.sections
        for block in section.blocks
        if block.end - block.start > 80
    ]
    assert max(Counter(paragraphs).values()) == 1


def test_no_navigation_is_left_in_an_old_article(article):
    _, document = article
    text = everything(document)
    assert [line for line in NAVIGATION if line in text] == []


def test_references_of_an_old_article_get_the_reference_role(article):
    data, document = article
    tree = lxml_html.document_fromstring(data, lxml_html.HTMLParser(encoding="utf-8"))
    (heading,) = [
        h for h in tree.iter("h2", "h3") if h.text_content().strip().startswith("References")
    ]
    listed = heading.xpath("following::ol[1]/li") or heading.xpath("following::li")
    expected = words(" ".join(" ".join(item.itertext()) for item in listed))
    assert expected.total() > 50
    references = printed(document, "references")
    assert not expected - references
    body = "\n".join(s.text for s in document.sections if s.role == "body")
    for item in listed:
        text = " ".join(item.text_content().split())
        assert text[:60] not in " ".join(body.split())


def test_notes_behind_the_references_are_body(reference_corpus: Path):
    """'† Not approved for ...' after a bibliography is a limit of the recommendation above."""
    data = (reference_corpus / "guidelines" / "mmwr-naat-2000.html").read_bytes()
    notes = [
        (section.role, section.text[block.start : block.end])
        for section in parsed(data).sections
        for block in section.blocks
        if block.kind == "footnote"
    ]
    assert any(role == "body" and "smear-negative" in text for role, text in notes)


def test_a_cell_count_keeps_its_exponent(reference_corpus: Path):
    data = (reference_corpus / "guidelines" / "mmwr-rifamycin-resistance-2002.html").read_bytes()
    text = everything(parsed(data))
    assert "<100/mm³" in text
    assert "<60/mm³" in text
    assert not re.search(r"/mm(?![³\w])", text)


def test_headings_typed_into_a_broken_tag_keep_their_level(reference_corpus: Path):
    data = (reference_corpus / "guidelines" / "mmwr-hepb-2005.html").read_bytes()
    depths = {s.title: len(s.path) for s in parsed(data).sections}
    one = depths["Prevention of Perinatal HBV Infection and Management of Pregnant Women"]
    assert depths["Universal Vaccination of Infants"] == one


MODERN = """<!DOCTYPE html><html lang="en-us"><head><meta charset="utf-8">
<title>Testing of contacts | MMWR</title>
<meta name="citation_title" content="Testing of contacts">
<meta name="citation_doi" content="10.0000/test">
<link rel="canonical" href="https://example.org/rr"></head><body>
<div id="skipmenu"><a href="#content">Skip to main content</a></div>
<header><nav><ul><li><a href="/az">A-Z Index</a></li></ul></nav></header>
<div class="container"><main role="main"><div class="row"><div class="col content">
<nav class="breadcrumb"><ol><li><a href="/">MMWR</a></li></ol></nav>
<div class="social-share">Facebook Twitter</div>
<div class="syndicate">
<h1 id="content">Testing of contacts of people with tuberculosis</h1>
<p class="dateline"><em>Recommendations and Reports</em> / January 2, 2024 / 73(1);1&#8211;9</p>
<div class="mmwr-metrics"><h5>Altmetric:</h5></div><h5>Citations:</h5><h5>Views:</h5>
<h2>Summary</h2><p>Contacts are tested within 2 weeks.<sup><a href="#r1">1</a></sup> Those with
CD4 counts &lt;200/mm<sup>3</sup> get a chest radiograph.</p>
<h2>Methods</h2><h3>Literature search</h3><p>Two databases were searched (<em>2</em>,<em>3</em>).
</p><ul><li>Randomised trials.</li><li>Cohorts of &#8805;100 people.</li></ul>
<div class="figure"><h5>FIGURE 1. Order of tests in contacts</h5>
<img alt="A flow chart of tests" src="f1.png"></div>
<div class="table-responsive"><table class="table table-bordered"><thead>
<tr><th colspan="3">TABLE 1. Tests by age group <a href="#T1_down"><span class="sr-only">Return to
your place in the text</span></a></th></tr>
<tr><th>Age group</th><th>First test</th><th>Repeat</th></tr></thead><tbody>
<tr><td rowspan="2">&lt;5 yrs</td><td>Skin test*</td><td>8 weeks</td></tr>
<tr><td>Blood test</td><td>10 weeks</td></tr>
<tr><td>&#8805;5 yrs</td><td>Blood test</td><td>9 weeks</td></tr></tbody></table></div>
<p>* At least 5 mm of induration.</p>
<h2>References</h2><ol><li>Author A. A first title. J Test 2020;1:1.</li>
<li>Author B. A second title. J Test 2021;2:2.</li></ol>
<p><a href="#top">Top</a></p>
<div class="citationtool"><p><strong>Suggested citation for this article:</strong>
Author A.</p></div>
<p><em>MMWR</em> and <em>Morbidity and Mortality Weekly Report</em> are service marks of the U.S.
Department of Health and Human Services.<br>Use of trade names and commercial sources is for
identification only.</p>
</div></div></div></main></div>
<footer><p>Page last reviewed: January 2, 2024</p><div>CONTACT CDC</div></footer></body></html>"""


@pytest.fixture(scope="module")
def modern() -> Document:
    return parsed(MODERN.encode())


def test_a_modern_article_is_complete_without_its_frame(modern: Document):
    expected = oracle(MODERN.encode(), "//div[@class='syndicate']")
    for word in ("altmetric", "citations", "views", "return", "your", "place", "top"):
        expected[word] -= 1
    expected -= Counter({"to": 1, "in": 1, "the": 1, "text": 1})  # the link back into the text
    expected["yrs"] += 1  # a cell that spans two rows says in both what the row is about
    assert printed(modern) == +expected
    text = everything(modern)
    for line in ("Skip to main", "A-Z Index", "Facebook", "Altmetric", "CONTACT CDC", "your place"):
        assert line not in text


def test_a_modern_article_has_its_sections_and_roles(modern: Document):
    assert [(s.path, s.role) for s in modern.sections if s.text] == [
        (("Testing of contacts of people with tuberculosis",), "body"),
        (("Summary",), "body"),
        (("Methods", "Literature search"), "body"),
        (("References",), "references"),
        (("References",), "front_matter"),
    ]
    assert modern.title == "Testing of contacts of people with tuberculosis"


def test_a_modern_table_has_its_caption_header_and_note(modern: Document):
    section = next(s for s in modern.sections if s.title == "Literature search")
    table = next(b.table for b in section.blocks if b.table)
    assert table.caption == "TABLE 1. Tests by age group"
    assert table.header_rows == 1
    assert table.rows == (
        ("Age group", "First test", "Repeat"),
        ("<5 yrs", "Skin test*", "8 weeks"),
        ("<5 yrs", "Blood test", "10 weeks"),
        ("≥5 yrs", "Blood test", "9 weeks"),
    )
    kinds = [b.kind for b in section.blocks]
    assert kinds == [
        "paragraph", "list_item", "list_item", "caption", "caption", "table", "footnote"
    ]  # fmt: skip
    assert section.text.count("Skin test") == 1
    assert section.text.count("TABLE 1") == 1


def test_calls_to_references_never_join_the_number_before_them(modern: Document):
    summary = next(s.text for s in modern.sections if s.title == "Summary")
    assert "within 2 weeks. Those" in summary
    assert "<200/mm³ get" in summary
