"""Damage of a lake is told, and repaired as far as it can be derived from the facts."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pytest

from deadheat.cli import main
from deadheat.errors import DeadheatError
from deadheat.lake import derivation, maintenance, queries, schema, transactions
from deadheat.lake.data_files import digest_in_name
from deadheat.lake.documents import bytes_digest
from deadheat.lake.integrity.check import DAMAGED_FOLDER, LakeCheck
from deadheat.lake.integrity.checksums import CHECKSUM_FOLDER
from deadheat.lake.integrity.repair import repair_lake
from deadheat.lake.storage import LOG_FOLDER, LakeStorage
from deadheat.lake.tables import Lake
from tests.lake_facts import DocumentFacts, all_rows, change_facts, race_report

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = dict[str, list[dict[str, Any]]]

SOURCE = Path(__file__).with_name("failing_writes.c")
OLD_LAKE = Path(__file__).parent / "data" / "compatibility" / "lake-v2.tar.gz"


def log_of(number: int) -> DocumentFacts:
    return DocumentFacts(f"logs/{number}.log", race_report(method=f"Add{number}"))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with checkpoints, data files that a change has removed, and an optional table."""
    lake = Lake(str(tmp_path_factory.mktemp("written") / "lake"))
    lake.create_tables()
    for number in range(5):
        change_facts(lake, f"b{number}", [log_of(number)], [log_of(1)] if number == 4 else [])
        derivation.derive_races(lake, f"d{number}")
    rows = pa.Table.from_pylist([{"race": "a", "repo": "b"}], schema.DOSSIERS)
    transactions.replace_table(lake, "dossiers", rows)
    return Path(lake.uri)


@pytest.fixture(scope="module")
def written_rows(written: Path) -> Rows:
    return all_rows(Lake(str(written)))


@pytest.fixture
def root(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "lake"))


