"""Files made to stop a parser: small, and each costly or endless in its own way."""

from __future__ import annotations

import zlib
from collections.abc import Callable

Maker = Callable[[], bytes]


def pdf_of(objects: list[bytes]) -> bytes:
    """Return a PDF of numbered objects, the first of them the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Root 1 0 R /Size %d >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def stream(data: bytes, entries: bytes = b"", *, packed: bool = False) -> bytes:
    """Return a stream object; `packed` with zlib, `data` may be packed already."""
    if packed:
        data, entries = zlib.compress(data, 9), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def one_page(content: bytes, box: bytes = b"[0 0 612 792]", *more: bytes) -> bytes:
    """Return a PDF of one page; `more` are the objects from number 6 on."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox " + box + b" /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R /Y 7 0 R >> >> >>"
    )
    return pdf_of([CATALOG, PAGES, page, content, FONT, *more])


def text_at(words: str) -> bytes:
    return b"BT /F 12 Tf 72 700 Td (" + words.encode() + b") Tj ET\n"


def inflating(piece: bytes, times: int) -> bytes:
    """Return zlib data that grows to `times` pieces; its blocks are packed once and repeated."""
    packer = zlib.compressobj(9)
    head = packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * times + b"\x03\x00"


def deep_pages() -> bytes:
    """Page tree of 20,000 levels."""
    depth = 20_000
    nodes = [
        b"<< /Type /Pages /Parent %d 0 R /Kids [%d 0 R] /Count 1 >>" % (n + 1, n + 3)
        for n in range(depth)
    ]
    leaf = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] >>" % (depth + 1)
    return pdf_of([CATALOG, *nodes, leaf])


def many_pages() -> bytes:
    """200,000 pages that are one object."""
    kids = b"3 0 R " * 200_000
    pages = b"<< /Type /Pages /Kids [" + kids + b"] /Count 200000 >>"
    return pdf_of([CATALOG, pages, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"])


def circular_forms() -> bytes:
    """Two form objects that draw each other."""
    form = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] "
        b"/Resources << /XObject << /X 6 0 R /Y 7 0 R >> >>"
    )
    return one_page(
        stream(text_at("Forms that draw each other") + b"/X Do"),
        b"[0 0 612 792]",
        stream(b"/Y Do /Y Do", form),
        stream(b"/X Do /X Do", form),
    )


def doubling_forms() -> bytes:
    """Forty form objects, each of which draws the next one twice: 2^40 pieces of text."""
    forms = [
        stream(
            b"/N Do /N Do",
            b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] "
            b"/Resources << /XObject << /N %d 0 R >> >>" % (7 + n),
        )
        for n in range(40)
    ]
    last = stream(
        text_at("x"),
        b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F 5 0 R >> >>",
    )
    return one_page(stream(b"/X Do"), b"[0 0 612 792]", *forms, last)


def packed_stream() -> bytes:
    """A page of 400 MB of operators in 1 MB."""
    return one_page(stream(inflating(b"0 0 m 1 1 l S\n" * 75_000, 400), b"/Filter /FlateDecode"))


def packed_twice() -> bytes:
    """Zeros packed twice: 1 GB in a few kB."""
    once = inflating(bytes(2**20), 1_024)
    return one_page(stream(zlib.compress(once, 9), b"/Filter [/FlateDecode /FlateDecode]"))


def huge_map() -> bytes:
    """A character map of a million ranges."""
    ranges = b"".join(b"<%04X> <%04X> <0041>\n" % (n % 65_536, n % 65_536) for n in range(1_000))
    cmap = b"/CIDInit /ProcSet findresource begin begincmap\n"
    cmap += b"1000 beginbfrange\n" + (ranges + b"endbfrange 1000 beginbfrange\n") * 1_000
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>"
    )
    text = stream(text_at("A map of a million ranges"))
    return pdf_of([CATALOG, PAGES, page, text, font, b"null", b"null", stream(cmap, packed=True)])


def absurd_boxes() -> bytes:
    """A page of 1e30 points with text far off it."""
    far = b"BT /F 1e30 Tf 1e38 -1e38 Td (far) Tj ET\n" * 100
    content = text_at("A page without an end") + far
    return one_page(stream(content), b"[-1e30 -1e30 1e30 1e30]", b"null", b"null")


def nested_arrays() -> bytes:
    """An object of 300,000 nested arrays."""
    return pdf_of(
        [CATALOG[:-2] + b"/X " + b"[" * 300_000 + b"]" * 300_000 + b" >>", PAGES, b"null"]
    )


