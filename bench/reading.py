"""Reads every frame of every report in a file, as `scan` does, and prints only how many there were.

What the library of another reader is compared with, which prints nothing either.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deadheat.api import ReadOptions
from deadheat.cli import reduce_garbage_collection, scan_job
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting


class _Frames:
    """Counts frames where they are read, and puts the counts together."""

    def __init__(self) -> None:
        self._here = self.all = self.races = 0

    def add_sighting(self, sighting: Sighting) -> None:
        report = sighting.report
        self._here += sum([len(access.stack) for access in report.accesses])
        self._here += sum([len(actor.created_at) for actor in report.actors])

    def add_document(self, document: Document) -> None:
        pass

    def pack_batch(self) -> int:
        frames, self._here = self._here, 0
        return frames

    def merge_batch(self, frames: int) -> None:
        self.all += frames

    write_live = merge_batch

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        self.races = len({*ids.values()})


def main() -> None:
    reduce_garbage_collection()
    frames = _Frames()
    scan = scan_job.ScanJob(
        file_listing.list_entries(sys.argv[1:]), frames, frames, scan_job.ScanOptions(ReadOptions())
    )
    scan.run()
    frames.write_remaining(scan.identity.race_ids())
    print(f"{scan.sighting_count} reports, {frames.races} races, {frames.all} frames")


if __name__ == "__main__":
    main()
