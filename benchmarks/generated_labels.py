"""Generates any number of drug labels from real ones, and a small random encoder for them.

A generated label has the markup, products and some sections of a real one (ten to twenty
passages), a new set id and drug name, and some words exchanged, so that no two labels share a
passage. Its text is meaningless and not part of the product.
"""

from __future__ import annotations

import random
import re
import shutil
import uuid
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lxml import etree

from clinrag_core.acquire.manifest import load_manifest
from clinrag_core.encode.registry import SPECS, model_folder
from clinrag_core.errors import DocumentError
from clinrag_core.model.source import DocumentSource, SourceFile
from clinrag_core.parse.spl.parser import parse_spl
from clinrag_core.parse.spl.xml import path
from clinrag_core.workspace import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_WORDS = 1_300
"""Most words kept of a real label, in complete sections: ten to twenty passages."""
EXCHANGED_SHARE = 0.08
"""Share of the longer words replaced by another word of the label: every passage changes."""
MIN_NAME_LENGTH = 5
"""Shorter names also occur inside other words."""
NAMESPACE = uuid.UUID("6f1d3b0e-6a6b-4f0e-9d9c-2f3a0c5f7a11")
PRODUCT_DATA = "48780-1"
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True)
_WORD = re.compile(r"\b[a-z]{6,}\b")
_VERSION = re.compile(rb'<versionNumber value="(\d+)"')
_SYLLABLES = ("ba", "cor", "dex", "fi", "gan", "lo", "mir", "ne", "pra", "rit", "sol", "tav")
_NAMES = ("genericMedicine/name", "activeMoiety/activeMoiety/name")


class Template(NamedTuple):
    """A real label reduced to a few sections."""

    root: Any
    names: re.Pattern[str]
    """Matches every name of its drug."""
    words: list[str]


def templates(corpus: Path) -> list[Template]:
    """Return the SPL labels of a corpus folder that can be parsed, reduced to a few sections.

    Args:
        corpus: folder with a `corpus.toml`.
    """
    manifest = load_manifest(corpus)
    usable: list[Template] = []
    for entry in manifest.labels:
        if entry.format == "spl" and entry.path is not None:
            data = (manifest.root / entry.path).read_bytes()
            try:
                parse_spl(data, _source(data))
                usable.append(_template(data, entry.drug))
                parse_spl(etree.tostring(usable[-1].root), _source(data))
            except DocumentError as error:
                print(f"skipped: {entry.path}: {error.code}")
    return usable


def _source(data: bytes) -> DocumentSource:
    file = SourceFile(name="label.xml", sha256=sha256_hex(data), size=len(data))
    return DocumentSource(kind="label", format="spl", file=file)


def _template(data: bytes, drug: str) -> Template:
    """Remove sections until `MAX_WORDS` remain, and collect the names of the drug."""
    root = cast("Any", etree.fromstring(data, _PARSER))
    body = root.find(path("component/structuredBody"))
    budget = MAX_WORDS
    for component in list(body):
        section = component.find(path("section"))
        if section is None or _code(section) == PRODUCT_DATA:
            continue
        words = len(" ".join(section.itertext()).split())
        if words > budget:
            body.remove(component)
        else:
            budget -= words
    names = {drug.casefold()}
    for name in _NAMES:
        names.update((e.text or "").strip().casefold() for e in root.iterfind(f".//{path(name)}"))
    longest_first = sorted((n for n in names if len(n) >= MIN_NAME_LENGTH), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)) or "(?!)", re.IGNORECASE)
    text = " ".join(t for section in _sections(root) for t in section.itertext())
    return Template(root, pattern, sorted(set(_WORD.findall(text))))


def _code(section: Any) -> str | None:
    code = section.find(path("code"))
    return None if code is None else code.get("code")


def _sections(root: Any) -> Iterator[Any]:
    for section in root.iterfind(path("component/structuredBody/component/section")):
        if _code(section) != PRODUCT_DATA:
            yield section


