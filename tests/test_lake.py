"""The lake without Spark: rows and back, decisions that survive a kill, versions, lookups."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake.exceptions import TableNotFoundError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deadheat
from deadheat.api import read_sightings
from deadheat.errors import DeadheatError
from deadheat.grouping.races import status_history
from deadheat.lake import report_row, schema, sighting_rows, transactions
from deadheat.lake.data_files import TableChange
from deadheat.lake.storage import write_lock
from deadheat.lake.tables import Lake
from deadheat.lake.transactions import Intent
from deadheat.model import Document, Frame
from deadheat.sources import ci_metadata, file_listing
from tests.cases import ROOT, Case, all_cases

CASES = [case for case in all_cases() if case.expected]


# -- rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rows_give_back_what_they_took(case: Case) -> None:
    found = case.sightings()
    seen = list(sighting_rows.add_variants(map(sighting_rows.sighting_row, found)))
    for sighting, one in zip(found, seen, strict=True):
        table = report_row.reports_table([one.report.row])
        table.validate(full=True)
        assert table.schema == schema.REPORTS
        (report,) = table.to_pylist()
        (row,) = pa.Table.from_pylist([one.row], schema.SIGHTINGS).to_pylist()
        assert sighting_rows.sighting_from_row({**row, "race": sighting.verdict.race}, report) == sighting
        assert sighting_rows.key_of_row(report) == one.key
        assert report_row.details_of_row(report) == one.report.details


def test_equal_reports_have_one_digest_whatever_their_numbers() -> None:
    text = _report("0x00c00012e018", 7, 8) + _report("0x00c0000b4010", 70, 9)
    one, two = [sighting_rows.sighting_row(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert one.report.row == two.report.row
    assert one.row["names"] != two.row["names"]
    (other,) = [sighting_rows.sighting_row(s) for s in deadheat.scan(_report("0x00c00012e018", 7, 7), diagnose=False)]
    assert other.report.digest != one.report.digest


def test_texts_that_run_into_one_another_are_told_apart() -> None:
    (sighting,) = deadheat.scan(_report("0x00c00012e018", 7, 8), diagnose=False)
    report = sighting.report
    digests = set()
    for function, package in (("a", "b"), ("a\0b", ""), ("", "a\0b"), ("a\0", "b"), ("ab", "")):
        first = report.accesses[0]
        frame = first.stack[0]._replace(function=function, package=package)
        accesses = (first._replace(stack=(frame, *first.stack[1:])), *report.accesses[1:])
        digests.add(report_row.mask_report(report._replace(accesses=accesses), sighting.verdict, ()).digest)
    assert len(digests) == 5


def test_an_echo_has_the_row_that_it_would_have_alone() -> None:
    texts = [_report(f"0x00c0000b4{n:03x}", n + 2, n + 700) for n in range(40)]
    together = [sighting_rows.sighting_row(s) for s in read_sightings(_stream("".join(texts)), "u")]
    assert len(together) == 40
    for text, one in zip(texts, together, strict=True):
        (alone,) = [sighting_rows.sighting_row(sighting) for sighting in deadheat.scan(text, "u", diagnose=False)]
        assert one.row | {"offset": 0} == alone.row | {"offset": 0}
        assert (one.address, one.actors) == (alone.address, alone.actors)
        assert one.report.row == alone.report.row


def test_what_is_said_of_a_worker_does_not_tell_reports_apart() -> None:
    def text(writer: int, closer: int) -> str:
        report = _report("0x00c00012e018", writer, closer)
        started = report.replace("main.main()", "example.com/shop/cart.(*Cart).Start()")
        return started.replace("(*Cart).Total", "(*Cart).Close").replace("read", "write")

    one, two = [sighting_rows.sighting_row(s) for s in deadheat.scan(text(7, 71) + text(712, 7120), diagnose=False)]
    (row,) = report_row.reports_table([one.report.row]).to_pylist()
    said = " ".join(text for cause in row["causes"] for text in cause["evidence"])
    assert row["actors"][0]["id"] in said
    assert "goroutine 7" not in said
    assert one.report.row == two.report.row


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a worker (goroutine 7)", "a worker (goroutine # 0)"),
        ("goroutine 7 waits for goroutine 71", "goroutine # 0 waits for goroutine # 1"),
        ("goroutine 712, FooT7 and T7", "goroutine 712, FooT7 and T# 2"),
        ("nobody", "nobody"),
    ],
)
def test_names_have_their_marks_in_texts(text: str, masked: str) -> None:
    mask = report_row.PlaceholderMap()
    for name in ("goroutine 7", "goroutine 71", "T7"):
        mask(name)
    assert mask.replace_in_text(text) == masked


def test_a_number_that_no_column_holds_is_left_out() -> None:
    (one,) = [sighting_rows.sighting_row(s) for s in deadheat.scan(_report("0x00c00012e018", 7, 8), diagnose=False)]
    for much in (10**30, 1 << 63, -(1 << 63) - 1):
        (row,) = report_row.reports_table([_replaced(one.report.row, 12, much)]).to_pylist()
        assert [a["site"]["line"] for a in row["accesses"]] == [None, 20]
    (row,) = report_row.reports_table([_replaced(one.report.row, 12, (1 << 63) - 1)]).to_pylist()
    assert [a["site"]["line"] for a in row["accesses"]] == [(1 << 63) - 1, 20]


def test_rows_of_all_cases_become_one_table_in_the_order_of_their_digests() -> None:
    found = [sighting_rows.sighting_row(sighting) for case in CASES for sighting in case.sightings()]
    alone = {one.report.digest: report_row.reports_table([one.report.row]).to_pylist()[0] for one in found}
    together = report_row.reports_table([one.report.row for one in found])
    together.validate(full=True)
    digests = together["digest"].to_pylist()
    assert digests == sorted(one.report.digest for one in found)
    assert together.to_pylist() == [alone[digest] for digest in digests]


def _replaced(value: Any, old: object, new: object) -> Any:
    """A row with a value in the place of another, wherever it stands."""
    if isinstance(value, list | tuple):
        return tuple(_replaced(inner, old, new) for inner in value)
    return new if value == old else value


def _stream(text: str) -> Any:
    from io import BytesIO

    from deadheat.text.window import StreamSource

    return StreamSource(BytesIO(text.encode()).read)


def _report(address: str, writer: int, reader: int) -> str:
    bar = "=" * 18
    return f"""{bar}
