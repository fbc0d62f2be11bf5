"""What one tenant uploads stops nobody else, and what waits is limited."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from clinrag_core.errors import BusyError
from clinrag_core.serve import lanes as lanes_module
from clinrag_core.serve.auth import ApiKeys, key_hash
from clinrag_core.serve.lanes import Lane, Turns
from clinrag_core.users.answering import Answering
from clinrag_core.users.documents import UserDocuments

KEYS = ApiKeys({key_hash("a-key"): "alice", key_hash("b-key"): "bob"})
A, B = {"X-API-Key": "a-key"}, {"X-API-Key": "b-key"}
NOTE = b"The zebrafish marker was 42 units on isoniazid."
UPLOAD = "/v1/documents?filename=n.txt"


def wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it never happened")


@pytest.fixture
def blocked(monkeypatch):
    """Uploads that take until the event is set, as a file made to take for ever."""
    release, started = threading.Event(), []

    def add(self, tenant: str, name: str, data: bytes):
        started.append(tenant)
        release.wait(60)
        raise BusyError("never stored", 1)

    monkeypatch.setattr(UserDocuments, "add", add)
    yield release, started
    release.set()


def test_uploads_that_take_for_ever_stop_nobody_else(client_for, blocked):
    """A 7 MB text and five tiny uploads stopped `/v1/ask` for everybody."""
    release, started = blocked
    client = client_for(KEYS)
    with ThreadPoolExecutor(16) as pool:
        sent = [pool.submit(client.post, UPLOAD, content=NOTE, headers=A) for _ in range(8)]
        wait_for(lambda: started and sum(one.done() for one in sent) == 4)
        refused = [one.result() for one in sent if one.done()]
        assert {answer.status_code for answer in refused} == {429}
        assert all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
        other = pool.submit(client.post, UPLOAD, content=NOTE, headers=B)
        question = {"question": "Management of type 2 diabetes"}
        for headers in (A, B):
            assert client.post("/v1/ask", json=question, headers=headers).status_code == 200
            search = client.get("/v1/search?question=isoniazid", headers=headers)
            assert search.status_code == 200
            assert client.get("/v1/documents", headers=headers).status_code == 200
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        release.set()
        assert other.result().status_code == 429
    assert started.count("alice") == 4
    assert started.index("bob") <= 2  # after the one in work, not after all of the other tenant


def test_readiness_says_when_nobody_is_answered(client_for, monkeypatch):
    """`/readyz` said 200 while every thread was busy for minutes."""
    release = threading.Event()
    monkeypatch.setattr(Answering, "ask", lambda *_, **__: release.wait(60))
    monkeypatch.setattr(lanes_module, "STUCK_S", 0.2)
    client = client_for(ask_threads=2, ask_waiting=3)
    question = {"question": "isoniazid dose"}
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(client.post, "/v1/ask", json=question) for _ in range(2)]
        try:
            wait_for(lambda: client.get("/readyz").status_code == 503)
            assert "ask_stuck" in client.get("/readyz").json()["detail"]
            sent.append(pool.submit(client.post, "/v1/ask", json=question))
            wait_for(lambda: "ask_full" in client.get("/readyz").json().get("detail", ""))
            full = client.post("/v1/ask", json=question)
            assert full.status_code == 429
            assert "Retry-After" in full.headers
            assert client.get("/healthz").status_code == 200
        finally:
            release.set()
        for one in sent:
            one.result()
    assert client.get("/readyz").status_code == 200


def test_tenants_take_turns():
    turns = Turns(waiting=8, workers=1)
    order: list[str] = []

    async def one(tenant: str) -> None:
        with turns.place(tenant):
            async with turns.turn(tenant):
                order.append(tenant)
                await asyncio.sleep(0.001)

    async def main() -> None:
        await asyncio.gather(*(one(name) for name in ("a", "a", "a", "a", "b", "b", "c")))

    asyncio.run(main())
    assert order.index("b") <= 2
    assert order.index("c") <= 3
    assert sorted(order) == sorted("aaaabbc")
    assert turns._counts == {}
    assert turns._locks == {}


def test_places_are_limited_for_each_tenant():
    turns = Turns(waiting=1, workers=1)
    with turns.place("a"):
        with pytest.raises(BusyError), turns.place("a"):
            pass
        with turns.place("b"):
            pass
    with turns.place("a"):
        pass


def test_a_full_lane_refuses_and_is_free_again():
    async def main() -> None:
        lane = Lane("ask", 1, 2)
        event = threading.Event()
        held = [asyncio.create_task(lane.run(event.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await lane.run(lambda: None)
        assert lane.problem() == "ask_full"
        event.set()
        await asyncio.gather(*held)
        assert await lane.run(lambda: 7) == 7
        assert lane.problem() is None
        lane.close()

    asyncio.run(main())
