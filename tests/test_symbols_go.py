"""Go symbols."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.symbols import go
from tests.test_properties import example_count
from tests.watchdog import time_limit

# suffixes that the compiler appends, with or without a number
APPENDED = re.compile(r"(?:\.func\d+|\.gowrap\d+|\.deferwrap\d+|\.\d+|-range\d+|-fm|·fm|·dwrap·\d+|·\d+)+$")
PIECES = [
    "cart.(*Cart)", ".Add", ".func1", ".func", ".gowrap2", ".deferwrap1", ".2", ".", "2", "-range3",
    "-range", "-fm", "·fm", "·dwrap·4", "·5", "·", "fm", "x1",
]  # fmt: skip


@pytest.mark.long
@example_count(500)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_all_closure_suffixes_are_stripped(name: str) -> None:
    assert go.strip_closure_suffixes(name) == APPENDED.sub("", name)


@pytest.mark.long
def test_long_symbol_is_split_in_linear_time() -> None:
    with time_limit():
        assert go.strip_closure_suffixes("F" + ".1" * 500_000) == "F"
