#!/usr/bin/env python3
"""Hybrid search end to end on the current release: stages, cached answers, many clients.

Questions are those of the project's benchmark, in many variations. Three parts: the engine with
caches off, the engine answering the same from its cache, and `clinrag serve` over HTTP.

    CLINRAG_HOME=.clinrag python benchmarks/search.py --clients 32 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import time

import httpx
import numpy as np

from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.retrieve.components import RankedList
from clinrag_core.retrieve.merge import BoostRules, Fusion, merge
from clinrag_core.retrieve.open import open_engine
from clinrag_core.retrieve.request import SearchRequest
from clinrag_core.serve.auth import ApiKeys
from clinrag_core.serve.service import service_app
from clinrag_core.settings import Settings, load_settings

WARM_UP = 30


def line(name: str, times: list[float]) -> None:
    """Percentiles of milliseconds."""
    p50, p95, p99 = np.quantile(times, (0.5, 0.95, 0.99))
    print(f"  {name:26} p50 {p50:8.2f}  p95 {p95:8.2f}  p99 {p99:8.2f} ms  ({len(times)})")


def questions(settings: Settings, count: int) -> list[str]:
    """Distinct questions: those of the benchmark, again and again with a word more."""
    texts = [q.text for q in load_benchmark(settings.benchmark).questions]
    words = ("", "please", "adults", "today", "guideline", "label", "patient", "clinic")
    return [f"{texts[i % len(texts)]} {words[i // len(texts) % len(words)]}" for i in range(count)]


async def engine_part(settings: Settings, texts: list[str]) -> None:
    """The engine without and with its cache."""
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
            total = 1_000 * (time.perf_counter() - started)
            errors += bool(response.component_errors)
            stages.setdefault("total", []).append(total)
            if name == "caches off":
                for stage, milliseconds in response.timings_ms.items():
                    if stage != "total":
                        stages.setdefault(stage, []).append(milliseconds)
        print(f"engine, {name}: {errors} searches with a component left out")
        for stage, times in stages.items():
            line(stage, times)
        engine.close()


def fusion_part(settings: Settings, texts: list[str]) -> None:
    """Fusion and boosts for 300 candidates: three lists of 100 from one release."""
    engine = open_engine(settings)
    name, base = next(iter(engine.knowledge_bases.items()))
    rng = np.random.default_rng(0)
    times: list[float] = []
    for chunk_id in base.ids:
        engine.traits(name, chunk_id)  # worked out once for every passage, then kept
    for text in texts[:1_000]:
        lists = [
            RankedList(component, name, [(base.ids[i], float(100 - n)) for n, i in enumerate(rows)])
            for component in ("bm25", "splade", "dense")
            for rows in [rng.permutation(len(base.ids))[:100]]
        ]
        rules = BoostRules(engine.analyse(SearchRequest(query=text)), engine.traits, 0.12)
        started = time.perf_counter()
        merge(lists, Fusion("rrf", 60, {}), rules)
        times.append(1_000 * (time.perf_counter() - started))
    print("fusion and boosts, 3 lists of 100")
    line("merge", times[WARM_UP:])


async def http_part(texts: list[str], clients: int, seconds: float) -> None:
    """`clinrag serve` under concurrent clients."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, "--serve", str(port)]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, env=os.environ, stdout=quiet, stderr=quiet)  # noqa: S603 - own arguments
    url = f"http://127.0.0.1:{port}"
    times: list[float] = []
    statuses: dict[int, int] = {}
    left_out = 0

    async def client(number: int, http: httpx.AsyncClient, end: float) -> None:
        nonlocal left_out
        i = number * 37
        while time.monotonic() < end:
            started = time.perf_counter()
            answer = await http.get("/v1/search", params={"q": texts[i % len(texts)]})
            times.append(1_000 * (time.perf_counter() - started))
            statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
            left_out += bool(answer.json().get("component_errors"))
            i += 1

    try:
        async with httpx.AsyncClient(base_url=url, timeout=30) as http:
            for _ in range(200):
                try:
                    if (await http.get("/readyz")).status_code == 200:
                        break
                except httpx.TransportError:
                    await asyncio.sleep(0.1)
            end = time.monotonic() + seconds
            await asyncio.gather(*(client(n, http, end) for n in range(clients)))
    finally:
        server.terminate()
        server.wait(30)
    print(
        f"HTTP, {clients} clients for {seconds:.0f} s on {os.cpu_count()} cores, clients included: "
        f"{len(times) / seconds:.0f} requests/s, statuses {statuses}, "
        f"{left_out} with a component left out"
    )
    line("response", times)


def serve(settings: Settings, port: int) -> None:
    """The service as `clinrag serve` runs it, without a limit on requests."""
    import uvicorn

    unlimited = settings.service.model_copy(update={"requests_per_minute": 0})
    app = service_app(settings.model_copy(update={"service": unlimited}), ApiKeys({}))
    uvicorn.run(app, port=port, access_log=False, log_level="error")


def main() -> None:
    """Run the three parts."""
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
