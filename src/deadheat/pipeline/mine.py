"""Mines the history of a repository for race fixes on executors."""

from __future__ import annotations

import os
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.code.git import Git
from deadheat.code.history import trunk
from deadheat.code.mining import judge, plain, reading, settle
from deadheat.code.mining.judge import Fix, Revert
from deadheat.code.mining.reading import Listed
from deadheat.errors import DeadheatError
from deadheat.lake import derived
from deadheat.lake.schema import FIXES, TEXT, TEXTS
from deadheat.pipeline import mapping, progress
from deadheat.pipeline.frames import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.tables import Lake

    Plain = dict[str, Any]
    Racy = dict[str, list[str]]

COMMITS = pa.schema([("commit", TEXT), ("parent", TEXT)])
# a fix, or a commit that reverts others
JUDGED = pa.schema([*FIXES, pa.field("reverts", TEXTS), pa.field("reverts_pulls", TEXTS)])
_BATCH = 256
_TASKS = 8
# enough tasks to show progress, but none too small
_MOST_TASKS, _SHARE = 64, 512


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of mining."""

    commits: int
    fixes: tuple[Fix, ...]
    missing: tuple[str, ...]
    seconds: float


def mine(
    start: Callable[[bool], SparkSession],
    lake: Lake,
    where: str,
    planned: Callable[[int], None] = lambda _: None,
    tick: Callable[[int], None] = lambda _: None,
) -> Summary:
    """Store the race fixes of a repository in the lake, replacing earlier ones.

    `on_count` is called with the number of commits, `on_progress` with the number of further
    commits examined.
    """
    began = time.monotonic()
    with Git(where) as git:
        _, tip = trunk(git)
        if not tip:
            raise DeadheatError("the repository has no commits", where)
        commits = reading.listed(git, tip)
        spark = start(True)
        rows = spark.createDataFrame(
            pa.Table.from_pylist([one._asdict() for one in commits], COMMITS)
        )
        cores = spark.sparkContext.defaultParallelism
        tasks = max(_TASKS, 4 * cores, min(_MOST_TASKS, len(commits) // _SHARE))
        planned(len(commits))
        with progress.told(spark, len(commits), tick):
            found = judged(rows.repartition(tasks), where, _racy(lake)).toArrow().to_pylist()
        fixes = [plain.fix_from_row(row) for row in found if row["reverts"] is None]
        reverts = [_revert(row) for row in found if row["reverts"] is not None]
        told = settle.settled(fixes, reverts, settle.brought(git, fixes))
        _keep(lake, reading.origin(git, tip), told)
        spent = time.monotonic() - began
        return Summary(len(commits), tuple(told), tuple(git.missing), spent)


def judged(commits: DataFrame, where: str, racy: Racy | None = None) -> DataFrame:
    """The fixes and reverts among commits. The repository must be at the same path on every executor."""
    place = str(Path(where).absolute())

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (Listed(**row) for batch in batches for row in batch.to_pylist())
        with closing(Git(place)) as git:
            found = (one for some in _some(rows) for one in _judged(git, some, racy))
            yield from mapping.batched(found, JUDGED)

    return commits.mapInArrow(work, typed(JUDGED))


def _some(rows: Iterator[Listed]) -> Iterator[list[Listed]]:
    while some := list(islice(rows, _BATCH)):
        yield some


def _judged(git: Git, commits: list[Listed], racy: Racy | None) -> Iterator[Plain]:
    for one in judge.judged(git, commits, racy):
        if isinstance(one, Fix):
            yield plain.fix_to_row(one)
        else:
            yield {
                "commit": one.commit,
                "subject": one.subject,
                "reverts": list(one.commits),
                "reverts_pulls": list(one.pulls),
            }


def _revert(row: Plain) -> Revert:
    return Revert(row["commit"], tuple(row["reverts"]), tuple(row["reverts_pulls"]), row["subject"])


def _keep(lake: Lake, repo: str, fixes: list[Fix]) -> None:
    rows = [{**plain.fix_to_row(fix), "repo": repo} for fix in fixes]
    derived.replace(lake, "fixes", pa.Table.from_pylist(rows, FIXES), pc.field("repo") != repo)


def _racy(lake: Lake) -> Racy:
    """The issues in the lake that quote a report, with the files that the report names."""
    if not lake.is_there:
        return {}
    told = pc.field("bug_report").is_valid()
    seen = lake.rows("sightings", ("report", "bug_report"), told).to_pylist()
    numbers: dict[str, set[str]] = {}
    for row in seen:
        number = row["bug_report"]["id"]
        if number and number.lstrip("#").isdigit():
            numbers.setdefault(row["report"], set()).add(number.lstrip("#"))
    if not numbers:
        return {}
    wanted = pc.field("digest").isin(sorted(numbers))
    racy: dict[str, set[str]] = {}
    for row in lake.rows("reports", ("digest", "accesses", "actors"), wanted).to_pylist():
        stacks = [a["stack"] for a in row["accesses"]] + [a["created_at"] for a in row["actors"]]
        names = {os.path.basename(f["file"]) for stack in stacks for f in stack or () if f["file"]}
        for number in numbers[row["digest"]]:
            racy.setdefault(number, set()).update(names)
    return {number: sorted(names) for number, names in racy.items()}
