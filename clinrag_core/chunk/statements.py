"""A document as statements: sentences, items and rows with what they need to be understood.

Statements are cut from the parsed document, not from chunks: a row has all levels of its header,
an item its lead-in, a sentence that points back the one before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinrag_core.chunk.drafts import SectionDrafts
from clinrag_core.chunk.fragments import is_broken, is_title
from clinrag_core.chunk.units import is_indexed, without_cross_references
from clinrag_core.lexicon.statements import statement_lexicon
from clinrag_core.model.statement import FramePart, Statement
from clinrag_core.text.expressions import lazy_re
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from clinrag_core.chunk.drafts import StatementDraft
    from clinrag_core.lexicon.statements import UnfitWordings
    from clinrag_core.model.document import Document
    from clinrag_core.model.section import Block, Section
    from clinrag_core.model.statement import Unfit

STATEMENTS = "statements/27"
"""Of the rules of this package; part of the chunker's fingerprint."""
SHORTEST_NAME = 4
"""Letters of an abbreviation of a title; shorter ones are words of medicine as well."""
_OF_DOCUMENTS = lazy_re(r"(?:Guid|Standard|Manual|Rules|Recommend|Handbook|Polic|Protocol)")
_TOLD = lazy_re(r"“[^“”]{60,1200}”")
_TELLER = lazy_re(r"\b(?:I|[Mm]y|me)\b")
"""A patient's own story in quotation marks: "My grandfather had TB ... Then I got sick"."""
_LINK = lazy_re(r"\(\s*(?:https?://|www\.)[^()]*\)")
"""An address in parentheses, after what is said."""
_ADVICE_CELL = lazy_re(
    r"(?:^|; )(?:recommend(?:ations?|ed)|clinical (?:comments?|implications?|recommendations?)"
    r"|prevention or management)\b[^:;]{0,60}: "
)
"""The title of a cell that says what is to be done."""
_KEY = lazy_re(r"(?:\b[A-Z][A-Za-z/+-]{0,8} ?[:=] ?[A-Z][^,;:=]{3,60}, ?){3,}")
"""What abbreviations stand for, under a table: "ALT: Alanine transaminase, LFT: Liver ..."."""
_FOR_ALL_BELOW: frozenset[Unfit] = frozenset({"furniture", "apparatus"})
_TERMS_SAY_IT = frozenset({"adverse_reactions", "contraindications", "indications"})
"""Groups of sections in which a term without a verb says something: "Severe liver disease"."""
_DESCRIBES = lazy_re(r"; (?:description|definition|meaning): (?:\S+ ){5}", re.IGNORECASE)
"""A row that says what a term means in a sentence; an abbreviation's has fewer words."""
_ENDS = (".", "!", "?")
FEWEST_WORDS = 3
"""A sentence of fewer words says nothing by itself."""


def cut_statements(document: Document) -> list[Statement]:
    """Return the statements of a document's indexed sections, in its order."""
    statements: list[Statement] = []
    for section in document.sections:
        if not is_indexed(section):
            continue
        about = _about(document, section)
        for draft in _with_leads(section, list(SectionDrafts(section).drafts())):
            statements.append(_statement(document, section, draft, len(statements), about))
    return statements


def _with_leads(section: Section, drafts: list[StatementDraft]) -> list[StatementDraft]:
    """Return drafts in which a sentence without an end that introduces a list is its lead-in.

    "The drug is contraindicated in patients" says nothing without the items below it.
    """
    leads = {(p.start, p.end) for draft in drafts for p in draft.frame if p.kind == "lead_in"}
    return [
        draft._replace(kind="lead_in")
        if draft.kind == "sentence"
        and (draft.start, draft.end) in leads
        and without_cross_references(section.text[draft.start : draft.end]).rstrip()[-1:]
        not in _ENDS
        else draft
        for draft in drafts
    ]


def _about(document: Document, section: Section) -> tuple[Unfit, ...]:
    """Return what the headings of a section are about instead of medicine.

    What a heading says holds for the sections under it: 'Annex 1. Participants > Observers' lists
    people, 'Methods > Retrieval' methods. One that names its guideline is about the guideline.
    """
    own = own_name(document.title)
    found: list[Unfit] = []
    for heading in section.path:
        if heading == document.title:
            continue
        reasons = _unfit(heading, statement_lexicon().headings)
        is_own = heading == section.title
        found += reasons if is_own else sorted(_FOR_ALL_BELOW.intersection(reasons))
        if document.kind == "guideline" and _names_document(heading, own):
            found.append("furniture")
    return tuple(dict.fromkeys(found))


