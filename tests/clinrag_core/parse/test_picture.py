"""Where cited words are on a page: boxes whose text is the quoted text, also on turned pages."""

from __future__ import annotations

import io

import pymupdf
import pytest

from clinrag_core.errors import ParseError
from clinrag_core.parse.pdf.picture import QuotedWords, locate, page_picture

WHOLE = [(0.0, 0.0, 1000.0, 1000.0)]


def pdf(*lines: tuple[float, str], rotation: int = 0) -> bytes:
    """A page with lines of text at heights."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for y, text in lines:
        page.insert_text((50, y), text, fontsize=11)
    page.set_rotation(rotation)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def once(text: str) -> QuotedWords:
    return QuotedWords(text, 0, 1)


def text_under(data: bytes, place) -> str:
    """The words that a reader sees in the boxes of a place."""
    page = pymupdf.open(stream=data)[0]
    to_file = page.derotation_matrix
    words = []
    for box in place.boxes:
        inside = pymupdf.Rect(box) * to_file
        words += [
            w[4]
            for w in page.get_text("words")
            if pymupdf.Rect(w[:4])
            in pymupdf.Rect(*(inside.x0 - 1, inside.y0 - 1, inside.x1 + 1, inside.y1 + 1))
        ]
    return " ".join(words)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_text_under_the_boxes_is_the_quoted_text(rotation):
    data = pdf((100, "Give isoniazid 300 mg"), (114, "once daily for months."), rotation=rotation)
    place = locate(data, "a.pdf", 1, [once("isoniazid 300 mg\nonce daily")], WHOLE)
    assert place.found == {0}
    assert text_under(data, place) == "isoniazid 300 mg once daily"
    assert (place.width > place.height) == (rotation in {90, 270})
    for x0, y0, x1, y1 in place.boxes:
        assert 0 <= x0 < x1 <= place.width
        assert 0 <= y0 < y1 <= place.height


def test_hyphenated_words_are_found_as_the_parser_joins_them():
    data = pdf((100, "long treat-"), (114, "ment of adults"))
    place = locate(data, "a.pdf", 1, [once("treatment of adults")], WHOLE)
    assert text_under(data, place) == "treat- ment of adults"


def test_a_word_inside_another_word_is_not_boxed():
    data = pdf((100, "two doses a day"), (140, "Dose"))
    place = locate(data, "a.pdf", 1, [once("Dose")], WHOLE)
    assert text_under(data, place) == "Dose"


def test_of_several_places_the_cited_one_is_boxed():
    data = pdf((100, "600 mg daily"), (140, "600 mg weekly"), (180, "600 mg monthly"))
    place = locate(data, "a.pdf", 1, [QuotedWords("600 mg", 1, 3)], WHOLE)
    assert 125 < place.boxes[0][1] < 145


def test_where_it_is_not_clear_which_place_is_meant_none_is_boxed():
    data = pdf((100, "600 mg daily"), (140, "600 mg weekly"), (180, "600 mg monthly"))
    place = locate(data, "a.pdf", 1, [QuotedWords("600 mg", 0, 2)], WHOLE)
    assert not place.found
    assert place.boxes == ()
    assert place.blocks == tuple(WHOLE)


def test_words_that_are_not_there_have_no_box():
    assert locate(pdf((100, "a b c")), "a.pdf", 1, [once("x y z"), once("")], WHOLE).found == set()


@pytest.mark.parametrize("page", [0, -1, 2])
def test_a_page_that_is_not_there_is_an_error(page):
    data = pdf((100, "text"))
    with pytest.raises(ParseError, match="no page"):
        page_picture(data, "a.pdf", page)
    with pytest.raises(ParseError, match="no page"):
        locate(data, "a.pdf", page, [], WHOLE)


def test_damaged_bytes_are_an_error():
    with pytest.raises(ParseError):
        page_picture(b"%PDF-1.7 nothing", "a.pdf", 1)


def test_a_picture_is_of_twice_the_points():
    from PIL import Image

    picture = Image.open(io.BytesIO(page_picture(pdf((100, "text")), "a.pdf", 1)))
    assert (picture.format, picture.size) == ("WEBP", (800, 1200))
