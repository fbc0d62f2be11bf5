"""The words that a question turns on, and how far some texts speak of them.

"Does X interact with grapefruit" is not answered by what is known of X: its rare words must be met.
Names of drugs, people, aspects and the diseases of the field are read elsewhere and are left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.generate.protocol import context
from clinrag_core.answer.question.asking import CACHED_QUESTIONS
from clinrag_core.answer.rank.named_sources import named_sources
from clinrag_core.answer.sources import guideline_titles
from clinrag_core.answer.word_weights import greatest
from clinrag_core.facts.abbreviations import abbreviation_spans
from clinrag_core.facts.people import read_people
from clinrag_core.facts.reader import read_facts
from clinrag_core.lexicon.inn import is_drug_shaped
from clinrag_core.lexicon.scope import scope_table
from clinrag_core.lexicon.slots import slot_lexicon
from clinrag_core.lexicon.vocabulary import (
    COMPOUND,
    is_everyday,
    is_incidental,
    is_plain,
    measure_stems,
    same_sense,
)
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.families import word_root
from clinrag_core.text.normalise import fold, fold_chars
from clinrag_core.text.stems import FUNCTION_WORDS, stem
from clinrag_core.text.tokens import NEGATIONS, STOP_WORDS, tokenize
from clinrag_core.text.units import CANONICAL
from clinrag_core.text.word_starts import says

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clinrag_core.answer.sources import Sources
    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.statement import IndexedStatement

FIELD = ("tuberculosis", "pneumonia", "pneumonia.community")
"""Diseases of the field: statements need not name them."""
CUE_WORDS = 3
"""Most words of an aspect's cue that is left out; a longer match spans what is asked about."""
RARE = 0.55
"""Share of the rarest word's weight from which a word is rare."""
CACHED = 8_192
"""Statements whose words are kept in memory; those of a release are no patient data."""
OF_RELEASE = frozenset({"guideline", "label"})
"""Kinds of documents that are a release's, not a user's."""
MIN_LETTERS = 3
"""Fewest letters of a word that must be met: one or two are mostly units and function words."""
_NOT = lazy_re(
    r"\b\w+n['’]t\b|\bnot (?:the |an? )?[\w-]+ (?:one|version|product|kind|form|brand)\b"
    r"|, not (?:for |in |the )?[\w-]+(?=[:;,.?)]| [-–])"
    r"|, no (?:[\w-]+ )?[\w-]+(?=[;,.])"
)
"""Denials, what is not meant, "not the MS one", and what a patient lacks: "a rash, no blisters"."""
_EXCEPT = lazy_re(r"\b(?:except(?: for| in)?|excluding|other than|apart from)\b[^.;]*", re.I)
"""What a text leaves out."""


class TopicWord(NamedTuple):
    """A word that a question turns on."""

    word: str
    weight: float
    """Its inverse document frequency; words in no passage weigh most."""
    forms: frozenset[str]
    """Stems and roots that say the same."""


def topic_words(
    text: str,
    drugs: DrugLexicon,
    idf: Mapping[str, float],
    named: Iterable[tuple[int, int]] = (),
) -> tuple[TopicWord, ...]:
    """Return the words that a question turns on, in order, each once; `named` spans are none.

    Raises:
        ConfigurationError: a lexicon cannot be read.
    """
    rest = _without_slots(text, drugs, tuple(named))
    most = greatest(idf)
    found: dict[str, TopicWord] = {}
    short = {
        text[start:end].casefold(): meaning for start, end, meaning in abbreviation_spans(rest)
    }
    for match in COMPOUND.finditer(fold(rest)):
        whole = match.group()
        parts = whole.split("-")
        if len(parts) > 1 and is_plain(whole.replace("-", "")):
            continue
        for word in parts:
            meaning = tokenize(short.get(word, ""))
            if meaning:
                rarest = max(meaning, key=lambda token: idf.get(token, most))
                weight, forms = idf.get(rarest, most), word_forms(word) | word_forms(rarest)
            elif _names_a_topic(word) and not is_incidental(word):
                forms = word_forms(word)
                own = (word, stem(word), word_root(word), *tokenize(word))
                weight = min(idf.get(form, most) for form in own)  # "coughing" is no rarer a topic
                if weight == most and _is_everyday_act(word):
                    continue
            else:
                continue
            if whole != word:
                forms |= word_forms(whole.replace("-", ""))
            found.setdefault(word, TopicWord(word, weight, forms))
    return tuple(found.values())


def _names_a_topic(word: str) -> bool:
    """Return whether a folded word is neither grammar, a figure, a unit nor general."""
    return not (
        len(word) < MIN_LETTERS
        or word[0].isdigit()
        or word in FUNCTION_WORDS | STOP_WORDS | NEGATIONS
        or word in CANONICAL
        or (is_plain(word) and stem(word) not in measure_stems())
    )


def _is_everyday_act(word: str) -> bool:
    """Return whether a word that no passage has is only how something is done: "rostered"."""
    is_again = word.startswith("re") and is_plain(word.removeprefix("re"))
    return is_again or (word.endswith(("ed", "ing")) and is_everyday(word))


