#!/usr/bin/env python3
"""Writes `frequent.txt`: the most frequent words of English, the most frequent first.

    python data/words/build.py

From the occurrences in film subtitles (OpenSubtitles 2018) that pyspellchecker brings. To read and
rank them takes a third of a second, too much for each start of a command.
"""

from __future__ import annotations

from pathlib import Path

from spellchecker import SpellChecker

WORDS = 15_000
FILE = Path(__file__).with_name("frequent.txt")


def ranked() -> list[str]:
    """Return the words by their occurrences; of equally frequent ones as the list has them."""
    counts = SpellChecker(language="en").word_frequency.dictionary
    return sorted(counts, key=lambda word: -counts[word])[:WORDS]


if __name__ == "__main__":
    FILE.write_text("\n".join(ranked()) + "\n", encoding="utf-8")
