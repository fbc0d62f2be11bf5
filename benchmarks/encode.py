#!/usr/bin/env python3
"""Bulk encoding by precision, against sentence-transformers in the same run; CPU and GPU alike.

Rounds alternate between the encoders, so that other work on the machine disturbs all of them; the
ratios, of time on the clock and of processor time, are medians over the rounds. With
`OMP_NUM_THREADS=1` the latter hardly depends on other work. Overlap is the share of the ten best
passages of a question that stay among its ten best when passages are encoded in a lower precision.

    CLINRAG_HOME=.clinrag python benchmarks/encode.py --passages 600 --rounds 5
    CLINRAG_HOME=.clinrag python benchmarks/encode.py --overlap 4000 --rounds 0
    python benchmarks/encode.py --shape medcpt --generated 2000      # random weights: speed alone

Needs `pip install -r benchmarks/requirements.txt` for the peer; `--no-peer` measures without it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from clinrag_core.encode.device import physical_cores, resolve_device
from clinrag_core.encode.packed import PackedBert
from clinrag_core.encode.protocol import Passage
from clinrag_core.encode.registry import SPECS, encoder_spec, model_folder
from clinrag_core.encode.tokenizer import load_tokenizer
from clinrag_core.encode.torch_encoder import load_encoder
from clinrag_core.evaluate.benchmark import load_benchmark
from clinrag_core.index.knowledge_base import read_chunks
from clinrag_core.index.release import ReleaseStore
from clinrag_core.pipeline.corpus import passages_of
from clinrag_core.settings import EncoderSettings, load_settings
from clinrag_core.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TOP = 10
WARM_UP = {"cpu": 32, "cuda": 4096}
PEER_BATCHES = {"cpu": (32,), "cuda": (32, 256)}
"""Passages in a batch of sentence-transformers: its default, and one that suits a GPU better."""
WORDS = 184
"""Words of a generated passage, some 240 tokens."""
MATMUL = 8192
"""Rows and columns of the matrices whose product gives the peak of a GPU."""


def generated(count: int) -> list[Passage]:
    """Passages of about 240 tokens: words as often as in a text (Zipf), and numbers, at random."""
    rng = np.random.default_rng(0)
    minilm = SPECS["minilm"]
    known = load_tokenizer(model_folder(minilm.passage_model, minilm.package)).get_vocab()
    by_frequency = sorted(known, key=known.__getitem__)  # once its letters and marks are left out
    words = [word for word in by_frequency if len(word) > 1 and word.isalpha()]
    share = 1 / np.arange(1, len(words) + 1)
    shape = count, WORDS
    drawn = np.array(words)[rng.choice(len(words), shape, p=share / share.sum())].tolist()
    numbers = rng.integers(1, 10_000, shape).tolist()
    ends = rng.choice(["", ",", "."], shape, p=[0.86, 0.08, 0.06]).tolist()
    return [
        Passage(
            "Tuberculosis › Dose",
            " ".join(
                f"{number / 10:.1f} mg" if number % 25 == 0 else word + end
                for word, number, end in zip(*row, strict=True)
            ),
        )
        for row in zip(drawn, numbers, ends, strict=True)
    ]


def of_the_release(count: int) -> list[Passage]:
    """Passages of the served release, evenly spread."""
    settings = load_settings()
    store = ReleaseStore(Workspace(settings.home).releases)
    release = store.current()
    passages: list[Passage] = []
    for name in release.knowledge_bases:
        passages += passages_of(read_chunks(store.directory(release, name)))
    return passages[:: max(len(passages) // count, 1)][:count]


def questions() -> list[str]:
    """Texts of the benchmark's questions."""
    settings = load_settings()
    return [q.text for q in load_benchmark(settings.benchmark).questions]