def many_strokes() -> bytes:
    """60,000 separate short rules on one page."""
    strokes = b"".join(
        b"%d %d m %d %d l S\n" % (n % 600, n // 600, n % 600 + 4, n // 600) for n in range(60_000)
    )
    return one_page(stream(text_at("Rules as on a map of the district") + strokes, packed=True))


def margin_letters() -> bytes:
    """20,000 lone letters and numbers on one page, any of which may be that of a title."""
    texts = b"".join(
        b"BT /F 6 Tf %d %d Td (%s) Tj ET\n" % (n % 100 * 6, n // 100 * 4, b"A" if n % 2 else b"1.2")
        for n in range(20_000)
    )
    return one_page(stream(text_at("Letters in the margin of a page") + texts, packed=True))


def raised_digits() -> bytes:
    """A line of 40,000 raised digits, each before a slash that makes no fraction."""
    run = b"6 Ts /F 5 Tf (1) Tj 0 Ts /F 12 Tf (/x) Tj "
    text = b"BT /F 12 Tf 72 500 Td (Raised) Tj " + run * 40_000 + b"ET\n"
    return one_page(stream(text_at("Fractions without an end") + text, packed=True))


def many_cards() -> bytes:
    """20,000 rounded frames, one inside another, around 200 lines of text."""
    lines = b"".join(
        b"BT /F 3 Tf 200 %d Td (A line of text in all of the frames) Tj ET\n" % (300 + n)
        for n in range(200)
    )
    frame = (
        b"%d 250 m 500 250 l 505 250 510 255 510 260 c 510 600 l 510 605 505 610 500 610 c "
        b"%d 610 l %d 610 %d 605 %d 600 c %d 260 l %d 255 %d 250 %d 250 c S\n"
    )
    frames = b"".join(
        frame % (x, x, x - 5, x - 10, x - 10, x - 10, x - 10, x - 5, x)
        for x in (20 + n % 150 for n in range(20_000))
    )
    return one_page(stream(lines + frames, packed=True))


def graded_rows() -> bytes:
    """An HTML table of 100,000 recommendations."""
    head = b"<html><body><h1>T</h1><table><tr><th>COR<th>LOE<th>Recommendations</tr>"
    row = b"<tr><td>2a<td>B-R<td>Adults who have had contact should be given testazid daily.</tr>"
    return head + row * 100_000 + b"</table></body></html>"


def wide_spans() -> bytes:
    """An HTML table whose cells span thousands of rows and columns."""
    row = b"<tr>" + b'<td rowspan="65534" colspan="1000">x</td>' * 20 + b"</tr>"
    return b"<html><body><h1>T</h1><table>" + row * 3_000 + b"</table></body></html>"


def million_rows() -> bytes:
    """An HTML table of a million rows."""
    return (
        b"<html><body><h1>T</h1><table>" + b"<tr><td>a<td>1" * 1_000_000 + b"</table></body></html>"
    )


def deep_tables() -> bytes:
    """HTML tables one inside another."""
    return b"<html><body><h1>T</h1>" + b"<table><tr><td>a" * 30_000 + b"</body></html>"


def entities() -> bytes:
    """XML entities that grow by ten at each of ten levels."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 11))
    head = f'<?xml version="1.0"?><!DOCTYPE document [<!ENTITY l0 "lol">{levels}]>'
    return f'{head}<document xmlns="urn:hl7-org:v3"><title>&l10;</title></document>'.encode()


def long_entity() -> bytes:
    """One entity of 100 kB, named 50,000 times."""
    head = f'<?xml version="1.0"?><!DOCTYPE document [<!ENTITY a "{"a" * 100_000}">]>'
    text = "&a;" * 50_000
    return f'{head}<document xmlns="urn:hl7-org:v3"><title>{text}</title></document>'.encode()


def outside_entity() -> bytes:
    """An entity that names a file of the machine."""
    head = '<?xml version="1.0"?><!DOCTYPE document [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    return f'{head}<document xmlns="urn:hl7-org:v3"><title>&a;</title></document>'.encode()


def nested_quotes() -> bytes:
    """Markdown quotes and lists of 20,000 levels, and emphasis that never closes."""
    return b"# T\n\n" + b"> " * 20_000 + b"x\n\n" + b"*_" * 100_000 + b"\n\n" + b"[" * 100_000


def wide_table() -> bytes:
    """A Markdown table of 50,000 columns and as many rows without one."""
    head = b"|" + b"a|" * 50_000 + b"\n|" + b"-|" * 50_000 + b"\n"
    return b"# T\n\n" + head + b"|x|\n" * 50_000


def blank_runs() -> bytes:
    """Lines of 100,000 blanks, each before a sign of a table or list."""
    return b"# T\n\n" + (b" " * 100_000 + b"|\n" + b"\t" * 100_000 + b"- x\n") * 4


HOSTILE: dict[str, Maker] = {
    f"{make.__name__}.{suffix}": make
    for suffix, makers in {
        "pdf": (
            deep_pages,
            many_pages,
            circular_forms,
            doubling_forms,
            packed_stream,
            packed_twice,
            huge_map,
            absurd_boxes,
            nested_arrays,
            many_strokes,
            margin_letters,
            raised_digits,
            many_cards,
        ),
        "html": (wide_spans, million_rows, deep_tables, graded_rows),
        "xml": (entities, long_entity, outside_entity),
        "md": (nested_quotes, wide_table, blank_runs),
    }.items()
    for make in makers
}
"""Name -> what makes it; the suffix says the format."""
