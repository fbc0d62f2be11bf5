"""Signs that begin an item of a list: the one table of bullets, dashes and item numbers.

`parse` reads lists with it, `text.sentences` ends sentences at them and the label comparison
ignores them. Bullets of icon fonts become • when text is cleaned.
"""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re

ICON_BULLETS = (
    "\uf0b7\uf0a7\uf0d8\uf0fc\uf071\uf0a8\uf06c\uf076\uf06e\uf02d\uf0be\uf0e0\uf075\uf077\uf078"
    "\u25cf\u2023\u2043\u2219\u25aa\u25ab\u27a2\u2756\u25b6\u25ba"
)
"""Private-use codes of icon fonts and the shapes they imitate; cleaning writes them as •."""
BULLETS = ICON_BULLETS + "•·◦○■□▼❑✓✔"
"""Characters that are a bullet wherever they begin a line; an asterisk may be a note's sign."""
_DASHES = "–—-"
_NUMBER = r"\(?(?:\d{1,3}|[a-z])[.)]|\((?:i{1,3}|i?v|vi{1,3}|i?x)\)|(?:i{2,3}|iv|vi{1,3})[.)]"
# Tools that read a Wingdings circle write 'o'; some add the letter of a second icon font.
_BULLET = lazy_re(rf"^(?:[{BULLETS}o{_DASHES}](?:\s+[}}Îl])?\s+|•)(?=\S)")
_LONE_BULLET = lazy_re(rf"[{BULLETS}o{_DASHES}](?:\s?}})?")
_ITEM_NUMBER = lazy_re(rf"(?:{_NUMBER})\s+(?=\S)")
_SIGN = lazy_re(rf"[{BULLETS}o*{_DASHES}]|{_NUMBER}")


def has_bullet(text: str) -> bool:
    """True if a line begins with a bullet or a dash that is set off by a space."""
    return bool(_BULLET.match(text))


def has_number(text: str) -> bool:
    """True if a line begins with the number or letter of a list item: '2)', '(a)', 'iv.'."""
    return bool(_ITEM_NUMBER.match(text))


def is_item(text: str) -> bool:
    """True if a line begins as an item of a list does."""
    return has_bullet(text) or has_number(text)


def is_lone_bullet(text: str) -> bool:
    """True if a line consists of a bullet alone."""
    return bool(_LONE_BULLET.fullmatch(text))


def is_sign(word: str) -> bool:
    """True if a word is nothing but the bullet or the number of a list item."""
    return bool(_SIGN.fullmatch(word))


def normal_bullet(text: str) -> str:
    """Return text with the bullet that it begins with, of any shape, as '• '."""
    return _BULLET.sub("• ", text, count=1)


def without_number(text: str) -> str:
    """Return the text of an item without its number: "b) Cured: ..." -> "Cured: ..."."""
    match = _ITEM_NUMBER.match(text)
    return text[match.end() :] if match else text
