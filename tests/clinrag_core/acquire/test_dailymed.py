"""The DailyMed client with replies that have the service's structure."""

from __future__ import annotations

import datetime as dt
import json
import math

import pytest

from clinrag_core.acquire.dailymed import DailyMed, parse_date
from clinrag_core.acquire.label_query import LabelQuery
from clinrag_core.errors import AcquireError, FetchError

SET_ID = "11111111-2222-3333-4444-555555555555"
QUERY = LabelQuery(drug_name="isoniazid", labeler="A B", boxed_warning=True, choose="newest")


def set_id(n):
    return f"00000000-0000-0000-0000-{n:012d}"


def row(n, version=1, title="ISONIAZID TABLET [X]", published="Aug 09, 2023", as_text=False):
    return {
        "setid": set_id(n),
        "spl_version": str(version) if as_text else version,
        "title": title,
        "published_date": published,
    }


def page(rows, number=1, total=None, as_text=False, **metadata):
    total = len(rows) if total is None else total
    pages = math.ceil(total / 100)
    meta = {
        "total_elements": total,
        "total_pages": pages,
        "elements_per_page": 100,
        "current_page": number,
        "next_page": number + 1 if number < pages else "null",
        "next_page_url": "null",
        "previous_page": "null",
        "db_published_date": "Aug 09, 2023 07:31:34PM EST",
    } | metadata
    if as_text:
        meta = {k: str(v) for k, v in meta.items()}
    return json.dumps({"data": rows, "metadata": meta}).encode()


@pytest.fixture
def daily(server, client):
    return DailyMed(client(attempts=2), server.url + "/v2/")


def test_listing_is_requested_with_all_filters(server, daily):
    server.on("/v2/spls.json", server.reply(page([row(2), row(1)])))
    found = daily.spls(QUERY)
    assert [f.set_id for f in found] == [set_id(1), set_id(2)]
    assert found[0].published == dt.date(2023, 8, 9)
    assert server.asked[0].query == {
        "drug_name": "isoniazid",
        "doctype": "34391-3",
        "labeler": "A B",
        "boxed_warning": "true",
        "pagesize": "100",
        "page": "1",
    }


def test_all_pages_are_read_and_duplicates_keep_the_newest_version(server, daily):
    rows = [row(n, version=1 if n == 7 else 9) for n in range(248)]
    rows += [row(7, version=10), row(8, version=2)]

    def answer(asked):
        number = int(asked.query["page"])
        return server.reply(page(rows[100 * number - 100 : 100 * number], number, 250))

    server.on("/v2/spls.json", answer)
    found = {f.set_id: f.version for f in daily.spls(QUERY)}
    assert len(found) == 248
    assert (found[set_id(7)], found[set_id(8)]) == (10, 9)
    assert len(server.asked) == 3


def test_numbers_as_text_and_null_as_text(server, daily):
    rows = [row(1, version=30, published="null", as_text=True)]
    server.on("/v2/spls.json", server.reply(page(rows, as_text=True)))
    (found,) = daily.spls(QUERY)
    assert (found.version, found.published) == (30, None)


def test_nothing_found_is_an_empty_listing(server, daily):
    server.on("/v2/spls.json", server.reply(page([])))
    assert daily.spls(QUERY) == ()


def test_listing_that_changes_between_pages_is_not_trusted(server, daily):
    rows = [row(n) for n in range(100)]
    server.on(
        "/v2/spls.json",
        server.reply(page(rows, 1, 150)),
        server.reply(page([row(n) for n in range(100, 151)], 2, 151)),
    )
    with pytest.raises(FetchError, match="changed") as caught:
        daily.spls(QUERY)
    assert caught.value.transient


def test_short_listing_is_not_trusted(server, daily):
    server.on("/v2/spls.json", server.reply(page([row(1)], total=2)))
    with pytest.raises(FetchError, match="1 labels listed, 2 announced"):
        daily.spls(QUERY)