WARNING: DATA RACE
Write at {address} by goroutine {writer}:
  example.com/shop/cart.(*Cart).Add()
      /src/shop/cart/cart.go:12 +0x45

Previous read at {address} by goroutine {reader}:
  example.com/shop/cart.(*Cart).Total()
      /src/shop/cart/cart.go:20 +0x38

Goroutine {writer} (running) created at:
  main.main()
      /src/shop/main.go:12 +0x9a
{bar}
"""


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text("ab#0x 19", max_size=8), min_size=1, max_size=6))
def test_masks_come_off(names: list[str]) -> None:
    mask = report_row.PlaceholderMap()
    hidden = [mask(name) for name in names]
    assert [report_row.placeholder_name(name, mask.names) for name in hidden] == names


def test_the_nested_columns_are_those_of_the_model() -> None:
    assert {*schema.FRAME.names} == {*Frame._fields}
    assert schema.SITE.names == [*Frame._fields[:4]]
    assert schema.BUG_REPORT.names == [*Document("", "")._asdict()]


def test_every_table_and_column_is_documented() -> None:
    page = (ROOT.parent.parent / "docs" / "reference" / "lake.md").read_text()
    names = {*schema.TABLES} | {name for table in schema.TABLES.values() for name in table.names}
    assert {name for name in names if f"`{name}`" not in page} == set()


# -- history ---------------------------------------------------------------------------------------

DAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("days", "newest", "states"),
    [
        ([0], 0, "new"),
        ([0], 10, "new"),
        ([0, 3], 5, "new"),
        ([0, 3], 9, "new recurring"),
        ([0, 10], 10, "new recurring"),
        ([0], 15, "new quiet"),
        ([0, 20], 20, "new quiet returned"),
        ([0, 20, 40], 80, "new quiet returned quiet returned quiet"),
        ([0, 20, 30], 30, "new quiet returned recurring"),
    ],
)
def test_history(days: list[int], newest: int, states: str) -> None:
    seen = [DAY + timedelta(days=n) for n in days]
    told = status_history(seen, DAY + timedelta(days=newest))
    assert [status for _, status in told] == states.split()
    assert sorted(day for day, _ in told) == [day for day, _ in told]


# -- runs ------------------------------------------------------------------------------------------


def test_a_pattern_reads_a_path_from_its_end() -> None:
    pattern = ci_metadata.PathPattern("{repo}/{branch}/{run}/{job}.log")
    told = pattern("/var/ci/shop/main/1234/unit.log")
    assert told == ci_metadata.CiRun("shop", None, "main", "unit", "1234")
    assert pattern("/var/ci/shop/main/1234/unit.txt") == ci_metadata.CiRun()
    dated = ci_metadata.PathPattern("{time}/*-{job}.log")("/x/2026-05-01/a-b-unit.log")
    assert (dated.time, dated.job) == (datetime(2026, 5, 1, tzinfo=UTC), "unit")


def test_a_wrong_pattern_is_refused() -> None:
    with pytest.raises(DeadheatError, match=r"\{user\} is unknown"):
        ci_metadata.PathPattern("{user}/x.log")
    with pytest.raises(DeadheatError, match="has a field twice"):
        ci_metadata.PathPattern("{run}/{run}.log")
    for broken in ("{repo/x.log", "repo}/x.log", "{Repo}/x.log", "{repo}/{job"):
        with pytest.raises(DeadheatError, match=r"has a brace.*known fields: \{repo\}, "):
            ci_metadata.PathPattern(broken)


def test_options_count_more_than_paths_and_those_more_than_the_environment() -> None:
    around = ci_metadata.run_from_environment({"CI": "true", "GITHUB_SHA": "abc", "GITHUB_JOB": "race"})
    assert around == ci_metadata.CiRun(commit="abc", job="race")
    assert ci_metadata.CiRun(job="mine").merged_with(around) == ci_metadata.CiRun(commit="abc", job="mine")
    assert ci_metadata.run_from_environment({"JOB_NAME": "x"}) == ci_metadata.CiRun()


# -- places ----------------------------------------------------------------------------------------


def test_files_of_another_file_system_are_listed_and_opened(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello")
    found = list(file_listing.list_files([f"local://{tmp_path}"]))
    assert [(one.size, one.modified > 0) for one in found if isinstance(one, file_listing.ListedFile)] == [(5, True)]
    assert isinstance(found[0], file_listing.ListedFile)
    with file_listing.open_file(found[0].path) as file:
        assert file.read() == b"hello"


def test_what_no_file_system_knows_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="unsupported file system"):
        list(file_listing.list_files(["nosuch://a/b"]))
    (fault,) = file_listing.list_files([f"local://{tmp_path}/nothing"])
    assert isinstance(fault, DeadheatError)


# -- decisions -------------------------------------------------------------------------------------


def receipt(name: str) -> dict[str, Any]:
    return {
        "uri": name,
        "length": 1,
        "modified_at": datetime(2026, 1, 1, tzinfo=UTC),
        "head": "",
        "tail": "",
        "ingest": name,
    }


def decided(lake: Lake, name: str, uri: str = "") -> Intent:
    table = pa.Table.from_pylist([receipt(uri or name)], schema.FILES)
    reject = pa.Table.from_pylist([{"uri": uri or name}], schema.REJECTS)
    return Intent(
        name,
        lake.state_number,
        {
            "files": TableChange(transactions.write_rows(lake.storage, "files", name, table)),
            "rejects": TableChange(transactions.write_rows(lake.storage, "rejects", name, reject)),
        },
    )


class KilledError(Exception):
    pass


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    return made


def test_creating_the_tables_again_keeps_them(tmp_path: Path) -> None:
    first, second = Lake(str(tmp_path)), Lake(str(tmp_path))
    first.create_tables()
    second.create_tables()
    for name in first.table_names:
        assert second.delta_table(name).metadata().id == first.delta_table(name).metadata().id


@pytest.mark.parametrize("stage", ["decided", "files", "rejects", "carried out", "done"])
def test_a_decision_is_carried_out_once_wherever_it_was_cut_off(lake: Lake, stage: str) -> None:
    def killed(reached: str) -> None:
        if reached == stage:
            raise KilledError

    with pytest.raises(KilledError):
        transactions.commit_intent(lake, decided(lake, "one"), killed)
    again = Lake(lake.uri)
    transactions.finish_interrupted(again)
    for table in ("files", "rejects"):
        assert again.read_rows(table, ["uri"]).to_pylist() == [{"uri": "one"}]
    assert again.storage.entry_names(transactions.INTENT_FOLDER) == []
    transactions.commit_intent(again, decided(again, "two"))
    assert (again.state_number, again.row_count("files")) == (2, 2)


def test_what_was_not_decided_is_swept(lake: Lake) -> None:
    decided(lake, "one")
    transactions.finish_interrupted(lake)
    assert lake.row_count("files") == 0
    assert transactions.remove_abandoned_files(lake) == 0, "it may still be written to"
    assert transactions.remove_abandoned_files(lake, older_than=-1) == 2
    assert not lake.storage.exists("files/one")


def test_of_two_decisions_on_one_state_one_fails(lake: Lake) -> None:
    first, second = decided(lake, "one"), decided(lake, "two")
    transactions.commit_intent(lake, first)
    with pytest.raises(DeadheatError, match="another process wrote"):
        transactions.commit_intent(lake, second)
    assert lake.read_rows("files", ["uri"]).to_pylist() == [{"uri": "one"}]
    assert lake.storage.entry_names(transactions.INTENT_FOLDER) == []


def test_who_has_opened_a_lake_before_it_was_changed_changes_nothing(lake: Lake) -> None:
    late = Lake(lake.uri)
    decision = decided(late, "two")
    for table in schema.TABLES:
        late.has_table(table)
    transactions.commit_intent(lake, decided(lake, "one"))
    with pytest.raises(DeadheatError, match="another process wrote"):
        transactions.commit_intent(late, decision)
    for table in ("files", "rejects"):
        assert Lake(lake.uri).read_rows(table, ["uri"]).to_pylist() == [{"uri": "one"}]


def test_a_second_writer_waits_and_then_fails(lake: Lake) -> None:
    with (
        write_lock(lake.storage),
        pytest.raises(DeadheatError, match="another process is writing"),
        write_lock(lake.storage, timeout=0.2),
    ):
        pass
    with write_lock(lake.storage, timeout=0.2):
        pass


@pytest.mark.parametrize(
    ("key", "version", "says"),
    [
        ("deadheat.schema", "0", "columns of version 0, not 2; ingest the documents"),
        ("deadheat.schema", "99", "use a newer deadheat"),
        ("deadheat.fingerprint", "1", "fingerprints of version 1"),
    ],
)
def test_a_lake_of_another_version_is_refused(lake: Lake, key: str, version: str, says: str) -> None:
    lake.delta_table("races").alter.set_table_properties({key: version}, raise_if_not_exists=False)
    with pytest.raises(DeadheatError, match=says):
        Lake(lake.uri).delta_table("races")


def test_a_table_of_others_is_refused(tmp_path: Path) -> None:
    from deltalake import write_deltalake

    write_deltalake(str(tmp_path / "files"), pa.table({"a": [1]}))
    with pytest.raises(DeadheatError, match="not a deadheat table"):
        Lake(str(tmp_path)).require()


def test_a_store_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(uri: str) -> None:
        raise OSError("Generic S3 error\n  404 Not Found")

    monkeypatch.setattr("deadheat.lake.tables.DeltaTable", failing)
    with pytest.raises(DeadheatError) as told:
        Lake(str(tmp_path)).require()
    assert "cannot be read (Generic S3 error)" in str(told.value)


def test_no_lake_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="there is no lake; `deadheat ingest"):
        Lake(str(tmp_path)).require()


def test_a_log_that_cannot_be_read_is_not_taken_for_no_lake(lake: Lake) -> None:
    log = Path(lake.uri) / "files" / "_delta_log"
    shutil.rmtree(log)
    log.write_text("no folder")
    with pytest.raises(DeadheatError, match=r"files: cannot be read \(Not a directory\)"):
        Lake(lake.uri).require()


def test_a_folder_that_may_not_be_read_is_not_taken_for_no_lake(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def nothing(uri: str) -> NoReturn:
        raise TableNotFoundError(uri)

    monkeypatch.setattr("deadheat.lake.tables.DeltaTable", nothing)
    monkeypatch.setattr(Path, "iterdir", denied)
    with pytest.raises(DeadheatError, match=r"cannot be read \(Permission denied\)"):
        Lake(lake.uri).require()


def test_data_files_without_a_log_are_not_taken_for_no_lake(lake: Lake) -> None:
    transactions.commit_intent(lake, decided(lake, "one"))
    table = Path(lake.uri) / "files"
    shutil.rmtree(table / "_delta_log")
    with pytest.raises(DeadheatError, match=r"cannot be read \(has data files, but no log\)"):
        Lake(lake.uri).create_tables()


@pytest.mark.parametrize("content", [b"x", None])
def test_a_data_file_that_is_broken_or_gone_is_one_line(lake: Lake, content: bytes | None) -> None:
    transactions.commit_intent(lake, decided(lake, "one"))
    file = Path(lake.uri) / "rejects" / "one" / "rows.parquet"
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(DeadheatError, match=r"rejects: cannot be read \(.*; `deadheat lake check`"):
        lake.read_rows("rejects")
    with pytest.raises(DeadheatError, match=r"rejects: cannot be read"):
        list(lake.read_batches("rejects", ["uri"]))


def test_check_finds_what_is_wrong(lake: Lake) -> None:
    transactions.commit_intent(lake, decided(lake, "one"))
    assert list(transactions.find_faults(lake)) == []
    transactions.commit_intent(lake, decided(lake, "two", uri="one"))
    assert list(transactions.find_faults(lake)) == ["1 duplicate files"]
    lake.storage.remove("rejects/one/rows.parquet")
    assert list(transactions.find_faults(Lake(lake.uri)))[-1] == "rejects/one/rows.parquet is missing"


def test_a_derived_table_is_given_other_rows(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))

    def put(*names: str, keep: Any = None) -> list[str]:
        rows = [{"family": name, "culprit": "", "races": [name], "why": []} for name in names]
        transactions.replace_table(lake, "families", pa.Table.from_pylist(rows, schema.FAMILIES), keep)
        return sorted(row["family"] for row in lake.read_rows("families").to_pylist())

    assert put("a1", "b1") == ["a1", "b1"]
    assert put("a2", keep=pc.field("family") == "b1") == ["a2", "b1"]
    assert put() == []
    assert (lake.state_number, list(transactions.find_faults(lake))) == (3, [])


def test_compacting_makes_one_file_of_many(lake: Lake) -> None:
    for name in ("one", "two", "three"):
        transactions.commit_intent(lake, decided(lake, name))
    counts = transactions.compact_tables(lake, keep_hours=0)
    assert counts["files"] == (3, 1)
    assert lake.row_count("files") == 3
    assert list(transactions.find_faults(lake)) == []
    assert lake.state_number == 3
