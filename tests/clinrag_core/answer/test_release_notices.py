"""What an answer says of the release it was made from."""

from __future__ import annotations

import pytest

from clinrag_core.index.release_record import LabelChange

QUESTION = "What is the recommended dose of bedaquiline?"
SET_ID = "b47d8430-bdee-5ea3-b0ea-603594dbd6f7"
CHANGE = LabelChange(
    document_id=SET_ID, name="bedaquiline", old_version=1, new_version=2, sections=("boxed",)
)


@pytest.fixture
def served_with(search, monkeypatch: pytest.MonkeyPatch):
    """Changes what is known of the served release."""

    def change(**facts: object) -> None:
        monkeypatch.setattr(search, "served", search.served._replace(**facts))

    return change


def test_an_answer_shows_the_unacknowledged_change_of_a_label_that_it_cites(
    engine_with, served_with
):
    served_with(changes=(CHANGE,))
    engine = engine_with()
    cites = engine.ask(QUESTION)
    assert SET_ID in {citation.document_id for citation in cites.citations}
    assert cites.label_changes == (CHANGE,)
    other = engine.ask("How to diagnose latent TB?")
    assert other.status == "answered"
    assert other.label_changes == ()


def test_an_answer_says_that_its_release_is_unreviewed_or_takes_a_damaged_ones_place(
    engine_with, served_with
):
    served_with(unreviewed=False)
    assert not engine_with().ask(QUESTION).unreviewed
    served_with(unreviewed=True, damaged="0009-dddddddd")
    answer = engine_with().ask(QUESTION)
    assert (answer.unreviewed, answer.damaged_release) == (True, "0009-dddddddd")
