"""Reads which option a model chose. Two readings of the same output.

`published_choice` is the rule that MIRAGE's published accuracies were made with (Xiong et al. 2024,
Findings of ACL, doi:10.18653/v1/2024.findings-acl.372; src/evaluate.py): what names no option
counts as A. `stated_choice` is this project's: what names no option, or several, is an abstention.
"""

from __future__ import annotations

import re

ANCHOR = '"answer_choice": "'
DEFAULT = "A"
_PUBLISHED = tuple(
    re.compile(pattern)
    for pattern in (
        r"^\s*(A|B|C|D)$",
        r"^\s*(A|B|C|D) or",
        r"^\s*(A|B|C|D) and",
        r"^\s*(A|B|C|D)/",
        r"^\s*(A|B|C|D),",
        r"[Oo]ption (A|B|C|D)",
        r":\s*(A|B|C|D)",
        r"^\s*(A|B|C|D)\.",
        r'^\s*(A|B|C|D)"',
        r"^\s*(A|B|C|D):",
    )
)
_NONE = re.compile(
    r"\b(?:none of the (?:above|options)|cannot be determined|not available)\b", re.I
)
_LETTERS = re.compile(r"(?<![A-Za-z'])([A-Z])(?![A-Za-z'])")
_CLOSING = '"}\n `'


def published_choice(output: str | None) -> str | None:
    """Return the letter by the published rule; None where there was no output, which is wrong."""
    if output is None:
        return None
    text = output.split(ANCHOR)[-1].strip()
    for pattern in _PUBLISHED:
        if match := pattern.search(text):
            return match.group(1)
    return DEFAULT


def stated_choice(output: str | None, letters: str = "ABCD") -> str | None:
    """Return the one letter that an output states; None if it states none, or several.

    A letter may be repeated ("B. B", "Option C: (C)"). Only what comes after the last
    `answer_choice` counts; without one the output has no answer.
    """
    if output is None or "answer_choice" not in output:
        return None
    text = output.split("answer_choice")[-1].strip(_CLOSING).lstrip('": ')
    if _NONE.search(text):
        return None
    head = re.match(r"\(?([A-Z])\)?(?:$|[.:)\"])", text)  # "A. a lesion of B cells" states A
    found = {head.group(1)} if head else set(_LETTERS.findall(text))
    found &= set(letters)
    return found.pop() if len(found) == 1 else None
