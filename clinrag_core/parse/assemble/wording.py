"""What the wording of a line shows: whether it may be a title, is a caption, ends a sentence.

The one place of these rules for every format that has to guess structure; each format adds what it
sees of type and markup. No layout here.
"""

from __future__ import annotations

import re

from clinrag_core.text.list_signs import has_bullet

TITLE_WORDS = 14
"""Words of the longest title that no markup or type size confirms: with 11, five headings of the
six web extracts of the reference corpus are lost; with 17, three lines become
headings and two are lost."""
_LEAST_LETTERS = 3
_LETTER_SHARE = 0.45
"""Of the characters of a title: rows of a table that are set in bold have fewer."""
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_OPENING = "(“\"'‘["
_LABEL = re.compile(
    r"^(?:box|table|figure|(?:please\s+)?note|n\.?b|important|remember|source|continued)\W*$", re.I
)
_LINK = re.compile(r"https?://|www\.|@\w|\bdoi\b", re.IGNORECASE)
_DATE = re.compile(
    r"^(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2},\s+\d{4}|"
    r"\d{1,2}\s+[A-Z][a-z]+\s+\d{4})$"
)
_CAPTION = re.compile(
    r"^(?:(?:supplementary\s+|web\s+)?(?:table|figure|fig\.?|box|chart|map|exhibit)\s+"
    r"(?:\d+|[A-Z]\d*|[IVX]{1,5}|[A-Z]{2,3}(?=-\d))(?:[.\-](?:\d+|[A-Za-z]\b))*[a-z]?\b"
    r"\s*[.:–—-]?|(?:table|figure)\s*:)",
    re.IGNORECASE,
)


_NAMED_IN_TEXT = re.compile(
    r"\W*(?:shows?|provides?|displays?|lists?|summari[sz]es?|gives?|defines?|describes?|presents?|"
    r"illustrates?|outlines?|contains?|includes?|and|or|in|for|to|is|are|was|were|of)\b"
)


def may_be_title(text: str, longest: int = TITLE_WORDS) -> bool:
    """True if a line is worded as a title may be: few words, mostly letters, no list item.

    The caller checks how the line ends: some formats print titles with a colon or a stop. `longest`
    is in words.
    """
    if not text or len(text.split()) > longest or has_bullet(text) or _LABEL.match(text):
        return False
    letters = sum(c.isalpha() for c in text)
    if letters < max(_LEAST_LETTERS, _LETTER_SHARE * len(text.replace(" ", ""))):
        return False
    return begins_sentence(text) and not (_LINK.search(text) or _DATE.match(text))


def letters(text: str) -> str:
    """Return letters and digits of a text, lower case: what two settings of one title share."""
    return "".join(c for c in text.casefold() if c.isalnum())


def begins_sentence(text: str) -> bool:
    """True if a text begins as sentences and titles do: with a capital or a digit."""
    first = text.lstrip(_OPENING)[:1]
    return first.isupper() or first.isdigit()


def ends_sentence(text: str) -> bool:
    """True if a text ends with a mark that ends a sentence or announces a list."""
    return bool(_SENTENCE_END.search(text))


def is_caption(text: str) -> bool:
    """True if a text begins as the caption of a table, figure or box does.

    'Table 5 lists ...' is a sentence.
    """
    match = _CAPTION.match(text)
    return match is not None and not is_named_in_text(text[match.end() :])


def is_named_in_text(rest: str) -> bool:
    """True if the words after a table's number make a sentence of it."""
    return bool(_NAMED_IN_TEXT.match(rest))
