"""What a gate is: it gets one claim with its source, and accepts the claim or not.

A gate never fails open: the runner takes any exception, and any result other than a decision that
says it passed, for not passed.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from clinrag_core.answer.gates.alignment import AlignedSentences
from clinrag_core.answer.gates.equal_names import with_equal_names
from clinrag_core.answer.records import GateDecision
from clinrag_core.facts.concepts import JOINING, WORD, read_concepts
from clinrag_core.facts.populations import implied_by
from clinrag_core.facts.reader import read_facts
from clinrag_core.facts.spans import names_of
from clinrag_core.lexicon.roles import reworded
from clinrag_core.text.expressions import lazy_re
from clinrag_core.text.similarity import containment, jaccard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clinrag_core.facts.drugs import DrugLexicon
    from clinrag_core.facts.reader import Facts
    from clinrag_core.model.chunk import Chunk
    from clinrag_core.model.citation import Citation

REPEATED = 0.8
"""Least share of a source sentence's key stems in a claim sentence that repeats it."""
LEAST_JOINED = 2
"""Words of a claim that only a sentence has which it joins to others; of roles one is enough."""
_WORD = lazy_re(r"\w+")
_CELLS = lazy_re(r"[^;:\n]: [^;\n]+; [^;:\n]+: ")
"""Cells of a table's row, each behind its heading. It begins with the last letter of a heading: to
try the heading from each of its letters takes time with the square of its length."""
ALIGNED = 0.5
"""Least share of a claim sentence's key stems in a source sentence that it may come from."""


class ClaimInContext:
    """A claim with its source, as gates get it; `evidence` maps chunk ids to passages.

    `sources` is what the cited statements say: a row with the headings of its cells. It counts
    where the citations hold every word of it; else the cited snippets count.
    """

    def __init__(
        self,
        text: str,
        citations: tuple[Citation, ...],
        evidence: Mapping[str, Chunk],
        drugs: DrugLexicon,
        sources: tuple[str, ...] = (),
    ) -> None:
        self.claim = read_facts(text, drugs)
        self.citations = citations
        self.sources = sources if _contain_words_of(citations, sources) else ()
        self.evidence = evidence
        self.drugs = drugs

    @cached_property
    def cited(self) -> Facts:
        """The source: what the cited statements say, or the cited snippets, one to a line.

        Only they support the claim. A bar between cells: no figure takes its unit from the next.
        """
        snippets = (c.snippet.replace("\t", " |\t| ") for c in self.citations)
        return read_facts("\n".join(self.sources or snippets), self.drugs)

    @cached_property
    def source_sentences(self) -> tuple[Facts, ...]:
        """The sentences of the source; of a table each row is one."""
        found: list[Facts] = []
        for sentence in _answered(self.cited.sentences, self.drugs):
            lines = sentence.text.split("\n")
            rows = len(lines) > 1 and all(map(_CELLS.search, lines))
            found += [read_facts(line, self.drugs) for line in lines] if rows else [sentence]
        return tuple(found)

    @cached_property
    def context(self) -> Facts:
        """Titles and section paths of what is cited: whom and what a snippet is about."""
        lines = [" > ".join((c.document_title, *c.section_path)) for c in self.citations]
        return read_facts("\n".join(dict.fromkeys(lines)), self.drugs)

    @cached_property
    def implied_people(self) -> frozenset[str]:
        """Groups of people that the source names by a part of them, and not by themselves."""
        return implied_by(names_of(self.cited.populations), self.cited.text)

    @cached_property
    def context_ingredients(self) -> frozenset[str]:
        """Drugs that the cited passages are about by their title, path and label."""
        chunks = [self.evidence[c.chunk_id] for c in self.citations if c.chunk_id in self.evidence]
        named = [self.drugs.ingredients_of(chunk.drug_names) for chunk in chunks]
        return self.context.ingredients.union(*named)

    @cached_property
    def aligned(self) -> tuple[Facts, ...]:
        """Source sentences the claim is made from, best match for its first sentence first.

        For each sentence of the claim those with at least half of its key stems, or as many
        as the best one; and those that it repeats, however much it says besides.
        """
        aligned: dict[int, Facts] = {}
        source = self.source_sentences
        for sentence in self.claim.sentences:
            verbatim = next((n for n, s in enumerate(source) if sentence.text in s.text), None)
            if verbatim is not None:
                aligned.setdefault(verbatim, source[verbatim])
                continue
            wanted = set(sentence.stems)
            shares = [containment(wanted, set(s.stems)) for s in source]
            least = min(ALIGNED, max(shares, default=0.0))
            kept = [
                n
                for n, share in enumerate(shares)
                if share >= least or containment(set(source[n].stems), wanted) >= REPEATED
            ]
            for number in sorted(kept, key=lambda n: -shares[n]):
                aligned.setdefault(number, source[number])
        return tuple(aligned.values())

    @cached_property
    def joined(self) -> tuple[Facts, ...]:
        """The aligned sentences, and those that hold what a claim says besides them.

        A claim that joins statements in other words repeats less than half of each.
        """
        joined = list(self.aligned)
        missing = self._said_by(self.claim).difference(*map(self._said_by, joined))
        for sentence in self.source_sentences if missing else ():
            found = missing & self._said_by(sentence)
            telling = {key for key in found if key[0] not in {WORD, JOINING}}
            if sentence not in joined and (telling or len(found) >= LEAST_JOINED):
                joined.append(sentence)
                missing -= found
        return tuple(joined)

    def _said_by(self, facts: Facts) -> set[tuple[str, str]]:
        return {concept.key for concept in read_concepts(facts.text, self.drugs)}

    @cached_property
    def paired(self) -> tuple[tuple[Facts, Facts], ...]:
        """Each sentence of the claim with the source sentence most like it.

        A claim of one sentence is taken whole, with its best aligned sentence.
        """
        own = self.claim.sentences
        if len(own) < 2:  # noqa: PLR2004 - two sentences are several
            return tuple((self.claim, sentence) for sentence in self.aligned[:1])
        source = self.source_sentences
        return tuple((one, max(source, key=partial(_likeness, one))) for one in own if source)

    @cached_property
    def compared(self) -> tuple[AlignedSentences, ...]:
        """Each sentence of the claim with the most similar one of its source, as concepts.

        One that the source has word for word is left out: it differs in nothing.
        """
        return tuple(
            AlignedSentences(
                read_concepts(said.text, self.drugs),
                read_concepts(stated.text, self.drugs),
                said.text,
                stated.text,
            )
            for said, stated in self.paired
            if said.text != stated.text
        )

    @cached_property
    def is_quoted(self) -> bool:
        """Whether each sentence of the claim is a whole sentence of its source."""
        stated = {one.text for one in self.source_sentences}
        return all(one.text in stated for one in self.claim.sentences)

    @cached_property
    def is_rewritten(self) -> bool:
        """Whether all of the claim is worded anew, so that no word has another one's place."""
        return bool(self.compared) and all(pair.is_rewritten for pair in self.compared)

    @cached_property
    def reworded(self) -> ClaimInContext:
        """The claim and its source in the wording that texts of one sense share."""
        return _Reworded(self)