@lru_cache(maxsize=CACHED_QUESTIONS)
def _without_slots(text: str, drugs: DrugLexicon, named: tuple[tuple[int, int], ...]) -> str:
    """Return a question without what slots are read from: drugs, people, aspects, the field."""
    folded = fold_chars(text)
    spans = [(m.start, m.end) for m in read_facts(text, drugs).drugs]
    spans += [(age.start, age.end) for age in read_people(text).ages]
    lexicon, table = slot_lexicon(), scope_table()
    aspects = [cue for name, cue in lexicon.aspects.items() if name != "handling"]
    cues = [*aspects, *lexicon.people.values()]  # "may it be crushed" turns on the word
    cues += [aspect.asked for aspect in table.drug_aspect]
    cues += [lexicon.diseases[name] for name in FIELD]
    spans += [
        match.span()
        for cue in cues
        if says(folded, cue)
        for match in cue.finditer(folded)
        if len(match.group().split()) <= CUE_WORDS
    ]
    spans += [match.span() for match in _NOT.finditer(text)]
    spans += named
    characters = list(text)
    for start, end in spans:
        characters[start:end] = " " * (end - start)
    return "".join(characters)


def word_forms(word: str) -> frozenset[str]:
    """Return the stems and roots of a folded word and of those of its sense."""
    words = (word, *tokenize(word), *same_sense(word))
    return frozenset(form for one in words for form in (one, stem(one), word_root(one)))


def _forms_of(text: str) -> frozenset[str]:
    tokens = set(tokenize(text))
    return frozenset().union(tokens, map(stem, tokens), map(word_root, tokens))


_forms_kept = lru_cache(maxsize=CACHED)(_forms_of)


def not_said(words: Iterable[TopicWord], statements: Iterable[IndexedStatement]) -> list[TopicWord]:
    """Return the words that some statements and what heads them do not say in any form.

    Statements are read until all words are said. Those of a user's documents are not kept in
    memory.
    """
    left = list(words)
    for one in statements:
        if not left:
            break
        forms_of = _forms_kept if one.kind in OF_RELEASE else _forms_of
        for text in (one.said, context(one)):  # what heads one heads others, too
            forms = forms_of(text)
            left = [word for word in left if word.forms.isdisjoint(forms)]
    return left


def says_more(
    words: Iterable[TopicWord], one: IndexedStatement, others: Iterable[IndexedStatement]
) -> bool:
    """Return whether a statement says in its text a word that none of the others says in theirs."""
    left = list(words)
    for other in others:
        forms = _forms_of(other.said)
        left = [word for word in left if word.forms.isdisjoint(forms)]
    forms = _forms_of(one.said) if left else frozenset[str]()
    return any(not word.forms.isdisjoint(forms) for word in left)


def says_other_drug(words: Iterable[TopicWord], statement: IndexedStatement) -> bool:
    """Return whether a statement says what in a question is shaped like the name of a drug.

    A drug without a label here is not in the lexicon.
    """
    named = [word for word in words if is_drug_shaped(word.word)]
    return bool(named) and not not_said(named, [statement])


def has_own_document(text: str, sources: Sources) -> bool:
    """Return whether the title of a guideline has a rare word that a question turns on.

    Of a report on an outbreak of mycoplasma a few sentences may be all there is, and enough.
    """
    rare = RARE * greatest(sources.idf)
    forms = frozenset[str]().union(
        *(w.forms for w in topic_words(text, sources.drugs, sources.idf) if w.weight >= rare)
    )
    titles = guideline_titles(sources.engines)
    return any(not forms.isdisjoint(_forms_of(title)) for title in titles)


def share_said(words: Iterable[TopicWord], statement: IndexedStatement) -> float:
    """Return the share, 0 to 1, of the weight of a question's words that a statement says."""
    every = list(words)
    silent = sum(word.weight for word in not_said(every, [statement]))
    return 1 - silent / max(sum(word.weight for word in every), 1e-9) if every else 0.0


def says_every_word(text: str, statement: IndexedStatement) -> bool:
    """Return whether a statement, or what heads it, says every word of a text in some form."""
    return is_said(text, f"{context(statement)} {statement.said}")


def is_said(text: str, other: str) -> bool:
    """Return whether every word of a text is said by another in some form.

    The diseases of the field may be written otherwise, and need not be named.
    """
    folded = fold(text)
    for name in FIELD:
        folded = slot_lexicon().diseases[name].sub(" ", folded)
    words = set(tokenize(folded)) - FUNCTION_WORDS - STOP_WORDS - NEGATIONS
    forms = _forms_of(other)
    return bool(words) and not any(word_forms(word).isdisjoint(forms) for word in words)


def is_excepted(words: Iterable[TopicWord], text: str) -> bool:
    """Return whether a text says a word of a question only to leave it out: "except for X"."""
    rest = _EXCEPT.sub(" ", text)
    if rest == text:
        return False
    before, after = _forms_of(text), _forms_of(rest)
    return any(not word.forms.isdisjoint(before) for word in words if word.forms.isdisjoint(after))


def unsaid(text: str, passages: Iterable[Chunk], sources: Sources) -> str:
    """Return in words what a question turns on and no passage mentions; empty if there is none."""
    texts = (" ".join((one.document_title, *one.section_path, one.text)) for one in passages)
    said = frozenset[str]().union(*map(_forms_of, texts))
    named = named_sources(text, sources.engines).spans
    words = topic_words(text, sources.drugs, sources.idf, named)
    silent = [word.word for word in words if word.forms.isdisjoint(said)]
    return f"They do not mention {quoted(silent, text)}." if silent else ""


def quoted(words: Iterable[str], question: str) -> str:
    """Return folded words as the question writes them, in quotation marks."""
    folded = fold_chars(question)
    starts = ((word, folded.find(word)) for word in words)
    typed = (question[at : at + len(word)] if at >= 0 else word for word, at in starts)
    return " or ".join(f'"{word}"' for word in typed)
