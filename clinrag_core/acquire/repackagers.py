"""Labelers that repackage or relabel what others make.

Their labels are copies, often of an older version, so a label of the maker goes before theirs.
The list holds the common ones and is not complete; FDA publishes no list. Names are compared as
beginnings of a labeler's name without punctuation.
"""

from __future__ import annotations

import re

_REPACKAGERS = (
    "a s medication",
    "advanced rx",
    "aidarex",
    "american health packaging",
    "aphena",
    "asclemed",
    "avkare",
    "avpak",
    "blenheim",
    "bryant ranch",
    "cardinal health",
    "clinical solutions wholesale",
    "coupler",
    "denton pharma",
    "direct rx",
    "direct_rx",
    "directrx",
    "dispensing solutions",
    "general injectables",
    "golden state medical",
    "h j harkins",
    "henry schein",
    "hj harkins",
    "keltman",
    "lake erie medical",
    "legacy pharmaceutical packaging",
    "liberty pharmaceuticals",
    "major pharmaceuticals",
    "marlex",
    "mckesson",
    "med health pharma",
    "medical purchasing solutions",
    "medsource",
    "medvantx",
    "northwind",
    "nucare",
    "pd rx",
    "physicians total care",
    "preferred pharmaceuticals",
    "proficient rx",
    "qpharma",
    "quality care",
    "readymeds",
    "rebel distributors",
    "redpharm",
    "remedyrepack",
    "rpk pharmaceuticals",
    "safecor health",
    "st mary s medical park",
    "stat rx",
    "state of florida doh",
    "unit dose services",
)


def is_repackager(labeler: str) -> bool:
    """Whether a labeler is known to repackage."""
    name = " ".join(re.findall(r"[a-z0-9_]+", labeler.casefold()))
    return name.startswith(_REPACKAGERS)
