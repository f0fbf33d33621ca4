"""Makes dossiers of the races of a lake from clones of the code, on executors."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.code import plain
from deadheat.code.clone import Clone
from deadheat.code.dossier import dossier
from deadheat.code.hints import Hints, told
from deadheat.errors import DeadheatError
from deadheat.lake import derived, lookup
from deadheat.lake.schema import DOSSIERS, TEXT, TEXTS
from deadheat.lake.tables import Lake
from deadheat.pipeline import mapping
from deadheat.pipeline.frames import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.model import Sighting

    Plain = dict[str, Any]

RACES = pa.schema([("race", TEXT), ("report", TEXT), ("nodes", TEXTS), ("sites", TEXTS)])
# opening a clone takes as long as a few races
_LEAST, _TASKS = 8, 4
_COMMITS = 5
_ASKED = ("race", "report", "repo", "state")
_CACHE = "DEADHEAT_CACHE"


@dataclass(frozen=True, slots=True)
class Summary:
    """The new dossiers, and the number of known ones."""

    placed: tuple[Plain, ...]  # rows of the table
    known: int
    missing: tuple[str, ...]
    seconds: float


def place(
    start: Callable[[bool], SparkSession], lake: Lake, repos: Sequence[str], again: bool = False
) -> Summary:
    """Make dossiers for the races of the lake and store them. Known dossiers are not made again."""
    began = time.monotonic()
    lake.expect()
    races: list[Plain] = lake.rows("races", RACES.names).to_pylist()
    known_before = _known(lake)
    session = cache(lambda: start(True))
    placed: list[Plain] = []
    missing: list[str] = []
    known = 0
    for where in repos:
        with Clone(where) as clone:  # its history is cached here for all executors of the machine
            if not clone.main.tip:
                raise DeadheatError("the repository has no commits", where)
            shared = {
                "repo": clone.main.commits[0], "tip": clone.main.tip, "state": plain.state(clone)
            }  # fmt: skip
            missing += clone.git.missing
        wanted = [race for race in races if again or _asked(race, shared) not in known_before]
        known += len(races) - len(wanted)
        if wanted:
            rows = placing(session(), wanted, lake.uri, where).toArrow().to_pylist()
            now = datetime.now(UTC)
            placed += ({**row, **shared, "placed_at": now} for row in rows)
    if placed:
        rows = pa.Table.from_pylist(placed, DOSSIERS)
        derived.replace(lake, "dossiers", rows, _kept(races, placed))
    spent = time.monotonic() - began
    return Summary(tuple(placed), known, tuple(dict.fromkeys(missing)), spent)


def _known(lake: Lake) -> set[tuple[str, ...]]:
    """The keys of the dossiers in the lake."""
    rows = lake.rows("dossiers", _ASKED).to_pylist() if lake.has("dossiers") else []
    return {tuple(row[name] for name in _ASKED) for row in rows}


def _asked(race: Plain, shared: Plain) -> tuple[str, ...]:
    return race["race"], race["report"], shared["repo"], shared["state"]


def _kept(races: list[Plain], placed: list[Plain]) -> pc.Expression:
    """True for rows to keep: of existing races without a new dossier from the same repository."""
    new: dict[str, list[str]] = {}
    for row in placed:
        new.setdefault(row["repo"], []).append(row["race"])
    kept = _is_one("race", [race["race"] for race in races])
    for repo, names in new.items():
        kept &= ~(_is_one("repo", [repo]) & _is_one("race", names))
    return kept


def _is_one(column: str, values: list[str]) -> pc.Expression:
    return pc.field(column).isin(pa.array(values, TEXT))


def placing(spark: SparkSession, races: list[Plain], lake: str, where: str) -> DataFrame:
    """The dossiers of races. Lake and clone must be at the same path on every executor."""
    root = str(Path(where).absolute())
    cached = os.environ.get(_CACHE)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if cached:
            os.environ[_CACHE] = cached
        group = [race for batch in batches for race in batch.to_pylist()]
        yield from mapping.batched(_placed(group, lake, root), DOSSIERS)

    groups = [
        pa.RecordBatch.from_pylist(group, RACES)
        for group in grouped(races, _TASKS * spark.sparkContext.defaultParallelism)
    ]
    # each batch becomes a partition; `prepare_session` disables local relations
    rows = spark.createDataFrame(pa.Table.from_batches(groups, RACES), typed(RACES))
    return rows.mapInArrow(work, typed(DOSSIERS))


def grouped(races: list[Plain], tasks: int) -> list[list[Plain]]:
    """The races in groups of about equal size. Races of one file are adjacent and share its history."""
    ordered = sorted(races, key=lambda race: (_file(race), race["race"]))
    size = max(_LEAST, -(-len(ordered) // tasks))
    return [ordered[at : at + size] for at in range(0, len(ordered), size)]


def _file(race: Plain) -> str:
    """The file of the first site: `executor.(*T).Close executor/join.go:314`."""
    first: str = race["sites"][0] if race["sites"] else ""
    return first.rpartition(" ")[2].rpartition(":")[0]


def _placed(group: list[Plain], lake: str, where: str) -> Iterator[Plain]:
    reports = {race["race"]: race["report"] for race in group}
    with Clone(where) as clone:
        for race, sighting, commits in lookup.examples(Lake(lake), group):
            yield {"race": race, "report": reports[race], **_row(clone, sighting, commits)}
            clone.rest()


def _row(clone: Clone, sighting: Sighting, commits: list[str]) -> Plain:
    hints = told(sighting.document).before(Hints(tuple(commits[:_COMMITS])))
    try:
        return plain.dossier_to_row(dossier(sighting.report, [clone], hints), clone)
    except Exception as error:  # noqa: BLE001, a fault in one race is recorded in its row
        return {"racing": 0, "fault": repr(error)[:1000]}
