#!/usr/bin/env python3
"""Plain questions on every label of a home: does the answer cite the section that the label has?

One question per label of the candidates and topic (indications, kidneys ...), in several wordings.
What is right is read from the headings of the labels: a question is asked only where the label has
the section. Counted is whether the first claim, a later one or none cites it; a question without a
claim is a refusal.

    CLINRAG_HOME=.clinrag python benchmarks/label_sections.py --list elderly
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clinrag_core.answer.engine import AnswerEngine
from clinrag_core.pipeline.candidates import candidate_engine, read_candidates
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings

if TYPE_CHECKING:
    from clinrag_core.answer.records import Answer
    from clinrag_core.retrieve.engine import SearchEngine

SEED = 5
HOW = ("first", "later", "elsewhere", "refused")
MOST_PARTS = 3
"""Ingredients of a product that a question names one by one."""
TITLE = 25
"""Letters of a heading by which that of a citation is compared: numbering and case differ after."""


class Topic(NamedTuple):
    """What is asked of a label."""

    heading: str
    groups: tuple[str, ...]
    wordings: tuple[str, ...]


_PEOPLE = ("specific_populations", "dosage", "contraindications", "boxed_warning", "warnings")
TOPICS = {
    "pregnancy": Topic(
        "pregnan",
        _PEOPLE,
        ("Is {} safe in pregnancy?", "pt is 14 weeks pregnant, can she take {}?", "{} pregnant"),
    ),
    "lactation": Topic(
        "lactat|nursing|breast",
        _PEOPLE,
        ("Can a breastfeeding mother take {}?", "{} and breast feeding"),
    ),
    "children": Topic(
        "p(?:a)?ediatric|child",
        (*_PEOPLE, "indications"),
        ("Can I give {} to a 5 year old?", "{} in a child of 9 years", "Is {} safe in children?"),
    ),
    "elderly": Topic(
        "geriatric|elderly",
        _PEOPLE,
        ("{} in an 80-year-old, anything to watch?", "Do the elderly need another dose of {}?"),
    ),
    "kidneys": Topic(
        "renal|kidney",
        _PEOPLE,
        ("{} dose in renal impairment", "{} with a creatinine clearance of 25 mL/min"),
    ),
    "liver": Topic(
        "hepatic|liver|cirrho",
        _PEOPLE,
        ("{} dose in hepatic impairment", "cirrhosis, Child-Pugh B: can he have {}?"),
    ),
    "contraindications": Topic(
        "contraindic",
        ("contraindications",),
        ("Who must not take {}?", "Contraindications of {}", "when is {} contraindicated"),
    ),
    "boxed warning": Topic("", ("boxed_warning",), ("boxed warning of {}", "{} black box")),
    "overdose": Topic(
        "", ("overdosage",), ("Overdose of {}: what to do?", "patient took too much {}")
    ),
    "indications": Topic(
        "", ("indications",), ("What is {} used for?", "Indications of {}", "{} approved for what")
    ),
    "adverse reactions": Topic(
        "",
        ("adverse_reactions", "boxed_warning", "warnings"),
        ("What are the most common side effects of {}?", "adverse reactions of {}"),
    ),
    "mechanism": Topic(
        "mechanism", ("clinical_pharmacology",), ("How does {} work?", "mechanism of {}")
    ),
}


class Place(NamedTuple):
    """A section of a label."""

    document_id: str
    heading: str


def sections(engine: SearchEngine) -> dict[tuple[str, ...], dict[str, set[Place]]]:
    """Return by ingredients, and by topic, the label sections that answer it."""
    found: dict[tuple[str, ...], dict[str, set[Place]]] = defaultdict(lambda: defaultdict(set))
    for base in engine.knowledge_bases.values():
        if base.manifest.kind != "label" or base.statements is None:
            continue
        for one in base.statements.statements(range(len(base.statements))):
            path = " > ".join(one.headings)
            for name, topic in TOPICS.items():
                if one.group in topic.groups and re.search(topic.heading, path, re.IGNORECASE):
                    place = Place(one.document_id, one.headings[-1] if one.headings else "")
                    found[tuple(sorted(one.ingredients))][name].add(place)
    return found


def outcome(answer: Answer, places: set[Place]) -> str:
    """Return where an answer cites one of some sections: "first", "later", "elsewhere"."""
    for number, claim in enumerate(answer.claims):
        for citation in claim.citations:
            path = " > ".join(citation.section_path).casefold()
            if any(
                place.document_id == citation.document_id
                and place.heading[:TITLE].casefold() in path
                for place in places
            ):
                return "first" if number == 0 else "later"
    return "elsewhere" if answer.claims else "refused"


def main() -> None:
    """Print a line for every topic: how many questions, and where their answers cite."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default=None)
    parser.add_argument("--list", default="", help="topic whose questions are printed")
    args = parser.parse_args()
    pipeline = Pipeline(load_settings(args.profile))
    search = candidate_engine(pipeline, read_candidates(pipeline))
    thresholds = pipeline.thresholds.read().value
    engine = AnswerEngine(search, pipeline.settings.answer, thresholds)
    drawn = random.Random(SEED)  # noqa: S311 - wordings, no secrets
    counts: dict[str, Counter[str]] = {name: Counter() for name in TOPICS}
    for ingredients, topics in sorted(sections(engine.search).items()):
        for name, topic in TOPICS.items():
            wording = drawn.choice(topic.wordings)
            if not topics[name] or not 0 < len(ingredients) <= MOST_PARTS:
                continue
            question = wording.format(" and ".join(ingredients))
            how = outcome(engine.ask(question), topics[name])
            counts[name][how] += 1
            if name == args.list:
                print(f"  {how}: {question}")
    for name, count in (*counts.items(), ("all", sum(counts.values(), Counter()))):
        total = count.total() or 1
        shares = ", ".join(f"{how} {count[how]}" for how in HOW)
        print(f"{name}: {count.total()} questions, {count['first'] / total:.2f} first; {shares}")


if __name__ == "__main__":
    main()
