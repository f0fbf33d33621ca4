"""Reads a damaged region of text line by line, from a hit on, for as long as a report continues."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from deadheat import backwards
from deadheat.dialects import Verdict
from deadheat.reading import folded, turned
from deadheat.reading.machines import Found, Machines
from deadheat.reading.peek import (
    FAR,
    PEEK,
    behind,
    below,
    farther,
    heads,
    new_lanes,
    unwrapped,
    within,
)
from deadheat.reading.prospects import AHEAD
from deadheat.reading.slices import Slices
from deadheat.text import clean
from deadheat.text.stamps import may_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.dialects import Dialect
    from deadheat.reading.prospects import Prospects
    from deadheat.text.lanes import LaneLine, Lanes
    from deadheat.text.window import Windows

# maximum size of a line that was broken into pieces
_PIECE: Final = 1 << 9
# a longer line may contain several of a detector's lines
_FOLDED: Final = 60
# number of bytes to read before the earliest start of a report, or before a hit
_BEFORE: Final = 1 << 10
# number of bytes that are read in reverse at a time
_REGION: Final = 1 << 15
_LONGEST_PREFIX: Final = 300
# first characters of a record
_RECORDS: Final = ("{", "[")
# lines longer than this are not read again for every hit; the overlap of their pieces
_LONG: Final = 1 << 11
_OVERLAP: Final = 1 << 12
# a line may continue in this many following lines
_HELD: Final = 4
_TAKEN: Final = (Verdict.OWN, Verdict.CLOSED)


class Stretch:
    """The lines around a hit, and the parsers they are fed to."""

    def __init__(
        self,
        dialects: Sequence[Dialect],
        windows: Windows,
        prospects: Prospects,
        encoding: str,
        floor: int,
    ) -> None:
        self._dialects = dialects
        self._windows = windows
        self._prospects = prospects
        self._encoding = encoding
        self._floor = floor
        self._machines = Machines(dialects, self._column, floor)
        self._slices = Slices(windows, encoding, prospects.twice)
        self._sense = backwards.Sense(dialects, windows, self._slices.lines, floor)
        self._asked = "", -1  # the last line and the result for it
        self._walked = floor  # hits before this offset are covered
        self.behind = floor  # end of the hit's line

    @property
    def covered(self) -> int:
        """Text up to here belongs to finished reports."""
        return self._machines.covered

    def read(self, line: int, dialect: Dialect, starts: bool) -> Iterator[Found]:
        """Yields the reports around the line at `line`."""
        raw = self._windows.slice(line, 0)
        (first, *_), _ = clean.lines(raw, self._encoding)
        column = dialect.column(first)
        whole = column >= 0
        lanes = None
        self.behind = line + len(raw)
        near = self._below(self.behind)[:PEEK]
        wrapped = not whole or (column and not first[:column].isspace())
        if wrapped or self._is_several(first, near, dialect):
            lanes, whole = self._lanes(first, near, dialect)
            if not whole and not self._is_rest(first, dialect):
                if len(raw) > _LONG:
                    self._prospects.was_vain(dialect, self.behind - _OVERLAP)
                self.behind = self._floor  # another detector may find more in this line
                return
            if lanes is not None:
                lanes.heed(first, near)
                if len(raw) > _PIECE and may_turn(first):
                    turned.settle(lanes, lambda: self._in_order((0,), [first], [0, 1], lanes))
            elif not whole:
                lanes = self._lanes_before(line)
        if lanes is not None:
            line, self.behind = self._slices.record(line, raw, self._floor)
        # the writer's prefix may be in a piece of its own
        if lanes is None and clean.MARKED.search(raw + self._windows.peek(self.behind, _PIECE)):
            lanes = new_lanes(first)
        if not (whole and starts):
            self._machines.prelude = dialect
        sought = self._machines.prelude, lanes.form if lanes else None
        if self._prospects.is_vain(sought, line):
            return
        tied = not self._prospects.is_vain(backwards.Way.TIED, line)
        way = self._sense.way(line, lanes, whole, tied)
        reports = self._backwards(line, lanes, way) if way else []
        # stacks without headers would be misread in forward order
        if reports or (way is backwards.Way.BACKWARD and not dialect.headed):
            yield from reports
            return
        # where many searches are fruitless, one pass covers all of them
        self._machines.horizon = self._prospects.horizon(sought, line)
        yield from self._walk(self._beginning(line, lanes), line, lanes)
        if self.covered == self._floor and sought[1] == (lanes.form if lanes else None):
            self._prospects.was_vain(sought, self._walked)

    def _beginning(self, line: int, lanes: Lanes | None) -> int:
        """Where to begin reading: the hit need not be in the report's first line."""
        windows, floor, dialect = self._windows, self._floor, self._machines.prelude
        if dialect is None:
            return line if lanes is None else windows.back(line, _PIECE, floor)
        most = windows.back(line, dialect.back, floor)
        sign = most + dialect.sign(windows.peek(most, line - most))
        # the line of the earliest start, and its prefixes
        return max(most, windows.back(min(sign, line), _BEFORE, floor))

    def _backwards(self, line: int, lanes: Lanes | None, way: backwards.Way) -> list[Found]:
        """The reports of a log with its newest line first; empty if the order is wrong."""
        begin = self._windows.back(line, AHEAD, self._floor)
        texts, offsets = next(self._slices.read(begin, line - begin + _REGION))
        tried = (
            self._in_order(order, texts, offsets, lanes) for order in turned.orders(texts, way)
        )
        kept = turned.best(tried, way)
        if way is backwards.Way.TIED and not kept:
            self._prospects.was_vain(way, offsets[-1])
        if not self._windows.ended:  # the beginning of the last reports may be missing
            kept = [found for found in kept if found.span.end < offsets[-1] - AHEAD] or kept
        self._machines.covered = max([self.covered, *(f.span.end for f in kept)])
        return [turned.marked(found) for found in sorted(kept, key=lambda found: found.span.offset)]

    def _in_order(
        self, order: Sequence[int], texts: list[str], offsets: list[int], lanes: Lanes | None
    ) -> list[Found]:
        """The reports of these lines when read in this order."""
        machines = Machines(self._dialects, self._column, self._floor)
        machines.prelude, machines.stray = self._machines.prelude, self._slices.stray
        fork = lanes.fork() if lanes else None
        for i, at in enumerate(order):
            following = [texts[n] for n in order[i + 1 : i + 1 + PEEK]] if fork else []
            text = texts[at]
            for lane, inner in (
                self._split(fork, text, following, machines) if fork else ((None, text),)
            ):
                machines.feed(lane, inner, offsets[at], offsets[at + 1], True)
        machines.finish()
        return machines.found

    def _is_several(self, first: str, below: list[str], dialect: Dialect) -> bool:
        """Whether this line or the next may contain several report lines, or only part of one."""
        if any(end in first for end in clean.ENDS) or clean.tail([first, *below]):
            return True
        return any(folded.may_be(text, dialect) for text in (first, *below) if len(text) > _FOLDED)

    def _lanes(self, first: str, below: list[str], dialect: Dialect) -> tuple[Lanes | None, bool]:
        """A splitter for the prefixes of this line, and whether a report line is inside it."""
        lanes, probe = new_lanes(first), new_lanes()
        if "," in first and (opens := self._tabulated(lanes, first, below, dialect)) is not None:
            return lanes, opens
        pieces = [*probe.split(first), *probe.flush()]
        columns = [self._column(text) for _, text in pieces]
        opening = [(at, text) for at, (_, text) in enumerate(pieces) if columns[at] >= 0]
        for at, text in opening:
            if self._learn(lanes, text[: columns[at]], behind(pieces, at) or self.behind):
                return lanes, True
        if len(pieces) == 2 and columns[1] == 0 and lanes.learn_head(pieces[0][1], heads(below)):
            return lanes, True
        bare = pieces == [(None, first)]
        if self._is_folded([text for _, text in pieces], [first, *below] if bare else [], dialect):
            return lanes, True
        if any(self._opens(text) for _, text in opening):
            return lanes, True
        return (None if bare else lanes), False

    def _tabulated(
        self, lanes: Lanes, first: str, near: list[str], dialect: Dialect
    ) -> bool | None:
        """Whether this line is a table row that begins a report (True) or continues one (False)."""
        from deadheat.text.table import tables

        rest = None if dialect.remnant("") else dialect.remnant
        if len(near) < PEEK:
            near = below(self._windows, self.behind, self._encoding, FAR)[:PEEK]
        for cell, table in tables(first, near):
            texts = [text for _, text in new_lanes().split(cell) if text.strip()]
            for text in texts if cell[:1] in _RECORDS else texts[:1]:
                column = self._column(text)
                if column < 0 and not (rest and rest(text)):
                    continue
                prefix = text[: max(column, 0)]
                rows = [row[table.column] for row in map(table.cells, near) if row]
                if prefix.strip() and not self._learn(lanes, prefix, rows):
                    return None  # a sentence, or a prefix that contains a comma
                lanes.tabulate(table)
                return column >= 0
        return None

    def _is_folded(self, pieces: list[str], bare: list[str], dialect: Dialect) -> bool:
        """Whether one of these pieces, or of the `bare_lines` without prefixes, is folded."""
        known = self._slices.folded
        if any(known.shows(text, dialect) for text in pieces):
            return True
        if not bare or not folded.may_fill(bare, dialect) or clean.tail(bare):
            return False
        probe = new_lanes(bare[0])
        return all(probe.split(t) == [(None, t)] for t in bare) and known.fills(bare, dialect)

    def _is_rest(self, first: str, dialect: Dialect) -> bool:
        """Whether this line, or one it contains, continues a line or a report."""
        texts = (text for _, text in new_lanes().split(first))
        return dialect.remnant(first) or any(map(dialect.remnant, texts))

    def _lanes_before(self, line: int) -> Lanes | None:
        """A splitter, if the line before a continued line has prefixes."""
        if line <= self._floor:
            return None
        raw = self._windows.slice(self._windows.line_start(line - 1, self._floor), 0)
        (before, *_), _ = clean.lines(raw, self._encoding)
        return new_lanes(before) if new_lanes().split(before) != [(None, before)] else None

    def _lanes_from(self, text: str, end: int) -> Lanes | None:
        """A splitter, if a report begins in this line, which has a prefix unlike the lines before it."""
        column = self._column(text)
        if column == 0 or (column < 0 and text[:1] not in _RECORDS) or text[:column].isspace():
            return None
        pieces = new_lanes().split(text)
        wrapped = [piece for piece in pieces if self._column(piece[1]) >= 0 and piece[1] != text]
        lanes = new_lanes(text)
        return lanes if wrapped or self._learn(lanes, text[: max(column, 0)], end) else None

    def _learn(self, lanes: Lanes, prefix: str, following: list[str] | int) -> bool:
        """Learns the text before a report's line as a writer's prefix, if it is one.

        `following` is the lines that come next, or the offset at which they begin.
        """
        if not prefix or prefix.isspace() or len(prefix) > _LONGEST_PREFIX:
            return False
        lines = self._below(following) if isinstance(following, int) else following
        if lanes.counts(prefix, [text for text in lines[:PEEK] if text]):
            return True
        if isinstance(following, int):
            texts = unwrapped(self._windows, following, self._encoding, lines)
        else:
            texts = within(lines[:PEEK])
        # line numbers of a viewer, copied onto lines of their own
        texts = [text for text in texts if not text.strip().isdigit()]
        columns = [(self._column(text), text) for text in texts]
        if any(column >= 0 and not text[:column].strip() for column, text in columns):
            return False  # the next header has no such prefix
        if lanes.learn(prefix, texts):
            return True
        if not isinstance(following, int):
            return False
        return lanes.learn(prefix, farther(self._windows, following, self._encoding, texts))

    def _below(self, at: int) -> list[str]:
        return below(self._windows, at, self._encoding)

    def _opens(self, text: str) -> bool:
        """Whether a parser accepts this line. A header within other text may be a sentence."""
        takers = (dialect for dialect in self._dialects if dialect.column(text) >= 0)
        return any(not d.headed or d.machine().feed(text) in _TAKEN for d in takers)

    def _column(self, text: str) -> int:
        # each line is queried twice: when it is split and when it is read
        if text is not self._asked[0]:
            self._asked = text, max([dialect.column(text) for dialect in self._dialects])
        return self._asked[1]

    def _walk(self, begin: int, line: int, lanes: Lanes | None) -> Iterator[Found]:
        machines = self._machines
        idle = 0
        for texts, offsets in self._slices.read(begin):
            machines.stray = machines.stray or self._slices.stray
            machines.give_up(offsets[0], self.behind)
            for i, text in enumerate(texts):
                at, end = offsets[i], offsets[i + 1]
                if lanes is None and at > line:
                    lanes = self._lanes_from(text, end)
                for lane, inner in self._lines(lanes, text, end):
                    machines.feed(lane, inner, at, end, at > line)
                if machines.found:
                    yield from machines.found
                    machines.found.clear()
                if at >= line and at >= machines.horizon and not machines.busy:
                    idle += 1
                    if idle > self._patience(lanes):
                        self._walked = offsets[max(0, i - _HELD)]
                        return
        for lane, inner in lanes.flush() if lanes else ():
            machines.feed(lane, inner, self._windows.end, self._windows.end, True)
        machines.finish(cut=self._slices.unfinished)
        self._walked = self._windows.end
        yield from machines.found

    def _lines(self, lanes: Lanes | None, text: str, end: int) -> Iterator[LaneLine]:
        """Yields the report lines in a line of text, with their streams."""
        if lanes is None:
            yield from ((None, inner) for inner in text.split(clean.BREAK))
            return
        for lane, inner in self._split(lanes, text, end):
            parts = self._slices.folded.lines(inner)
            # each may have its own prefix
            bare = [parts] if len(parts) == 1 else [[t for _, t in lanes.split(x)] for x in parts]
            yield from ((lane, part) for part in chain.from_iterable(bare))

    def _patience(self, lanes: Lanes | None) -> int:
        """The number of lines to wait while no parser has a report."""
        if self._machines:
            return 2 * PEEK  # the other part of the hit's line may come late
        return 0 if lanes is None else PEEK  # the end of a line may come late

    def _split(
        self,
        lanes: Lanes,
        text: str,
        following: list[str] | int,
        machines: Machines | None = None,
    ) -> list[LaneLine]:
        """Splits a line into streams; learns the prefix of a report that another writer begins."""
        pieces = lanes.split(text)
        for at, (lane, inner) in enumerate(pieces):
            if lane in (self._machines if machines is None else machines):
                continue
            column = self._column(inner)
            if column > 0 and self._learn(lanes, inner[:column], behind(pieces, at) or following):
                return lanes.split(text)
        return pieces
