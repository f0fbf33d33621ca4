"""A lake at one version: its races in memory, and access to everything else."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import queries, verifications
from deadheat.lake.data_files import is_in
from deadheat.lake.schema import DERIVED_TABLES, OPTIONAL_TABLES, TABLES
from deadheat.lake.sighting_rows import sighting_from_row
from deadheat.verification import record
from deadheat.web.race_table import RaceTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from deadheat.lake.tables import Lake
    from deadheat.model import Sighting

    JsonDict = dict[str, Any]

# everything about a race but the samples of its runs, which are large
RACE_COLUMNS = (
    "race", "aliases", "title", "detector", "kind", "sites", "cause", "causes", "family", "sightings", "repos", "tests",
    "days", "run_count", "first_seen", "last_seen", "status", "history", "report", "example", "nodes",
)  # fmt: skip
_DOSSIER_COLUMNS = ("variable", "pin", "fixed_by", "still_present", "owners", "fixed_in")


class DaySum(NamedTuple):
    """What happened on one day."""

    day: date
    sightings: int
    new_races: int
    races: int


class LakeSnapshot:
    """Immutable, so that requests that have begun finish on it while the next one is loaded."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.version = lake_version(lake)
        self.races = lake.read_rows("races", RACE_COLUMNS).sort_by("race").combine_chunks()
        self._numbers = {name: number for number, name in enumerate(self.races["race"].to_pylist())}
        self._aliases = {
            alias: number for number, names in enumerate(self.races["aliases"].to_pylist()) for alias in names or ()
        }
        self._races_of_nodes = {
            node: number for number, nodes in enumerate(self.races["nodes"].to_pylist()) for node in nodes
        }
        self.dossier_rows = queries.best_dossiers(lake, _DOSSIER_COLUMNS)
        self.table = RaceTable(self.races, self._owners())

    @property
    def race_count(self) -> int:
        return len(self._numbers)

    def _owners(self) -> dict[str, list[str]]:
        return {race: [owner["who"] for owner in row["owners"] or ()] for race, row in self.dossier_rows.items()}

    def find_race(self, name: str) -> JsonDict | None:
        """A race by its id or an alias."""
        number = self._numbers.get(name)
        number = self._aliases.get(name) if number is None else number
        return None if number is None else self.race_at(number)

    def number_of(self, race: str) -> int | None:
        """The position of a race in the order of ids; None if the lake does not have it."""
        return self._numbers.get(race)

    def race_at(self, number: int) -> JsonDict:
        """A race by its position in the order of ids."""
        (row,) = self.races.slice(number, 1).to_pylist()
        return dict(row)

    def race_of_node(self, node: str) -> str | None:
        """The race of a variant."""
        number = self._races_of_nodes.get(node)
        return None if number is None else str(self.races["race"][number].as_py())

    def race_number_of_node(self, node: str) -> int | None:
        """The position of the race of a variant."""
        return self._races_of_nodes.get(node)

    def titles_of(self, races: list[str]) -> dict[str, str]:
        """The titles of those of these races that exist."""
        titles = self.races["title"]
        return {race: titles[self._numbers[race]].as_py() for race in races if race in self._numbers}

    def dossier_row(self, race: JsonDict) -> JsonDict | None:
        return queries.dossier_of(race, self.dossier_rows)

    def read_report(self, digest: str) -> JsonDict | None:
        files = [file for file in self.lake.data_files("reports") if file.may_contain("digest", digest, digest)]
        rows = self.lake.read_rows("reports", where=is_in("digest", [digest]), files=files).to_pylist() if files else []
        return rows[0] if rows else None

    def example_of(self, race: JsonDict, report: JsonDict | None) -> Sighting | None:
        """The best report of a race at its latest sighting."""
        if race["example"] is None:  # the lake is of an earlier version
            return queries.example_sighting(self.lake, {**race, "latest_commits": ()})
        return None if report is None else sighting_from_row({**race["example"], "race": race["race"]}, report)

    def read_dossier(self, race: JsonDict) -> JsonDict | None:
        """The complete dossier of a race, if a repository knows it."""
        row = self.dossier_row(race)
        if row is None:
            return None
        name, repo = row["race"], row["repo"]
        files = [file for file in self.lake.data_files("dossiers") if file.may_contain("race", name, name)]
        where = is_in("race", [name]) & is_in("repo", [repo])
        for found in self.lake.read_rows("dossiers", ["dossier"], where, files).to_pylist():
            dossier: JsonDict = json.loads(found["dossier"])
            return dossier
        return None

    def read_sighting(self, path: str, row: int, columns: Sequence[str]) -> JsonDict | None:
        """Columns of a sighting by its place in a data file; None if the file has gone."""
        import pyarrow.parquet as pq

        if all(file.path != path for file in self.lake.data_files("sightings")):
            return None
        with self.lake.open_data_file("sightings", path) as opened:
            parquet = pq.ParquetFile(opened)
            for group in range(parquet.metadata.num_row_groups):
                count = parquet.metadata.row_group(group).num_rows
                if row < count:
                    return dict(parquet.read_row_group(group, [*columns]).slice(row, 1).to_pylist()[0])
                row -= count
        return None

    @cached_property
    def _verifications(self) -> dict[str, list[JsonDict]]:
        return verifications.verifications_by_name(self.lake)

    def verifications_of(self, race: JsonDict) -> list[JsonDict]:
        """The results of `reproduce` and `verify` for a race, the newest first, without their details."""
        rows = verifications.verifications_of(race, self._verifications)
        return [record.record_to_json(row, has_result=False) for row in rows]

    @cached_property
    def families(self) -> dict[str, JsonDict]:
        return {row["family"]: row for row in queries.list_families(self.lake)}

    @cached_property
    def fixes(self) -> list[JsonDict]:
        return queries.list_fixes(self.lake)

    @cached_property
    def newest_day(self) -> date | None:
        """The day of the newest sighting, which statuses and trends count from."""
        newest = pc.max(self.races["last_seen"]).as_py()
        return newest.date() if newest else None

    @cached_property
    def days(self) -> list[DaySum]:
        """Every day with a sighting, in order."""
        from datetime import date

        sightings: dict[date, int] = {}
        for file in self.lake.data_files("sightings"):
            if file.day:
                day = date.fromisoformat(file.day)
                sightings[day] = sightings.get(day, 0) + file.row_count
        new = _counts(self.races["first_seen"].cast(pa.timestamp("us")).cast(pa.date32()))
        seen = _counts(pc.list_flatten(self.races["days"]))
        return [DaySum(day, sightings.get(day, 0), new.get(day, 0), seen.get(day, 0)) for day in sorted({*seen, *new})]

    def close(self) -> None:
        self.table.close()


def _counts(values: pa.Array | pa.ChunkedArray) -> dict[Any, int]:
    counts = pc.value_counts(values)
    return dict(zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True))


def lake_version(lake: Lake) -> str:
    """The versions of all tables as one text."""
    return ".".join(str(lake.delta_table(name).version()) if lake.has_table(name) else "-" for name in TABLES)


def is_consistent(lake: Lake) -> bool:
    """Whether no writer is between two tables of its change."""
    return len({lake.table_state(name) for name in DERIVED_TABLES}) == 1


def log_folders() -> list[str]:
    return [f"{name}/_delta_log" for name in (*(n for n in TABLES if n not in OPTIONAL_TABLES), *OPTIONAL_TABLES)]
