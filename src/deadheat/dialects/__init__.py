"""One module per detector: how to find its reports in text and parse them.

The plugin registry finds every module that defines `DETECTOR`. The docstring of such a module is its
page in the documentation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.model import Frame, Report


class Verdict(IntEnum):
    """What a line means to a parser."""

    FOREIGN = 1  # not part of the report
    OWN = 2  # part of the report
    NEUTRAL = 3  # blank, or irrelevant
    CLOSED = 4  # the last line of the report
    ANOTHER = 5  # starts another report: finish this one and feed the line to a new parser
    ABANDONED = 6  # not a report, whatever follows


class Folds(NamedTuple):
    """Patterns to split several printed lines that were joined into one."""

    between: re.Pattern[str]  # where to split; the group `end` belongs to the line before
    shown: re.Pattern[str]  # matches only joined lines: a header followed by a frame


class Machine(Protocol):
    """Parses one report line by line."""

    @property
    def patience(self) -> int:
        """The number of consecutive foreign lines after which the report is over."""

    @property
    def topless(self) -> bool:
        """Did a stack start with a frame that cannot be the innermost?"""

    def feed(self, text: str) -> Verdict: ...

    def finish(self, cut: bool) -> Report | None:
        """Return the report, if there is one. `ends_mid_line`: the text was cut within a line."""


class Symbols(Protocol):
    """Interprets the symbols of a language. Implemented by the modules in `deadheat.symbols`."""

    def parent(self, function: str) -> str:
        """The function as written in the source, without compiler-generated suffixes."""

    def key(self, frame: Frame) -> str:
        """The function name for fingerprints, independent of lines, files, closures and versions."""


class Dialect(Protocol):
    """Finds and parses the reports of one detector."""

    name: str
    called: str  # as written in a sentence

    @property
    def symbols(self) -> Symbols: ...

    # literals: each report contains at least one; those that start a report come first
    anchors: tuple[bytes, ...]
    # literals: at least one is within `prefilter.MARGIN` bytes of each anchor
    hints: tuple[bytes, ...]

    def column(self, text: str) -> int:
        """The column where an opening line of a report starts in this line, or -1."""

    def remnant(self, text: str) -> bool:
        """Could this be the end of a wrapped opening line, or a later line of a report?"""

    def promises(self, ahead: bytes) -> bool:
        """Could these raw bytes contain a report? A cheap test without false negatives."""

    # a pattern that must match within `nearby_bytes` after the line;
    # None: if some bytes cannot contain a report, no part of them can
    beside: re.Pattern[bytes] | None
    near: int

    # is there a header line above every stack?
    headed: bool

    def order(self, lines: Sequence[str]) -> int:
        """Is the order of the lines plausible? Below zero: the lines are reversed."""

    # how many bytes before an anchor that does not start a report it can start
    back: int

    def sign(self, above: bytes) -> int:
        """The earliest offset in these bytes where the report can start; their length if none."""

    def starts(self, anchor: bytes) -> bool:
        """Does a line with this anchor start a report?"""

    def machine(self) -> Machine: ...

    folds: Folds | None  # None: joined lines cannot be split

    # the first and last bytes of an undamaged report, or None
    opening: bytes | None
    closing: bytes | None
    # numbers that differ between runs: groups `address` (hexadecimal) and `actor` (decimal)
    volatile: re.Pattern[bytes] | None

    def glance(self, text: str) -> Report | None:
        """Parse only accesses and sites of an undamaged report; None if it is damaged."""

    def whole(self, text: str) -> Report | None:
        """Parse an undamaged report in one pass; None if it is damaged."""
