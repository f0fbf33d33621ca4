"""Jobs that read repositories on executors: mine the history for race fixes, make dossiers of races."""

from __future__ import annotations

import os
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.errors import DeadheatError
from deadheat.lake import queries, transactions
from deadheat.lake.data_files import is_in
from deadheat.lake.schema import DOSSIERS, FIXES, RACES, TEXT, TEXTS
from deadheat.lake.tables import Lake
from deadheat.path_maps import map_sighting
from deadheat.repo import dossier as repo_dossier
from deadheat.repo import mining
from deadheat.repo.clone import Clone
from deadheat.repo.document_claims import DocumentHints, hints_from_document
from deadheat.repo.dossier import build_dossier, with_configured_owners
from deadheat.repo.git import GitReader
from deadheat.repo.git.history import find_trunk
from deadheat.repo.mining import RaceFix, RevertCommit, commit_changes
from deadheat.repo.mining.commit_changes import ListedCommit
from deadheat.spark import ingest
from deadheat.spark import tasks as spark_tasks
from deadheat.spark.dataframes import spark_schema
from deadheat.spark.session import task_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.codeowners import OwnerRule
    from deadheat.model import Sighting
    from deadheat.path_maps import PathMaps
    from deadheat.repo.git import ProgressCallback

    JsonDict = dict[str, Any]

    FilesByIssue = dict[str, list[str]]


COMMIT_SCHEMA = pa.schema([("commit", TEXT), ("parent", TEXT)])
# a fix, or a commit that reverts others
JUDGED_SCHEMA = pa.schema([*FIXES, pa.field("reverts", TEXTS), pa.field("reverts_pulls", TEXTS)])
_COMMITS_PER_BATCH = 256
_MIN_TASKS = 8
# enough tasks to show progress, but none too small
_MAX_TASKS, _COMMITS_PER_TASK = 64, 512


@dataclass(frozen=True, slots=True)
class MiningSummary:
    commits: int
    fixes: tuple[RaceFix, ...]
    missing: tuple[str, ...]
    seconds: float