def _names_document(heading: str, own: re.Pattern[str] | None) -> bool:
    """Return whether a heading of a guideline is about the guideline itself."""
    if own is not None and own.search(heading):
        return True
    return bool(statement_lexicon().headings.document.search(heading.casefold()))


def own_name(title: str) -> re.Pattern[str] | None:
    """Return the abbreviation by which a document calls itself, from the capitals of its title.

    It has the letter of "Guideline", "Standards" or the like: that of a disease has not.
    """
    words = [word for word in title.split() if word[0].isupper()]
    own = next((n for n, word in enumerate(words) if _OF_DOCUMENTS.match(word)), len(words))
    capitals = "".join(word[0] for word in words)
    names = [capitals[:end] for end in range(max(own + 1, SHORTEST_NAME), len(words) + 1)]
    return re.compile(rf"\b(?:{'|'.join(names)})\b") if names else None


def _statement(
    document: Document,
    section: Section,
    draft: StatementDraft,
    order: int,
    about: tuple[Unfit, ...],
) -> Statement:
    """Return a statement with its identity and what makes it unfit to be quoted."""
    text = section.text[draft.start : draft.end]
    block = section.blocks[draft.block] if section.blocks else None
    unfit: list[Unfit] = []
    if draft.kind != "recommendation":  # its grade and its chapter's methods are no reason
        if draft.kind == "row" and document.kind == "guideline":  # its figures are medicine
            is_term = _DESCRIBES.search(draft.said) is not None  # though under "Abbreviations"
            about = tuple(one for one in about if one == "furniture" and not is_term)
        shown = draft.said if draft.kind == "row" else text
        unfit += (*about, *_unfit(shown, statement_lexicon().sentences))
    if draft.kind != "row" and (
        not draft.is_whole or _is_incomplete(text, draft) or _is_label(section, draft, text)
    ):
        unfit.append("incomplete")
    if _is_told(section.text, draft):
        unfit.append("furniture")
    if not draft.is_bound:
        unfit.append("unsure_binding")
    frame = draft.frame
    if draft.run_in is not None:
        run_in = FramePart(kind="run_in", start=draft.run_in[0], end=draft.run_in[1])
        frame = (run_in, *frame)
    content = "\x1f".join(
        [document.id, str(section.ordinal), str(draft.start), str(draft.end), draft.said]
    )
    return Statement(
        id=sha256_hex(content.encode())[:24],
        document_id=document.id,
        section_ordinal=section.ordinal,
        block=draft.block,
        order=order,
        kind=draft.kind,
        start=draft.start,
        end=draft.end,
        text=text,
        said=draft.said,
        frame=frame,
        page=_page_of(block, draft) or section.page,
        unfit=tuple(dict.fromkeys(unfit)),
    )


def _page_of(block: Block | None, draft: StatementDraft) -> int | None:
    """Return the page on which a statement begins."""
    if block is None:
        return None
    places = block.places_of(draft.start, draft.end)
    return places[0].page if places else block.page


def _is_incomplete(text: str, draft: StatementDraft) -> bool:
    """Return whether a statement ends before it says anything."""
    return (
        text.rstrip().endswith(":")
        or is_broken(text)
        or (len(draft.said.split()) < FEWEST_WORDS and draft.kind != "item")
    )


def _is_label(section: Section, draft: StatementDraft, text: str) -> bool:
    """Return whether a line is a title, an address or the name of a package, and no sentence."""
    is_line = draft.kind == "sentence" and section.group not in _TERMS_SAY_IT
    return is_line and text[-1:].isalnum() and is_title(text)


def _is_told(text: str, draft: StatementDraft) -> bool:
    """Return whether a statement is part of what a patient tells."""
    return any(
        told.start() <= draft.start and draft.end <= told.end() and _TELLER.search(told[0])
        for told in _TOLD.finditer(text)
    )


def _unfit(text: str, wordings: UnfitWordings) -> tuple[Unfit, ...]:
    """Return what a heading or sentence is about instead of medicine."""
    text = _LINK.sub("", text)
    folded = text.casefold()
    found: list[Unfit] = []
    if wordings.furniture.search(folded) or _KEY.search(text):
        found.append("furniture")
    if statement_lexicon().openings.recommends.search(folded) or _ADVICE_CELL.search(folded):
        return tuple(found)  # whatever a table has on exposure next to what is to be done
    advises = statement_lexicon().openings.advises_all_the_same.search(folded)
    if wordings.apparatus.search(folded) and not advises:
        found.append("apparatus")
    if wordings.narrative.search(folded):
        found.append("narrative")
    return tuple(found)
