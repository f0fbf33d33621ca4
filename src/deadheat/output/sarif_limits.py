"""GitHub's limits on SARIF files, and what is left out of a file to respect them.

GitHub rejects a file that exceeds a maximum, and shows less than it accepts. The sources are the pages "SARIF support
for code scanning" and "SARIF results exceed one or more limits" of docs.github.com.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# accepted per run; the 5,000 most severe are shown, which are the first ones here
MAX_RESULTS = 25_000
# 25,000 rules are accepted: one per cause, and one per kind of report up to this number
MAX_KINDS = 100
# shown per result; 1,000 are accepted
MAX_LOCATIONS = 100
# shown per result; 10,000 are accepted
MAX_THREAD_FLOW_LOCATIONS = 1_000
# shown per rule; 20 are accepted
MAX_TAGS = 10
MAX_RULE_NAME = 255
MAX_DESCRIPTION = 1_024
# of the file after gzip; "10 MB"
MAX_GZIP_BYTES = 10_000_000

# limits of ours, for which GitHub has no number: characters of each part of a message, known races that were not found
MAX_MESSAGE_PART = 1_000
MAX_ABSENT_RACES = 1_000
MAX_ABSENT_TEXT = 300
# for the rules and the absent races, which follow the results, even if no byte of them can be compressed
_TAIL_BYTES = 1_000_000
# what a compressor may hold back; its own limit is 64 KiB
_HELD_BACK_BYTES = 1 << 17


class CompressedSize:
    """The size of a text after gzip, known while it is written piece by piece."""

    def __init__(self, limit: int = MAX_GZIP_BYTES - _TAIL_BYTES) -> None:
        self._limit, self._size = limit, 0
        self._compressor = zlib.compressobj(wbits=31)  # with the header of gzip

    def add_if_fits(self, piece: bytes) -> bool:
        """Adds a piece, unless the text would then exceed the limit."""
        if self._size + len(piece) + _HELD_BACK_BYTES < self._limit:  # however well it is compressed
            self._size += len(self._compressor.compress(piece))
            return True
        trial = self._compressor.copy()
        size = self._size + len(trial.compress(piece))
        if size + len(trial.copy().flush()) > self._limit:
            return False
        self._compressor, self._size = trial, size
        return True


@dataclass(slots=True)
class Omissions:
    """How much was left out of a file."""

    races: int = 0
    stacks: int = 0  # races that are shown without their stacks
    frames: int = 0
    locations: int = 0
    absent: int = 0

    def add(self, other: Omissions) -> None:
        """Adds the omissions of one result."""
        self.stacks += other.stacks
        self.frames += other.frames
        self.locations += other.locations

    def notes(self) -> Iterator[tuple[str, str]]:
        """An id and a sentence for each kind of omission."""
        if self.races:
            yield (
                "omitted-races",
                (
                    f"{_count(self.races, 'race')} left out: GitHub accepts {MAX_RESULTS:,} results"
                    f" and {MAX_GZIP_BYTES // 1_000_000} MB after gzip; known and seldom seen ones are left out first"
                ),
            )
        if self.stacks:
            yield (
                "omitted-stacks",
                (
                    f"{_count(self.stacks, 'race')} written without stacks:"
                    f" GitHub accepts {MAX_GZIP_BYTES // 1_000_000} MB after gzip"
                ),
            )
        if self.frames:
            yield (
                "omitted-frames",
                (
                    f"{_count(self.frames, 'outer frame')} of long stacks left out:"
                    f" GitHub shows {MAX_THREAD_FLOW_LOCATIONS:,} for a race"
                ),
            )
        if self.locations:
            yield (
                "omitted-accesses",
                (f"{_count(self.locations, 'access')} left out: GitHub shows {MAX_LOCATIONS} locations for a race"),
            )
        if self.absent:
            yield (
                "omitted-absent-races",
                (
                    f"{_count(self.absent, 'known race')} that were not found left out:"
                    f" at most {MAX_ABSENT_RACES:,} are listed"
                ),
            )


def _count(number: int, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
