"""What of an HTML page is the article.

Drops what no reader of the article reads (scripts, navigation, forms, share bars) and finds the
element that contains the article. Prunes rather than picks: where a page has no `main`, everything
that is not recognisably something else stays.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record

Element = Any  # lxml's elements; its stubs do not cover HTML trees

_DROPPED = re.compile(
    "script|style|noscript|template|nav|header|footer|aside|form|iframe|object|embed|svg|button|"
    "select|input|textarea|head|dialog|canvas|audio|video|map"
)
# XML allows none of them: lxml raises a plain ValueError when such text is moved.
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LEAST_LINKS = 4  # fewer are the links of a sentence; 2 and 8 give the same in the pages tried
_LINKED = 0.7  # of the words of a link bar are in links; the rest is 'You are here'
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_ROLES = frozenset({"navigation", "banner", "search", "complementary", "contentinfo", "menu"})


class WebPageTable(Record):
    """The words of `lexicons/web_pages.toml`."""

    noise: Expression
    publisher: Expression
    frame: Expression


@cache
def _table() -> WebPageTable:
    return load_table("web_pages", WebPageTable)


def is_publisher_note(text: str) -> bool:
    """True if a paragraph is the publisher's and about the page, not about medicine."""
    return bool(_table().publisher.match(text.casefold()))


def is_page_frame(text: str) -> bool:
    """True if a paragraph is part of the page's frame: no word of the document at all."""
    return bool(_table().frame.fullmatch(re.sub(r"\W+$", "", text.casefold())))


def drop_noise(tree: Element) -> None:
    """Remove what is not the article, in place; text that follows an element stays.

    Control characters become spaces first.
    """
    for element in tree.iter():
        if element.text and _CONTROL.search(element.text):
            element.text = _CONTROL.sub(" ", element.text)
        if element.tail and _CONTROL.search(element.tail):
            element.tail = _CONTROL.sub(" ", element.tail)
    for is_dropped in (_is_noise, _is_link_bar):
        for element in [e for e in tree.iter() if isinstance(e.tag, str)]:
            if element.getparent() is not None and is_dropped(element):
                element.drop_tree()


def article_root(tree: Element) -> Element:
    """Return the element with the article: main, article or `div.syndicate`, else the body."""
    body = tree.find(".//body")
    whole = tree if body is None else body
    for path in (
        ".//*[@role='main']|.//main",
        ".//article",
        ".//div[contains(concat(' ', @class, ' '), ' syndicate ')]",
    ):
        found = cast("list[Element]", whole.xpath(path))
        if found:
            best = max(found, key=_words)
            if _words(best) * 2 >= _words(whole):
                return best
    return whole


def _is_noise(element: Element) -> bool:
    """True for an element that no reader of the article reads."""
    tag = element.tag
    if tag in ("html", "body", "main", "article", "h1"):
        return False
    if _DROPPED.fullmatch(tag):
        # The header of an article contains its title.
        return not (tag == "header" and element.find(".//h1") is not None)
    hidden = element.get("hidden") is not None or element.get("aria-hidden") == "true"
    if hidden or element.get("role") in _ROLES or _HIDDEN.search(element.get("style") or ""):
        return True
    to_the_top = tag == "a" and (element.get("href") or "").startswith("#")
    if to_the_top and is_page_frame(" ".join(element.text_content().split())):
        return True
    names = f"{element.get('class') or ''} {element.get('id') or ''}".casefold()
    if not re.search(rf"(?:^|[\s_-])(?:{_table().noise.pattern})(?:$|[\s_-])", names):
        return False
    return element.find(".//h1") is None


def _is_link_bar(element: Element) -> bool:
    """True for a row of links between the parts of a site; a list of links may be of the article.

    Without it every MMWR page of the reference corpus begins with seven paragraphs of navigation.
    """
    if element.tag not in ("td", "div", "p", "ul", "center"):
        return False
    links = [a for a in element.iter("a") if a.get("href")]
    if len(links) < _LEAST_LINKS:
        return False
    bars = element.text_content().count("|")
    linked = sum(_words(a) for a in links)
    return linked >= _LINKED * (_words(element) - bars) and (bars > 0 or element.tag != "ul")


def _words(element: Element) -> int:
    return len(element.text_content().split())
