"""The journal names all that was written since a place, or says that it does not know."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clinrag_core.pipeline.journal import NOWHERE, Journal


def test_what_was_written_after_a_place_is_named(tmp_path: Path):
    journal = Journal(tmp_path / "partitions" / "written")
    assert journal.since(NOWHERE) == (NOWHERE, frozenset())
    with journal.writing("label/a"):
        first, names = journal.since(NOWHERE)
        assert names == {"label/a"}
    second, names = journal.since(first)
    assert names == {"label/a"}, "what was read meanwhile may be the old bytes"
    assert Journal(tmp_path / "partitions" / "written").since(second) == (second, frozenset())


def test_a_write_that_fails_is_named(tmp_path: Path):
    journal = Journal(tmp_path / "written")
    with pytest.raises(OSError, match="full"), journal.writing("label/a"):
        raise OSError("the disk is full")
    assert journal.since(NOWHERE)[1] == {"label/a"}


def test_a_line_that_was_written_in_part_hides_no_other(tmp_path: Path):
    journal = Journal(tmp_path / "written")
    with journal.writing("label/a"):
        pass
    path = tmp_path / "written"
    path.write_bytes(path.read_bytes()[:-3])
    place, _ = journal.since(NOWHERE)
    with journal.writing("label/b"):
        pass
    assert journal.since(place)[1] == {"label/b"}
    assert {"label/a", "label/b"} <= (journal.since(NOWHERE)[1] or set())


def test_another_journal_knows_nothing(tmp_path: Path):
    journal = Journal(tmp_path / "written")
    with journal.writing("label/a"):
        pass
    place, _ = journal.since(NOWHERE)
    (tmp_path / "written").unlink()
    assert journal.since(place) == (NOWHERE, None)
    with journal.writing("label/a"):
        pass
    new, names = journal.since(place)
    assert names is None
    assert journal.since(new) == (new, frozenset())


def test_many_writers_lose_no_name(tmp_path: Path):
    def write(number: int) -> None:
        with Journal(tmp_path / "written").writing(f"label/{number}"):
            pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(64)))
    assert Journal(tmp_path / "written").since(NOWHERE)[1] == {f"label/{n}" for n in range(64)}
