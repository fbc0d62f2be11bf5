#!/usr/bin/env python3
"""Plain questions on every label of a home: the section that it has, silence where it has nothing.

`sections` asks for what labels have a section on (pregnancy, kidneys ...). A question is asked only
where a label has the section, by its heading; counted is whether the first claim, a later one or
none cites it.

`matters` asks for what labels speak of or not (food, the QT interval ...), read from their words by
one term, which is not that of the answers' own table. Where they speak of it, the first claim
should have the term; where they do not, nothing should be answered.

    CLINRAG_HOME=.clinrag python benchmarks/label_questions.py sections --list elderly
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
    from collections.abc import Callable, Iterator

    from clinrag_core.answer.records import Answer
    from clinrag_core.model.statement import IndexedStatement
    from clinrag_core.retrieve.engine import SearchEngine

    Outcome = Callable[[Answer], str]
    Asked = tuple[str, str, Outcome]
    """Name of a topic, question, and how its answer counts."""

SEED = 5
MOST_PARTS = {"sections": 3, "matters": 2}
"""Ingredients of a product that a question names one by one."""
TITLE = 25
"""Letters of a heading by which that of a citation is compared: numbering and case differ after."""
HOW = ("first", "later", "elsewhere", "refused", "silent: answered", "silent: refused")


class Topic(NamedTuple):
    """What is asked of a label that has a section on it."""

    heading: str
    groups: tuple[str, ...]
    wordings: tuple[str, ...]


class Matter(NamedTuple):
    """What is asked of a drug, and the term of labels that speak of it."""

    term: str
    wordings: tuple[str, ...]


class Place(NamedTuple):
    """A section of a label."""

    document_id: str
    heading: str


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

MATTERS = {
    "storage": Matter(r"\bstor(?:e|ed|age)\b", ("How is {} stored?", "{} - fridge or not?")),
    "food": Matter(r"\b(?:food|meals?)\b", ("Should {} be taken with food?", "{} before meals?")),
    "QT": Matter(r"\bQT", ("Does {} prolong QT?", "{} QT prolongation?")),
    "half-life": Matter(r"\bhalf-li(?:fe|ves)\b", ("What is the half-life of {}?", "{} half life")),
    "dialysis": Matter(r"dialy[sz]", ("Is {} dialysable?", "Is {} removed by dialysis?")),
    "driving": Matter(r"\bdriv|\bmachin", ("Can patients drive on {}?", "{} and driving")),
    "enzymes": Matter(r"\bCYP|P450", ("Is {} a CYP inhibitor?", "does {} induce CYP enzymes")),
    "missed dose": Matter(r"\bmiss", ("What if a dose of {} is missed?", "missed {} dose")),
    "abrupt stop": Matter(r"\babrupt", ("Can {} be stopped abruptly?", "stop {} suddenly ok?")),
    "alcohol": Matter(r"\balcohol", ("{} and alcohol?", "Can I drink alcohol on {}?")),
    "loading dose": Matter(r"\bloading\b", ("Loading dose of {}?", "does {} need a loading dose")),
}


def by_drug(engine: SearchEngine) -> dict[tuple[str, ...], list[IndexedStatement]]:
    """Return the statements of labels by the ingredients of their product, sorted."""
    found: dict[tuple[str, ...], list[IndexedStatement]] = defaultdict(list)
    for base in engine.knowledge_bases.values():
        if base.statements is not None and base.manifest.kind == "label":
            for one in base.statements.statements(range(len(base.statements))):
                found[tuple(sorted(one.ingredients))].append(one)
    return dict(sorted(found.items()))


def on_sections(
    named: str, statements: list[IndexedStatement], drawn: random.Random
) -> Iterator[Asked]:
    """Yield a question for each section that the labels of a drug have."""
    for name, topic in TOPICS.items():
        wording = drawn.choice(topic.wordings)
        places = {
            Place(one.document_id, one.headings[-1] if one.headings else "")
            for one in statements
            if one.group in topic.groups
            and re.search(topic.heading, " > ".join(one.headings), re.IGNORECASE)
        }
        if places:
            yield name, wording.format(named), lambda answer, at=places: cited(answer, at)


def on_matters(
    named: str, statements: list[IndexedStatement], drawn: random.Random
) -> Iterator[Asked]:
    """Yield a question for each matter, whether the labels of a drug speak of it or not."""
    for name, matter in MATTERS.items():
        term = re.compile(matter.term, re.IGNORECASE)
        speaks = any(term.search(one.said) for one in statements)
        question = drawn.choice(matter.wordings).format(named)
        yield name, question, lambda answer, t=term, s=speaks: spoken(answer, t, speaks=s)


def cited(answer: Answer, places: set[Place]) -> str:
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


def spoken(answer: Answer, term: re.Pattern[str], *, speaks: bool) -> str:
    """Return where an answer has a term, or whether one was given where no label has it."""
    if not speaks:
        return "silent: answered" if answer.claims else "silent: refused"
    has = [term.search(claim.text) is not None for claim in answer.claims]
    if not has:
        return "refused"
    return "first" if has[0] else "later" if any(has) else "elsewhere"


def main() -> None:
    """Print a line for every topic: how many questions, and how their answers count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sections", "matters"))
    parser.add_argument("--profile", default=None)
    parser.add_argument("--list", default="", help="topic whose questions are printed")
    args = parser.parse_args()
    pipeline = Pipeline(load_settings(args.profile))
    search = candidate_engine(pipeline, read_candidates(pipeline))
    engine = AnswerEngine(search, pipeline.settings.answer, pipeline.thresholds.read().value)
    drawn = random.Random(SEED)  # noqa: S311 - wordings, no secrets
    ask = on_sections if args.what == "sections" else on_matters
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for ingredients, statements in by_drug(engine.search).items():
        if not 0 < len(ingredients) <= MOST_PARTS[args.what]:
            continue
        for name, question, outcome in ask(" and ".join(ingredients), statements, drawn):
            how = outcome(engine.ask(question))
            counts[name][how] += 1
            if name == args.list:
                print(f"  {how}: {question}")
    for name, count in (*counts.items(), ("all", sum(counts.values(), Counter()))):
        shares = ", ".join(f"{how} {count[how]}" for how in HOW if how in count)
        print(f"{name}: {count.total()} questions; {shares}")


if __name__ == "__main__":
    main()
