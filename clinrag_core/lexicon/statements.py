"""The table of wordings by which a statement is no answer by itself."""

from __future__ import annotations

from clinrag_core.lexicon.loader import Expression, load_table
from clinrag_core.model.base import Record


class UnfitWordings(Record):
    """Wordings of what is about the document, about its methods, or about a study."""

    furniture: Expression
    apparatus: Expression
    narrative: Expression


class HeadingWordings(UnfitWordings):
    """Wordings of headings; more of them are about the document than of sentences."""

    document: Expression
    """Headings of a guideline over what it says of itself: its scope, its readers, its making."""


class Openings(Record):
    """How sentences open that need the one before, or come to advice after what they report."""

    advises_all_the_same: Expression
    """What a sentence on a panel's talks comes to: "nevertheless, masks should be given"."""
    recommends: Expression
    """What a panel recommends, whatever it says of its talks and of trials besides."""
    points_back: Expression


class StatementLexicon(Record):
    """Wordings of headings, of sentences and of their openings."""

    headings: HeadingWordings
    sentences: UnfitWordings
    openings: Openings


def statement_lexicon() -> StatementLexicon:
    """Return the shipped table."""
    return load_table("statements", StatementLexicon)
