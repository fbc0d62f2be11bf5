"""Labelers that repackage or relabel the products of others.

Their labels are copies, often of an older version, so a manufacturer's label is preferred. The list
has the common repackagers and is incomplete, because FDA publishes none.
"""

from __future__ import annotations

import re

_NAMES = """
    a s medication, advanced rx, aidarex, american health packaging, aphena, asclemed, avkare,
    avpak, blenheim, bryant ranch, cardinal health, clinical solutions wholesale, coupler,
    denton pharma, direct rx, directrx, dispensing solutions, general injectables, golden
    state medical, h j harkins, henry schein, hj harkins, keltman, lake erie medical, legacy
    pharmaceutical packaging, liberty pharmaceuticals, major pharmaceuticals, marlex,
    mckesson, med health pharma, medical purchasing solutions, medsource, medvantx, northwind,
    nucare, pd rx, physicians total care, preferred pharmaceuticals, proficient rx, qpharma,
    quality care, readymeds, rebel distributors, redpharm, remedyrepack, rpk pharmaceuticals,
    safecor health, st mary s medical park, stat rx, state of florida doh, unit dose services
"""
_REPACKAGERS = tuple(" ".join(name.split()) for name in _NAMES.split(","))


def is_repackager(labeler: str) -> bool:
    """Return True if a labeler's name begins with the name of a known repackager."""
    name = " ".join(re.findall(r"[a-z0-9]+", labeler.casefold()))
    return name.startswith(_REPACKAGERS)
