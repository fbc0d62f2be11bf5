"""The passages that the check of a note compares with its plan: claims of answers, statements.

An answer shows what decides a question, and not every row of a guideline that is on it. So the
guidelines' own statements are read as well: those that name the drug with a dose, or the care.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from clinrag_core.answer.sources import is_quotable, statement_bases
from clinrag_core.facts.by_weight import is_headed_by_weight
from clinrag_core.facts.quantities import quantities
from clinrag_core.notes.care_lexicon import note_care
from clinrag_core.notes.label_statements import CLASS_OF, label_statements
from clinrag_core.text.normalise import fold_chars

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clinrag_core.answer.engine import AnswerEngine
    from clinrag_core.answer.records import Claim
    from clinrag_core.index.statements import StatementIndex

MOST_PASSAGES = 200
"""Statements that are compared for one question: the rest of a large corpus repeats them."""
_WORD = re.compile(r"[^\W\d_]+")
_ADVISES = re.compile(r"\b(?:recommend|suggest|should|must|not (?:be )?(?:used|given)|given)")
_NO_ADVICE = re.compile(
    r"\b(?:abbreviations?|glossary|acronyms?|references|contents|quantit(?:y|ies)|procurement"
    r"|stock\w*|shelf life)\b"
)
"""Headings of what names care or drugs and advises nothing."""
_REPORT = re.compile(r"\b(?:outbreaks?|surveillance|clusters?|case reports?|epidemiology)\b")
"""Titles of reports of what happened, which advise nothing."""
_ROWS: WeakKeyDictionary[StatementIndex, dict[str, tuple[int, ...]]] = WeakKeyDictionary()
"""Rows that an expression matches, as long as a release is open."""


class GuidelinePassage(NamedTuple):
    """What a source says, with the headings and the title it is under."""

    text: str
    path: tuple[str, ...]
    title: str

    @property
    def places(self) -> tuple[str, str, str]:
        """What says whom and what it is about, the nearest first: text, headings, title."""
        return self.text, " ".join(self.path), self.title


def claim_passages(claims: Iterable[Claim]) -> list[GuidelinePassage]:
    """Return the cited claims of an answer."""
    found = (
        GuidelinePassage(c.text, c.citations[0].section_path, c.citations[0].document_title)
        for c in claims
        if c.citations
    )
    return [passage for passage in found if _is_advice(passage)]


def drug_passages(drug: str, engine: AnswerEngine, *, with_dose: bool) -> list[GuidelinePassage]:
    """Return what guidelines say of a drug: with a dose, or as advice."""
    found = _saying(engine, re.compile(rf"\b(?:{_names(drug, engine)})\b"))
    is_wanted = _states_dose if with_dose else _advises
    return [p for p in found if is_wanted(p.text)][:MOST_PASSAGES]


def _states_dose(text: str) -> bool:
    """Return whether a text states a dose; a table may head its figures with the unit."""
    return is_headed_by_weight(fold_chars(text)) or any(q.kind == "dose" for q in quantities(text))


def _advises(text: str) -> bool:
    return _ADVISES.search(fold_chars(text)) is not None


def forbidding_passages(drug: str, engine: AnswerEngine) -> list[GuidelinePassage]:
    """Return what guidelines say against a drug, its class or, under its heading, a regimen."""
    forbids = note_care().cautions.forbids
    found = _saying(engine, forbids, reports=True)  # which close with advice to clinicians
    own = CLASS_OF.get(drug)
    named = re.compile(rf"\b(?:{_names(drug, engine)}{f'|{re.escape(own)}s?' if own else ''})\b")
    return [p for p in found if named.search(fold_chars(f"{p.text} {' '.join(p.path[-1:])}"))]


def care_passages(
    names: re.Pattern[str], engine: AnswerEngine, most: int | None = MOST_PASSAGES
) -> list[GuidelinePassage]:
    """Return what guidelines say of care that an expression names; `most` of it, if given."""
    return list(_saying(engine, names, advising_against=True))[:most]


def label_passages(
    drugs: Iterable[str], names: re.Pattern[str], engine: AnswerEngine
) -> list[GuidelinePassage]:
    """Return what labels of drugs say that an expression names."""
    return [
        GuidelinePassage(s.statement.said, s.statement.headings, s.statement.document_title)
        for drug in drugs
        for s in label_statements(drug, engine)
        if names.search(s.folded)
    ]


def substance_passages(
    drug: str, names: re.Pattern[str], engine: AnswerEngine
) -> list[GuidelinePassage]:
    """Return what guidelines say that names a drug and a substance of the table `note_care`."""
    named = re.compile(rf"\b(?:{_names(drug, engine)})\b")
    headed = re.compile(rf"\b{re.escape(CLASS_OF.get(drug, drug))}s?\b")
    return [
        p
        for p in _saying(engine, names)
        if named.search(fold_chars(p.text)) or headed.search(fold_chars(" ".join(p.path[-1:])))
    ]


def drugs_passages(one: str, other: str, engine: AnswerEngine) -> list[GuidelinePassage]:
    """Return what guidelines say that names two drugs, and not in one list."""
    named = _saying(engine, re.compile(rf"\b(?:{_names(one, engine)})\b"))
    return [p for p in named if _are_apart(p.text, one, other, engine)]


def _are_apart(text: str, one: str, other: str, engine: AnswerEngine) -> bool:
    """Return whether words other than names of drugs are between the mentions of two drugs."""
    mentions = engine.drugs.mentions(text)
    places = [[m for m in mentions if drug in m.ingredients] for drug in (one, other)]
    if not all(places):
        return False
    between = sorted((places[0][0], places[1][0]), key=lambda m: m.start)
    words = set(_WORD.findall(text[between[0].end : between[1].start].lower())) - {"and", "or"}
    drugs = (text[m.start : m.end].lower() for m in mentions)
    return bool(words.difference(*(_WORD.findall(drug) for drug in drugs)))


def _names(drug: str, engine: AnswerEngine) -> str:
    return "|".join(re.escape(name) for name in sorted(engine.drugs.names_of([drug]) | {drug}))


def joined(
    first: Iterable[GuidelinePassage], others: Iterable[GuidelinePassage]
) -> list[GuidelinePassage]:
    """Return passages without those whose words were in an earlier one."""
    kept: list[GuidelinePassage] = []
    for one in (*first, *others):
        said = " ".join(one.text.split())
        if not any(said in " ".join(k.text.split()) for k in kept):
            kept.append(one)
    return kept


def _saying(
    engine: AnswerEngine,
    names: re.Pattern[str],
    *,
    reports: bool = False,
    advising_against: bool = False,
) -> Iterator[GuidelinePassage]:
    """Yield the quotable statements of guidelines that an expression matches.

    Reports of what happened are left out, unless asked for; of those that advise against something
    `advising_against` keeps just that.
    """
    against = note_care().says.against
    for _, index in statement_bases((engine.search,)):
        for one in index.statements(_rows(index, names)):
            passage = GuidelinePassage(one.said, one.headings, one.document_title)
            is_fit = is_quotable(one) and "narrative" not in one.unfit
            may_report = reports or (
                advising_against and against.search(fold_chars(passage.text)) is not None
            )
            if is_fit and _is_advice(passage, reports=may_report):
                yield passage


def _is_advice(passage: GuidelinePassage, *, reports: bool = False) -> bool:
    """Return whether a passage is of the text of a guideline: no reference, and no report."""
    heading, title = fold_chars(" ".join(passage.path[-1:])), fold_chars(passage.title)
    is_report = not reports and _REPORT.search(title) is not None
    return not (_NO_ADVICE.search(heading) or is_report)


def _rows(statements: StatementIndex, names: re.Pattern[str]) -> tuple[int, ...]:
    """Return the rows of guidelines that an expression matches, looked for once."""
    known = _ROWS.setdefault(statements, {})
    if names.pattern not in known:
        kinds = statements.table.column("kind").to_pylist()
        said = statements.table.column("said").to_pylist()
        known[names.pattern] = tuple(
            row
            for row, (kind, text) in enumerate(zip(kinds, said, strict=True))
            if kind == "guideline" and names.search(text.lower())
        )
    return known[names.pattern]