def drug_name(number: int) -> str:
    """Return a drug name that differs for every number."""
    base = len(_SYLLABLES)
    name = ""
    for _ in range(5):
        number, digit = divmod(number, base)
        name += _SYLLABLES[digit]
    return f"{name}ine"


def label(template: Template, number: int, version: int = 1) -> bytes:
    """Return the XML of a generated label; a later version differs in its longest section."""
    root = deepcopy(template.root)
    name = drug_name(number)
    rng = random.Random(number)  # noqa: S311 - a repeatable choice of words, no secret
    for element in root.iter():
        element.text = element.text and template.names.sub(name, element.text)
        element.tail = element.tail and template.names.sub(name, element.tail)
    for section in _sections(root):
        _exchange(section, template.words, rng, EXCHANGED_SHARE)
    if version > 1:
        longest = max(_sections(root), key=lambda section: len("".join(section.itertext())))
        _exchange(longest, template.words, random.Random(version), EXCHANGED_SHARE)  # noqa: S311 - the same
    root.find(path("setId")).set("root", str(uuid.uuid5(NAMESPACE, str(number))))
    root.find(path("id")).set("root", str(uuid.uuid5(NAMESPACE, f"{number} {version}")))
    root.find(path("versionNumber")).set("value", str(version))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _exchange(section: Any, words: list[str], rng: random.Random, share: float) -> None:
    def other(match: re.Match[str]) -> str:
        return rng.choice(words) if rng.random() < share else match.group()

    for element in section.iter():
        element.text = element.text and _WORD.sub(other, element.text)
        element.tail = element.tail and _WORD.sub(other, element.tail)


class LabelCorpus:
    """Writes a corpus folder of generated labels, each of another drug, and changes some.

    A folder that is there is taken as it is.
    """

    def __init__(self, folder: Path, templates: list[Template], count: int) -> None:
        """Write `count` labels and their `corpus.toml`."""
        self.folder = folder
        self.count = count
        self._templates = templates
        if folder.is_dir():
            return
        folder.mkdir(parents=True)
        for number in range(count):
            self._write(number, 1)
        self.list(count)

    def list(self, count: int) -> None:
        """Write the manifest of `count` labels, whose files are there or come later."""
        self.count = count
        manifest = ['[corpus]\nname = "generated"\n']
        for number in range(count):
            entry = f'drug = "{drug_name(number)}"\nformat = "spl"\npath = "{number:05}.xml"\n'
            manifest.append(f"\n[[label]]\n{entry}")
        (self.folder / "corpus.toml").write_text("".join(manifest))

    def path(self, number: int) -> Path:
        """Return the file of a label."""
        return self.folder / f"{number:05}.xml"

    def change(self, count: int) -> None:
        """Give `count` labels, evenly spread, their next version."""
        for place in range(count):
            number = place * self.count // count
            match = _VERSION.search(self.path(number).read_bytes())
            self._write(number, int(match[1]) + 1 if match else 1)

    def _write(self, number: int, version: int) -> None:
        """Write a label; its file is replaced, because others may share it."""
        data = label(self._templates[number % len(self._templates)], number, version)
        self.path(number).unlink(missing_ok=True)
        self.path(number).write_bytes(data)


def write_random_encoder(folder: Path, layers: int) -> None:
    """Write a model folder with MiniLM's tokenizer, vocabulary and width, and random weights.

    Args:
        folder: created here.
        layers: transformer layers; MiniLM has 6, and 0 pools the word embeddings.
    """
    import torch
    from transformers import BertConfig, BertModel

    minilm = SPECS["minilm"]
    source = model_folder(minilm.passage_model, minilm.package)
    config = BertConfig.from_pretrained(source, num_hidden_layers=layers)
    torch.manual_seed(0)
    BertModel(config).save_pretrained(folder, safe_serialization=True)
    shutil.copy(source / "tokenizer.json", folder)
