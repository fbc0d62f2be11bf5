"""What a question asks, as far as the scope of a release needs it: drugs, conditions, aspects."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from clinrag_core.answer.question.reasons import reasons_of
from clinrag_core.answer.question.roles import blanked, read_roles
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.regimens import regimens
from clinrag_core.index.scope import unlisted_drugs
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clinrag_core.facts.drugs import DrugLexicon, Mention
    from clinrag_core.lexicon.scope import Condition, ConditionAspect, DrugAspect

_DOSE = "dose"
_TUBERCULOSIS = "tuberculosis"
_DOSE_OF = lazy_re(
    r"\bdos(?:e|es|age|ages|ing)(?: adjustments?| reductions?)? (?:of|for|with) (?:the )?"
    r"(?:[\w-]+ ){0,2}?$"
)
_DOSE_AFTER = lazy_re(r"^(?:[\w/-]*)?(?:'s)? (?:[\w-]+ ){0,1}?dos(?:e|es|age|ages|ing)\b")
_CHOICE = lazy_re(
    r"\b(?:which|what) (?:[\w-]+ ){0,2}?(?:antibiotics?|antimicrobials?|drugs?|regimens?|treatment|"
    r"therapy)\b|\b(?:treatment|therapy|antibiotics?|regimens?) (?:for|of|in|options)\b"
)
_BETWEEN = lazy_re(r"\b(?:versus|vs|or)\b")
_STRAINS = lazy_re(r"\b(?:(?:non-?)?susceptib|resist|(?:in)?sensitiv)\w+")
_TREATMENT = "treatment"
_COVER = lazy_re(r"\bprophyla\w+|\bcover\b|\bprevent\w*")
_USE = lazy_re(
    r"\b(?:useful|effective|efficac\w+|works?|helps?|helpful|benefits?|beneficial|adjunct\w*|"
    r"indicated|approved|licensed|kills?|killing|cures?|eradicat\w+|bactericidal|active against)\b"
    r"|^\W*(?:does|can|could|will|would) [\w-]+ (?:treat|cure|kill)\b"
)
_FOR = lazy_re(r" (?:for|in|against) (?:[\w-]+ ){0,2}?")
_AND_OF = lazy_re(r",? (?:and|or) of (?:the )?")
_ALLERGY = lazy_re(r"[- ]?(?:allerg\w+|intoleran\w+|hypersensitiv\w+)")
_ALLERGIC_TO = lazy_re(r"\b(?:allerg(?:y|ic) to|intolerant of|intolerance to) (?:[\w-]+ ){0,2}$")
_OBJECT = (
    r"(?:treat(?:s|ed|ing|ment|ments)?|therap(?:y|ies)|regimens?|manage(?:d|ment)?|cure[ds]?|"
    r"antibiotics?|drugs?|dose|diagnos(?:e|is|ing|ed)|prevent(?:s|ed|ing|ion)?|prophylaxis|"
    r"vaccines?|vaccination|used|given|choice|screen(?:ed|ing)?|tests?)"
)
_BEFORE = lazy_re(rf"\b{_OBJECT}(?: (?:of|for|in|against|to treat))? (?:[\w-]+ ){{0,3}}?$")
_AFTER = lazy_re(rf"^\S* (?:[\w-]+ )?{_OBJECT}\b")


class ScopeQuestion:
    """What a question asks, as far as the scope needs it."""

    def __init__(self, text: str, drugs: DrugLexicon) -> None:
        facts = read_facts(text, drugs)
        self.text = fold_chars(text)
        table = scope_table()
        self.mentions: Sequence[Mention] = [
            m for m in facts.drugs if m.about == "drug" and not self._is_allergy(m.start, m.end)
        ]
        named = [(m.start, m.end, m.ingredients) for m in self.mentions]
        for word in unlisted_drugs(facts):
            at = self.text.index(word)
            named.append((at, at + len(word), frozenset([word])))
        self.subjects = sorted(named, key=lambda mention: mention[:2])
        self.drugs = tuple(dict.fromkeys(one for _, _, own in self.subjects for one in sorted(own)))
        self.is_case = len(facts.sentences) > 1
        wordings = slot_lexicon().wordings
        of_study = wordings.of_study.search(self.text) is not None
        asking = wordings.dose_as_time.sub(" ", self.text)
        self.aspects: tuple[DrugAspect, ...] = tuple(
            aspect
            for aspect in table.drug_aspect
            if aspect.asked.search(asking) and not (aspect.name == _DOSE and of_study)
        )
        self.aspect_names = frozenset(aspect.name for aspect in self.aspects)
        roles = read_roles(facts)
        asked = blanked(self.text, reasons_of(facts, roles.partners, roles.asked))
        # What a drug that is no part of a regimen is given for, is not what the regimen is for.
        given = frozenset[str]().union(*regimens(text, drugs).values())
        is_besides = bool(given) and not given.issuperset(self.drugs)
        self.conditions: tuple[Condition, ...] = tuple(
            one
            for one in table.conditions_in(asked)
            if not (is_besides and _TUBERCULOSIS in (one.name, one.narrows))
        )
        self.condition_aspects: tuple[ConditionAspect, ...] = tuple(
            aspect
            for aspect in table.condition_aspect
            if aspect.asked.search(self.text)
            or (aspect.name == _TREATMENT and self._is_between_drugs)
        )

    @property
    def chooses(self) -> bool:
        """Return whether it asks which drug to choose for a condition; drugs named are context."""
        is_choice = _CHOICE.search(self.text) is not None or self._is_between_drugs
        return bool(self.conditions) and is_choice

    @property
    def _is_between_drugs(self) -> bool:
        """Return whether one of two drugs is to be chosen for a condition: "X vs Y for Z".

        Not where strains are: what resists them is no advice to choose.
        """
        if _STRAINS.search(self.text):
            return False
        ends = [(start, end) for start, end, _ in self.subjects]
        return bool(self.conditions) and any(
            _BETWEEN.fullmatch(self.text[end:start].strip(" ,."))
            for (_, end), (start, _) in pairwise(ends)
        )

    @property
    def is_on_cover(self) -> bool:
        """Return whether it is on what is given against infections besides a drug: "PCP cover"."""
        return bool(self.drugs) and _COVER.search(self.text) is not None

    @property
    def asks_use(self) -> bool:
        """Return whether it asks if one drug is of use, or used, for something."""
        return len(self.drugs) == 1 and _USE.search(self.text) is not None

    @property
    def is_bare_use(self) -> bool:
        """Return whether it is nothing but a drug for a condition: "X for Y?"."""
        if len(self.subjects) != 1 or self.text[: self.subjects[0][0]].strip():
            return False
        return any(
            _FOR.fullmatch(self.text[self.subjects[0][1] : match.start()])
            and not self.text[match.end() :].strip(" ?.")
            for one in self.conditions
            for match in one.names.finditer(self.text)
        )

    def _is_allergy(self, start: int, end: int) -> bool:
        """Return whether a drug is named for an allergy to it."""
        return bool(_ALLERGY.match(self.text[end:]) or _ALLERGIC_TO.search(self.text[:start]))

    def dosed(self) -> tuple[str, ...]:
        """Return the drugs that a dose is asked of: those next to the word, else all of them.

        In a case history only those next to the word: the others are what the patient takes.
        """
        near: list[frozenset[str]] = []
        until = -1  # where the last of them ends: "the dose of X and of Y" is asked of both
        for start, end, own in self.subjects:
            is_joined = until >= 0 and _AND_OF.fullmatch(self.text[until:start]) is not None
            if (
                is_joined
                or _DOSE_OF.search(self.text[:start])
                or _DOSE_AFTER.search(self.text[end:])
            ):
                near.append(own)
                until = end
        everything = frozenset[str]() if self.is_case else frozenset(self.drugs)
        wanted = frozenset[str]().union(*near) if near else everything
        return tuple(one for one in self.drugs if one in wanted)

    def objects(self) -> tuple[Condition, ...]:
        """Return the conditions that something is asked for: "treatment of X", "X treatment"."""
        if len(self.conditions) == 1:
            return self.conditions
        return tuple(
            condition
            for condition in self.conditions
            if any(
                _BEFORE.search(self.text[: match.start()])
                or _AFTER.search(self.text[match.end() :])
                for match in condition.names.finditer(self.text)
            )
        )
