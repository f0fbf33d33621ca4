"""The rows of a lake without Spark: sightings to rows and back, status history, runs, opening of tables."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pytest
from deltalake.exceptions import TableNotFoundError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deadheat
from deadheat.api import read_sightings
from deadheat.errors import DeadheatError
from deadheat.grouping.races import status_history
from deadheat.lake import report_row, schema, sighting_rows
from deadheat.lake.tables import Lake
from deadheat.model import Cause, CiRun, Document, Frame
from deadheat.sources import ci_metadata, file_listing
from tests.cases import ROOT, Case, all_cases
from tests.lake_facts import VERSIONS, DocumentFacts, change_facts, race_report

CASES = [case for case in all_cases() if case.expected]


# -- rows ------------------------------------------------------------------------------------------


def stored_rows(*values: tuple[Any, ...]) -> pa.Table:
    """The table of reports without kept text."""
    return report_row.reports_table([(*row, None, [], *VERSIONS.values()) for row in values])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_sighting_is_restored_from_its_rows(case: Case) -> None:
    found = case.sightings()
    rows = list(sighting_rows.add_variants(map(sighting_rows.sighting_row, found)))
    for sighting, one in zip(found, rows, strict=True):
        table = stored_rows(one.report.row)
        table.validate(full=True)
        assert table.schema == schema.REPORTS
        (report,) = table.to_pylist()
        (row,) = pa.Table.from_pylist([one.row], schema.SIGHTINGS).to_pylist()
        assert sighting_rows.sighting_from_row({**row, "race": sighting.verdict.race}, report) == sighting
        assert sighting_rows.key_of_row(report) == one.key
        assert report_row.details_of_row(report) == one.report.details


def test_reports_that_differ_in_addresses_and_goroutines_have_one_digest() -> None:
    text = race_report("0x00c00012e018", 7, 8) + race_report("0x00c0000b4010", 70, 9)
    one, two = [sighting_rows.sighting_row(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert one.report.row == two.report.row
    assert one.row["names"] != two.row["names"]
    (other,) = [
        sighting_rows.sighting_row(s) for s in deadheat.scan(race_report("0x00c00012e018", 7, 7), diagnose=False)
    ]
    assert other.report.digest != one.report.digest


def test_field_boundaries_are_part_of_the_digest() -> None:
    (sighting,) = deadheat.scan(race_report("0x00c00012e018", 7, 8), diagnose=False)
    report = sighting.report
    digests = set()
    for function, package in (("a", "b"), ("a\0b", ""), ("", "a\0b"), ("a\0", "b"), ("ab", "")):
        first = report.accesses[0]
        frame = first.stack[0]._replace(function=function, package=package)
        accesses = (first._replace(stack=(frame, *first.stack[1:])), *report.accesses[1:])
        digests.add(report_row.mask_report(report._replace(accesses=accesses), sighting.verdict, ()).digest)
    assert len(digests) == 5


def test_a_duplicate_report_has_the_row_that_it_would_have_alone() -> None:
    texts = [race_report(f"0x00c0000b4{n:03x}", n + 2, n + 700) for n in range(40)]
    together = [sighting_rows.sighting_row(s) for s in read_sightings(_stream("".join(texts)), "u")]
    assert len(together) == 40
    for text, one in zip(texts, together, strict=True):
        (alone,) = [sighting_rows.sighting_row(sighting) for sighting in deadheat.scan(text, "u", diagnose=False)]
        assert one.row | {"offset": 0} == alone.row | {"offset": 0}
        assert (one.address, one.actors) == (alone.address, alone.actors)
        assert one.report.row == alone.report.row


def test_goroutine_numbers_in_evidence_are_replaced() -> None:
    rows = []
    for number in (7, 712):
        (sighting,) = deadheat.scan(race_report("0x00c00012e018", number, number + 1), diagnose=False)
        cause = Cause("missing-lock", 0.5, (f"goroutine {number} has finished since",))
        rows.append(report_row.mask_report(sighting.report, sighting.verdict, (cause,)).row)
    assert rows[0] == rows[1]
    (row,) = stored_rows(rows[0]).to_pylist()
    assert row["causes"][0]["evidence"] == [f"{row['actors'][0]['id']} has finished since"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a worker (goroutine 7)", "a worker (goroutine # 0)"),
        ("goroutine 7 waits for goroutine 71", "goroutine # 0 waits for goroutine # 1"),
        ("goroutine 712, FooT7 and T7", "goroutine 712, FooT7 and T# 2"),
        ("nobody", "nobody"),
    ],
)
def test_names_in_sentences_become_placeholders(text: str, masked: str) -> None:
    mask = report_row.PlaceholderMap()
    for name in ("goroutine 7", "goroutine 71", "T7"):
        mask(name)
    assert mask.replace_in_text(text) == masked


def test_a_number_that_does_not_fit_a_column_is_null() -> None:
    (one,) = [sighting_rows.sighting_row(s) for s in deadheat.scan(race_report("0x00c00012e018", 7, 8), diagnose=False)]
    for much in (10**30, 1 << 63, -(1 << 63) - 1):
        (row,) = stored_rows(_replaced(one.report.row, 12, much)).to_pylist()
        assert [a["site"]["line"] for a in row["accesses"]] == [None, 20]
    (row,) = stored_rows(_replaced(one.report.row, 12, (1 << 63) - 1)).to_pylist()
    assert [a["site"]["line"] for a in row["accesses"]] == [(1 << 63) - 1, 20]


def test_rows_of_all_cases_form_one_table_ordered_by_digest() -> None:
    found = [sighting_rows.sighting_row(sighting) for case in CASES for sighting in case.sightings()]
    alone = {one.report.digest: stored_rows(one.report.row).to_pylist()[0] for one in found}
    together = stored_rows(*(one.report.row for one in found))
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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text("ab#0x 19", max_size=8), min_size=1, max_size=6))
def test_placeholders_are_replaced_by_their_names(names: list[str]) -> None:
    mask = report_row.PlaceholderMap()
    hidden = [mask(name) for name in names]
    assert [report_row.placeholder_name(name, mask.names) for name in hidden] == names


def test_nested_columns_are_the_fields_of_the_model() -> None:
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
def test_status_history(days: list[int], newest: int, states: str) -> None:
    history = status_history([DAY + timedelta(days=n) for n in days], DAY + timedelta(days=newest))
    assert [status for _, status in history] == states.split()
    assert sorted(day for day, _ in history) == [day for day, _ in history]


# -- runs ------------------------------------------------------------------------------------------


def test_a_pattern_reads_a_path_from_its_end() -> None:
    pattern = ci_metadata.PathPattern("{repo}/{branch}/{run}/{job}.log")
    assert pattern("/var/ci/shop/main/1234/unit.log") == CiRun("shop", None, "main", "unit", "1234")
    assert pattern("/var/ci/shop/main/1234/unit.txt") == CiRun()
    dated = ci_metadata.PathPattern("{time}/*-{job}.log")("/x/2026-05-01/a-b-unit.log")
    assert (dated.time, dated.job) == (datetime(2026, 5, 1, tzinfo=UTC), "unit")


@pytest.mark.parametrize(
    ("pattern", "path", "fields"),
    [
        ("**/{repo}/*/{job}.log", "/ci/shop/12/34/unit.log", {"repo": "12", "job": "unit"}),
        ("{repo}/**/{job}.log", "ci/shop/12/34/unit.log", {"repo": "ci", "job": "unit"}),
        ("{job}-*.log", "ci/a-b-c.log", {"job": "a-b"}),
        ("{run}/x.log", "x.log", None),
        ("x.log", "/ci/x.log", {}),
        ("x.log", "/ci/ax.log", None),
        ("{repo}*{job}", "ci/ab", {"repo": "a", "job": "b"}),
    ],
)
def test_wildcards_of_a_path_pattern_are_as_long_as_possible(
    pattern: str, path: str, fields: dict[str, str] | None
) -> None:
    found = ci_metadata.PathPattern(pattern)
    assert found.matches_path(path) == (fields is not None)
    assert found(path) == CiRun(**(fields or {}))  # type: ignore[arg-type]


def test_a_malformed_path_pattern_is_an_error() -> None:
    with pytest.raises(DeadheatError, match=r"\{user\} is unknown"):
        ci_metadata.PathPattern("{user}/x.log")
    with pytest.raises(DeadheatError, match="has a field twice"):
        ci_metadata.PathPattern("{run}/{run}.log")
    for broken in ("{repo/x.log", "repo}/x.log", "{Repo}/x.log", "{repo}/{job"):
        with pytest.raises(DeadheatError, match=r"has a brace.*known fields: \{repo\}, "):
            ci_metadata.PathPattern(broken)


def test_options_override_paths_and_paths_override_the_environment() -> None:
    around = ci_metadata.run_from_environment({"CI": "true", "GITHUB_SHA": "abc", "GITHUB_JOB": "race"})
    assert around == CiRun(commit="abc", job="race")
    assert CiRun(job="mine").merged_with(around) == CiRun(commit="abc", job="mine")
    assert ci_metadata.run_from_environment({"JOB_NAME": "x"}) == CiRun()


# -- files -----------------------------------------------------------------------------------------


def test_files_of_another_file_system_are_listed_and_opened(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello")
    found = list(file_listing.list_files([f"local://{tmp_path}"]))
    assert [(one.size, one.modified > 0) for one in found if isinstance(one, file_listing.ListedFile)] == [(5, True)]
    assert isinstance(found[0], file_listing.ListedFile)
    with file_listing.open_file(found[0].path) as file:
        assert file.read() == b"hello"


def test_an_unknown_file_system_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="unsupported file system"):
        list(file_listing.list_files(["nosuch://a/b"]))
    (fault,) = file_listing.list_files([f"local://{tmp_path}/nothing"])
    assert isinstance(fault, DeadheatError)


# -- tables ----------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("key", "version", "message"),
    [
        ("deadheat.schema", "0", "columns of version 0, not 3; ingest the documents"),
        ("deadheat.schema", "99", "use a newer deadheat"),
        ("deadheat.fingerprint", "99", "fingerprints of version 99.*use a newer deadheat"),
    ],
)
def test_a_lake_of_an_unsupported_version_is_an_error(lake: Lake, key: str, version: str, message: str) -> None:
    lake.delta_table("races").alter.set_table_properties({key: version}, raise_if_not_exists=False)
    with pytest.raises(DeadheatError, match=message):
        Lake(lake.uri).delta_table("races")


def test_a_delta_table_of_another_program_is_an_error(tmp_path: Path) -> None:
    from deltalake import write_deltalake

    write_deltalake(str(tmp_path / "files"), pa.table({"a": [1]}))
    with pytest.raises(DeadheatError, match="not a deadheat table"):
        Lake(str(tmp_path)).require()


def test_a_store_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(uri: str, **_: object) -> None:
        raise OSError("Generic S3 error\n  404 Not Found")

    monkeypatch.setattr("deltalake.DeltaTable", failing)
    with pytest.raises(DeadheatError, match=r"cannot be read \(Generic S3 error\)"):
        Lake(str(tmp_path)).require()


def test_a_missing_lake_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="there is no lake; `deadheat ingest"):
        Lake(str(tmp_path)).require()


def test_a_log_that_cannot_be_read_is_not_taken_for_a_missing_lake(lake: Lake) -> None:
    log = Path(lake.uri) / "files" / "_delta_log"
    shutil.rmtree(log)
    log.write_text("no folder")
    with pytest.raises(DeadheatError, match=r"files: cannot be read \(Not a directory\)"):
        Lake(lake.uri).require()


def test_a_folder_without_permission_is_not_taken_for_a_missing_lake(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def missing(uri: str, **_: object) -> NoReturn:
        raise TableNotFoundError(uri)

    monkeypatch.setattr("deltalake.DeltaTable", missing)
    monkeypatch.setattr(Path, "iterdir", denied)
    with pytest.raises(DeadheatError, match=r"cannot be read \(Permission denied\)"):
        Lake(lake.uri).require()


def test_data_files_without_a_log_are_not_taken_for_a_missing_lake(lake: Lake) -> None:
    change_facts(lake, "one", [DocumentFacts("a.log", race_report())])
    shutil.rmtree(Path(lake.uri) / "files" / "_delta_log")
    with pytest.raises(DeadheatError, match=r"cannot be read \(has data files, but no log\)"):
        Lake(lake.uri).create_tables()


def test_a_deleted_table_is_an_error_and_is_not_created_again(lake: Lake) -> None:
    change_facts(lake, "one", [DocumentFacts("a.log", race_report())])
    shutil.rmtree(Path(lake.uri) / "sightings")
    again = Lake(lake.uri)
    with pytest.raises(DeadheatError, match="the table sightings is missing"):
        again.create_tables()
    with pytest.raises(DeadheatError, match="the table sightings is missing"):
        again.read_rows("sightings")
    assert not (Path(lake.uri) / "sightings").exists()


@pytest.mark.parametrize("content", [b"x", None])
def test_a_data_file_that_is_broken_or_missing_is_one_line(lake: Lake, content: bytes | None) -> None:
    change_facts(lake, "one", [DocumentFacts("a.log", race_report())])
    (file,) = (Path(lake.uri) / "reports").glob("*.parquet")
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(DeadheatError, match=r"reports: cannot be read \(.*; `deadheat lake check`"):
        lake.read_rows("reports")