def mine_fixes(
    start: Callable[[bool], SparkSession],
    lake: Lake,
    where: str,
    on_count: Callable[[int], None] = lambda _: None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> MiningSummary:
    """Store the race fixes of a repository in the lake, replacing earlier ones.

    `on_count` is called with the number of commits, `on_progress` with the number of further
    commits examined.
    """
    start_time = time.monotonic()
    with GitReader(where) as git:
        _, tip = find_trunk(git)
        if not tip:
            raise DeadheatError("the repository has no commits", where)
        commits = commit_changes.list_commits(git, tip)
        spark = start(True)
        rows = spark.createDataFrame(pa.Table.from_pylist([commit._asdict() for commit in commits], COMMIT_SCHEMA))
        tasks = max(_MIN_TASKS, 4 * task_slots(spark), min(_MAX_TASKS, len(commits) // _COMMITS_PER_TASK))
        on_count(len(commits))
        with ingest.report_progress(spark, len(commits), on_progress):
            found = judge_commits(rows.repartition(tasks), where, _racing_files_by_issue(lake)).toArrow().to_pylist()
        fixes = [mining.fix_from_row(row) for row in found if row["reverts"] is None]
        reverts = [
            RevertCommit(row["commit"], tuple(row["reverts"]), tuple(row["reverts_pulls"]), row["subject"])
            for row in found
            if row["reverts"] is not None
        ]
        settled = mining.resolve_fixes(fixes, reverts, mining.commits_in_merges(git, fixes))
        repo = commit_changes.first_commit(git, tip)
        fix_rows = [{**mining.fix_to_row(fix), "repo": repo} for fix in settled]
        transactions.replace_table(lake, "fixes", pa.Table.from_pylist(fix_rows, FIXES), pc.field("repo") != repo)
        elapsed = time.monotonic() - start_time
        return MiningSummary(len(commits), tuple(settled), tuple(git.missing), elapsed)


def judge_commits(commits: DataFrame, where: str, files_by_issue: FilesByIssue | None = None) -> DataFrame:
    """The fixes and reverts among commits. The repository must be at the same path on every executor."""
    repository = str(Path(where).absolute())

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (ListedCommit(**row) for batch in batches for row in batch.to_pylist())
        with closing(GitReader(repository)) as git:
            while chunk := list(islice(rows, _COMMITS_PER_BATCH)):
                yield from spark_tasks.record_batches(_judge_batch(git, chunk, files_by_issue), JUDGED_SCHEMA)

    return commits.mapInArrow(work, spark_schema(JUDGED_SCHEMA))


def _judge_batch(
    git: GitReader, commits: list[ListedCommit], files_by_issue: FilesByIssue | None
) -> Iterator[JsonDict]:
    for judgement in mining.detect_fixes(git, commits, files_by_issue):
        if isinstance(judgement, RaceFix):
            yield mining.fix_to_row(judgement)
        else:
            yield {
                "commit": judgement.commit,
                "subject": judgement.subject,
                "reverts": list(judgement.reverted_commits),
                "reverts_pulls": list(judgement.reverted_pulls),
            }


def _racing_files_by_issue(lake: Lake) -> FilesByIssue:
    """The issues in the lake that quote a report, with the files that the report names."""
    if not lake.is_there:
        return {}
    has_bug_report = pc.field("bug_report").is_valid()
    quoted = lake.read_rows("sightings", ("report", "bug_report"), has_bug_report).to_pylist()
    numbers: dict[str, set[str]] = {}
    for row in quoted:
        number = row["bug_report"]["id"]
        if number and number.lstrip("#").isdigit():
            numbers.setdefault(row["report"], set()).add(number.lstrip("#"))
    if not numbers:
        return {}
    wanted = pc.field("digest").isin(sorted(numbers))
    files_of_issue: dict[str, set[str]] = {}
    for row in lake.read_rows("reports", ("digest", "accesses", "actors"), wanted).to_pylist():
        stacks = [item["stack"] for item in row["accesses"]] + [item["created_at"] for item in row["actors"]]
        names = {os.path.basename(frame["file"]) for stack in stacks for frame in stack or () if frame["file"]}
        for number in numbers[row["digest"]]:
            files_of_issue.setdefault(number, set()).update(names)
    return {number: sorted(names) for number, names in files_of_issue.items()}


RACE_SCHEMA = pa.schema([*(RACES.field(name) for name in queries.EXAMPLE_NEEDS), ("sites", TEXTS)])
# opening a clone takes as long as a few races
_MIN_RACES_PER_TASK, _TASKS_PER_CORE = 8, 4
_MAX_COMMITS = 5
_DOSSIER_KEY_COLUMNS = ("race", "report", "repo", "state")
_CACHE_VARIABLE = "DEADHEAT_CACHE"


@dataclass(frozen=True, slots=True)
class DossierSummary:
    """The new dossiers, and the number of known ones."""

    dossiers: tuple[JsonDict, ...]  # rows of the table
    known_count: int
    missing: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class DossierOptions:
    """Options of dossiers. The callbacks report progress."""

    again: bool = False  # also make known dossiers
    path_maps: PathMaps = ()
    owner_rules: tuple[OwnerRule, ...] = ()
    on_clone: ProgressCallback | None = None  # while the history of a clone is read
    on_count: Callable[[int], None] = lambda _: None  # number of races to locate in a clone
    on_progress: Callable[[int], None] = lambda _: None  # number of further races that are located


_DEFAULT_DOSSIER_OPTIONS = DossierOptions()


def make_dossiers(
    start: Callable[[bool], SparkSession],
    lake: Lake,
    repos: Sequence[str],
    options: DossierOptions = _DEFAULT_DOSSIER_OPTIONS,
) -> DossierSummary:
    """Make dossiers for the races of the lake and store them. Known dossiers are not made again."""
    start_time = time.monotonic()
    lake.require()
    races: list[JsonDict] = lake.read_rows("races", RACE_SCHEMA.names).to_pylist()
    known_before = _known_dossiers(lake)
    session = cache(lambda: start(True))
    dossiers: list[JsonDict] = []
    missing: list[str] = []
    known_count = 0
    for repository in repos:
        with Clone(
            repository, options.on_clone
        ) as clone:  # its history is cached here for all executors of the machine
            if not clone.main.tip:
                raise DeadheatError("the repository has no commits", repository)
            shared = {
                "repo": clone.main.commits[0], "tip": clone.main.tip, "state": _dossier_state(clone, options)
            }  # fmt: skip
            missing += clone.git.missing
        wanted = [
            race
            for race in races
            if options.again or (race["race"], race["report"], shared["repo"], shared["state"]) not in known_before
        ]
        known_count += len(races) - len(wanted)
        if wanted:
            spark = session()
            options.on_count(len(wanted))
            with ingest.report_progress(spark, len(wanted), options.on_progress):
                frame = dossiers_frame(spark, wanted, lake.uri, repository, options)
                rows = frame.toArrow().to_pylist()
            now = datetime.now(UTC)
            dossiers += ({**row, **shared, "placed_at": now} for row in rows)
    if dossiers:
        rows = pa.Table.from_pylist(dossiers, DOSSIERS)
        transactions.replace_table(lake, "dossiers", rows, _rows_to_keep(races, dossiers))
    elapsed = time.monotonic() - start_time
    return DossierSummary(tuple(dossiers), known_count, tuple(dict.fromkeys(missing)), elapsed)


def _dossier_state(clone: Clone, options: DossierOptions) -> str:
    """A digest of what a dossier depends on besides the report."""
    state = repo_dossier.clone_state(clone)
    if not (options.path_maps or options.owner_rules):
        return state
    text = repr((state, options.path_maps, options.owner_rules))
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _known_dossiers(lake: Lake) -> set[tuple[str, ...]]:
    rows = lake.read_rows("dossiers", _DOSSIER_KEY_COLUMNS).to_pylist() if lake.has_table("dossiers") else []
    return {tuple(row[name] for name in _DOSSIER_KEY_COLUMNS) for row in rows}


def _rows_to_keep(races: list[JsonDict], dossiers: list[JsonDict]) -> pc.Expression:
    """True for rows to keep: of existing races without a new dossier from the same repository."""
    new: dict[str, list[str]] = {}
    for row in dossiers:
        new.setdefault(row["repo"], []).append(row["race"])
    condition = is_in("race", [race["race"] for race in races])
    for repo, names in new.items():
        condition &= ~(is_in("repo", [repo]) & is_in("race", names))
    return condition


def dossiers_frame(
    spark: SparkSession,
    races: list[JsonDict],
    lake: str,
    repository: str,
    options: DossierOptions = _DEFAULT_DOSSIER_OPTIONS,
) -> DataFrame:
    """The dossiers of races. Lake and clone must be at the same path on every executor."""
    root = str(Path(repository).absolute())
    cache_folder = os.environ.get(_CACHE_VARIABLE)
    maps, rules = options.path_maps, options.owner_rules

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if cache_folder:
            os.environ[_CACHE_VARIABLE] = cache_folder
        group = [race for batch in batches for race in batch.to_pylist()]
        yield from spark_tasks.record_batches(_dossier_rows(group, lake, root, maps, rules), DOSSIERS)

    groups = [
        pa.RecordBatch.from_pylist(group, RACE_SCHEMA)
        for group in group_races(races, _TASKS_PER_CORE * task_slots(spark))
    ]
    # each batch becomes a partition; `prepare_session` disables local relations
    rows = spark.createDataFrame(pa.Table.from_batches(groups, RACE_SCHEMA), spark_schema(RACE_SCHEMA))
    return rows.mapInArrow(work, spark_schema(DOSSIERS))


def group_races(races: list[JsonDict], tasks: int) -> list[list[JsonDict]]:
    """The races in groups of about equal size. Races of one file are adjacent and share its history."""
    ordered = sorted(races, key=lambda race: (_site_file(race), race["race"]))
    size = max(_MIN_RACES_PER_TASK, -(-len(ordered) // tasks))
    return [ordered[at : at + size] for at in range(0, len(ordered), size)]


def _site_file(race: JsonDict) -> str:
    """The file of the first site: `executor.(*T).Close executor/join.go:314`."""
    first: str = race["sites"][0] if race["sites"] else ""
    return first.rpartition(" ")[2].rpartition(":")[0]


def _dossier_rows(
    group: list[JsonDict], lake: str, repository: str, maps: PathMaps, rules: Sequence[OwnerRule]
) -> Iterator[JsonDict]:
    reports = {race["race"]: race["report"] for race in group}
    with Clone(repository) as clone:
        for race, sighting, commits in queries.example_sightings(Lake(lake), group):
            yield {
                "race": race,
                "report": reports[race],
                **_dossier_row(clone, map_sighting(sighting, maps), commits, rules),
            }
            clone.finish_report()


def _dossier_row(clone: Clone, sighting: Sighting, commits: list[str], rules: Sequence[OwnerRule]) -> JsonDict:
    hints = hints_from_document(sighting.document).merge_with(DocumentHints(tuple(commits[:_MAX_COMMITS])))
    try:
        dossier = with_configured_owners(build_dossier(sighting.report, [clone], hints), rules)
        return repo_dossier.dossier_to_row(dossier, clone)
    except Exception as error:  # noqa: BLE001, a fault in one race is recorded in its row
        return {"racing": 0, "fault": repr(error)[:1000]}
