"""Takes what identifies a person out of a note before it leaves this machine, and puts it back.

Own rules for names, dates, numbers of records, addresses and places (HIPAA Safe Harbor). The
mapping stays in memory with the object; nothing is written. Rules miss what no title, cue or
pattern marks: `name_finder` adds what a model finds, and sending notes off this machine stays a
decision of the configuration.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.notes.lexicon import identifier_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLACEHOLDER = re.compile(r"\[(?:EMAIL|URL|PHONE|ID|DATE|NAME|PLACE|AGE)_\d+\]")
_SECTION = " section, "
_PLACES = ("range", "chunk_id")
"""Keys of a note's pieces whose values name nobody."""
_LEAST_REPEATED = 3
"""Letters of a part of a name that is replaced wherever it is said again."""


class Deidentified:
    """Texts without what identifies a person; keeps what was replaced, to put it back."""

    def __init__(self, note: str, found: Iterable[tuple[str, str]] = ()) -> None:
        """Find everything that identifies a person in a whole note.

        Args:
            note: the text of the note.
            found: kind and words of what a model found as well.
        """
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
        for kind, own in found:
            self._add(kind, own)
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

    def hide_data(self, data: object) -> object:
        """Return data with every text de-identified; the places of sources stay as they are."""
        if isinstance(data, str):
            return self.hide(data)
        if isinstance(data, list):
            return [self.hide_data(one) for one in data]
        if isinstance(data, dict):
            items: Mapping[str, object] = data
            return {key: self._hide_value(key, value) for key, value in items.items()}
        return data

    def _hide_value(self, key: str, value: object) -> object:
        """Return a value of an object de-identified; of a source its title alone."""
        if key in _PLACES:
            return value
        if key == "source" and isinstance(value, str):
            title, sign, place = value.rpartition(_SECTION)
            return self.hide(title) + sign + place
        return self.hide_data(value)

    def restore(self, text: str) -> str:
        """Return a text with what its placeholders stand for."""
        originals = {placeholder: own for own, placeholder in self._placeholders.items()}
        return _PLACEHOLDER.sub(lambda m: originals.get(m.group(), m.group()), text)
