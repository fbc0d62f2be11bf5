"""Drugs that a text names and says are not given: "not on X", "unlike X"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.negation import since_denial
from clinrag_core.lexicon.slots import slot_lexicon

if TYPE_CHECKING:
    from clinrag_core.facts.drugs import Mention

REACH = 40
"""Characters before a drug that say what part it has."""
_UNLIKE = re.compile(r"\b(?:unlike|other than)\s+(?:any\s+|the\s+)?$")
_STILL_DENIED = frozenset({"on", "taking", "receiving", "given", "with", "mean", "any", "the"})
"""Words between a denial and the drug that it says is not given."""
_HARM_OF = re.compile(
    r"(?:[- ](?:induced|associated|related))?[- ](?:neuropath|hepatitis|hepatotox|toxicit|rash"
    r"|nephrotox|liver injury|optic neuritis|h?a?emolysis|colitis|psychosis|an[ae]+mia"
    r"|thrombocytop)\w*"
)
"""What makes a drug the cause of what another one is given for: "INH neuropathy"."""
_ALLERGY = re.compile(r"[- ]allerg\w*|[- ]intoleran\w*")
_SENSITIVE_TO = re.compile(r"\b(?:suscept\w+|sensitiv\w+) to $")
_NOT_CHOSEN = re.compile(r"\b(?:over|instead of|rather than|in place of)\s+$")
"""What is said of the drug that another one is preferred to."""
_DOSE_CHANGES = re.compile(
    r"\s+dos(?:e|ing|age)\s+(?:\w+\s+)?(?:need|have|has|go|goes|change|be|up|increase|adjust)"
)
"""What follows a drug whose dose may have to change."""
_IT = re.compile(r"\bit\b")
_ASKS_WHICH = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+){0,2}?"
    r"(?:regimens?|antibiotics?|drugs?|treatments?|therapy|medications?)\b"
)
_OTHER_TREATMENT = re.compile(
    r"\b(?:change|stop|adjust|alter|modify)\b[^.?]{0,20}\b(?:mdt|art|haart)\b"
)
"""A treatment by its initials that is asked about, not the drug that is taken with it."""
_TOGETHER_ONLY: frozenset[Aspect] = frozenset({"interaction"})
_PRODUCT = re.compile(r"\s*[/+-]\s*")
_AND, _OR = re.compile(r"\s+and\s+"), re.compile(r"\s+or\s+")
_LISTED = re.compile(r"\s*(?:,|and|,\s*and|/|\+|&)\s*")
_BETWEEN = re.compile(
    r"\b(?:interact\w*|together|combin\w+|co-?administ\w*|concomitant\w*|simultaneous\w*"
    r"|same time or|or apart|spaced? apart|off [^,.;?]{0,30}\bbefore)\b"
)
_STARTED = re.compile(
    r"(?<!after )(?<!since )(?<!when )(?<!while )(?<!before )"
    r"\b(?:start(?:ing)?|begin(?:ning)?|add(?:ing)?|initiat(?:e|ing)|introduc(?:e|ing)"
    r"|prescrib(?:e|ing)|commenc(?:e|ing)|wants?|suggests?|proposes?"
    r"|think(?:ing)?(?: of| about)?|planning(?: on)?"
    r"|(?:put|putting) (?:her|him|them|my patient|the patient) on)"
    r"\s+(?:(?:a|an|the|his|her|him|them|on|oral|daily)\s+)*$"
)
"""What is said of a drug that somebody is about to give."""
_SWITCHED = re.compile(
    r"\b(?:swap|switch|chang)\w*\s+(?:(?:her|him|them|it|over|back)\s+)*(?:to|for)\s+(?:the\s+)?$"
    r"|\b(?:replac|substitut)\w*\s+(?:(?:it|this|that)\s+)?(?:with|by)\s+$"
)
"""What is said of the drug that takes another one's place."""
_AFFECTS = re.compile(
    r"^[^,;.?]*\b(?:affect|lower|raise|increase|decrease|reduce|change|alter|weaken|interfere|induce|inhibit)"
    r"(?:s|d|ed|ing)?\b[^,;.?]*$"
)
_CONTAINING = re.compile(r"[- ](?:based|containing)\b")


_REASON = re.compile(
    r"\s+(?:for|to treat|against)\s+(?:(?!\b(?:and|or|with|in)\b)[^,.;?])*"
    r"|\s+(?:prophylaxis|prevention|prevent(?:at)?ive (?:therapy|treatment))\b"
)
"""What a drug is taken for, right after its name."""


def is_absent(folded: str, mention: Mention) -> bool:
    """Return whether what is before a drug says that it is not given: "not taking", "unlike"."""
    before = folded[max(0, mention.start - REACH) : mention.start]
    if slot_lexicon().wordings.needed.search(before):
        return False
    between = since_denial(folded, mention.start)
    if between is not None and _STILL_DENIED.issuperset(between):
        return True
    return _UNLIKE.search(before) is not None
