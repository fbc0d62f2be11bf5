"""Adds and deletes documents in a process that is killed at a random moment; checks what is left.

Run by test_transactions.py: `python killed.py SETTINGS ROUNDS`. Prints a line for every round in
which the list of documents, the index, the answers and the files on disk disagree. Another process
(`python killed.py SETTINGS`) answers all the time, as a service does.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch

from clinrag_core.index.knowledge_base import KnowledgeBase
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.registry import parse_document
from clinrag_core.settings import Settings
from clinrag_core.users.answering import open_answering
from clinrag_core.users.changes import BASES, change, recover
from clinrag_core.users.store import TenantStore, UserDocument, tenant_folder
from clinrag_core.workspace import sha256_hex, utc_now

TENANT = "alice"
DOCUMENTS = 6
Shown = set[int]


def word(number: int) -> str:
    return f"zebrafish{'abcdefgh'[number]}quux"


def call(settings: dict, folder: str, name: str, number: int) -> dict:
    data = f"# Visit\n\nThe {word(number)} marker was 42 units on isoniazid.\n".encode()
    file = SourceFile(name="v.md", sha256=sha256_hex(data), size=len(data))
    identity = f"user-{number:016d}"
    source = DocumentSource(kind="guideline", format="markdown", file=file, id=identity, title="V")
    document = parse_document(data, source)
    record = UserDocument(
        id=identity, name="v.md", title="V", format="markdown", sha256=file.sha256,
        size=file.size, chunks=0, words=document.words, added=utc_now(),
    )  # fmt: skip
    header = {"change": name, "tenant": folder, "settings": settings, "id": identity}
    header["record"] = record.model_dump(mode="json")
    return change(header, f"{{}}\n{document.model_dump_json()}".encode())[0]


def answer_for_ever(settings: dict) -> None:
    """For each line read, print the documents that answers show."""
    answering = open_answering(Settings.model_validate(settings))
    for _ in sys.stdin:
        shown = []
        for number in range(DOCUMENTS):
            asked = f"The {word(number)} marker on isoniazid"
            own = answering.ask(asked, TENANT, only_own=True).own_documents
            said = "" if own is None else " ".join(claim.text for claim in own.claims)
            if word(number) in said:
                shown.append(number)
        print(json.dumps(shown), flush=True)  # noqa: T201


def problems(store: TenantStore, shown: Shown) -> list[str]:
    listed = {d.id for d in store.documents()}
    current = store.current()
    indexed: set[str] = set()
    if current:
        indexed = set(
            KnowledgeBase(store.folder / BASES / current).table["document_id"].to_pylist()
        )
    wrong = [] if indexed == listed else [f"listed {sorted(listed)}, indexed {sorted(indexed)}"]
    answered = {f"user-{number:016d}" for number in shown}
    if answered != listed:
        wrong.append(f"listed {sorted(listed)}, answers show {sorted(answered)}")
    on_disk = b"".join(p.read_bytes() for p in store.folder.rglob("*") if p.is_file())
    for number in range(DOCUMENTS):
        there = word(number).encode() in on_disk
        if there != (f"user-{number:016d}" in listed):
            wrong.append(f"document {number} on disk: {there}, listed: {not there}")
    return wrong


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    torch.set_num_threads(1)
    rng = random.Random(18)  # noqa: S311 - moments, not secrets
    store = TenantStore(tenant_folder(Path(settings["home"]) / "user_documents", TENANT))
    folder = store.folder.name
    answers = subprocess.Popen(  # noqa: S603 - this interpreter, this file
        [sys.executable, __file__, sys.argv[1]], stdin=-1, stdout=-1, text=True
    )
    assert answers.stdin
    assert answers.stdout

    def shown() -> Shown:
        answers.stdin.write("\n")
        answers.stdin.flush()
        return set(json.loads(answers.stdout.readline()))

    started = time.monotonic()
    assert "record" in call(settings, folder, "add", 0)  # loads the models before it is forked
    assert shown() == {0}
    call(settings, folder, "delete", 0)
    assert shown() == set()
    both = time.monotonic()
    call(settings, folder, "add", 0)
    step = max(time.monotonic() - both, 0.02)
    print(f"one change takes {step:.2f} s, the first took {both - started:.1f}", file=sys.stderr)  # noqa: T201
    killed = 0
    for round_ in range(int(sys.argv[2])):
        child = os.fork()
        if child == 0:
            for number in np.random.default_rng(round_).integers(0, DOCUMENTS, 10_000).tolist():
                listed = {d.id for d in store.documents()}
                there = f"user-{number:016d}" in listed
                call(settings, folder, "delete" if there else "add", number)
        time.sleep(rng.uniform(0, 6 * step))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WTERMSIG(status) == signal.SIGKILL
        recover(store)
        for problem in problems(store, shown()):
            print(f"round {round_}: {problem}")  # noqa: T201
    answers.stdin.close()
    answers.wait()
    print(f"{killed} killed", file=sys.stderr)  # noqa: T201
    assert killed == int(sys.argv[2])


if __name__ == "__main__":
    if sys.argv[2:]:
        main()
    else:
        answer_for_ever(json.loads(Path(sys.argv[1]).read_text()))