class _Reworded(ClaimInContext):
    """A claim with its source, both in shared wording; the citations stay what they are."""

    def __init__(self, claim: ClaimInContext) -> None:
        stated = "\n".join(reworded(sentence.text) for sentence in claim.source_sentences)
        said, self._stated = with_equal_names(reworded(claim.claim.text), stated, claim.drugs)
        super().__init__(said, claim.citations, claim.evidence, claim.drugs)
        self._claim = claim

    @cached_property
    def cited(self) -> Facts:
        """The source in shared wording."""
        return read_facts(self._stated, self.drugs)

    @cached_property
    def reworded(self) -> ClaimInContext:
        """Itself: it is in shared wording."""
        return self

    @cached_property
    def context(self) -> Facts:
        """Titles and section paths, as they are."""
        return self._claim.context

    @cached_property
    def implied_people(self) -> frozenset[str]:
        """As the source is worded: "breastfeeding women" may have lost its women here."""
        return self._claim.implied_people


class ClaimOfText(ClaimInContext):
    """A sentence with the text it restates instead of citations; only the text supports it."""

    def __init__(self, text: str, source: str, drugs: DrugLexicon) -> None:
        super().__init__(text, (), {}, drugs)
        self.source = source

    @cached_property
    def cited(self) -> Facts:
        """The text restated."""
        return read_facts(self.source, self.drugs)


def _answered(sentences: Sequence[Facts], drugs: DrugLexicon) -> Iterator[Facts]:
    """Yield sentences, a question as one with the answer that follows it."""
    asked = ""
    for sentence in sentences:
        text = f"{asked} {sentence.text}".strip()
        asked = text if text.endswith("?") else ""
        if not asked:
            yield read_facts(text, drugs) if text != sentence.text else sentence
    if asked:
        yield read_facts(asked, drugs)


def is_row(text: str) -> bool:
    """Return whether a text is a row of a table: cells, each behind its heading."""
    return _CELLS.search(text) is not None


def _contain_words_of(citations: Sequence[Citation], sources: Sequence[str]) -> bool:
    """Return whether the snippets of citations hold every word of some sources."""
    cited = {word for c in citations for word in _WORD.findall(c.snippet)}
    return bool(sources) and all(cited.issuperset(_WORD.findall(source)) for source in sources)


def _likeness(one: Facts, other: Facts) -> tuple[float, float]:
    """Return the share of a sentence's key stems in another one, and how alike the two are."""
    said, stated = set(one.stems), set(other.stems)
    return containment(said, stated), jaccard(said, stated)


def passed(gate: str) -> GateDecision:
    """Return the decision of a gate that found nothing wrong."""
    return GateDecision(gate=gate, passed=True, value=0.0)


def refused(gate: str, code: str, wrong: Iterable[str]) -> GateDecision:
    """Return the decision of a gate that found something wrong, sorted, and how much of it."""
    detail = tuple(sorted(wrong))
    return GateDecision(gate=gate, passed=False, code=code, detail=detail, value=float(len(detail)))


def at_least(gate: str, value: float, threshold: float, code: str) -> GateDecision:
    """Return the decision of a gate that asks for a value of at least its threshold."""
    enough = value >= threshold
    return GateDecision(
        gate=gate,
        passed=enough,
        code=None if enough else code,
        value=round(value, 4),
        threshold=threshold,
    )


class Gate(Protocol):
    """Decides on one claim; one object serves all threads."""

    name: str

    def check(self, claim: ClaimInContext) -> GateDecision:
        """Return whether the claim is accepted."""
        ...