def random_medcpt(folder: Path) -> EncoderSettings:
    """An encoder of MedCPT's exact shape with random weights and MiniLM's tokenizer."""
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel

    minilm = SPECS["minilm"]
    source = model_folder(minilm.passage_model, minilm.package)
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    config = BertConfig(vocab_size=max(tokenizer.get_vocab_size(), 30_522))
    torch.manual_seed(0)
    for part in ("article-encoder", "query-encoder"):
        BertModel(config).save_pretrained(folder / part)
        tokenizer.save(str(folder / part / "tokenizer.json"))
    return EncoderSettings(name="medcpt", model=str(folder))


def peer(settings: EncoderSettings, device: str, batch: int) -> Callable[[Sequence[Passage]], Any]:
    """Sentence-transformers with the same weights: fp32 on a CPU, fp16 on a GPU."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    spec = encoder_spec(settings)
    folder = str(model_folder(spec.passage_model, spec.package))
    transformer = modules.Transformer(folder, max_seq_length=spec.max_tokens)
    pooling = modules.Pooling(transformer.get_embedding_dimension(), spec.pooling)
    model = SentenceTransformer(modules=[transformer, pooling], device=device)
    if device == "cuda":
        model.half()
    return lambda passages: model.encode(
        [p.joined for p in passages], batch_size=batch, show_progress_bar=False
    )


def overlap(settings: EncoderSettings, passages: Sequence[Passage], precision: str) -> float:
    """Mean share of each question's ten best passages that fp32 and a precision have in common."""
    exact = load_encoder(settings.model_copy(update={"precision": "fp32"}))
    queries = np.stack([exact.encode_query(text) for text in questions()])
    lower = load_encoder(settings.model_copy(update={"precision": precision}))
    vectors = [encoder.encode_passages(passages) for encoder in (exact, lower)]
    best = [np.argsort(-(queries @ v.T), axis=1, kind="stable")[:, :TOP] for v in vectors]
    shared = [len(set(a) & set(b)) / TOP for a, b in zip(*best, strict=True)]
    same = float(np.mean(best[0][:, 0] == best[1][:, 0]))
    cosines = (vectors[0] * vectors[1]).sum(axis=1) / np.linalg.norm(vectors[1], axis=1)
    print(
        f"{precision}: top-{TOP} overlap with fp32 {np.mean(shared):.4f}, same first {same:.3f}, "
        f"cosine mean {cosines.mean():.5f}, least {cosines.min():.5f} "
        f"({len(queries)} questions, {len(passages)} passages)"
    )
    return float(np.mean(shared))


def matmul_peak() -> float:
    """Measured bf16 matrix products of this GPU, in operations per second."""
    a = torch.randn(MATMUL, MATMUL, device="cuda", dtype=torch.bfloat16)
    for _ in range(5):
        a @ a
    torch.cuda.synchronize()
    started = time.perf_counter()
    for _ in range(20):
        a @ a
    torch.cuda.synchronize()
    return 20 * 2 * MATMUL**3 / (time.perf_counter() - started)


def operations(encoder: Any, passages: Sequence[Passage]) -> tuple[float, float]:
    """Multiplications and additions of a full pass over passages, and those that are done.

    Padding is not counted. With CLS pooling, packed passages have the last layer for their first
    token alone once attention is done.
    """
    config = encoder.passage_model.config
    square, wide = config.hidden_size**2, config.hidden_size * config.intermediate_size
    weights = 4 * square + 2 * wide
    attention = 2 * config.hidden_size
    lengths = np.array([len(tokens) for tokens in encoder.tokens(passages)])
    full = config.num_hidden_layers * (weights * lengths + attention * lengths**2)
    left_out = np.zeros_like(full)
    if isinstance(encoder.passage_model, PackedBert) and encoder.spec.pooling == "cls":
        left_out = (square + 2 * wide) * (lengths - 1)
    return float(2 * full.sum()), float(2 * (full - left_out).sum())


