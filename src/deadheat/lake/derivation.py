"""Derives variants, races and families from the facts: only those that new or removed sightings concern.

`spark.reduce_spark` rebuilds all of them at once, with the same functions."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.grouping.races import NEW, QUIET, RETURNED, find_families
from deadheat.lake import race_rows, report_row, transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.schema import FAMILIES, NODES, RACES, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from deadheat.lake.report_row import ReportDetails
    from deadheat.lake.tables import DataFile, Lake
    from deadheat.lake.transactions import Intent

    JsonDict = dict[str, Any]
    # names of changes -> rows of variants; for many sightings
    SumSightings = Callable[[list[str]], list[JsonDict]]

# days after which a race may become quiet; it is new or returned for fewer
_STATUS_DAYS = 14


class PendingFacts:
    """The changes of the facts that the derived tables do not contain yet."""

    def __init__(self, lake: Lake) -> None:
        self.covered = lake.transaction_number("nodes", transactions.COVERED_APPLICATION)
        self.state = lake.state_number
        self.ingests: list[str] = []
        self.recount: set[str] = set()
        self.sightings = 0
        if self.state > self.covered:
            files = [
                file for file in lake.data_files("ingests") if file.may_contain("state", self.covered + 1, self.state)
            ]
            for row in lake.read_rows("ingests", files=files).to_pylist():
                if row["state"] > self.covered:
                    self.recount.update(row["recount"])
                    self.sightings += row["sightings"]
                    self.ingests += [row["ingest"]] if row["sightings"] else []


def report_details(
    lake: Lake, digests: Iterable[str], known: Mapping[str, ReportDetails] | None = None
) -> dict[str, ReportDetails]:
    """What races take from these reports."""
    wanted = set(digests)
    details = {digest: known[digest] for digest in wanted if digest in known} if known else {}
    if missing := sorted(wanted - details.keys()):
        files = [file for file in lake.data_files("reports") if file.may_contain("digest", missing[0], missing[-1])]
        columns = ["digest", *report_row.DETAIL_COLUMNS]
        for row in lake.read_rows("reports", columns, is_in("digest", missing), files).to_pylist():
            details[row["digest"]] = report_row.details_of_row(row)
    return details


def sum_sightings(
    lake: Lake, where: pc.Expression, files: list[DataFile], known: Mapping[str, ReportDetails] | None = None
) -> list[JsonDict]:
    """The rows of the variants of some sightings. Memory is bounded by the number of variants."""
    sums: list[JsonDict] = []
    dataset = lake.arrow_dataset("sightings", files)
    for batch in dataset.to_batches(columns=[*race_rows.SIGHTING_COLUMNS], filter=where):
        if batch.num_rows:
            table = pa.Table.from_batches([batch])
            details = report_details(lake, table["report"].unique().to_pylist(), known)
            sums = race_rows.variant_rows([*sums, *race_rows.rows_of_sightings(table, details)])
    return sums


class Derivation:
    """Computes one change of the derived tables."""

    def __init__(
        self,
        lake: Lake,
        batch: str,
        known_details: Mapping[str, ReportDetails] | None = None,
        sum_many: SumSightings | None = None,
        max_local_rows: int = 0,
    ) -> None:
        self._lake, self._batch = lake, batch
        self._known_details, self._sum_many, self._max_local_rows = known_details, sum_many, max_local_rows
        self._file_name = batch
        self._changes: dict[str, TableChange] = {}
        self._members: dict[str, set[str]] = {}  # variants of the races that change
        self.new_races: list[tuple[str, str]] = []

    def build(self, state: int) -> Intent | None:
        """The change for the next state of the derived tables, or None if they are current."""
        pending = PendingFacts(self._lake)
        if not pending.ingests and not pending.recount:
            return None
        self._changes, self.new_races = {}, []
        # of an earlier attempt there may be files
        self._file_name = f"{self._batch}-{state}"
        new_rows = self._new_variant_rows(pending)
        touched = {row["node"] for row in new_rows} | pending.recount
        if touched:
            self._update(new_rows, touched, pending.recount)
        return transactions.derived_intent(self._file_name, state, self._changes, pending.state)

    def _new_variant_rows(self, pending: PendingFacts) -> list[JsonDict]:
        if not pending.ingests:
            return []
        if self._sum_many is not None and pending.sightings > self._max_local_rows:
            return self._sum_many(pending.ingests)
        low, high = min(pending.ingests), max(pending.ingests)
        files = [file for file in self._lake.data_files("sightings") if file.may_contain("ingest", low, high)]
        return sum_sightings(self._lake, is_in("ingest", pending.ingests), files, self._known_details)

    def _update(self, new_rows: list[JsonDict], touched: set[str], recount: set[str]) -> None:
        stored = {row["node"]: row for row in self._rows_with("nodes", "node", touched)}
        if recount:
            new_rows = [row for row in new_rows if row["node"] not in recount]
            low, high = min(recount), max(recount)
            files = [file for file in self._lake.data_files("sightings") if file.may_contain("node", low, high)]
            new_rows += sum_sightings(self._lake, is_in("node", recount), files)
        kept = [row for name, row in stored.items() if name not in recount]
        rows = {row["node"]: row for row in race_rows.variant_rows([*kept, *new_rows])}
        changed = {name for name in touched if _grouping(rows.get(name)) != _grouping(stored.get(name))}
        for name, row in rows.items():
            row["relations"] = stored[name]["relations"] if name not in changed else race_rows.relations_of(row)
            row["race"] = stored[name]["race"] if name in stored else None
        vanished = touched - rows.keys()
        new_variants = rows.keys() - stored.keys()
        races = {row["race"] for row in stored.values()}
        if changed:
            races |= self._regroup(rows, changed, vanished)
        self._update_races(rows, races, vanished, is_regrouped=bool(changed))
        self.new_races = [pair for pair in self.new_races if self._members[pair[0]] <= new_variants]
        self._replace_rows("nodes", "node", [*rows.values()], touched | rows.keys())

    def _rows_with(self, table: str, column: str, values: Iterable[str]) -> list[JsonDict]:
        wanted = sorted(values)
        if not wanted:
            return []
        files = [f for f in self._lake.data_files(table) if f.may_contain(column, wanted[0], wanted[-1])]
        return list(self._lake.read_rows(table, None, is_in(column, wanted), files).to_pylist()) if files else []

    def _regroup(self, rows: dict[str, JsonDict], changed: set[str], vanished: set[str]) -> set[str]:
        """Assign races to these variants and all that they are connected with; adds rows whose race changes.

        Returns all races of these variants, before and after.
        """
        connected = self._connected_variants(rows, changed) - vanished
        others = self._rows_with("nodes", "node", connected - rows.keys())
        races = {row["race"] for row in others}
        other_rows = {row["node"]: row for row in others}
        for name, race in race_rows.race_by_variant([*rows.values(), *others]).items():
            races.add(race)
            if name in rows:
                rows[name]["race"] = race
            elif other_rows[name]["race"] != race:
                rows[name] = other_rows[name] | {"race": race}
        return races

    def _connected_variants(self, rows: dict[str, JsonDict], changed: set[str]) -> set[str]:
        """All variants that are connected with these before or after the change."""
        nodes = self._lake.read_rows("nodes", ["node", "relations"])
        relations, parents = pc.list_flatten(nodes["relations"]), pc.list_parent_indices(nodes["relations"])
        names = nodes["node"]
        found = set(changed)
        wanted = {other for name in rows for r in rows[name]["relations"] for other in race_rows.matching_relations(r)}
        before = self._rows_with("nodes", "node", changed)
        wanted |= {other for row in before for r in row["relations"] for other in race_rows.matching_relations(r)}
        searched: set[str] = set()
        while wanted:
            searched |= wanted
            hits = pc.is_in(relations, value_set=pa.array(wanted, pa.string()))
            indexes = pc.unique(pc.filter(parents, hits))
            new = indexes.filter(pc.invert(pc.is_in(names.take(indexes), value_set=pa.array(found, pa.string()))))
            found.update(names.take(new).to_pylist())
            new_relations = pc.list_flatten(nodes["relations"].take(new)).to_pylist()
            wanted = {other for r in new_relations for other in race_rows.matching_relations(r)} - searched
        return found

    def _update_races(self, rows: dict[str, JsonDict], races: set[str], vanished: set[str], is_regrouped: bool) -> None:
        stored = {row["race"]: row for row in self._rows_with("races", "race", races)}
        names = {name for row in stored.values() for name in row["nodes"]}
        members = self._rows_with("nodes", "node", names - rows.keys() - vanished)
        found = race_rows.race_rows([*rows.values(), *members])
        found = {race: row for race, row in found.items() if race in races}
        for race, row in found.items():
            if race in stored and not is_regrouped:
                row["aliases"] = stored[race]["aliases"]
            row["family"] = stored[race]["family"] if race in stored else None
        self.new_races = sorted((race, row["title"]) for race, row in found.items() if race not in stored)
        self._members = {race: set(row["nodes"]) for race, row in found.items()}
        gone = races - found.keys()
        if gone or any(race not in stored or row["keys"] != stored[race]["keys"] for race, row in found.items()):
            self._update_families(found, gone)
        self._update_status(found, gone)
        self._replace_rows("races", "race", [*found.values()], races | found.keys())

    def _update_families(self, found: dict[str, JsonDict], gone: set[str]) -> None:
        """Find all families again; adds the races whose family changes."""
        stored = self._lake.read_rows("races", ["race", "keys", "family"])
        stored = stored.filter(~is_in("race", found.keys() | gone))
        new = pa.Table.from_pylist([*found.values()], pa.schema([RACES.field(n) for n in ("race", "keys", "family")]))
        families = find_family_rows(pa.concat_tables([stored, new]))
        family_by_race = {race: family["family"] for family in families for race in family["races"]}
        moved = {
            race
            for race, family in zip(stored["race"].to_pylist(), stored["family"].to_pylist(), strict=True)
            if family_by_race.get(race) != family
        }
        found |= {row["race"]: row for row in self._rows_with("races", "race", moved)}
        for race, row in found.items():
            row["family"] = family_by_race.get(race)
        content = pa.Table.from_pylist(families, FAMILIES)
        removed = [file.path for file in self._lake.data_files("families")]
        added = write_rows(self._lake.storage, "families", self._file_name, content)
        self._changes["families"] = TableChange(added, removed)

    def _update_status(self, found: dict[str, JsonDict], gone: set[str]) -> None:
        """Set the status of these races, and of those whose status changes because time has passed."""
        stored = self._lake.read_rows("races", ["race", "status", "last_seen"])
        others = stored.filter(~is_in("race", found.keys() | gone))
        newest_days = [row["days"][-1] for row in found.values()]
        if others.num_rows:
            newest_days.append(pc.max(others["last_seen"]).as_py().date())
        if not newest_days:
            return
        newest: date = max(newest_days)
        limit = pa.scalar(newest - timedelta(days=_STATUS_DAYS), pa.date32()).cast(pa.timestamp("us"))
        seen = others["last_seen"].cast(pa.timestamp("us"))
        is_recent = pc.is_in(others["status"], value_set=pa.array([NEW, RETURNED]))
        becomes_quiet = pc.and_(pc.not_equal(others["status"], QUIET), pc.less(seen, limit))
        due = others.filter(pc.or_(is_recent, becomes_quiet))["race"].to_pylist()
        if stored.num_rows and newest < pc.max(stored["last_seen"]).as_py().date():
            due = others["race"].to_pylist()  # the newest sightings were removed
        candidates = {row["race"]: row for row in self._rows_with("races", "race", due)}
        before = {race: row["history"] for race, row in candidates.items()}
        race_rows.add_status([*found.values(), *candidates.values()], newest)
        found |= {race: row for race, row in candidates.items() if row["history"] != before[race]}

    def _replace_rows(self, table: str, column: str, rows: list[JsonDict], touched: Iterable[str]) -> None:
        names = sorted(touched)
        files = [f for f in self._lake.data_files(table) if f.may_contain(column, names[0], names[-1])]
        content = pa.Table.from_pylist(rows, TABLES[table])
        where = is_in(column, names)
        self._changes[table] = transactions.rewrite_files(self._lake, table, self._file_name, where, content, files)


def _grouping(row: JsonDict | None) -> tuple[Any, ...] | None:
    """What decides which race a variant belongs to."""
    return None if row is None else tuple(row[name] for name in race_rows.GROUPING_COLUMNS)


def find_family_rows(races: pa.Table) -> list[JsonDict]:
    """The rows of the families of races, which have the columns `race` and `keys`."""
    keys, holders = pc.list_flatten(races["keys"]), races["race"].take(pc.list_parent_indices(races["keys"]))
    counts = pc.value_counts(keys)
    # most keys belong to one race
    shared = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    is_shared = pc.is_in(keys, value_set=shared)
    shared_keys: dict[str, list[str]] = {}
    for race, key in zip(holders.filter(is_shared).to_pylist(), keys.filter(is_shared).to_pylist(), strict=True):
        shared_keys.setdefault(race, []).append(key)
    families = find_families(shared_keys)
    return [{"family": f.id, "culprit": f.why[0], "races": f.races, "why": f.why} for f in families]


def derive_races(
    lake: Lake,
    batch: str,
    known_details: Mapping[str, ReportDetails] | None = None,
    sum_many: SumSightings | None = None,
    max_local_rows: int = 0,
    on_stage: Callable[[str], None] = lambda _: None,
) -> list[tuple[str, str]]:
    """Bring the derived tables up to date. Returns id and title of the new races."""
    derivation = Derivation(lake, batch, known_details, sum_many, max_local_rows)
    transactions.commit(lake, derivation.build, on_stage, decider="nodes")
    return derivation.new_races


def rebuilt_changes(lake: Lake, batch: str) -> dict[str, TableChange]:
    """The change that computes all derived tables anew."""
    variants = sum_sightings(lake, pc.scalar(True), lake.data_files("sightings"))
    return {
        name: TableChange(write_rows(lake.storage, name, batch, rows), [file.path for file in lake.data_files(name)])
        for name, rows in rebuilt_rows(variants).items()
    }


def rebuilt_rows(variants: list[JsonDict]) -> dict[str, pa.Table]:
    """All derived tables from the sums of all variants."""
    race_names = race_rows.race_by_variant(variants)
    for row in variants:
        row |= {"race": race_names[row["node"]], "relations": race_rows.relations_of(row)}
    races = race_rows.race_rows(variants)
    return {"nodes": pa.Table.from_pylist(variants, NODES), **finished_tables([*races.values()])}


def finished_tables(races: list[JsonDict]) -> dict[str, pa.Table]:
    """Races with their families and status."""
    keys = pa.Table.from_pylist(races, pa.schema([RACES.field("race"), RACES.field("keys")]))
    families = find_family_rows(keys)
    family_by_race = {race: family["family"] for family in families for race in family["races"]}
    for row in races:
        row["family"] = family_by_race.get(row["race"])
    if races:
        race_rows.add_status(races, max(row["days"][-1] for row in races))
    return {"races": pa.Table.from_pylist(races, RACES), "families": pa.Table.from_pylist(families, FAMILIES)}
