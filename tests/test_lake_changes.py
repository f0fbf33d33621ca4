"""Changes of a lake without Spark: several writers, killed processes, compaction, unused files, faults."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from deadheat.errors import DeadheatError
from deadheat.lake import derivation, maintenance, race_rows, schema, transactions
from deadheat.lake.data_files import TableChange
from deadheat.lake.storage import LakeStorage
from deadheat.lake.tables import Lake
from deadheat.lake.transactions import INTENT_FOLDER
from tests.lake_facts import FIRST_DAY, DocumentFacts, all_rows, change_facts, derived_rows, race_report, table_rows

FACT_STAGES = ("decided", *schema.FACT_TABLES, "recorded", "done")
DERIVED_STAGES = ("decided", *schema.DERIVED_TABLES, "recorded", "done")


class KilledError(Exception):
    pass


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    return made


def kill_at(stage: str) -> Any:
    def on_stage(reached: str) -> None:
        if reached == stage:
            raise KilledError

    return on_stage


def log_of(number: int, **options: Any) -> DocumentFacts:
    """A document with one race of its own."""
    return DocumentFacts(f"logs/{number:03}.log", race_report(method=f"Add{number}"), **options)


def file_names(lake: Lake) -> list[str]:
    return sorted(row["uri"] for row in lake.read_rows("files", ["uri"]).to_pylist())


# -- commits ---------------------------------------------------------------------------------------


def test_several_writers_at_once_lose_nothing(lake: Lake) -> None:
    errors: list[BaseException] = []

    def write(writer: int) -> None:
        try:
            own = Lake(lake.uri)
            for number in range(3):
                change_facts(own, f"w{writer}-{number}", [log_of(10 * writer + number)])
                derivation.derive_races(own, f"d{writer}-{number}")
        except BaseException as error:  # noqa: BLE001, reported by the main thread
            errors.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    lake.refresh()
    assert file_names(lake) == [f"logs/{10 * writer + number:03}.log" for writer in range(3) for number in range(3)]
    assert sorted(row["state"] for row in table_rows(lake, "ingests")) == [*range(1, 10)]
    derivation.derive_races(lake, "last")
    assert (lake.row_count("sightings"), lake.row_count("races")) == (9, 9)
    assert [*maintenance.find_faults(lake)] == []


def test_another_process_may_create_a_table_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = DeltaTable.create

    def create_after_another(*args: Any, **options: Any) -> NoReturn:
        create(*args, **options)
        raise CommitFailedError("Protocol changed since last commit")

    monkeypatch.setattr(DeltaTable, "create", create_after_another)
    lake = Lake(str(tmp_path))
    lake.create_tables()
    assert (lake.is_there, lake.table_state("ingests"), lake.row_count("files")) == (True, 0, 0)


def test_a_change_is_computed_again_if_another_writer_was_first(lake: Lake) -> None:
    late, built = Lake(lake.uri), []
    document = log_of(2)

    def stage(reached: str) -> None:
        built.append(reached)
        if built == ["decided"]:
            change_facts(Lake(lake.uri), "first", [log_of(1)])

    intent = change_facts(late, "second", [document], on_stage=stage)
    assert intent is not None
    assert intent.state == 2
    assert built[:2] == ["decided", "decided"]
    assert file_names(late) == ["logs/001.log", "logs/002.log"]
    assert late.storage.entry_names(INTENT_FOLDER) == []


@pytest.mark.parametrize("stage", FACT_STAGES)
def test_a_change_of_facts_killed_at_any_stage_is_completed_or_did_not_happen(lake: Lake, stage: str) -> None:
    with pytest.raises(KilledError):
        change_facts(lake, "one", [log_of(1)], on_stage=kill_at(stage))
    happened = stage != "decided"
    again = Lake(lake.uri)
    change_facts(again, "two", [log_of(2)])
    expected = ["logs/001.log", "logs/002.log"] if happened else ["logs/002.log"]
    assert file_names(again) == expected
    for table in ("sightings", "reports", "ingests"):
        assert again.row_count(table) == len(expected)
    change_facts(again, "three", [log_of(3)])
    assert again.storage.entry_names(INTENT_FOLDER) == []
    derivation.derive_races(again, "derived")
    assert [*maintenance.find_faults(again)] == []


@pytest.mark.parametrize("stage", DERIVED_STAGES)
def test_a_derivation_killed_at_any_stage_is_completed_by_the_next_one(lake: Lake, stage: str) -> None:
    change_facts(lake, "one", [log_of(1), log_of(2)])
    with pytest.raises(KilledError):
        derivation.derive_races(lake, "killed", on_stage=kill_at(stage))
    again = Lake(lake.uri)
    change_facts(again, "two", [log_of(3)])
    derivation.derive_races(again, "next")
    assert derived_rows(again) == rebuilt(again)
    assert [*maintenance.find_faults(again)] == []


def rebuilt(lake: Lake) -> dict[str, list[dict[str, Any]]]:
    variants = derivation.sum_sightings(lake, pc.scalar(True), lake.data_files("sightings"))
    return {name: sorted(rows.to_pylist(), key=str) for name, rows in derivation.rebuilt_rows(variants).items()}


def test_data_files_of_a_change_that_did_not_happen_are_not_part_of_the_table(lake: Lake) -> None:
    with pytest.raises(KilledError):
        change_facts(lake, "one", [log_of(1)], on_stage=kill_at("decided"))
    assert lake.row_count("files") == 0
    (left,) = (Path(lake.uri) / "files").glob("one*.parquet")
    maintenance.remove_unused_files(lake, keep_hours=0)
    assert left.exists()  # a process that is running may commit it
    os.utime(left, (time.time() - 25 * 3600,) * 2)
    maintenance.remove_unused_files(lake)
    assert left.exists()
    maintenance.remove_unused_files(lake, keep_hours=0)
    assert not left.exists()


DAMAGED_INTENTS = (b"", b"{", b'{"batch": "x"}', b'{"batch": "x", "state": 1, "changes": 2}')


@pytest.mark.parametrize("content", DAMAGED_INTENTS)
def test_an_unreadable_intent_is_reported_and_removed_by_the_next_writer(lake: Lake, content: bytes) -> None:
    change_facts(lake, "one", [log_of(1)])
    intent = Path(lake.uri) / INTENT_FOLDER / "ingests-000000000001-x.json"
    intent.parent.mkdir(exist_ok=True)
    intent.write_bytes(content)
    assert Lake(lake.uri).row_count("sightings") == 1
    derivation.derive_races(Lake(lake.uri), "derived")
    intent.write_bytes(content)
    assert [*maintenance.find_faults(Lake(lake.uri))] == [
        f"{INTENT_FOLDER}/{intent.name} cannot be read; the next ingest removes it"
    ]
    notes: list[str] = []
    lake.on_note = notes.append
    change_facts(lake, "two", [log_of(2)])
    derivation.derive_races(lake, "derived")
    assert notes == [f"{INTENT_FOLDER}/{intent.name} cannot be read; removed, because no change needs it"]
    assert lake.row_count("sightings") == 2
    assert [*maintenance.find_faults(lake)] == []


@pytest.mark.parametrize("stage", FACT_STAGES)
@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: None])
def test_a_killed_change_is_completed_although_its_intent_is_damaged(lake: Lake, stage: str, damage: Any) -> None:
    change_facts(lake, "zero", [log_of(0), log_of(1)])
    with pytest.raises(KilledError):
        change_facts(lake, "one", [log_of(2)], [log_of(1)], on_stage=kill_at(stage))
    for intent in (Path(lake.uri) / INTENT_FOLDER).iterdir():
        damaged = damage(intent.read_bytes())
        intent.unlink() if damaged is None else intent.write_bytes(damaged)
    again = Lake(lake.uri)
    change_facts(again, "two", [log_of(3)])
    before = ["logs/000.log", "logs/001.log"] if stage == "decided" else ["logs/000.log", "logs/002.log"]
    assert file_names(again) == [*before, "logs/003.log"]
    assert sorted(row["uri"] for row in table_rows(again, "sightings")) == [*before, "logs/003.log"]
    assert again.storage.entry_names(INTENT_FOLDER) == []
    derivation.derive_races(again, "derived")
    assert [*maintenance.find_faults(again)] == []


def test_a_killed_change_is_a_fault_until_the_next_one(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1)])
    derivation.derive_races(lake, "derived")
    with pytest.raises(KilledError):
        change_facts(lake, "two", [log_of(2)], on_stage=kill_at("ingests"))
    again = Lake(lake.uri)
    first, *_ = maintenance.find_faults(again)
    assert first.endswith("-two-2.json was committed but not applied; the next ingest applies it")
    change_facts(again, "three", [log_of(3)])
    derivation.derive_races(again, "derived-again")
    assert [*maintenance.find_faults(again)] == []


def test_a_full_disk_is_one_line_and_changes_nothing(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    change_facts(lake, "one", [log_of(1)])

    def fail(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(LakeStorage, "write_json", fail)
        with pytest.raises(DeadheatError, match="no space left; free some space and run the same command again"):
            change_facts(lake, "two", [log_of(2)])
    with monkeypatch.context() as patched:
        patched.setattr("tests.lake_facts.write_rows", fail)
        with pytest.raises(DeadheatError, match="no space left"):
            change_facts(lake, "two", [log_of(2)])
    assert file_names(Lake(lake.uri)) == ["logs/001.log"]
    change_facts(lake, "two", [log_of(2)])
    assert file_names(lake) == ["logs/001.log", "logs/002.log"]


def test_rows_of_an_optional_table_are_replaced(lake: Lake) -> None:
    def put(*names: str, keep: Any = None) -> list[str]:
        rows = pa.Table.from_pylist([{"race": name, "repo": name[0]} for name in names], schema.DOSSIERS)
        transactions.replace_table(lake, "dossiers", rows, keep)
        return [row["race"] for row in table_rows(lake, "dossiers")]

    assert put("a1", "b1") == ["a1", "b1"]
    assert put("a2", keep=pc.field("repo") == "b") == ["a2", "b1"]
    assert put() == []
    with pytest.raises(ValueError, match="families"):
        transactions.replace_table(lake, "families", pa.Table.from_pylist([], schema.FAMILIES))


# -- files and statistics --------------------------------------------------------------------------


def test_sightings_are_partitioned_by_day_and_have_statistics(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1), log_of(2), log_of(3, day=4)])
    files = sorted(lake.data_files("sightings"), key=lambda file: file.day)
    assert [(file.day, file.row_count) for file in files] == [("2026-03-01", 2), ("2026-03-05", 1)]
    assert all(file.path.startswith(f"day={file.day}/") for file in files)
    assert (files[0].low["uri"], files[0].high["uri"]) == ("logs/001.log", "logs/002.log")
    assert files[1].low["observed_at"] == FIRST_DAY + timedelta(days=4)
    assert [file.may_contain("uri", "logs/003.log", "logs/004.log") for file in files] == [False, True]
    table = DeltaTable(lake.storage.uri_of("sightings"))
    assert table.metadata().partition_columns == ["day"]
    read = table.to_pyarrow_dataset().to_table(columns=["uri", "day"]).to_pylist()
    assert sorted((row["uri"], str(row["day"])) for row in read)[-1] == ("logs/003.log", "2026-03-05")


def test_compaction_keeps_the_content_and_leaves_few_files(lake: Lake) -> None:
    for number in range(6):
        change_facts(lake, f"b{number}", [log_of(number, day=number // 3)])
        derivation.derive_races(lake, f"d{number}")
    before, ingested = all_rows(lake), lake.state_number
    counts = maintenance.compact_lake(lake, keep_hours=0)
    assert (counts["files"], counts["sightings"], counts["ingests"]) == ((6, 1), (6, 2), (6, 1))
    again = Lake(lake.uri)
    assert all_rows(again) == before
    assert again.state_number == ingested + 1
    assert [*maintenance.find_faults(again)] == []
    assert derivation.derive_races(again, "nothing") == []
    assert maintenance.compact_lake(again)["files"] == (1, 1)


def test_small_files_are_merged_by_writers_when_there_are_many(lake: Lake) -> None:
    for number in range(12):
        change_facts(lake, f"b{number}", [log_of(number)])
        derivation.derive_races(lake, f"d{number}")
        maintenance.maintain(lake)
    assert len(lake.data_files("ingests")) < 10
    assert len(lake.data_files("sightings")) < 10
    assert lake.row_count("sightings") == 12
    assert derived_rows(lake) == rebuilt(lake)
    assert [*maintenance.find_faults(lake)] == []


def test_a_change_that_meets_a_compaction_is_computed_again(lake: Lake) -> None:
    for number in range(3):
        change_facts(lake, f"b{number}", [log_of(number)])
    done: list[str] = []

    def compact_once(reached: str) -> None:
        if not done:
            done.append(reached)
            maintenance.compact_lake(Lake(lake.uri))

    change_facts(lake, "changed", [log_of(5)], [log_of(1)], on_stage=compact_once)
    assert file_names(lake) == ["logs/000.log", "logs/002.log", "logs/005.log"]
    derivation.derive_races(lake, "derived")
    assert [*maintenance.find_faults(lake)] == []


def test_a_reader_of_an_earlier_state_finds_its_files_until_the_retention_time(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1)])
    reader = Lake(lake.uri)
    assert reader.row_count("sightings") == 1
    change_facts(lake, "two", [log_of(2)], [log_of(1)])
    maintenance.remove_unused_files(lake)
    assert [row["uri"] for row in table_rows(reader, "sightings")] == ["logs/001.log"]
    maintenance.remove_unused_files(lake, keep_hours=0)
    with pytest.raises(DeadheatError, match="cannot be read"):
        reader.read_rows("sightings")
    reader.refresh()
    assert [row["uri"] for row in table_rows(reader, "sightings")] == ["logs/002.log"]


# -- counts ----------------------------------------------------------------------------------------


def test_runs_are_counted_although_only_the_latest_are_kept(lake: Lake) -> None:
    text = race_report()
    for start in (0, 60):
        documents = [DocumentFacts("ci.log", text, day=n, run=f"run-{n:03}") for n in range(start, start + 60)]
        change_facts(lake, f"b{start}", documents)
        derivation.derive_races(lake, f"d{start}")
    (race,) = table_rows(lake, "races")
    assert race["run_count"] == 120
    assert race["runs"] == [f"run-{n:03}" for n in range(119, 119 - race_rows.MAX_LATEST, -1)]
    assert race["sightings"] == 120


def test_a_number_of_runs_above_the_sample_is_estimated() -> None:
    for count in (700, 5000):
        hashes = sorted(race_rows._run_hash("shop", f"run {number}") for number in range(count))
        estimate = race_rows.run_number(hashes[: race_rows.RUN_SAMPLE_SIZE])
        assert abs(estimate - count) < 0.15 * count


# -- faults ----------------------------------------------------------------------------------------


def test_check_finds_missing_and_changed_data_files(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1)])
    derivation.derive_races(lake, "derived")
    assert [*maintenance.find_faults(lake)] == []
    (file,) = (Path(lake.uri) / "reports").glob("*.parquet")
    size = file.stat().st_size
    file.write_bytes(file.read_bytes() + b"x")
    assert [*maintenance.find_faults(lake)] == [f"reports/{file.name} has {size + 1} bytes, expected {size}"]
    file.unlink()
    assert [*maintenance.find_faults(lake)] == [f"reports/{file.name} is missing"]


def test_check_finds_sightings_that_are_stored_twice(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1)])
    change_facts(lake, "two", [log_of(1)])
    derivation.derive_races(lake, "derived")
    assert [*maintenance.find_faults(lake)] == ["1 duplicate sightings"]


def test_check_finds_races_that_are_not_current(lake: Lake) -> None:
    change_facts(lake, "one", [log_of(1)])
    assert [*maintenance.find_faults(lake)] == [
        "races are not derived from the latest sightings; the next ingest or `deadheat consolidate` does it"
    ]
    derivation.derive_races(lake, "derived")

    def drop_races(state: int) -> transactions.Intent:
        change = TableChange([], [file.path for file in lake.data_files("races")])
        return transactions.derived_intent("dropped", state, {"races": change}, lake.state_number)

    transactions.commit(lake, drop_races, decider="nodes")
    assert [*maintenance.find_faults(lake)] == [
        "races have 0 sightings, expected 1; `deadheat consolidate` rebuilds them",
        "1 variants have no race; `deadheat consolidate` rebuilds the races",
    ]


def test_an_intent_is_restored_from_its_file() -> None:
    added = schema.FACT_TABLES[0]
    intent = transactions.facts_intent("one", 3, {added: TableChange(remove=["x"], data_change=False)})
    assert transactions.Intent.from_json(json.loads(json.dumps(intent.to_json()))) == intent
