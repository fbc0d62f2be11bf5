"""Reads the forms in which a medicine is given: a capsule, a tablet, a suspension."""

from __future__ import annotations

from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.normalise import fold_chars

_FORMS = {
    "capsule": lazy_re(r"\b(?:capsules?|caps)\b"),
    "tablet": lazy_re(r"\b(?:tablets?|(?:solu)?tabs?|odts?|caplets?|pills?)\b"),
    "liquid": lazy_re(
        r"\b(?:(?:oral )?(?:suspension|solution|sol['’]?n|susp)|syrup|elixir|liquid)\b"
    ),
}


def named_forms(text: str) -> frozenset[str]:
    """Return the forms of medicines by mouth that a text names: capsule, tablet, liquid.

    Granules are none: a capsule may hold them.
    """
    folded = fold_chars(text)
    return frozenset(name for name, form in _FORMS.items() if form.search(folded))
