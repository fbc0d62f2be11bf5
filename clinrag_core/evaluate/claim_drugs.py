"""Which drugs a claim is about, read without the gates that are measured by it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.drugs import known_drugs

if TYPE_CHECKING:
    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Claim

_ENZYME_WORDS = frozenset({"inducer", "inducers", "inhibitor", "inhibitors"})


def drugs_of_claim(engine: AnswerEngine, claim: Claim) -> frozenset[str]:
    """Return the ingredients a claim is about: by its words, what heads it, its label, a class."""
    text = f"{claim.text}\n{claim.context}"
    chunks = [engine.chunk(citation.chunk_id) for citation in claim.citations]
    labels = [engine.drugs.ingredients_of(c.drug_names) for c in chunks if c is not None]
    headings = [engine.drugs.ingredients(" ".join(c.section_path)) for c in claim.citations]
    codes = regimens(text, engine.drugs).values()
    words = set(re.findall(r"[\w-]+", text.casefold()))
    of_class = {d.name for d in known_drugs() if words & {d.drug_class, f"{d.drug_class}s"}}
    if words & _ENZYME_WORDS:  # said of all drugs that do it, whichever they are
        of_class |= {d.name for d in known_drugs()}
    return engine.drugs.ingredients(text).union(*labels, *headings, *codes, of_class)
