"""Lines that wait for the names of their races come out as they went in, whatever they share."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.output import spill_buffer
from deadheat.output.spill_buffer import LinePacker, PackedLineStore

# what may stand in a line of JSON: anything but a newline
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n")).map(str.encode)
WORDS = st.sampled_from([b"00c0", b"7", b"81"])
RACES = st.sampled_from([b"aa", b"bb", b"cc"])
LASTING = {"aa": "a-lasting-id", "bb": "b"}


class Filled(NamedTuple):
    """An outline, and the words of some lines that it makes; the first word is the race."""

    pieces: list[bytes]
    gaps: list[int]
    lines: list[list[bytes]]


class Whole(NamedTuple):
    """A line of its own: of a report, which is of one race, or of a document of any number."""

    pieces: list[bytes]
    races: list[bytes]


@st.composite
def filled(draw: st.DrawFn) -> Filled:
    gaps = [0, *draw(st.lists(st.integers(1, 3), max_size=4))]
    words = st.tuples(RACES, WORDS, WORDS, WORDS).map(list)
    lines = draw(st.lists(words, min_size=1, max_size=3))
    return Filled([draw(TEXT) for _ in range(len(gaps) + 1)], gaps, lines)


@st.composite
def whole(draw: st.DrawFn) -> Whole:
    races = draw(st.lists(RACES, max_size=3))
    return Whole([b"{" + draw(TEXT) for _ in range(len(races) + 1)], races)


def named(race: bytes) -> bytes:
    return LASTING.get(race.decode(), race.decode()).encode()


def mixed(pieces: list[bytes], words: list[bytes]) -> bytes:
    return b"".join(map(bytes.__add__, pieces, [*words, b""]))


def taken(gatherer: LinePacker, some: Filled | Whole) -> list[bytes]:
    """Hands lines over, and says how they should come out."""
    if isinstance(some, Whole):
        gatherer.add_unique_line([*some.pieces], some.races)
        return [mixed(some.pieces, list(map(named, some.races)))]
    *pieces, last = some.pieces
    number = gatherer.add_template(([*pieces, last + b"\n"], some.gaps, 1))
    expected = []
    for race, *words in some.lines:
        gatherer.add_filled_template(number, [race, *words])
        values = [named(race), *words]
        expected.append(mixed(some.pieces, [values[gap] for gap in some.gaps]))
    return expected


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(filled() | whole(), max_size=6), max_size=3), st.sampled_from([1, 1 << 18]))
def test_lines_come_out_as_they_went_in(batches: list[list[Filled | Whole]], portion: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill_buffer, "_CHUNK_SIZE", portion)
        spool, gatherer, expected = PackedLineStore(), LinePacker(), []
        for batch in batches:
            for some in batch:
                expected += taken(gatherer, some)
            spool.add_packed(gatherer.pack_lines())
        texts = list(spool.iter_lines(LASTING))
    assert b"".join(texts) == b"".join([line + b"\n" for line in expected])
    assert all(text.endswith(b"\n") for text in texts)  # no line is cut in two


def test_what_lines_have_in_common_is_packed_once() -> None:
    gatherer = LinePacker()
    number = gatherer.add_template(([b"x" * 5000, b" ", b"\n"], [0, 1], 1))
    for count in range(1000):
        gatherer.add_filled_template(number, [b"aa", str(count).encode()])
    packed = gatherer.pack_lines()
    assert len(packed) < 20_000
    assert b"".join(spill_buffer.unpack_lines(packed, {})).count(b"\n") == 1000
