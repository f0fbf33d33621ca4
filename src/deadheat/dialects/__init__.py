"""One file per detector: how to recognise its text and read it; knows no file and no other dialect.

A module in this folder that has a `DIALECT` is found by the registry. Its docstring is its page in
the documentation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.model import Frame, Report


class Verdict(IntEnum):
    """What a machine makes of a line."""

    FOREIGN = 1  # none of its report's
    OWN = 2  # part of its report
    NEUTRAL = 3  # blank, or of no weight
    CLOSED = 4  # part of its report, which ends with it
    ANOTHER = 5  # begins another report: end this one and feed the line to a new machine
    ABANDONED = 6  # this is no report, and nothing that follows can make it one


class Folds(NamedTuple):
    """Where lines end that something has put into one."""

    between: re.Pattern[str]  # what stands between two; the group `end` belongs to the first
    shown: re.Pattern[str]  # a header with a frame behind it, which only such a line has


class Machine(Protocol):
    """Reads one report line by line."""

    @property
    def patience(self) -> int:
        """How many foreign lines in a row it bears before it should be ended."""

    @property
    def topless(self) -> bool:
        """Did a stack begin with what others stand above?"""

    def feed(self, text: str) -> Verdict: ...

    def finish(self, cut: bool) -> Report | None:
        """The report, if there is one; `cut` says that the text ended within a line."""


class Symbols(Protocol):
    """What a language's names mean; the modules in `symbols/` are such."""

    def parent(self, function: str) -> str:
        """The function that a programmer wrote, without what a compiler added to its name."""

    def key(self, frame: Frame) -> str:
        """What stays of a frame's function when lines, files, closures and versions change."""


class Dialect(Protocol):
    """One detector's way of printing."""

    name: str
    called: str  # who it is, in a sentence

    @property
    def symbols(self) -> Symbols: ...

    # every report has at least one of these in its raw text; the first ones begin it
    anchors: tuple[bytes, ...]
    # at least one of these few is never further than `sift.MARGIN` from an anchor
    hints: tuple[bytes, ...]

    def column(self, text: str) -> int:
        """Where in this line one of a report's opening lines begins, or -1."""

    def remnant(self, text: str) -> bool:
        """Could this be the end of an opening line that was cut in two, or a report's later line?"""

    def promises(self, ahead: bytes) -> bool:
        """Could a report begin here, going by the raw bytes from this line on? Cheap, and generous."""

    # what stands less than `near` bytes behind a line that promises a report, if anything has to;
    # None: what is not promised by some bytes is not by any part of them
    beside: re.Pattern[bytes] | None
    near: int

    # has every stack a line above it that says whose it is?
    headed: bool

    def order(self, lines: Sequence[str]) -> int:
        """What these lines tell of their order on their own: below zero, the last was printed first."""

    # how far before a line that does not start a report its beginning may be, in bytes
    back: int

    def sign(self, above: bytes) -> int:
        """Where in the raw bytes above such a line the report may begin; their length: nowhere."""

    def starts(self, anchor: bytes) -> bool:
        """Does a line with this anchor begin a report, so that nothing before it matters?"""

    def machine(self) -> Machine: ...

    folds: Folds | None  # None: lines that were put into one cannot be told apart

    # what begins an undamaged report, and what ends it; None where nothing does
    opening: bytes | None
    closing: bytes | None
    # the numbers in it that differ each time: group `address`, hexadecimal, and `actor`, decimal
    volatile: re.Pattern[bytes] | None

    def glance(self, text: str) -> Report | None:
        """Accesses and sites of an undamaged report, from its first line to its closing; or None."""

    def whole(self, text: str) -> Report | None:
        """All of such a report, read in one go; or None."""
