"""What boosts depend on, for every passage of a knowledge base, read once per section path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.lexicon.intents import intent_lexicon
from clinrag_core.retrieve.boost import Traits

if TYPE_CHECKING:
    from clinrag_core.index.knowledge_base import KnowledgeBase
    from clinrag_core.lexicon.intents import Intent


class TraitTable:
    """Traits by chunk id; sections are classified when first met."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base
        self._paths = base.table.column("section_path")
        self._groups: list[str | None] = base.table.column("group").to_pylist()
        self._tables: list[bool] = base.table.column("has_table").to_pylist()
        self._intents: dict[tuple[str | None, str], frozenset[Intent]] = {}
        self._traits: dict[int, Traits] = {}

    def of(self, chunk_id: str) -> Traits:
        """Return the traits of one passage; KeyError where it is not in the knowledge base."""
        row = self._base.row(chunk_id)
        known = self._traits.get(row)
        if known is None:
            group = self._groups[row]
            heading = " › ".join(part for part in self._paths[row].as_py() if part).casefold()
            known = Traits(group, self._answered(group, heading), self._tables[row])
            self._traits[row] = known
        return known

    def _answered(self, group: str | None, heading: str) -> frozenset[Intent]:
        """Return the intents a section answers, by its group in a label, else by its headings."""
        key = (group, heading if group is None else "")
        known = self._intents.get(key)
        if known is None:
            answered: set[Intent] = {
                rule.name
                for rule in intent_lexicon().intent
                if (group in rule.groups if group is not None else rule.headings.search(heading))
            }
            known = frozenset(answered)
            self._intents[key] = known
        return known
