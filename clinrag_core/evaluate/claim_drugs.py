"""Which drugs a claim is about, read without the gates that are measured by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinrag_core.facts.regimens import regimens

if TYPE_CHECKING:
    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Claim


def drugs_of_claim(engine: AnswerEngine, claim: Claim) -> frozenset[str]:
    """Return the ingredients a claim is about, by its words, what heads it or its label."""
    text = f"{claim.text}\n{claim.context}"
    chunks = [engine.chunk(citation.chunk_id) for citation in claim.citations]
    labels = [engine.drugs.ingredients_of(c.drug_names) for c in chunks if c is not None]
    headings = [engine.drugs.ingredients(" ".join(c.section_path)) for c in claim.citations]
    codes = regimens(text, engine.drugs).values()
    return engine.drugs.ingredients(text).union(*labels, *headings, *codes)