def faults(root: Path) -> list[str]:
    return [*map(str, LakeCheck(Lake(str(root))).run().faults)]


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def files_of(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


# -- telling ---------------------------------------------------------------------------------------


def test_a_flipped_bit_in_any_file_is_told(root: Path) -> None:
    assert faults(root) == []
    kinds = {path.relative_to(root).parts[:2][-1] for path in files_of(root)}
    assert {LOG_FOLDER, "day=2026-03-01"} <= kinds
    # all of them take 20 seconds
    for number, path in enumerate(files_of(root)[::4]):
        data = path.read_bytes()
        flip(path, 7919 * (number + 1) % (8 * len(data)))
        assert any(str(path.relative_to(root)) in fault for fault in faults(root)), path
        path.write_bytes(data)
    assert faults(root) == []


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def newest(root: Path, pattern: str) -> Path:
    return sorted(root.glob(pattern))[-1]


def nest(path: Path) -> None:
    path.write_bytes(b"[" * 100_000)


@pytest.mark.parametrize("damage", [empty, cut, lengthen, nest, Path.unlink, make_folder])
@pytest.mark.parametrize(
    "pattern",
    [
        "reports/b*.parquet",
        f"sightings/{LOG_FOLDER}/*.json",
        f"files/{LOG_FOLDER}/*.checkpoint.parquet",
        f"nodes/{LOG_FOLDER}/_last_checkpoint",
        f"{CHECKSUM_FOLDER}/ingests-*",
    ],
)
def test_other_damage_of_a_file_is_told(root: Path, pattern: str, damage: Callable[[Path], None]) -> None:
    path = newest(root, pattern)
    damage(path)
    assert any(str(path.relative_to(root)) in fault for fault in faults(root))


def test_files_that_were_swapped_are_told(root: Path) -> None:
    first, second = sorted((root / "reports").glob("*.parquet"))[:2]
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    assert len(faults(root)) == 2


def test_a_file_where_a_table_should_be_is_told(root: Path) -> None:
    shutil.rmtree(root / "families")
    (root / "families").write_text("")
    assert any(fault.startswith("families ") for fault in faults(root))


def test_files_that_are_not_of_the_lake_are_noted(root: Path) -> None:
    (root / "reports" / "other.parquet").write_bytes(b"x")
    (root / "notes.txt").write_bytes(b"x")
    check = LakeCheck(Lake(str(root))).run()
    assert check.faults == []
    assert "reports has 1 file (1 bytes) that no change has added, such as reports/other.parquet" in check.notes[0]
    assert check.notes[1] == "not part of the lake: 1 file, such as notes.txt"


def test_the_name_of_a_data_file_has_the_digest_of_its_content(root: Path) -> None:
    for path in root.rglob("*.parquet"):
        if path.parent.name != LOG_FOLDER:
            assert digest_in_name(path.name) == bytes_digest(path.read_bytes())


def test_logs_that_maintenance_writes_have_checksums(root: Path) -> None:
    lake = Lake(str(root))
    maintenance.compact_lake(lake, keep_hours=0)
    check = LakeCheck(Lake(str(root))).run()
    assert (check.faults, check.notes) == ([], [])


def test_a_lake_of_an_earlier_version_has_no_checksums_until_they_are_added(tmp_path: Path) -> None:
    with tarfile.open(OLD_LAKE) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = (path.parent for path in tmp_path.rglob("sightings") if path.is_dir())
    check = LakeCheck(Lake(str(root))).run()
    assert check.files_without_checksum
    assert check.notes[-1].endswith("`deadheat lake check --repair` adds what is missing")
    before = {path: path.read_bytes() for path in root.rglob("*.parquet")}
    done, check = repair_lake(Lake(str(root)))
    assert (len(done), check.files_without_checksum) == (1, [])
    assert {path: path.read_bytes() for path in before} == before
    flip(root / "sightings" / Lake(str(root)).data_files("sightings")[0].path, 100)
    assert len(faults(root)) == len(check.faults) + 1


# -- repair ----------------------------------------------------------------------------------------

FLIP = 4321
REPAIRABLE = [
    "races/d*.parquet",
    f"races/{LOG_FOLDER}/*5.json",
    f"nodes/{LOG_FOLDER}/*.checkpoint.parquet",
    f"families/{LOG_FOLDER}/_last_checkpoint",
    f"reports/{LOG_FOLDER}/*.checkpoint.parquet",
    f"ingests/{LOG_FOLDER}/_last_checkpoint",
    f"ingests/{LOG_FOLDER}/*1.json",
    f"sightings/{LOG_FOLDER}/*5.json",
    f"{CHECKSUM_FOLDER}/ingests-*2.json",
    "sightings/*/b1-*.parquet",
]


@pytest.mark.parametrize("pattern", REPAIRABLE)
@pytest.mark.parametrize("damage", [empty, Path.unlink, lambda path: flip(path, FLIP % (8 * path.stat().st_size))])
def test_what_can_be_derived_is_repaired(
    root: Path, written_rows: Rows, pattern: str, damage: Callable[[Path], None]
) -> None:
    path = newest(root, pattern)
    data = path.read_bytes()
    damage(path)
    present = path.read_bytes() if path.exists() else None
    _, check = repair_lake(Lake(str(root)))
    assert check.faults == []
    assert all_rows(Lake(str(root))) == written_rows
    if present not in (None, b"", data):
        assert any(kept.read_bytes() == present for kept in (root / DAMAGED_FOLDER).rglob(f"{path.name}*"))
    lake = Lake(str(root))
    change_facts(lake, "next", [log_of(8)])
    derivation.derive_races(lake, "next-derived")
    assert faults(root) == []


@pytest.mark.parametrize("table", schema.DERIVED_TABLES)
def test_a_derived_table_that_was_deleted_is_rebuilt(root: Path, written_rows: Rows, table: str) -> None:
    shutil.rmtree(root / table)
    assert f"{table} the table {table} is missing" in faults(root)
    assert repair_lake(Lake(str(root))).check.faults == []
    assert all_rows(Lake(str(root))) == written_rows


def test_lost_facts_are_told_exactly_and_nothing_is_derived_from_the_rest(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fact, derived = newest(root, "sightings/*/b3*.parquet"), newest(root, "races/d*.parquet")
    cut(fact)
    empty(derived)
    names = {path for path in root.rglob("*") if path.is_file()}
    assert main(["lake", "check", "--repair", "--lake", str(root)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    lines = [line for line in err.splitlines() if fact.name in line]
    assert len(lines) == 1
    assert "its 1 rows cannot be derived" in lines[0]
    assert "uri logs/3.log to logs/3.log" in lines[0]
    assert f"{derived.name} is empty" in err
    assert {path for path in root.rglob("*") if path.is_file()} == names


def test_a_commit_that_is_lost_is_written_again_by_the_next_writer(root: Path, written_rows: Rows) -> None:
    lake, notes = Lake(str(root)), list[str]()
    newest(root, f"sightings/{LOG_FOLDER}/*.json").unlink()
    lake.on_note = notes.append
    transactions.refresh_lake(lake)
    assert notes == ["change 5 of ingests was not complete, and had no readable intent; completed from the log"]
    assert all_rows(lake) == written_rows
    assert faults(root) == []


def test_check_and_repair_print_lines_and_a_status(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lake", "check", "--lake", str(root)]) == 0
    empty(newest(root, "races/*.parquet"))
    assert main(["lake", "check", "--lake", str(root)]) == 3
    assert "is empty" in capsys.readouterr().err
    assert main(["lake", "check", "--repair", "--lake", str(root)]) == 0
    assert "nodes, races, families rebuilt from the facts" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["lake", "compact", "--repair", "--lake", str(root)])


# -- deleted tables --------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [*schema.FACT_TABLES, *schema.DERIVED_TABLES])
def test_a_table_that_was_deleted_is_told_by_writers_and_readers(root: Path, table: str) -> None:
    shutil.rmtree(root / table)
    with pytest.raises(DeadheatError, match=f"the table {table} is missing"):
        Lake(str(root)).create_tables()
    assert not (root / table).exists()
    if table in ("files", "races"):
        with pytest.raises(DeadheatError, match=f"the table {table} is missing"):
            queries.list_races(Lake(str(root)).require())


def test_a_lake_whose_creation_was_interrupted_is_completed(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    for name in ("families", "races"):
        lake.create_table(name)
    again = Lake(lake.uri)
    again.create_tables()
    change_facts(again, "one", [log_of(1)])
    derivation.derive_races(again, "derived")
    assert faults(tmp_path / "lake") == []


# -- full disks and kills --------------------------------------------------------------------------


def test_a_read_only_file_system_is_one_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> NoReturn:
        raise OSError(errno.EROFS, "Failed to open local file. Detail: [errno 30] Read-only file system")

    monkeypatch.setattr(LakeStorage, "write_json", fail)
    empty(newest(root, "races/*.parquet"))
    with pytest.raises(DeadheatError, match=r"lake: cannot be written \(read-only file system\)"):
        change_facts(Lake(str(root)), "next", [log_of(8)])
    with pytest.raises(DeadheatError, match=r"lake: cannot be written \(read-only file system\)"):
        repair_lake(Lake(str(root)))


def test_any_write_may_fail_or_be_the_last_one(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path / "failing_writes.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    source = Path(__file__).parent.parent
    search_path = os.pathsep.join([str(source / "src"), str(source)])
    environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": search_path}
    # every write takes minutes: `python -m tests.failing_writes FOLDER 1`
    command = [sys.executable, "-m", "tests.failing_writes", str(tmp_path), "61"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    report = json.loads(result.stdout)
    assert min(report["writes"].values()) > 100
    assert report["wrong"] == []
