"""Words for what a story has besides the patient's illness: people's trades, times, things, food.

No source needs to know a waitress, a Saturday or a caravan to answer what is asked of her drug.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

from clinrag_core.errors import ConfigurationError
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.vocabulary import measure_stems
from clinrag_core.settings import data_folder
from clinrag_core.text.stems import stem

Circumstance = Literal["who", "thing", "matter", "act"]
"""Who somebody is and on which day; a thing, place or event; what may touch the body, as food,
plants, animals, materials and sports; what is done or thought."""
DAYS = frozenset({
    "mwf", "tts", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
})  # fmt: skip
"""Days written short, alone or as the days of a dialysis: "MWF"."""
SPECIALTIES = frozenset({
    "cardio", "derm", "ent", "er", "gp", "gynae", "icu", "obgyn", "onc", "ortho", "paeds", "peds",
})  # fmt: skip
"""Who treats somebody, written short: "an ENT resident"."""
LIMBS = frozenset({
    "ankle", "arm", "buttock", "calf", "chest", "elbow", "face", "finger", "foot", "forearm",
    "hand", "neck", "rib", "shin", "shoulder", "thigh", "thumb", "toe", "trunk", "wrist",
})  # fmt: skip
"""Parts of the body where an injection, a rash or a pain is."""
_ENDINGS = ("'s", "s", "es", "ed", "d", "ing")


@cache
def _circumstances() -> dict[str, Circumstance]:
    """Return the table that `data/words/circumstances.py` makes of WordNet.

    Raises:
        ConfigurationError: it is missing.
    """
    path = data_folder() / "words" / "circumstances.txt"
    try:
        rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    kinds = get_args(Circumstance)
    return {word: kinds[kinds.index(kind)] for word, kind in rows}


def circumstance(word: str) -> Circumstance | None:
    """Return what a folded word is in a story; None if it may name an illness or a drug.

    None also for what an answer must say: a country, a cost.
    """
    if is_drug_shaped(word) or stem(word) in measure_stems():
        return None
    if word in DAYS or word in SPECIALTIES:
        return "who"
    table = _circumstances()
    bases = [word.removesuffix(end) for end in _ENDINGS if word.endswith(end)]
    if not LIMBS.isdisjoint((word, *bases)):
        return "thing"
    return next((table[one] for one in (word, *bases) if one in table), None)
