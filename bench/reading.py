"""Reads every frame of every report in a file, as `scan` does, and prints only how many there were.

What the library of another reader is compared with, which prints nothing either.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deadheat.cli import collect_seldom, scanning
from deadheat.feeds import files, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting


class _Frames:
    """Counts frames where they are read, and puts the counts together."""

    def __init__(self) -> None:
        self._here = self.all = self.races = 0

    def add(self, sighting: Sighting) -> None:
        report = sighting.report
        self._here += sum([len(access.stack) for access in report.accesses])
        self._here += sum([len(actor.created_at) for actor in report.actors])

    def tell(self, document: Document) -> None:
        pass

    def pack(self) -> int:
        frames, self._here = self._here, 0
        return frames

    def merge(self, frames: int) -> None:
        self.all += frames

    live = merge

    def close(self, ids: Mapping[str, str]) -> None:
        self.races = len({*ids.values()})


def main() -> None:
    collect_seldom()
    frames = _Frames()
    scan = scanning.Scan(
        walk.entries(sys.argv[1:]), frames, frames, scanning.Ways(files.Wish(full=True))
    )
    scan.run()
    frames.close(scan.identity.ids())
    print(f"{scan.sightings} reports, {frames.races} races, {frames.all} frames")


if __name__ == "__main__":
    main()
