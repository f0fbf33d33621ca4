"""One module per detector: how to find its reports in text and parse them.

The plugin registry finds every module that defines `DETECTOR`. The docstring of such a module is its page in the
documentation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from deadheat.model import Frame, Origin

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from deadheat.model import Report


class LineVerdict(IntEnum):
    """What a line means to a parser."""

    FOREIGN = 1  # not part of the report
    ACCEPTED = 2  # part of the report
    NEUTRAL = 3  # blank, or irrelevant
    CLOSED = 4  # the last line of the report
    NEXT_REPORT = 5  # starts another report: finish this one and feed the line to a new parser
    ABANDONED = 6  # not a report, whatever follows


class JoinedLinePatterns(NamedTuple):
    """Patterns to split several printed lines that were joined into one."""

    boundary: re.Pattern[str]  # where to split; the group `end` belongs to the line before
    evidence: re.Pattern[str]  # matches only joined lines: a header followed by a frame


class LineParser(Protocol):
    """Parses one report line by line."""

    @property
    def max_foreign_lines(self) -> int:
        """The number of consecutive foreign lines after which the report is over."""

    @property
    def lacks_top_frame(self) -> bool:
        """Did a stack start with a frame that cannot be the innermost?"""

    def feed(self, text: str) -> LineVerdict: ...

    def finish(self, ends_mid_line: bool) -> Report | None:
        """Return the report, if there is one. `ends_mid_line`: the text was cut within a line."""


class LanguageSymbols(Protocol):
    """Interprets the symbols of a language. Implemented by the modules in `deadheat.symbols`."""

    def source_function(self, function: str) -> str:
        """The function as written in the source, without compiler-generated suffixes."""

    def function_key(self, frame: Frame) -> str:
        """The function name for fingerprints, independent of lines, files, closures and versions."""

    def site_key(self, frame: Frame) -> str:
        """The same for a racing function, with its file if functions of several programs may have that name."""


class Detector(Protocol):
    """Finds and parses the reports of one detector. Subclasses define what has no default."""

    name: str
    display_name: str  # as written in a sentence
    opt_in: bool = False  # True: used only where it is asked for, and in bug reports about races
    symbols: LanguageSymbols
    # literals: each report contains at least one; those that start a report come first
    anchors: tuple[bytes, ...]
    # literals: at least one is within `prefilter.MARGIN` bytes of each anchor
    hints: tuple[bytes, ...]
    # an opening line of a report contains at least one of the literals, and one of the patterns matches
    opening_literals: tuple[str, ...] = ()
    opening_patterns: tuple[re.Pattern[str], ...] = ()
    # the end of a wrapped opening line, or a later line of a report
    fragment_pattern: re.Pattern[str]
    # raw bytes that contain a report contain a literal of each group, wherever its lines are wrapped or colored
    required_literals: tuple[tuple[bytes, ...], ...] = ()
    # a pattern that must match within `nearby_bytes` after the line;
    # None: if some bytes cannot contain a report, no part of them can
    required_nearby: re.Pattern[bytes] | None = None
    nearby_bytes: int = 0
    # how many bytes before an anchor that does not start a report it can start
    lookback_bytes: int = 1 << 13
    has_stack_headers: bool = True  # is there a header line above every stack?
    joined_lines: JoinedLinePatterns | None = None  # None: joined lines cannot be split
    # the first and last bytes of an undamaged report, or None
    report_start: bytes | None = None
    report_end: bytes | None = None
    report_end_size: int = 1  # how many of the last bytes are part of the report
    # Numbers that differ between runs, and nothing else in a report: groups `address` and `location` (of the memory),
    # hexadecimal, `actor` and `process`, decimal. A match without a group is skipped.
    volatile_numbers: re.Pattern[bytes] | None = None
    # how an undamaged report begins if all its lines have a prefix with the process id; () if it has no such form
    block_starts: tuple[bytes, ...] = ()
    # what is on no line after such a report that does not belong to it
    block_continuation: re.Pattern[bytes] | None = None

    def find_opening(self, text: str) -> int:
        """The column where an opening line of a report starts in this line, or -1."""
        for literal in self.opening_literals:
            if literal in text:
                matches = (pattern.search(text) for pattern in self.opening_patterns)
                return next((match.start() for match in matches if match), -1)
        return -1

    def is_fragment(self, text: str) -> bool:
        """Could this be the end of a wrapped opening line, or a later line of a report?"""
        return self.fragment_pattern.search(text) is not None

    def might_contain(self, following: bytes) -> bool:
        """Could these raw bytes contain a report? A cheap test without false negatives."""
        return all(any(literal in following for literal in literals) for literals in self.required_literals)

    def earliest_start(self, preceding: bytes) -> int:
        """The earliest offset in these bytes where the report can start; their length if none."""
        return 0

    def order_score(self, lines: Sequence[str]) -> int:
        """Is the order of the lines plausible? Below zero: the lines are reversed."""
        return 0

    def anchor_starts_report(self, anchor: bytes) -> bool:
        """Does a line with this anchor start a report?"""
        return False

    def address_traits(self, address: int) -> object:
        """What rules derive from the address of an access: reports of which it differs are no duplicates."""
        return None

    def new_parser(self) -> LineParser: ...

    def parse_intact(self, text: str) -> Report | None:
        """Parse an undamaged report in one pass; None if it is damaged."""
        return None


# origins to fall back to if no frame is user code
_FALLBACK_ORIGINS: Final = ((Origin.STDLIB, Origin.GENERATED), (Origin.RUNTIME,), (Origin.TEST,))
_UNNAMED_FUNCTIONS: Final = ("??", "???", "<null>")


def find_site(stack: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame in user code, or else the innermost frame of a fallback origin."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and frame.function not in _UNNAMED_FUNCTIONS:
            return frame
    current = [frame for frame in stack if not frame.stale]
    for origins in _FALLBACK_ORIGINS:
        for frame in current:
            if frame.origin in origins and frame.function not in _UNNAMED_FUNCTIONS:
                return frame
    return current[0] if current else None
