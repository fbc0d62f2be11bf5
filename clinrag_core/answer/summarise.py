"""The patient summary and the medical entity safety guard (seed 000).

The guard runs every sentence in plain words through the gates of the answer, with the clinician
summary as its source, and through one more for medical words that no gate knows. A sentence that
any of them rejects suppresses the whole summary.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.answer.gates.citation import CitationGate
from clinrag_core.answer.gates.protocol import ClaimOfText, passed, refused
from clinrag_core.answer.gates.runner import run_gates
from clinrag_core.answer.records import PatientSummary
from clinrag_core.lexicon.vocabulary import everyday_stems
from clinrag_core.text.normalise import fold
from clinrag_core.text.spelling import unify_spelling
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import NEGATIONS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.answer.gates.protocol import ClaimInContext, Gate
    from clinrag_core.answer.records import GateDecision
    from clinrag_core.facts.drugs import DrugLexicon

_WORD = re.compile(r"[^\W\d_]{2,}")
# Words of a label or guideline in everyday words; each keeps the meaning.
_PLAIN = (
    (r"\badverse (?:reactions|events)\b", "side effects"),
    (r"\badverse (?:reaction|event)\b", "side effect"),
    (r"\bcontraindicated\b", "not to be used"),
    (r"\badministered\b", "given"),
    (r"\badministration\b", "giving"),
    (r"\borally\b", "by mouth"),
    (r"\bonce daily\b", "once a day"),
    (r"\btwice daily\b", "twice a day"),
    (r"\bhepatic\b", "liver"),
    (r"\brenal\b", "kidney"),
    (r"\bpulmonary\b", "lung"),
    (r"\binitiat(?:e|ing|ion of)\b", "start"),
    (r"\bdiscontinue\b", "stop"),
    (r"\bdiscontinued\b", "stopped"),
    (r"\bpaediatric patients\b|\bpediatric patients\b", "children"),
    (r"\bhypersensitivity\b", "allergy"),
    (r"\bconcomitant(?:ly)?\b", "at the same time"),
)
_GRAMMAR = FUNCTION_WORDS | STOP_WORDS | NEGATIONS
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in _PLAIN)


def plain_words(clinician: Sequence[str]) -> tuple[str, ...]:
    """Return the clinician sentences with professional words replaced; nothing is dropped."""
    return tuple(_plain(sentence) for sentence in clinician)


def _plain(sentence: str) -> str:
    for pattern, plain in _COMPILED:
        sentence = pattern.sub(plain, sentence)
    return sentence


class NewTermGate:
    """Rejects sentences with a word that their source lacks and that is no everyday word.

    It catches entities of kinds that no table lists, such as diseases, organs and tests.
    """

    name = "new_term"

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Not passed: `term_not_in_source`, with the words."""
        source = claim.cited.text
        known = everyday_stems() | _stems(f"{source} {_plain(source)}").keys()
        new = {word for key, word in _stems(claim.claim.text).items() if key not in known}
        return refused(self.name, "term_not_in_source", new) if new else passed(self.name)


def _stems(text: str) -> dict[str, str]:
    """Return the stems of the words of a text that are no grammar, each with its word."""
    words = set(_WORD.findall(fold(text))) - _GRAMMAR
    return {stem(unify_spelling(word)): word for word in words}


def guard_patient_summary(
    sentences: Sequence[str], clinician: Sequence[str], drugs: DrugLexicon, gates: Sequence[Gate]
) -> PatientSummary:
    """Return the patient summary, or none with the reasons. A gate that fails suppresses it."""
    # Sentences in plain words cite nothing.
    checks = (*(gate for gate in gates if gate.name != CitationGate.name), NewTermGate())

    def flags(sentence: str, source: str) -> list[str]:
        decisions = run_gates(checks, ClaimOfText(sentence, source, drugs))
        return [": ".join((d.code or d.gate, *d.detail)) for d in decisions if not d.passed]

    wrong: list[str] = []
    for sentence in sentences:
        # One claim alone may support it: what another claim denies is then no fault of it.
        if all(flags(sentence, claim) for claim in clinician):
            wrong += flags(sentence, "\n".join(clinician))
    if wrong:
        return PatientSummary(suppressed=True, flags=tuple(dict.fromkeys(wrong)))
    return PatientSummary(sentences=tuple(sentences))
