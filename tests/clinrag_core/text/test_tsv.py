"""Tables of tab-separated text come back as they were written, white space aside."""

from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.text.tsv import parse_tsv, write_tsv

cells = st.text(alphabet=' ab"\t\n5α,', max_size=8)


@given(st.lists(st.tuples(cells, cells, st.just("end")), max_size=4))
def test_what_is_written_is_read_again(rows: list[tuple[str, str, str]]):
    table = parse_tsv(write_tsv(("one", "two", "three"), rows))
    assert table.header == ("one", "two", "three")
    assert [row.cells for row in table.rows] == [
        tuple(" ".join(cell.split()) for cell in row) for row in rows
    ]
    assert [row.line for row in table.rows] == list(range(2, len(rows) + 2))


def test_lines_are_counted_and_short_rows_are_filled():
    table = parse_tsv("\ufeffa\tb\r\n\r\n1\r\n1\t2\t3\r\n")
    assert table.header == ("a", "b")
    assert table.rows == ((3, ("1", "")), (4, ("1", "2", "3")))


def test_quotation_marks_of_a_spreadsheet_are_taken_off_and_others_stay():
    table = parse_tsv('a\tb\tc\n"say ""x"""\t"x" or "y"\t5" tube\n')
    assert table.rows[0].cells == ('say "x"', '"x" or "y"', '5" tube')
