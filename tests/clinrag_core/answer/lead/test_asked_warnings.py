"""A boxed warning that is asked for is shown as a whole, or every danger of it. Invented texts."""

from __future__ import annotations

import datetime as dt

from fakes.statement_sources import sources_of
from fakes.statements import LABELS, label

from clinrag_core.answer.lead.asked_warnings import MOST_BOXED, MOST_WORDS, asked_warnings
from clinrag_core.answer.question.slots import read_slots
from clinrag_core.facts.drugs import DrugLexicon
from clinrag_core.model.statement import IndexedStatement

DRUGS = DrugLexicon(LABELS)


def boxed(said: str, **frame: object) -> IndexedStatement:
    return label(said, group="boxed_warning", **frame)


def shown(*statements: IndexedStatement) -> list[str]:
    slots = read_slots("Boxed warning of zolumycin", DRUGS)
    return [one.statement.said for one in asked_warnings(slots, sources_of(statements, DRUGS))]


def test_a_short_box_is_shown_whole_and_only_then_contraindications():
    box = [
        "Fatal liver injury has occurred.",
        "The liver is to be tested each month.",
        "Its level in blood is measured.",
        "Kidneys fail more often in the old.",
        "Hearing is tested before.",
        "It is kept for hospitals.",
    ]
    gout = label("Zolumycin is contraindicated in gout.", group="contraindications")
    assert shown(gout, *map(boxed, box)) == box


def test_a_route_that_a_box_forbids_without_a_verb_is_shown():
    never = boxed("NOT FOR INTRATHECAL USE.")
    members = [boxed(f"Clinicians follow sign {n} of the {'very ' * n}sick.") for n in range(12)]
    assert never.said in shown(*members, never)


def test_each_danger_of_a_long_box_comes_before_what_is_said_of_one():
    of_organs = {
        "Liver": ("bile", "enzymes", "jaundice", "itching"),
        "Heart": ("pulse", "rhythm", "swelling", "breath"),
        "Blood": ("bruises", "platelets", "infections", "pallor"),
    }
    filler = " ".join(
        f"{adverb}ly" for adverb in ("slow", "calm", "kind", "wise", "brave", "quick")
    )
    members = [
        boxed(f"Clinicians follow {sign} of the {organ.lower()} {filler} {sign * 2}.", run_in=organ)
        for organ, signs in of_organs.items()
        for sign in signs
    ]
    found = shown(*members)
    assert len(found) <= MOST_BOXED < len(members)
    assert sum(len(said.split()) for said in found) <= MOST_WORDS
    for first, *_ in of_organs.values():
        assert any(f"follow {first} of" in said for said in found)


def test_titles_references_and_what_goes_on_are_no_statements_of_their_own():
    members = (
        "WARNING: LIVER",
        "[see Warnings (5.1)]",
        "Liver injury has occurred.",
        "Liver injury has occurred. It was fatal in two.",
        "WARNING: LIVER See full prescribing information for complete boxed warning.",
    )
    assert shown(*map(boxed, members)) == ["Liver injury has occurred. It was fatal in two."]


def test_items_of_a_list_are_shown_with_what_introduces_them_once():
    lead, own = "Zolumycin may cause: ", ("Deafness", "Blindness", "Seizures")
    items = [boxed(lead + word, text=word, statement_kind="item") for word in own]
    assert shown(*items) == [f"{lead}Deafness; Blindness; Seizures"]


def test_what_a_summary_ran_together_comes_last():
    many = " ".join(f"Harm number {n} may occur in some of them." for n in range(9))
    plain = "Harm number 3 may occur in some of them."
    assert shown(boxed(many), boxed(plain))[-1] == plain


def test_what_a_newer_label_forbids_comes_first_and_none_is_no_warning():
    old, new = (
        label(said, group="contraindications", document_id=name, effective=day)
        for said, name, day in (
            ("Zolumycin is contraindicated in pregnancy.", "old", dt.date(2010, 2, 23)),
            ("Zolumycin is contraindicated in liver failure.", "new", dt.date(2024, 7, 1)),
        )
    )
    none = label("None ( 4 ).", group="contraindications")
    slots = read_slots("Who must not take zolumycin?", DRUGS)
    found = asked_warnings(slots, sources_of([none, old, new], DRUGS))
    assert [one.statement.said for one in found] == [new.said, old.said]


def test_of_a_box_what_is_on_the_disease_asked_about_is_shown():
    infections, tumours = boxed("Test for TB before zolumycin."), boxed("Fatal lymphoma occurs.")
    sources = sources_of([tumours, infections], DRUGS)
    for question, expected in (
        ("What does the boxed warning of zolumycin say about TB?", [infections]),
        ("Boxed warning of zolumycin", [tumours, infections]),
        ("What does the boxed warning of zolumycin say about malaria?", [tumours, infections]),
    ):
        found = asked_warnings(read_slots(question, DRUGS), sources)
        assert [one.statement for one in found] == expected


def test_the_contraindication_asked_about_comes_before_the_others():
    members = [
        label(f"Zolumycin is contraindicated in {disease}.", group="contraindications")
        for disease in ("gout", "scurvy", "asthma", "lupus", "spinal puncture")
    ]
    slots = read_slots("He needs a spinal. Is that a contraindication to zolumycin?", DRUGS)
    found = asked_warnings(slots, sources_of(members, DRUGS))
    assert found[0].statement == members[-1]
    assert [one.statement for one in found[1:]] == members[:-1]
