"""Which label of a drug is evidence."""

from __future__ import annotations

import datetime as dt
import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.model.document import Document
from clinrag_core.model.label import ActiveIngredient, Label, Product
from clinrag_core.model.source import SourceFile
from clinrag_core.pipeline.evidence import Equivalent, choose_evidence


def label(
    id_="a",
    *,
    version=1,
    number="NDA000001",
    form="TABLET",
    routes=("ORAL",),
    actives=("testazid",),
    year=2024,
    source=(),
    format_="spl",
    partial=False,
    otc=False,
    drug="testazid",
    salt="",
):
    # The bytes decide between documents that are alike in all else.
    sha256 = hashlib.sha256(repr(sorted(locals().items())).encode()).hexdigest()
    product = Product(
        form=form,
        routes=routes,
        applications=(number,) if number else (),
        source_ndcs=source,
        actives=tuple(
            ActiveIngredient(substance=f"{name}{salt}", moieties=(name,)) for name in actives
        ),
    )
    return Document(
        id=id_,
        kind="label",
        format=format_,
        title=id_,
        file=SourceFile(name=f"{id_}.xml", sha256=sha256, size=1),
        parser="x/1",
        label=Label(
            drug=drug,
            set_id=id_,
            version=version,
            effective=dt.date(year, 1, 1),
            products=(product,),
            is_partial=partial,
            type_code="34390-5" if otc else "34391-3",
        ),
    )


def chosen(*documents):
    return [document.id for document in choose_evidence(documents).indexed]


def test_generics_of_the_reference_product_are_equivalents():
    choice = choose_evidence(
        [
            label("generic", number="ANDA000002", year=2026, salt=" sodium"),
            label("reference", number="NDA000001", year=2020),
            label("other", number="", year=2026),
        ]
    )
    assert [d.id for d in choice.indexed] == ["reference"]
    assert choice.equivalents == (
        Equivalent("generic", 1, "equivalent_of:reference"),
        Equivalent("other", 1, "equivalent_of:reference"),
    )


def test_versions_are_compared_as_numbers():
    choice = choose_evidence([label(version=9), label(version=1560), label(version=10)])
    assert choice.indexed[0].label.version == 1560
    assert [e[1:] for e in choice.equivalents] == [(9, "older_version"), (10, "older_version")]


def test_same_version_twice_is_a_duplicate_and_spl_is_kept():
    choice = choose_evidence([label(format_="openfda"), label(format_="spl")])
    assert choice.indexed[0].format == "spl"
    assert choice.equivalents == (Equivalent("a", 1, "duplicate"),)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"number": "BLA1"}, {"number": "ANDA1", "year": 2030}),
        ({"number": "ANDA1"}, {"number": "part352", "year": 2030}),
        ({}, {"source": ("0001-0002",), "year": 2030}),
        ({"year": 2025}, {"year": 2024, "version": 99}),
        ({"version": 10}, {"version": 9}),
        ({"number": "ANDA1"}, {"partial": True, "format_": "openfda", "year": 2030}),
    ],
)
def test_preference(better, worse):
    assert chosen(label("z", **better), label("a", **worse)) == ["z"]


@pytest.mark.parametrize(
    "other",
    [
        {"form": "TABLET, EXTENDED RELEASE"},
        {"form": "SUSPENSION"},
        {"routes": ("INTRAVENOUS",)},
        {"routes": ("ORAL", "INTRAVENOUS")},
        {"actives": ("testazid", "rifampin")},
        {"actives": ("rifampin",)},
        {"otc": True},
        {"form": None, "format_": "openfda"},
    ],
)
def test_what_may_say_something_else_is_indexed_too(other):
    assert chosen(label("a"), label("b", number="ANDA1", **other)) == ["a", "b"]


def test_film_coating_is_no_other_presentation():
    assert chosen(label("a"), label("b", number="ANDA1", form="TABLET, FILM COATED")) == ["a"]


def test_spellings_and_salts_are_one_ingredient():
    ours = label("a", actives=("RIFAMPIN",))
    theirs = label("b", actives=("Rifampicin sodium",), number="ANDA1")
    assert chosen(ours, theirs) == ["a"]


def test_partial_label_alone_is_indexed():
    assert chosen(label("a", partial=True)) == ["a"]


def test_guidelines_are_all_kept():
    guideline = label("g").model_copy(update={"kind": "guideline", "label": None})
    other = guideline.model_copy(update={"id": "h"})
    assert chosen(guideline, other) == ["g", "h"]


def test_nothing_gives_nothing():
    choice = choose_evidence([])
    assert (choice.indexed, choice.equivalents) == ((), ())


DOCUMENTS = st.lists(
    st.builds(
        label,
        st.sampled_from("abcd"),
        version=st.integers(1, 12),
        number=st.sampled_from(["NDA1", "BLA1", "ANDA1", ""]),
        form=st.sampled_from(["TABLET", "CAPSULE", None]),
        routes=st.sampled_from([("ORAL",), ("TOPICAL",), ("ORAL", "TOPICAL"), ()]),
        actives=st.sampled_from([("x",), ("y",), ("x", "y"), ()]),
        year=st.integers(2019, 2026),
        source=st.sampled_from([(), ("1-2",)]),
        format_=st.sampled_from(["spl", "openfda"]),
        partial=st.booleans(),
    ),
    max_size=8,
)


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_choice_does_not_depend_on_the_order_and_loses_nothing(documents, rng: random.Random):
    first = choose_evidence(documents)
    shuffled = list(documents)
    rng.shuffle(shuffled)
    assert choose_evidence(shuffled).equivalents == first.equivalents
    assert [d.id for d in choose_evidence(shuffled).indexed] == [d.id for d in first.indexed]
    assert len(first.indexed) + len(first.equivalents) == len(documents)
    assert {d.id for d in documents} == {d.id for d in first.indexed} | {
        e.document_id for e in first.equivalents
    }


@given(DOCUMENTS)
def test_every_equivalent_names_an_indexed_label(documents):
    choice = choose_evidence(documents)
    indexed = {d.id for d in choice.indexed}
    for equivalent in choice.equivalents:
        kind, _, reference = equivalent.reason.partition(":")
        assert kind in {"older_version", "duplicate", "equivalent_of"}
        assert not reference or reference in indexed
