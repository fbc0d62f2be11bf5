"""A verdict names the statements of the note it is about, and shows the same quotes once."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

import clinrag_core.cli.notes as command
from clinrag_core.notes.check_outline import check_entries
from clinrag_core.notes.html import note_page
from clinrag_core.notes.records import CitedEvidence, GuidelineFinding, GuidelineVerdict, NoteResult
from clinrag_core.notes.summarise import NoteSummariser

NOTE = "Impression: pneumonia\nPlan:\n1. Moxifloxacin 400 mg daily\n2. Moxifloxacin for 7 days\n"
RHYTHM = CitedEvidence(text="May prolong the QT interval.", document="Label", section="Warnings")
CHOICE = CitedEvidence(text="A fluoroquinolone is given.", document="Guide", section="Treatment")


def finding(
    about: str, at: int, question: str, verdict: GuidelineVerdict, *evidence: CitedEvidence
) -> GuidelineFinding:
    source = f"Plan section, chunk_1:{at}-{at + len(about)}"
    return GuidelineFinding(
        about=about, source=source, kind="recommendation", question=question, verdict=verdict,
        evidence=evidence,
    )  # fmt: skip


def found() -> tuple[GuidelineFinding, ...]:
    first, second = "Moxifloxacin 400 mg daily", "Moxifloxacin for 7 days"
    return (
        finding(first, 31, "Is it safe in low potassium?", "warns", RHYTHM),
        finding(first, 31, "Is it safe in heart failure?", "warns", RHYTHM),
        finding(second, 60, "Is it recommended?", "supports", CHOICE, RHYTHM),
        finding(first, 31, "Is it recommended?", "supports", CHOICE, RHYTHM),
        finding(first, 31, "Does it interact?", "no guideline evidence"),
    )


@pytest.fixture
def result(summariser: NoteSummariser) -> NoteResult:
    made = summariser.summarise(NOTE, with_plan=True)
    return made.model_copy(update={"guideline_check": found()})


def test_the_same_quotes_are_one_entry_with_all_items_and_questions():
    warns, supports = check_entries(found())
    assert warns.questions == ("Is it safe in low potassium?", "Is it safe in heart failure?")
    assert [item.text for item in warns.items] == ["Moxifloxacin 400 mg daily"]
    assert [item.text for item in supports.items] == [
        "Moxifloxacin 400 mg daily",
        "Moxifloxacin for 7 days",
    ]
    assert [quote.is_above for quote in supports.quotes] == [False, True]


def test_a_long_statement_is_shown_by_its_first_words():
    (entry,) = check_entries([finding("word " * 60, 31, "Is it safe?", "warns", RHYTHM)])
    assert len(entry.items[0].text) < len("word " * 24)
    assert entry.items[0].text.endswith("word ...")


def test_the_terminal_prints_the_items_of_a_verdict(
    result: NoteResult, monkeypatch: pytest.MonkeyPatch
):
    printed = StringIO()
    monkeypatch.setattr(command, "console", Console(file=printed, width=200))
    vars(command)["_show"](result)
    said = printed.getvalue()
    after = said[said.index("supports: Is it recommended?") :].splitlines()[1:3]
    assert [line.strip().split(" [")[0] for line in after] == [
        "about: Moxifloxacin 400 mg daily",
        "about: Moxifloxacin for 7 days",
    ]
    assert said.count(CHOICE.text) == 1
    assert "1 questions" in said


def test_the_page_links_the_items_of_a_verdict(result: NoteResult):
    page = note_page(NOTE, result, "note")
    check = page[page.index("Guidelines and labels") :]
    assert check.count("Moxifloxacin for 7 days") == 1
    assert check.count(CHOICE.text) == 1
    assert "quoted above" in check
