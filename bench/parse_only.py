"""Parse every frame of every report in a file, as `scan` does, and print only the counts.

For comparison with the library of another parser, which prints nothing either.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deadheat.api import ReadOptions
from deadheat.cli import reduce_garbage_collection
from deadheat.cli import scan as cli_scan
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting


class _FrameCounter:
    """Counts frames in each batch and adds up the batches."""

    def __init__(self) -> None:
        self._batch_frames = self.frames = self.races = 0

    def add_sighting(self, sighting: Sighting) -> None:
        report = sighting.report
        self._batch_frames += sum([len(access.stack) for access in report.accesses])
        self._batch_frames += sum([len(actor.created_at) for actor in report.actors])

    def add_document(self, document: Document) -> None:
        pass

    def pack_batch(self) -> int:
        frames, self._batch_frames = self._batch_frames, 0
        return frames

    def merge_batch(self, frames: int) -> None:
        self.frames += frames

    write_live = merge_batch

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        self.races = len({*ids.values()})


def main() -> None:
    reduce_garbage_collection()
    counter = _FrameCounter()
    scan = cli_scan.ScanJob(
        file_listing.list_entries(sys.argv[1:]), counter, counter, cli_scan.ScanOptions(ReadOptions())
    )
    scan.run()
    counter.write_remaining(scan.identity.race_ids())
    print(f"{scan.sighting_count} reports, {counter.races} races, {counter.frames} frames")


if __name__ == "__main__":
    main()
