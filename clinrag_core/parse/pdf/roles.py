"""Pages that are not the body: covers, copyright pages, lists of members, contents.

Judged by page: leaders and page numbers make a contents page, a copyright notice among the first
pages a copyright page, few words at either end of the document a cover.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.parse.assemble.wording import is_caption

if TYPE_CHECKING:
    from clinrag_core.model.section import SectionRole
    from clinrag_core.parse.pdf.page import Page

_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{6,}\s*\d+$")
_ENTRY = re.compile(r"\S\s+(?:\d{1,3}|[ivxlc]{1,6})$")
_NUMBER = re.compile(r"^(?:\d{1,3}|[ivxlc]{1,6})$")
_COPYRIGHT = re.compile(
    r"©|all rights reserved|some rights reserved|\bISBN\b|cataloguing[- ]in[- ]publication|"
    r"suggested citation|creative commons|disclaimer|printed in",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"^(?:table\s+of\s+)?contents\W*$", re.IGNORECASE)
_CONTACT = re.compile(r"www\.|https?://|\bISBN\b|\S@\S|©|avenue|printed (?:in|by)", re.IGNORECASE)
_FRONT_PAGES = 10  # before which cover, copyright page and contents are
_COVER_WORDS = 60  # title, subtitle, names and date
_LEAFLET = 4  # pages: a shorter document has no separate cover or copyright page
_NAME_PAGES = 20  # before the contents: long lists of members
_NAMES = 0.6
"""Share of words with a capital on pages of names before the contents: .65 to .92 on ten pages of
the layouts; forewords and text have .08 to .51 in all of them."""
_LEAST_NAMES = 40  # words
_FIGURES = 0.1  # of the words
_LEAST_ENTRIES = 4  # of a list of contents; a sentence may contain a leader or end in a number


def page_roles(pages: list[Page]) -> dict[int, SectionRole]:
    """Return the role of the pages that are not body, by page number."""
    roles: dict[int, SectionRole] = {}
    many = len(pages) > _LEAFLET
    for page in pages:
        if _is_contents(page):
            roles[page.number] = "contents"
        elif many and page.number <= _FRONT_PAGES and _is_copyright(page):
            roles[page.number] = "front_matter"
    if not many:
        return roles
    first = min((n for n, role in roles.items() if role == "contents"), default=0)
    for page in pages[: min(first, _NAME_PAGES)]:
        if _is_names(page):
            roles.setdefault(page.number, "front_matter")
    first = max([n for n in roles if n <= _FRONT_PAGES], default=1)
    for page in pages[:first]:
        if len(_text(page).split()) <= _COVER_WORDS:
            roles.setdefault(page.number, "front_matter")
    back = _text(pages[-1])
    if len(back.split()) <= 2 * _COVER_WORDS and _CONTACT.search(back):
        roles.setdefault(pages[-1].number, "front_matter")
    return roles


def _is_contents(page: Page) -> bool:
    """True if leaders, page numbers or captions make most lines of a page."""
    texts = [line.text for line in page.lines]
    if not texts:
        return False
    leaders = sum(bool(_LEADER.search(t)) for t in texts)
    if leaders >= _LEAST_ENTRIES and leaders * 4 >= len(texts):
        return True
    entries = sum(bool(_ENTRY.search(t) or _NUMBER.match(t)) for t in texts)
    titled = any(_CONTENTS.match(t) for t in texts)
    if titled and entries >= _LEAST_ENTRIES and entries * 3 >= len(texts):
        return True
    captions = sum(is_caption(t) for t in texts)
    return captions >= _LEAST_ENTRIES and captions * 2 >= len(texts)


def _is_copyright(page: Page) -> bool:
    return len({m.casefold() for m in _COPYRIGHT.findall(_text(page))}) > 1


def _is_names(page: Page) -> bool:
    """True if a page lists people and organisations; doses and trade names have figures."""
    words = [word.strip("(,.;:)") for word in _text(page).split()]
    names = [word for word in words if word[:1].isalpha()]
    figures = sum(word[:1].isdigit() for word in words)
    capitals = sum(word[0].isupper() for word in names)
    listed = len(names) >= _LEAST_NAMES and capitals >= _NAMES * len(names)
    return listed and figures <= _FIGURES * len(words)


def _text(page: Page) -> str:
    return " ".join(line.text for line in page.lines)