def test_query_that_matches_nearly_everything_is_refused(server, daily):
    server.on("/v2/spls.json", server.reply(page([row(1)], total=146_471)))
    with pytest.raises(AcquireError, match="narrow"):
        daily.spls(QUERY)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"<html>maintenance</html>", "the top level"),
        (b'{"data": {}, "metadata": {"total_elements": 0, "total_pages": 0}}', "data"),
        (b'{"data": []}', "metadata"),
        (page([row(1) | {"setid": "../../etc"}]), "data.0.setid"),
        (page([row(1, published="2023-08-09")]), "data.0.published_date"),
        (page([row(1, version=-1)]), "data.0.spl_version"),
        (page([{"setid": set_id(1)}]), "data.0.spl_version"),
    ],
)
def test_reply_with_another_structure_names_the_place(server, daily, body, place):
    server.on("/v2/spls.json", server.reply(body))
    with pytest.raises(FetchError, match=f"unexpected reply at {place}") as caught:
        daily.spls(QUERY)
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("status", "transient"), [(404, False), (415, False), (429, True), (500, True), (503, True)]
)
def test_failures_carry_their_status(server, daily, status, transient):
    server.on("/v2/spls.json", server.reply(status=status))
    with pytest.raises(FetchError) as caught:
        daily.spls(QUERY)
    assert (caught.value.status, caught.value.transient) == (status, transient)


def test_the_highest_number_of_a_history_is_the_newest_version(server, daily):
    versions = [(9, "Jan 15, 2013"), (30, "May 05, 2025"), (10, "null")]
    history = [{"spl_version": v, "published_date": d} for v, d in versions]
    data = {"spl": {"title": "T [X]", "setid": SET_ID}, "history": history}
    server.on(
        f"/v2/spls/{SET_ID}/history.json",
        server.reply(json.dumps({"data": data, "metadata": {}}).encode()),
    )
    newest = daily.newest(SET_ID)
    assert (newest.set_id, newest.title) == (SET_ID, "T [X]")
    assert (newest.version, newest.published) == (30, dt.date(2025, 5, 5))


def test_history_of_another_label_is_refused(server, daily):
    data = {"spl": {"title": "T", "setid": set_id(1)}, "history": [{"spl_version": 1}]}
    server.on(f"/v2/spls/{SET_ID}/history.json", server.reply(json.dumps({"data": data}).encode()))
    with pytest.raises(FetchError, match="another label"):
        daily.newest(SET_ID)


def test_label_is_served_as_xml(server, daily):
    assert daily.xml_url(SET_ID.upper()) == f"{server.url}/v2/spls/{SET_ID}.xml"


@pytest.mark.parametrize("bad", ["", "x", "../spls", SET_ID + "/history"])
def test_malformed_set_id_is_never_requested(server, daily, bad):
    with pytest.raises(AcquireError, match="not a set id"):
        daily.xml_url(bad)
    with pytest.raises(AcquireError, match="not a set id"):
        daily.newest(bad)
    assert server.asked == []


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Aug 09, 2023", dt.date(2023, 8, 9)),
        ("Sept 1, 2021", dt.date(2021, 9, 1)),
        ("Aug 09, 2023 07:31:34PM EST", dt.date(2023, 8, 9)),
    ],
)
def test_dates(text, date):
    assert parse_date(text) == date


@pytest.mark.parametrize("text", ["", "09 Aug 2023", "Foo 09, 2023", "Feb 30, 2023"])
def test_other_dates_are_refused(text):
    with pytest.raises(ValueError, match=r"not a date|day is out of range"):
        parse_date(text)


def test_real_replies_are_read(reference_corpus, server, daily):
    samples = reference_corpus / "labels/other/api_samples"
    real = json.loads((samples / "akirti-spls-page1-2023-08.json").read_text("utf-8"))
    rows = len(real["data"])
    real["metadata"] |= {"total_elements": rows, "total_pages": 1}
    server.on("/v2/spls.json", server.reply(json.dumps(real).encode()))
    assert len(daily.spls(QUERY)) == rows == 100
    synthetic = (samples / "ODD-apixaban_search-SYNTHETIC.json").read_bytes()
    server.on("/v2/spls.json", server.reply(synthetic))
    assert [f.version for f in daily.spls(QUERY)] == [4, 30]
    for name, count in (("ODD-eliquis_history.json", 28), ("pharmaDB-test_history.json", 2)):
        body = (samples / name).read_bytes()
        data = json.loads(body)["data"]
        key, versions = data["spl"]["setid"], [int(v["spl_version"]) for v in data["history"]]
        server.on(f"/v2/spls/{key}/history.json", server.reply(body))
        assert len(versions) == count
        assert daily.newest(key).version == max(versions)
