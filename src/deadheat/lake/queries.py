"""Queries of a lake: races, one race with its sightings, families, fixes, dossiers."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from deadheat.errors import DeadheatError
from deadheat.lake.data_files import is_in
from deadheat.lake.schema import DOSSIERS, EXAMPLE_COLUMNS
from deadheat.lake.sighting_rows import sighting_from_row
from deadheat.printable import quote_code
from deadheat.shell import format_command, path_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    import pyarrow as pa

    from deadheat.lake.tables import DataFile, Lake
    from deadheat.model import Sighting

    JsonDict = dict[str, Any]

# the public columns of a race
RACE_COLUMNS = (
    "race", "aliases", "title", "detector", "kind", "sites", "cause", "causes", "family", "sightings",
    "repos", "runs", "run_count", "tests", "first_seen", "last_seen", "status", "history",
)  # fmt: skip
_MIN_PREFIX_LENGTH = 4
_MAX_SIGHTINGS_SEARCHED = 200


def list_races(lake: Lake) -> list[JsonDict]:
    """Every race, most recently seen first."""
    rows = lake.read_rows("races", RACE_COLUMNS).to_pylist()
    rows.sort(key=lambda row: row["race"])
    rows.sort(key=lambda row: (row["last_seen"], row["sightings"]), reverse=True)
    return [_race_to_json(row) for row in rows]


def list_families(lake: Lake) -> list[JsonDict]:
    """Every family, largest first."""
    rows = lake.read_rows("families").to_pylist()
    return sorted(rows, key=lambda row: (-len(row["races"]), row["family"]))


def list_fixes(lake: Lake) -> list[JsonDict]:
    """Every fix, newest first; empty if nothing was mined."""
    if not lake.has_table("fixes"):
        return []
    rows: list[JsonDict] = lake.read_rows("fixes").to_pylist()
    return sorted(rows, key=lambda row: (row["fixed_at"], row["commit"]), reverse=True)


def best_dossiers(lake: Lake, columns: Sequence[str] | None = None) -> dict[str, JsonDict]:
    """The best dossier of each race: the one of the repository that knows most of the frames."""
    if not lake.has_table("dossiers"):
        return {}
    wanted = dict.fromkeys([*(columns or DOSSIERS.names), "race", "repo", "racing", "pin", "fault"])
    best: dict[str, JsonDict] = {}
    for row in lake.read_rows("dossiers", [*wanted]).to_pylist():
        known = best.get(row["race"])
        if row["fault"] is None and (known is None or _dossier_rank(row) > _dossier_rank(known)):
            best[row["race"]] = row
    return best


def _dossier_rank(row: JsonDict) -> tuple[int, int, str]:
    return row["racing"], row["pin"]["frames_fit"] if row["pin"] else 0, row["repo"]


def dossier_of(race: JsonDict, known: Mapping[str, JsonDict]) -> JsonDict | None:
    """The dossier of a race, also under one of its aliases."""
    return next((known[name] for name in (race["race"], *race["aliases"]) if name in known), None)


def find_race(lake: Lake, name: str) -> JsonDict:
    """Find a race by its id, an alias or a unique prefix."""
    known = lake.read_rows("races", ["race", "aliases"]).to_pylist()
    found = [row["race"] for row in known if name in (row["race"], *row["aliases"])]
    if not found and len(name) >= _MIN_PREFIX_LENGTH:
        found = [r["race"] for r in known if any(i.startswith(name) for i in (r["race"], *r["aliases"]))]
    if not found and len(name) < _MIN_PREFIX_LENGTH:
        remedy = f"give at least {_MIN_PREFIX_LENGTH} characters"
        raise DeadheatError(f"{name!r} is too short for an id prefix", do=remedy)
    if not found:
        command = format_command("deadheat", "races", "--lake", path_word(lake.uri)) or "deadheat races"
        raise DeadheatError("no such race", name, f"{quote_code(command)} lists them")
    if len(found) > 1:
        candidates = ", ".join(sorted(found)[:5])
        raise DeadheatError(f"matches several ids ({candidates})", name, "give more characters")
    columns = [*RACE_COLUMNS, "report", "nodes", "example", "latest_commits"]
    files = [file for file in lake.data_files("races") if file.may_contain("race", found[0], found[0])]
    (race,) = lake.read_rows("races", columns, is_in("race", found), files).to_pylist()
    return dict(race)


def latest_sightings(lake: Lake, race: JsonDict, limit: int) -> list[JsonDict]:
    """The latest sightings of a race.

    Groups of rows are read from the latest on, until no other one can have a later sighting.
    """
    if not limit:
        return []
    low, high = min(race["nodes"]), max(race["nodes"])
    files = [file for file in lake.data_files("sightings") if file.may_contain("node", low, high)]
    heap: list[tuple[float, int, int, DataFile]] = [
        (-_time_bound(file.high.get("observed_at")), index, -1, file) for index, file in enumerate(files)
    ]
    heapify(heap)
    rows: list[JsonDict] = []
    while heap and (len(rows) < limit or -heap[0][0] >= rows[-1]["observed_at"].timestamp()):
        _, index, group, file = heappop(heap)
        if group < 0:
            for bound, number in _row_groups(lake, file, low, high):
                heappush(heap, (-bound, index, number, file))
            continue
        found = _read_row_group(lake, file, group).filter(is_in("node", race["nodes"]))
        found = found.sort_by([("observed_at", "descending"), ("uri", "ascending"), ("offset", "ascending")])
        rows += found.slice(0, limit).to_pylist()
        rows.sort(key=lambda row: (row["uri"], row["offset"]))
        rows.sort(key=lambda row: row["observed_at"], reverse=True)
        del rows[limit:]
    return rows


def races_with_commits(lake: Lake) -> list[JsonDict]:
    """Every race with its latest commits: what tells whether a fixed race is back."""
    columns = ["race", "aliases", "last_seen", "latest_commits", "nodes"]
    rows: list[JsonDict] = lake.read_rows("races", columns).to_pylist()
    return rows


def first_sightings_of_commits(lake: Lake, commits: Sequence[str]) -> dict[str, datetime]:
    """When each of these commits was sighted first, with any race."""
    first: dict[str, datetime] = {}
    for row in lake.read_rows("sightings", ["commit", "observed_at"], is_in("commit", commits)).to_pylist():
        known = first.get(row["commit"])
        first[row["commit"]] = row["observed_at"] if known is None else min(known, row["observed_at"])
    return first


def sighting_at(lake: Lake, race: JsonDict, commit: str | None, at: datetime) -> JsonDict | None:
    """The sighting of a race at a commit and time; None if it is not among its latest ones."""
    rows = latest_sightings(lake, race, _MAX_SIGHTINGS_SEARCHED)
    return next((row for row in rows if row["observed_at"] == at and row["commit"] == commit), None)


def _time_bound(time: datetime | None) -> float:
    return float("inf") if time is None else time.timestamp()


def _row_groups(lake: Lake, file: DataFile, low: str, high: str) -> Iterator[tuple[float, int]]:
    """The latest time and the number of each group of rows that may have these variants."""
    with lake.open_data_file("sightings", file.path) as opened:
        metadata = pq.ParquetFile(opened).metadata
    columns = {metadata.schema.column(i).path: i for i in range(len(metadata.schema))}
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        nodes, times = (group.column(columns[name]).statistics for name in ("node", "observed_at"))
        if nodes is None or not nodes.has_min_max or (nodes.min <= high and low <= nodes.max):
            yield _time_bound(times.max if times is not None and times.has_min_max else None), number


def _read_row_group(lake: Lake, file: DataFile, number: int) -> pa.Table:
    with lake.open_data_file("sightings", file.path) as opened:
        return pq.ParquetFile(opened).read_row_group(number, [*EXAMPLE_COLUMNS])


def example_sighting(lake: Lake, race: JsonDict) -> Sighting:
    """The best report of a race at its latest sighting."""
    ((_, sighting, _),) = example_sightings(lake, [race])
    return sighting


def example_sightings(lake: Lake, races: Iterable[JsonDict]) -> Iterator[tuple[str, Sighting, list[str]]]:
    """Yield the id of each race, its best report at the latest sighting, and the commits of its latest runs.

    Sightings in bug reports are preferred, because they have claims. The races have the columns `EXAMPLE_NEEDS`.
    """
    races = list(races)
    digests = {race["report"] for race in races}
    reports = {row["digest"]: row for row in lake.read_rows("reports", where=is_in("digest", digests)).to_pylist()}
    found = _find_examples(lake, {race["report"] for race in races if race["example"] is None})
    for race in races:
        example = race["example"] or found[race["report"]]
        sighting = sighting_from_row({**example, "race": race["race"]}, reports[race["report"]])
        yield race["race"], sighting, [commit["name"] for commit in race["latest_commits"] or ()]


def _find_examples(lake: Lake, digests: set[str]) -> dict[str, JsonDict]:
    """The best sighting of each report, for races of an earlier version, which have none."""
    from deadheat.lake.race_rows import example_rank  # imports the grouping

    best: dict[str, JsonDict] = {}
    rows = lake.read_rows("sightings", EXAMPLE_COLUMNS, is_in("report", digests)).to_pylist() if digests else ()
    for row in rows:
        known = best.get(row["report"])
        if known is None or example_rank(row) > example_rank(known):
            best[row["report"]] = row
    return best


# what `example_sightings` needs of a race
EXAMPLE_NEEDS = ("race", "report", "example", "latest_commits")


def race_summary(race: JsonDict) -> JsonDict:
    """The public columns of a race as JSON."""
    return _race_to_json({key: race[key] for key in RACE_COLUMNS})


def _race_to_json(row: JsonDict) -> JsonDict:
    """Convert times to text, and sort the causes by number of sightings."""
    causes = sorted(row["causes"] or (), key=lambda vote: (-vote["sightings"], vote["cause"]))
    return {
        **row,
        "causes": [_cause_summary(**vote) for vote in causes],
        "first_seen": row["first_seen"].isoformat(),
        "last_seen": row["last_seen"].isoformat(),
        "history": [{**state, "day": state["day"].isoformat()} for state in row["history"]],
    }


def _cause_summary(cause: str, sightings: int, weight: int) -> JsonDict:
    """How many sightings have a cause, and its mean confidence."""
    return {"cause": cause, "sightings": sightings, "confidence": round(weight / (100 * sightings), 2)}
