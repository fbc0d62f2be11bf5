"""Takes what identifies a person out of a note before it leaves this machine, and puts it back.

Own rules for names, dates, numbers of records, addresses and places (HIPAA Safe Harbor). The
mapping stays in memory with the object; nothing is written. Rules miss what no title, cue or
pattern marks, so sending notes off this machine stays a decision of the configuration.
"""

from __future__ import annotations

import re

from clinrag_core.notes.lexicon import identifier_rules

_PLACEHOLDER = re.compile(r"\[(?:EMAIL|URL|PHONE|ID|DATE|NAME|PLACE|AGE)_\d+\]")
_LEAST_REPEATED = 3
"""Letters of a part of a name that is replaced wherever it is said again."""


class Deidentified:
    """Texts without what identifies a person; keeps what was replaced, to put it back."""

    def __init__(self, note: str) -> None:
        """Find everything that identifies a person in a whole note."""
        self._placeholders: dict[str, str] = {}
        self._count: dict[str, int] = {}
        for kind, rule in identifier_rules():
            for match in rule.finditer(note):
                own = match["own"] if "own" in rule.groupindex else match.group()
                self._add(kind, own)
                if kind == "NAME":
                    for part in own.split():
                        if len(part) >= _LEAST_REPEATED:
                            self._add(kind, part)
        known = sorted(self._placeholders, key=len, reverse=True)
        joined = "|".join(map(re.escape, known))
        self._known = re.compile(rf"(?<!\w)(?:{joined})(?!\w)") if known else None

    def _add(self, kind: str, own: str) -> None:
        if own not in self._placeholders:
            self._count[kind] = self._count.get(kind, 0) + 1
            self._placeholders[own] = f"[{kind}_{self._count[kind]}]"

    def hide(self, text: str) -> str:
        """Return a text of the note with placeholders for what identifies a person."""
        if self._known is None:
            return text
        return self._known.sub(lambda match: self._placeholders[match.group()], text)

    def restore(self, text: str) -> str:
        """Return a text with what its placeholders stand for."""
        originals = {placeholder: own for own, placeholder in self._placeholders.items()}
        return _PLACEHOLDER.sub(lambda m: originals.get(m.group(), m.group()), text)
