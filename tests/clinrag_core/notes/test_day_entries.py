"""Notes written over several days: the last entry has the plan, the others what was done."""

from __future__ import annotations

import pytest

from clinrag_core.notes.day_entries import day_entries
from clinrag_core.notes.outline import outline
from clinrag_core.notes.records import NoteResult
from clinrag_core.notes.summarise import NoteSummariser

SHEET = """HDU bed 4, daily sheet
71F, 63 kg. Bisoprolol 5 mg daily.

Tue (day 1)
Septic, right lower lobe consolidation. Lactate 3.9. CrCl 55.
- Ceftriaxone 2 g IV daily.
- Clarithromycin 500 mg IV bd.
- Bisoprolol held.

Thu (day 3)
Off oxygen. Facial swelling ten minutes into the ceftriaxone. QTc 495.
- Ceftriaxone stopped, allergy recorded.
- Meropenem 1 g IV tds in its place.

Sat (day 5)
Walking. Sputum grew MRSA. K 3.2.
- Linezolid 600 mg PO bd for 7 days.
- Other antibiotics stopped today: linezolid is enough.
- Potassium chloride 2 tablets tds; the line may come out tomorrow.

To ward 9 on Sunday if stable.
"""


def summed(summariser: NoteSummariser, note: str) -> NoteResult:
    return summariser.summarise(note, with_plan=True)


def planned(result: NoteResult) -> list[str]:
    assert result.plan is not None
    return [one.recommendation for one in result.plan.recommendations]


def medicines(result: NoteResult) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for item in result.summary.medicines_allergies:
        for one in item.medications:
            found.setdefault(one.name.lower(), set()).add(one.status)
    return found


def test_the_plan_is_that_of_the_last_day(summariser: NoteSummariser):
    said = planned(summed(summariser, SHEET))
    assert {s.split()[0] for s in said} == {"Linezolid", "Other", "Potassium", "To"}


def test_a_medicine_that_a_later_day_stops_is_not_current(summariser: NoteSummariser):
    given = medicines(summed(summariser, SHEET))
    for stopped in ("ceftriaxone", "clarithromycin", "meropenem", "bisoprolol"):
        assert given[stopped] == {"stopped"}, stopped
    assert given["linezolid"] == {"planned"}


def test_the_heading_of_a_day_is_no_statement_and_names_what_is_under_it(
    summariser: NoteSummariser,
):
    shown = [g for s in outline(summed(summariser, SHEET)) for g in s.groups]
    assert not any(item.text.startswith("Tue (") for group in shown for item in group.items)
    places = {item.text: group.title for group in shown for item in group.items}
    assert places["QTc 495."] == "Thu (day 3)"
    earlier = next(i for g in shown for i in g.items if i.text.startswith("Meropenem 1 g IV"))
    assert earlier.status == "past"


@pytest.mark.parametrize(
    "heads",
    [
        ("D1", "D2", "D3"),
        ("Day 1:", "Day 2:", "Day 3:"),
        ("**Mon 2/3**", "**Tue 3/3**", "**Wed 4/3**"),
        ("2 March 2026, 08:30", "3 March 2026, 09:00", "4 March 2026"),
        ("2026-03-02", "2026-03-03", "2026-03-04"),
        ("Ward round Monday", "Ward round Tuesday", "Ward round Wednesday"),
        ("Friday am", "Saturday am", "Sunday"),
        ("POD 1", "POD 2", "POD 3"),
    ],
)
def test_days_are_read_in_every_form(heads: tuple[str, ...]):
    note = "".join(f"{head}\nComfortable overnight.\n\n" for head in heads)
    assert len(day_entries(note)) == len(heads)


@pytest.mark.parametrize(
    "note",
    [
        "Seen on Monday\nWell.\nTuesday was a bad day for her.\n",
        "CRP\n14/11: 40\n15/11: 22\n",
        "Day 3\nWell.\n",
        "Plan:\nDay 1: 500 mg\nDay 2: 250 mg\nDay 1: again\n",
    ],
)
def test_what_only_names_days_has_no_entries(note: str):
    assert day_entries(note) == ()


def test_the_days_of_a_schedule_under_a_plan_are_no_entries(summariser: NoteSummariser):
    note = "Impression: pneumonia\nPlan:\nDay 1: azithromycin 500 mg\nDay 2: azithromycin 250 mg\n"
    assert any("500 mg" in one for one in planned(summed(summariser, note)))


def test_entries_without_lists_and_with_the_latest_first(summariser: NoteSummariser):
    note = (
        "Day 4: afebrile. Stop ceftriaxone. Repeat the chest film in 6 weeks.\n\n"
        "Day 2: still febrile. Start ceftriaxone 1 g daily. Send a urinary antigen today.\n"
    )
    said = " ".join(planned(summed(summariser, note)))
    assert "chest film" in said
    assert "antigen" not in said


def test_what_is_said_of_another_thing_stops_no_medicine(summariser: NoteSummariser):
    note = (
        "Impression: pneumonia\nPlan:\n"
        "1. Doxycycline 100 mg bd; the drip can come off tonight.\n"
        "2. Remaining antibiotics stopped today: levofloxacin 500 mg daily is enough.\n"
        "3. Prednisolone 30 mg daily; stopped from today.\n"
    )
    given = medicines(summed(summariser, note))
    assert given["doxycycline"] == given["levofloxacin"] == {"planned"}
    assert given["prednisolone"] == {"stopped"}
