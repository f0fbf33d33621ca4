"""Packed lines come out unchanged, with the final race ids."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.output import race_counts
from deadheat.output.race_counts import LinePacker, PackedLineStore

# any text of a JSON line, which has no newline
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n")).map(str.encode)
VALUES = st.sampled_from([b"00c0", b"7", b"81"])
RACES = st.sampled_from([b"aa", b"bb", b"cc"])
FINAL_IDS = {"aa": "a-lasting-id", "bb": "b"}


class TemplateLines(NamedTuple):
    """A template and the values of some lines; the first value is the race."""

    pieces: list[bytes]
    gaps: list[int]
    lines: list[list[bytes]]


class UniqueLine(NamedTuple):
    """A unique line: of a report with one race, or of a document with several."""

    pieces: list[bytes]
    races: list[bytes]


@st.composite
def template_lines(draw: st.DrawFn) -> TemplateLines:
    gaps = [0, *draw(st.lists(st.integers(1, 3), max_size=4))]
    values = st.tuples(RACES, VALUES, VALUES, VALUES).map(list)
    lines = draw(st.lists(values, min_size=1, max_size=3))
    return TemplateLines([draw(TEXT) for _ in range(len(gaps) + 1)], gaps, lines)


@st.composite
def unique_lines(draw: st.DrawFn) -> UniqueLine:
    races = draw(st.lists(RACES, max_size=3))
    return UniqueLine([b"{" + draw(TEXT) for _ in range(len(races) + 1)], races)


def final_id(race: bytes) -> bytes:
    return FINAL_IDS.get(race.decode(), race.decode()).encode()


def interleave(pieces: list[bytes], values: list[bytes]) -> bytes:
    return b"".join(map(bytes.__add__, pieces, [*values, b""]))


def add_lines(packer: LinePacker, some: TemplateLines | UniqueLine) -> list[bytes]:
    """Add lines and return the expected output."""
    if isinstance(some, UniqueLine):
        packer.add_unique_line([*some.pieces], some.races)
        return [interleave(some.pieces, list(map(final_id, some.races)))]
    *pieces, last = some.pieces
    number = packer.add_template(([*pieces, last + b"\n"], some.gaps, 1))
    expected = []
    for race, *line_values in some.lines:
        packer.add_filled_template(number, [race, *line_values])
        values = [final_id(race), *line_values]
        expected.append(interleave(some.pieces, [values[gap] for gap in some.gaps]))
    return expected


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(template_lines() | unique_lines(), max_size=6), max_size=3), st.sampled_from([1, 1 << 18]))
def test_packed_lines_come_out_unchanged(batches: list[list[TemplateLines | UniqueLine]], portion: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(race_counts, "_CHUNK_SIZE", portion)
        store, packer, expected = PackedLineStore(), LinePacker(), []
        for batch in batches:
            for some in batch:
                expected += add_lines(packer, some)
            store.add_packed(packer.pack_lines())
        texts = list(store.iter_lines(FINAL_IDS))
    assert b"".join(texts) == b"".join([line + b"\n" for line in expected])
    assert all(text.endswith(b"\n") for text in texts)  # no line is cut in two


def test_common_text_of_lines_is_stored_once() -> None:
    packer = LinePacker()
    number = packer.add_template(([b"x" * 5000, b" ", b"\n"], [0, 1], 1))
    for count in range(1000):
        packer.add_filled_template(number, [b"aa", str(count).encode()])
    packed = packer.pack_lines()
    assert len(packed) < 20_000
    assert b"".join(race_counts.unpack_lines(packed, {})).count(b"\n") == 1000
