"""Clinical wordings of a text in plain words; names of drugs and figures are never touched.

References to other places of a document say nothing to a patient and are left out, and nothing
else is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.lexicon.clinical_terms import clinical_terms
from clinrag_core.text.list_signs import BULLETS

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import DrugLexicon

# Such as "[see Warnings (5.1)]", "(see Table 3)", "( 5.2 , 6.1 )", "are cured (12, 13)."
_REFERENCES = re.compile(
    r"\s*\[\s*see\b[^\[\]]*\]|\s*\(\s*see\b(?:[^()]|\([^()]*\))*\)"
    r"|\s*\(\s*(?:(?:table|figure|fig\.|annex|appendix|section|box)s?\s*[\d.,\sA-Za-z]{1,12})\)"
    r"|\s*[(\[]\s*\d{1,2}\.\d{1,2}(?:\s*(?:,|to|-|–)\s*\d{1,2}(?:\.\d{1,2})?)*\s*[)\]]"
    r"|(?<=[a-z]{3})\s*[(\[]\d{1,3}(?:\s*[,–-]+\s*\d{1,3})*[)\]](?=\s*(?:[.;,]|$))",
    re.IGNORECASE,
)
_SIGNS = re.compile(rf"^(?:[\s{BULLETS}*†‡§¶‖]|[-–](?=\s)|\d+(?:\.\d+)+\s(?=[A-Z]))+")
_ARTICLE = re.compile(r"\b(a|an)\s$", re.IGNORECASE)


def without_references(text: str) -> str:
    """Return a text without references to other places, its list sign and its place number."""
    return " ".join(_SIGNS.sub("", _REFERENCES.sub("", text)).replace(" .", ".").split())


def plain_wording(text: str, drugs: DrugLexicon) -> str:
    """Return a text with its clinical wordings in plain words."""
    named = [(mention.start, mention.end) for mention in drugs.mentions(text)]
    written = ""
    at = 0
    for use in clinical_terms().uses(text):
        if any(use.start < end and start < use.end for start, end in named):
            continue
        written += text[at : use.start]
        at = use.end
        written = _ARTICLE.sub(lambda m, plain=use.plain: _article(m[1], plain), written)
        capital = text[use.start].isupper() and (not written or written.rstrip()[-1:] in ".:")
        written += use.plain[:1].upper() + use.plain[1:] if capital else use.plain
    return written + text[at:]


def _article(article: str, following: str) -> str:
    """Return "a " or "an ", as the word that follows needs it."""
    fitting = "an " if following[:1].lower() in "aeiou" else "a "
    return fitting.capitalize() if article[0].isupper() else fitting
