"""Partition keys of drugs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinrag_core.acquire.keys import MAX_KEY, partition_key


def test_names_written_differently_share_a_key():
    assert (
        partition_key("Rifampin/Isoniazid")
        == partition_key("rifampin  isoniazid")
        == "rifampin-isoniazid"
    )


def test_long_names_with_the_same_beginning_differ():
    stem = "avobenzone and octocrylene and oxybenzone and homosalate and octisalate"
    one, two = partition_key(stem + " and zinc"), partition_key(stem + " and titanium")
    assert one != two
    assert len(one) <= MAX_KEY


def test_drugs_that_differ_in_lost_letters_have_different_keys():
    assert (
        partition_key("interferon α")
        != partition_key("interferon β")
        != partition_key("interferon")
    )


def test_key_of_a_long_name_is_the_same_in_every_process():
    assert partition_key("x" * 80) == "x" * 52 + "-" + "d929cdeea7"  # sha256 of 80 x


@pytest.mark.parametrize("name", ["", "  ", "-/-", "®"])
def test_a_name_without_letters_has_no_key(name):
    with pytest.raises(ValueError, match="no letter"):
        partition_key(name)


@given(st.text(min_size=1, max_size=200).filter(lambda s: any(c.isalnum() for c in s)))
def test_keys_are_slugs_and_stable_under_case(name):
    key = partition_key(name)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key)
    assert 1 <= len(key) <= MAX_KEY
    assert partition_key(f" {name} ") == key
