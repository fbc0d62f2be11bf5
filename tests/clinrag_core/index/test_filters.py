"""A filter means the same row by row, for a whole table, and inside the indexes."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.filters import matches
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from clinrag_core.index.chunk_table import to_table
from clinrag_core.index.dense import DenseIndex
from clinrag_core.index.filters import MetadataFilter, filter_mask
from clinrag_core.model.chunk import Chunk

DRUGS = {"isoniazid": ("inh", "isoniazid"), "rifampin": ("rifadin", "rifampicin", "rifampin")}

payloads = st.fixed_dictionaries(
    {
        "organisation": st.sampled_from([None, "WHO", "CDC"]),
        "year": st.none() | st.integers(2000, 2005),
        "topics": st.lists(st.sampled_from(["tb", "cap"]), unique=True).map(tuple),
        "drug": st.sampled_from([None, *DRUGS]),
        "loinc": st.sampled_from([None, "34068-7", "34070-3"]),
        "group": st.sampled_from([None, "dosage", "contraindications"]),
        "has_table": st.booleans(),
        "document_id": st.sampled_from(["a", "b"]),
    }
)
filters = st.builds(
    MetadataFilter,
    sources=st.lists(st.sampled_from(["WHO", "CDC", "ATS"]), max_size=2).map(tuple),
    year_from=st.none() | st.integers(2000, 2002),
    year_to=st.none() | st.integers(2002, 2005),
    topics=st.lists(st.sampled_from(["tb", "cap"]), max_size=1).map(tuple),
    drugs=st.lists(st.sampled_from(["INH", "Rifampicin", "x"]), max_size=2).map(tuple),
    loinc=st.lists(st.just("34068-7"), max_size=1).map(tuple),
    groups=st.lists(st.just("dosage"), max_size=1).map(tuple),
    document_ids=st.lists(st.just("a"), max_size=1).map(tuple),
    tables_only=st.booleans(),
)


def chunk(number: int, payload: dict) -> Chunk:
    return Chunk(
        id=f"chunk-{number:010d}",
        document_title="T",
        kind="label",
        section_ordinal=0,
        section_path=("T",),
        ordinal=0,
        start=0,
        end=1,
        text="x",
        embed_title="T",
        embed_text="x",
        tokens=1,
        file_sha256="0" * 64,
        drug_names=DRUGS.get(payload["drug"] or "", ()),
        **payload,
    )


@settings(deadline=None)  # the first call pays for imports
@given(st.lists(payloads, max_size=12), filters)
def test_the_mask_is_matches_row_by_row(found: list[dict], wanted: MetadataFilter):
    chunks = [chunk(n, payload) for n, payload in enumerate(found)]
    mask = filter_mask(to_table(chunks), wanted)
    expected = [matches(wanted, c.model_dump()) for c in chunks]
    assert expected == (mask.tolist() if mask is not None else [True] * len(chunks))


def test_years_are_in_order():
    with pytest.raises(ValidationError, match="is after"):
        MetadataFilter(year_from=2020, year_to=2010)


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 45), st.integers(0, 9))
def test_masked_dense_search_is_exact_search_over_what_is_left(keep: list[bool], k: int, seed: int):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((len(keep), 8)).astype(np.float32)
    ids = [f"c{n:03d}" for n in range(len(keep))]
    query = rng.standard_normal(8).astype(np.float32)
    mask = np.array(keep)
    hits = DenseIndex.build(vectors, ids).search(query, k, mask)
    scores = vectors @ query
    order = sorted((n for n in range(len(keep)) if keep[n]), key=lambda n: (-scores[n], ids[n]))
    assert [i for i, _ in hits] == [ids[n] for n in order[:k]]
