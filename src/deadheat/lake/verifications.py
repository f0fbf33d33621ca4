"""Keeps the results of verifications. Rows are only added; they follow their race when races are joined."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.lake import maintenance, transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.schema import VERIFICATIONS
from deadheat.lake.transactions import Intent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from deadheat.lake.tables import Lake

    JsonDict = dict[str, Any]

TABLE = "verifications"
# without the whole result, which may be long
SUMMARY_COLUMNS = tuple(name for name in VERIFICATIONS.names if name != "result")


def add_verification(lake: Lake, row: JsonDict, on_stage: Callable[[str], None] = lambda _: None) -> None:
    """Append one row. Creates the table; the rest of a lake of an earlier version stays as it is."""
    lake.require().create_tables(TABLE)
    content = pa.Table.from_pylist([row], VERIFICATIONS)
    batch = f"{TABLE}-{time.time_ns():x}-{random.getrandbits(32):08x}"

    def build(state: int) -> Intent:
        return Intent(batch, state, {TABLE: TableChange(write_rows(lake.storage, TABLE, f"{batch}-{state}", content))})

    transactions.commit(lake, build, on_stage, decider=TABLE)
    maintenance.merge_small_files(lake, (TABLE,))


def verifications_by_name(lake: Lake, columns: Iterable[str] = SUMMARY_COLUMNS) -> dict[str, list[JsonDict]]:
    """All verifications by the id that their race had then, the newest first."""
    found: dict[str, list[JsonDict]] = {}
    if lake.has_table(TABLE):
        rows = lake.read_rows(TABLE, [*dict.fromkeys((*columns, "race", "at"))]).to_pylist()
        for row in sorted(rows, key=lambda row: row["at"], reverse=True):
            found.setdefault(row["race"], []).append(row)
    return found


def verifications_of(race: JsonDict, known: Mapping[str, list[JsonDict]]) -> list[JsonDict]:
    """The verifications of a race, also those under one of its aliases, the newest first."""
    found = [row for name in dict.fromkeys((race["race"], *race["aliases"])) for row in known.get(name, ())]
    return sorted(found, key=lambda row: row["at"], reverse=True)


def read_verifications(lake: Lake, race: JsonDict) -> list[JsonDict]:
    """The verifications of one race with their whole results, the newest first."""
    if not lake.has_table(TABLE):
        return []
    names = sorted({race["race"], *race["aliases"]})
    files = [file for file in lake.data_files(TABLE) if file.may_contain("race", names[0], names[-1])]
    rows: list[JsonDict] = lake.read_rows(TABLE, None, is_in("race", names), files).to_pylist()
    return sorted(rows, key=lambda row: row["at"], reverse=True)


def race_names(lake: Lake) -> dict[str, str]:
    """The race that each id and alias of the lake refers to."""
    rows = lake.read_rows("races", ["race", "aliases"]).to_pylist()
    names = {alias: row["race"] for row in rows for alias in row["aliases"]}
    return names | {row["race"]: row["race"] for row in rows}


def forget_verifications(lake: Lake, races: Collection[str]) -> int:
    """Remove the verifications of races that are not in the lake any more. Returns their number."""
    count = 0

    def build(state: int) -> Intent | None:
        nonlocal count
        condition = is_in("race", sorted(races))
        count = lake.read_rows(TABLE, ["race"], condition).num_rows
        if not count:
            return None
        batch = f"{TABLE}-forget-{time.time_ns():x}-{random.getrandbits(32):08x}"
        return Intent(batch, state, {TABLE: transactions.rewrite_files(lake, TABLE, batch, condition)})

    if races and lake.has_table(TABLE):
        transactions.commit(lake, build, decider=TABLE)
    return count
