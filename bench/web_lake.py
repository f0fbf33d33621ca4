"""Generates a lake with the shapes of real data, for measuring the dashboard: `python -m bench.web_lake DIR`.

Few races have most of the sightings, most have a handful; there are several thousand runs on many branches, over a
year. The reports are parsed from text, and the races are derived by the code that an ingest uses. Only the sightings
are copies of those that were read, with other runs, times and places.
"""

from __future__ import annotations

import argparse
import random
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from bench import logs
from deadheat.lake import race_rows, report_row
from deadheat.lake.schema import SIGHTINGS
from deadheat.lake.tables import Lake
from tests.local_lakes import LakeRows, LogEntry, commit_facts

DAYS, BRANCHES, RUNS_PER_DAY = 365, 200, 12
_SLICE = 100_000
_FIRST_DAY = datetime(2025, 6, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.web_lake", description=__doc__)
    parser.add_argument("folder", help="the new lake")
    parser.add_argument("--races", type=int, default=20_000)
    parser.add_argument("--sightings", type=int, default=2_000_000)
    args = parser.parse_args()
    began = time.monotonic()
    lake = generate_lake(Path(args.folder), args.races, args.sightings)
    counts = ", ".join(f"{lake.row_count(name)} {name}" for name in ("races", "sightings", "reports", "families"))
    print(f"{counts} in {time.monotonic() - began:.0f} s")


def generate_lake(folder: Path, races: int, sightings: int, seed: int = 1) -> Lake:
    """A lake with about so many races and exactly so many sightings."""
    lake = Lake(str(folder))
    lake.create_tables()
    rows = LakeRows("generated")
    for number in range(races):
        rows.add(LogEntry(f"ci/{number}.log", logs.generate_report(number)))
    rows.files.clear()
    reports = report_row.reports_table([*rows.reports.values()])
    models = pa.Table.from_pylist(rows.sightings, SIGHTINGS)
    details = {row["digest"]: report_row.details_of_row(row) for row in reports.to_pylist()}
    copies = _copies(models, sightings, seed)
    commit_facts(lake, rows, reports, copies, [], lambda _: _sums(copies, details))
    lake.refresh()
    return lake


def _sums(sightings: pa.Table, details: dict[str, report_row.ReportDetails]) -> list[dict[str, Any]]:
    """The sums of the sightings of each variant. A slice has few variants, which is faster than a day with many."""
    ordered = sightings.select([*race_rows.SIGHTING_COLUMNS]).sort_by("node")
    slices = (ordered.slice(start, _SLICE) for start in range(0, ordered.num_rows, _SLICE))
    return race_rows.variant_rows(row for part in slices for row in race_rows.rows_of_sightings(part, details))


def _copies(models: pa.Table, count: int, seed: int) -> pa.Table:
    """Sightings of the races of these models, as runs of a year would have them."""
    generator = np.random.default_rng(seed)
    races = models.num_rows
    weights = 1 / np.arange(1, races + 1) ** 0.9
    # each race is seen at least once
    extra = generator.choice(races, max(0, count - races), p=weights / weights.sum())
    chosen = np.concatenate([np.arange(races), generator.permutation(races)[extra]])[:count]
    run = generator.integers(0, DAYS * RUNS_PER_DAY, len(chosen))
    # a race is seen for some months only
    start = generator.integers(0, DAYS, races)[chosen]
    length = (10 + generator.integers(0, 150, races))[chosen]
    day = start + generator.integers(0, 1 << 30, len(chosen)) % length
    run = np.minimum(day, DAYS - 1) * RUNS_PER_DAY + run % RUNS_PER_DAY
    runs = _runs(seed)
    table = models.take(pa.array(chosen))
    offsets = pa.array(generator.integers(0, 50_000_000, len(chosen)))
    replaced: dict[str, Any] = {name: pa.array(values).take(pa.array(run)) for name, values in runs.items()}
    replaced |= {"offset": offsets, "file": replaced["uri"], "document": replaced["uri"]}
    replaced["observed_at"] = replaced["observed_at"].cast(SIGHTINGS.field("observed_at").type)
    arrays = [replaced.get(field.name, table[field.name]) for field in SIGHTINGS]
    return pa.Table.from_arrays(arrays, schema=SIGHTINGS)


def _runs(seed: int) -> dict[str, list[Any]]:
    """The runs of a year by column: half of them on the main branch."""
    draw = random.Random(seed)
    columns: dict[str, list[Any]] = {
        name: [] for name in ("uri", "repo", "commit", "branch", "job", "run", "observed_at")
    }
    for number in range(DAYS * RUNS_PER_DAY):
        day, part = divmod(number, RUNS_PER_DAY)
        branch = "main" if draw.random() < 0.5 else f"feature/{draw.randrange(BRANCHES)}"
        job = draw.choice(("race", "integration", "nightly"))
        values = (
            f"ci/{number}/{job}.log", f"acme/{draw.choice(('shop', 'store', 'cart'))}", f"{draw.getrandbits(160):040x}",
            branch, job, str(9_000_000 + number), _FIRST_DAY + timedelta(days=day, hours=2 * part),
        )  # fmt: skip
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    return columns


if __name__ == "__main__":
    main()