def main() -> None:
    """Measure rates by round, then the overlap."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", default="minilm")
    parser.add_argument("--model", help="local folder of its weights")
    parser.add_argument("--max-tokens", type=int, default=320)
    parser.add_argument("--shape", choices=["medcpt"], help="random weights of this shape")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--precision", default="auto", choices=["auto", "fp32", "bf16", "fp16"])
    parser.add_argument("--passages", type=int, default=600, help="of the served release")
    parser.add_argument("--generated", type=int, default=0, help="made passages instead")
    parser.add_argument("--batch-tokens", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--overlap", type=int, default=0, help="passages; 0: not measured")
    parser.add_argument("--no-peer", action="store_true")
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        chosen = EncoderSettings(name=args.encoder, model=args.model, max_tokens=args.max_tokens)
        if args.shape:
            chosen = random_medcpt(Path(folder))
        update = {"device": args.device, "batch_tokens": args.batch_tokens}
        chosen = chosen.model_copy(update=update)
        if args.rounds:
            measure(chosen, args)
        if args.overlap:
            overlap(chosen, of_the_release(args.overlap), args.precision)


def measure(chosen: EncoderSettings, args: argparse.Namespace) -> None:
    """Print the rate of each encoder and the ratios of the rounds."""
    passages = generated(args.generated) if args.generated else of_the_release(args.passages)
    device = resolve_device(args.device)
    encoders: dict[str, Callable[[Sequence[Passage]], Any]] = {}
    ours = load_encoder(chosen.model_copy(update={"precision": args.precision}))
    encoders[f"clinrag {ours.precision}"] = ours.encode_passages
    if ours.precision != "fp32" and device == "cpu":
        plain = load_encoder(chosen.model_copy(update={"precision": "fp32"}))
        encoders["clinrag fp32"] = plain.encode_passages
    if not args.no_peer:
        for batch in PEER_BATCHES[device]:
            encoders[f"sentence-transformers, {batch}"] = peer(chosen, device, batch)
    tokens = sum(len(e) for e in ours.tokens(passages))
    place = f"{physical_cores()} cores" if device == "cpu" else torch.cuda.get_device_name()
    print(f"{chosen.name} on {device} ({place}), {len(passages)} passages, {tokens} tokens")
    for name, encode in encoders.items():
        started = time.perf_counter()
        encode(passages[: WARM_UP[device]])
        seconds = time.perf_counter() - started
        print(f"  {name}: the first {WARM_UP[device]} passages took {seconds:.1f} s", flush=True)
    before = matmul_peak() if device == "cuda" else 0.0
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in encoders}
    for number in range(args.rounds):
        order = list(encoders.items())
        for name, encode in order if number % 2 else reversed(order):
            clock, processor = time.perf_counter(), time.process_time()
            encode(passages)
            times[name].append((time.perf_counter() - clock, time.process_time() - processor))
    first = f"clinrag {ours.precision}"
    for name, values in times.items():
        clock, processor = map(statistics.median, zip(*values, strict=True))
        ratios = [
            [b / a for a, b in zip(*pair, strict=True)]
            for pair in zip(times[first], values, strict=True)
        ]
        said = [
            f"{statistics.median(r):.2f} ({min(r):.2f} to {max(r):.2f})"
            for r in zip(*ratios, strict=True)
        ]
        print(
            f"  {name:26} {len(passages) / clock:8.1f} passages/s, "
            f"{len(passages) / processor:.1f} by processor second; its time / {first}: "
            f"clock {said[0]}, processor {said[1]}"
        )
    if device == "cuda":
        seconds = statistics.median(wall for wall, _ in times[first])
        full, done = (each / seconds for each in operations(ours, passages))
        after = matmul_peak()
        print(
            f"  {done / 1e12:.0f} TFLOP/s, {done / before:.1%} of the product of matrices before "
            f"({before / 1e12:.0f}) and {done / after:.1%} of that after ({after / 1e12:.0f}); a "
            f"full pass at this rate would be {full / before:.1%}"
        )


if __name__ == "__main__":
    main()
