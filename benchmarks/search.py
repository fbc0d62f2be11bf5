#!/usr/bin/env python3
"""Latency of hybrid search on the current release: stages, cache, fusion, concurrent clients.

Questions are variations of the benchmark's. Measures the engine without and with its caches,
fusion with boosts, and `clinrag serve` over HTTP.

    CLINRAG_HOME=.clinrag python benchmarks/search.py --clients 32 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time

import httpx
import numpy as np
from latency import MS_PER_S, percentiles, timed

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.retrieve.components import RankedList
from clinrag_core.retrieve.merge import BoostRules, Fusion, merge
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.serve.app import service_app
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.settings import Settings, load_settings

WARM_UP = 30
FUSED_QUESTIONS = 1_000
LIST_LENGTH = 100
"""Hits of each component in the fusion part."""
START_S = 120
"""Longest wait for the service to become ready."""
STRIDE = 37
"""Distance between the first questions of two clients; prime, so that they rarely coincide."""


def questions(settings: Settings, count: int) -> list[str]:
    """Return distinct questions: the benchmark's, repeated with an additional word."""
    texts = [q.text for q in load_benchmark(settings.benchmark).questions]
    words = ("", "please", "adults", "today", "guideline", "label", "patient", "clinic")
    return [f"{texts[i % len(texts)]} {words[i // len(texts) % len(words)]}" for i in range(count)]


async def engine_part(settings: Settings, texts: list[str]) -> None:
    """Measure the engine without and with its caches."""
    off = settings.model_copy(
        update={"retrieval": settings.retrieval.model_copy(update={"cache_mb": 0.0})}
    )
    for name, chosen in (("caches off", off), ("cached", settings)):
        engine = open_engine(chosen)
        requests = [SearchRequest(query=text) for text in texts]
        for request in requests[:WARM_UP]:
            await engine.search_async(request)
        stages: dict[str, list[float]] = {}
        errors = 0
        for request in requests:
            if name == "cached":
                await engine.search_async(request)
            started = time.perf_counter()
            response = await engine.search_async(request)
            total = MS_PER_S * (time.perf_counter() - started)
            errors += bool(response.component_errors)
            stages.setdefault("total", []).append(total)
            if name == "caches off":
                for stage, milliseconds in response.timings_ms.items():
                    if stage != "total":
                        stages.setdefault(stage, []).append(milliseconds)
        print(f"engine, {name}: {errors} searches without one component")
        for stage, times in stages.items():
            print(percentiles(stage, times))
        engine.close()


def fusion_part(settings: Settings, texts: list[str]) -> None:
    """Measure fusion and boosts for three lists of 100 passages from one release."""
    engine = open_engine(settings)
    name, base = next(iter(engine.knowledge_bases.items()))
    rng = np.random.default_rng(0)
    retrieval = settings.retrieval
    fusion = Fusion("rrf", retrieval.rrf_k, {})
    arguments: list[tuple[list[RankedList], Fusion, BoostRules]] = []
    for chunk_id in base.ids:
        engine.traits(name, chunk_id)  # cached for every passage
    for text in texts[:FUSED_QUESTIONS]:
        lists = [
            RankedList(component, name, [(base.ids[i], -float(n)) for n, i in enumerate(rows)])
            for component in ("bm25", "splade", "dense")
            for rows in [rng.permutation(len(base.ids))[:LIST_LENGTH]]
        ]
        rules = BoostRules(
            engine.analyse(SearchRequest(query=text)), engine.traits, retrieval.section_alpha
        )
        arguments.append((lists, fusion, rules))
    times, _ = timed(lambda argument: merge(*argument), arguments)
    print("fusion and boosts, 3 lists of 100")
    print(percentiles("merge", times[WARM_UP:]))


async def http_part(texts: list[str], clients: int, seconds: float) -> None:
    """Measure `clinrag serve` with concurrent clients."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, "--serve", str(port)]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, env=os.environ, stdout=quiet, stderr=quiet)  # noqa: S603 - fixed arguments
    url = f"http://127.0.0.1:{port}"
    times: list[float] = []
    statuses: dict[int, int] = {}
    incomplete = 0

    async def client(number: int, http: httpx.AsyncClient, end: float) -> None:
        nonlocal incomplete
        i = number * STRIDE
        while time.monotonic() < end:
            started = time.perf_counter()
            answer = await http.get("/v1/search", params={"q": texts[i % len(texts)]})
            times.append(MS_PER_S * (time.perf_counter() - started))
            statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
            incomplete += bool(answer.json().get("component_errors"))
            i += 1

    try:
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            ready_by = time.monotonic() + START_S
            while time.monotonic() < ready_by:
                with contextlib.suppress(httpx.TransportError):
                    if (await http.get("/readyz")).is_success:
                        break
                await asyncio.sleep(0.1)
            else:
                raise SystemExit(f"the service was not ready within {START_S} s")
            end = time.monotonic() + seconds
            await asyncio.gather(*(client(n, http, end) for n in range(clients)))
    finally:
        server.terminate()
        server.wait(30)
    print(
        f"HTTP, {clients} clients for {seconds:.0f} s on {os.cpu_count()} cores, clients included: "
        f"{len(times) / seconds:.0f} requests/s, statuses {statuses}, "
        f"{incomplete} without one component"
    )
    print(percentiles("response", times))


def serve(settings: Settings, port: int) -> None:
    """Run the service as `clinrag serve` does, without a limit on requests."""
    import uvicorn

    unlimited = settings.service.model_copy(update={"requests_per_minute": 0})
    app = service_app(settings.model_copy(update={"service": unlimited}), ApiKeys({}))
    uvicorn.run(app, port=port, access_log=False, log_level="error")


def main() -> None:
    """Measure all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    settings = load_settings()
    if args.serve is not None:
        serve(settings, args.serve)
        return
    texts = questions(settings, args.queries)
    asyncio.run(engine_part(settings, texts))
    fusion_part(settings, texts)
    asyncio.run(http_part(texts, args.clients, args.seconds))


if __name__ == "__main__":
    main()
