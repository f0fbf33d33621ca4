"""What tests say about lakes: what is in one, and that two are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.lake import sighting_rows
from deadheat.lake.tables import Lake
from deadheat.spark.ingest import IngestOptions, IngestSummary, ingest_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deadheat.model import Sighting

# what differs from run to run, and may
_VOLATILE = {
    "sightings": ("ingest",),
    "files": ("ingest", "state"),
    "rejects": ("ingest", "observed_at"),
    "reports": ("text", "text_names"),
}


def taken(spark: Any, root: Path, paths: Sequence[Path], **options: Any) -> IngestSummary:
    """Ingests into the lake at a path."""
    lake, given = Lake(str(root)), [str(path) for path in paths]
    return ingest_files(lambda small: spark, lake, given, IngestOptions(**options))


def content(root: Path | str) -> dict[str, list[str]]:
    """All that a lake holds, in an order of its own."""
    lake = Lake(str(root))
    told = {}
    for table in ("files", "rejects", "reports", "sightings", "nodes", "races", "families"):
        content = lake.read_rows(table).drop(list(_VOLATILE.get(table, ())))
        told[table] = sorted(map(str, content.to_pylist()))
    return told


def sightings(root: Path) -> list[Sighting]:
    """The sightings of a lake as `scan` would give them, in the order of places."""
    lake = Lake(str(root))
    reports = {report["digest"]: report for report in lake.read_rows("reports").to_pylist()}
    seen = lake.read_rows("sightings").to_pylist()
    seen.sort(key=lambda row: (row["uri"], row["offset"], row["lane"] or ""))
    return [sighting_rows.sighting_from_row(row, reports[row["report"]]) for row in seen]
