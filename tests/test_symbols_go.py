"""What Go's names mean."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.symbols import go
from tests.test_properties import law
from tests.watchdog import ends

# what the compiler appends, each with a number of its own or without
APPENDED = re.compile(r"(?:\.func\d+|\.gowrap\d+|\.deferwrap\d+|\.\d+|-range\d+|-fm|·fm|·dwrap·\d+|·\d+)+$")
PIECES = [
    "cart.(*Cart)", ".Add", ".func1", ".func", ".gowrap2", ".deferwrap1", ".2", ".", "2", "-range3",
    "-range", "-fm", "·fm", "·dwrap·4", "·5", "·", "fm", "x1",
]  # fmt: skip


@pytest.mark.long
@law(500)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_what_a_closure_is_in_is_what_stands_before_all_that_was_appended(name: str) -> None:
    assert go.strip_closure_suffixes(name) == APPENDED.sub("", name)


@pytest.mark.long
def test_a_name_without_end_is_taken_apart_once() -> None:
    with ends():
        assert go.strip_closure_suffixes("F" + ".1" * 500_000) == "F"
