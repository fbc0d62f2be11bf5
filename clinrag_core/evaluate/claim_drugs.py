"""Which drugs a claim is about, and whose doses it gives, read without the gates it measures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.intervals import intervals
from clinrag_core.facts.owners import owners
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.lexicon.drugs import class_words, classes_of, known_drugs
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.normalise import fold_chars
from clinrag_core.text.stems import key_stems

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
    words |= {part for word in words for part in word.split("-")}  # "a cephalosporin-type drug"
    folded = fold_chars(text)
    named = {o.drug_class for o in known_drugs() if class_words(o.drug_class).search(folded)}
    of_class = {d.name for d in known_drugs() if named & classes_of(d.name)}
    if words & _ENZYME_WORDS:  # said of all drugs that do it, whichever they are
        of_class |= {d.name for d in known_drugs()}
    prolonging = slot_lexicon().qt_prolonging
    if prolonging.words.search(folded):
        of_class |= prolonging.drugs
    return engine.drugs.ingredients(text).union(*labels, *headings, *codes, of_class)


def gives_other_dose(engine: AnswerEngine, question: str, claim: Claim) -> bool:
    """Return whether a claim gives doses, all of other drugs than a question asks about.

    A dose is that of the drug whose figure it is (`facts/owners.py`), else of what the claim is
    about; one of an unknown drug counts as nobody's.
    """
    slots = read_slots(question, engine.drugs)
    if not slots.unlisted.isdisjoint(key_stems(f"{claim.context} {claim.text}")):
        return False  # a drug that no table knows owns no figure
    targets = frozenset[str]().union(*slots.drugs)
    facts = read_facts(claim.text, engine.drugs)
    measured = {(i.start, i.end) for i in intervals(claim.text)}
    about = drugs_of_claim(engine, claim)
    owned = [
        frozenset[str]().union(*owners(claim.text, facts.drugs, figure)) or about
        for figure in facts.quantities
        if figure.kind == "dose" and not any(a <= figure.start < b for a, b in measured)
    ]
    return bool(owned) and all(of and of.isdisjoint(targets) for of in owned)
