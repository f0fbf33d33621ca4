"""`retriage` makes reports anew from their kept text. With an unchanged parser it changes nothing."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from deadheat._version import PARSER_VERSION
from deadheat.cli import main
from deadheat.lake import derivation, kept_text, maintenance, report_row
from deadheat.lake.rewrites import migration, renewal, retriage
from deadheat.lake.rewrites.retriage import RetriageCounts
from deadheat.lake.tables import Lake
from tests.cases import Case, all_cases
from tests.lake_facts import DocumentFacts, all_rows, change_facts, derived_rows, race_report, table_rows
from tests.test_lake_changes import FACT_STAGES, KilledError, kill_at, rebuilt
from tests.test_lake_migration import ARCHIVE

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Report

CASES = [case for case in all_cases() if case.expected]
# what an earlier and a later ingest of the same documents differ in
_VOLATILE = ("ingest", "state", "committed_at", "parser_version")


def new_lake(root: Path) -> Lake:
    lake = Lake(str(root))
    lake.create_tables()
    return lake


def is_opt_in(case: Case) -> bool:
    return case.path.parent.name == "go_error"


# -- rows ------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("detector", sorted({case.path.parent.name for case in CASES}))
def test_a_report_made_anew_is_the_same_with_an_unchanged_parser(detector: str) -> None:
    texts = total = 0
    for case in CASES:
        if case.path.parent.name != detector:
            continue
        document = DocumentFacts(case.name, case.raw, opt_in=is_opt_in(case))
        for row in report_row.reports_table([*document.report_values().values()]).to_pylist():
            for text in (row["text"], None):
                new = renewal.renew_report(row | {"text": text})
                assert new.change is None, case.name
                assert new.versions == renewal.versions_of(row)
            texts += row["text"] is not None
            total += 1
    assert texts >= 0.9 * total


def test_the_line_before_is_kept_if_the_report_needs_it() -> None:
    (case,) = [case for case in CASES if case.name == "helgrind/wrapped-by-a-mail-program"]
    document = DocumentFacts(case.name, case.raw)
    ((row, text),) = [(one.row, text) for one, text in zip(document.rows, document.texts, strict=True)]
    assert text is not None
    assert len(text) > row["length"]
    assert text.endswith(case.raw[row["offset"] : row["offset"] + row["length"]])


def test_no_text_is_kept_that_does_not_give_the_report() -> None:
    (case,) = [case for case in CASES if case.name == "go/branches-of-a-pipeline-in-turns"]
    assert DocumentFacts(case.name, case.raw).texts == [None, None]
    text = race_report().encode()
    ((sighting),) = DocumentFacts("a", text).rows
    assert kept_text.kept_text(lambda low, high: b"x" * (high - low), 0, 10, sighting.source) is None
    assert kept_text.kept_text(lambda low, high: b"", 0, 10, sighting.source) is None
    assert kept_text.kept_text(lambda low, high: text, 0, 1 << 20, sighting.source) is None


# -- lakes -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_retriage_of_all_cases_with_an_unchanged_parser_changes_nothing(tmp_path: Path) -> None:
    lake = new_lake(tmp_path)
    texts = [b"\n\n".join(case.raw for case in CASES[start : start + 3]) for start in range(0, len(CASES), 3)]
    documents = [DocumentFacts(f"{number}.log", text) for number, text in enumerate(texts)]
    documents += [DocumentFacts(case.name, case.raw, opt_in=True) for case in CASES if is_opt_in(case)]
    change_facts(lake, "all", documents)
    derivation.derive_races(lake, "derived")
    before, state = all_rows(lake), lake.state_number
    assert retriage.retriage_lake(lake) == RetriageCounts()
    counts = retriage.retriage_lake(lake, everything=True)
    assert counts.reports == lake.row_count("reports")
    assert (counts.changed, counts.sightings, counts.unreadable, counts.unnamed) == (0, 0, 0, 0)
    assert lake.state_number == state
    assert all_rows(lake) == before


def drop_callers(report: Report) -> Report:
    """The report as a parser would read it that sees only one frame of each stack, and no actors."""
    accesses = tuple(access._replace(stack=access.stack[:1], actor="") for access in report.accesses)
    return report._replace(accesses=accesses, actors=())


def misread_functions(report: Report) -> Report:
    """The report as a parser would read it that cuts the names of functions."""
    accesses = tuple(
        access._replace(
            site=access.site and access.site._replace(function=access.site.function[:-2]),
            stack=tuple(frame._replace(function=frame.function[:-2]) for frame in access.stack),
        )
        for access in report.accesses
    )
    return report._replace(accesses=accesses)


# reports that share their lines cannot be told apart by the values of an earlier parser
_SAMPLE = [c for c in CASES if c.path.parent.name in ("go", "tsan", "kcsan") and "interleaved" not in c.name][::5]


def sample_documents(degrade: Any) -> tuple[list[DocumentFacts], list[DocumentFacts]]:
    """Documents as an earlier and as the present parser read them.

    Without those whose reports the earlier one takes for another: only one text of equal reports is kept.
    """
    pairs = []
    known: dict[str, str] = {}
    for number, case in enumerate(_SAMPLE):
        options: dict[str, Any] = {"day": number % 9, "run": f"run {number}"}
        old = DocumentFacts(case.name, case.raw, **options, degrade=degrade)
        new = DocumentFacts(case.name, case.raw, **options)
        digests = [(a.report.digest, b.report.digest) for a, b in zip(old.rows, new.rows, strict=True)]
        if None not in old.texts and all(known.setdefault(a, b) == b for a, b in digests):
            pairs.append((old, new))
    return [old for old, _ in pairs], [new for _, new in pairs]


@pytest.mark.parametrize("degrade", [drop_callers, misread_functions])
def test_retriage_of_rows_of_an_earlier_parser_gives_the_lake_of_a_fresh_ingest(tmp_path: Path, degrade: Any) -> None:
    old, fresh = new_lake(tmp_path / "old"), new_lake(tmp_path / "fresh")
    old_documents, documents = sample_documents(degrade)
    assert len(documents) > 30
    change_facts(old, "all", old_documents)
    change_facts(fresh, "all", documents)
    for lake in (old, fresh):
        derivation.derive_races(lake, "derived")
    assert derived_rows(old) != derived_rows(fresh)
    counts = retriage.retriage_lake(old)
    derivation.derive_races(old, "again")
    assert counts.reports >= counts.changed > 0.5 * counts.reports
    assert counts.unnamed == counts.unreadable == 0
    for table in ("reports", "sightings", "files", "nodes", "races", "families"):
        assert comparable(old, table) == comparable(fresh, table), table
    assert [*maintenance.find_faults(old)] == []
    assert derived_rows(old) == rebuilt(old)
    state = old.state_number
    assert retriage.retriage_lake(old).changed == 0
    assert old.state_number == state


def comparable(lake: Lake, table: str) -> list[str]:
    rows = table_rows(lake, table)
    return sorted(str({name: row[name] for name in row if name not in _VOLATILE}) for row in rows)


@pytest.mark.parametrize("stage", FACT_STAGES)
def test_retriage_killed_at_any_stage_is_completed_by_the_next_one(tmp_path: Path, stage: str) -> None:
    lake, fresh = new_lake(tmp_path / "old"), new_lake(tmp_path / "fresh")
    text = race_report() + race_report("0x00c000024068", 70, 80)
    change_facts(lake, "all", [DocumentFacts("a.log", text, degrade=misread_functions)])
    change_facts(fresh, "all", [DocumentFacts("a.log", text)])
    with pytest.raises(KilledError):
        retriage.retriage_lake(lake, on_stage=kill_at(stage))
    again = Lake(lake.uri)
    retriage.retriage_lake(again)
    for one in (again, fresh):
        derivation.derive_races(one, "derived")
    for table in ("reports", "sightings", "files", "races"):
        assert comparable(again, table) == comparable(fresh, table), table
    assert [*maintenance.find_faults(again)] == []


def test_a_text_that_gives_no_report_any_more_keeps_its_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = new_lake(tmp_path)
    change_facts(lake, "all", [DocumentFacts("a.log", race_report())])
    derivation.derive_races(lake, "derived")
    before = {table: comparable(lake, table) for table in ("reports", "sightings", "races")}
    monkeypatch.setattr(renewal, "PARSER_VERSION", PARSER_VERSION + 1)
    monkeypatch.setattr(kept_text, "parse_text", lambda text, known: None)
    assert retriage.retriage_lake(lake) == RetriageCounts(reports=1, unreadable=1)
    assert {table: comparable(lake, table) for table in before} == before


def test_names_that_other_sightings_do_not_have_keep_the_report(tmp_path: Path) -> None:
    lake = new_lake(tmp_path)
    one, other = race_report(), race_report("0x00c000024068", 70, 80)
    change_facts(lake, "one", [DocumentFacts("a.log", one, degrade=drop_callers)])
    assert retriage.retriage_lake(lake).changed == 1, "all its sightings have the names of the text"
    (row,) = table_rows(lake, "sightings")
    assert row["names"][:3] == ["0x00c00012e018", "goroutine 7", "goroutine 8"]
    change_facts(lake, "two", [DocumentFacts("b.log", one + other, degrade=drop_callers)])
    counts = retriage.retriage_lake(lake)
    assert (counts.changed, counts.unnamed) == (0, 1)
    derivation.derive_races(lake, "derived")
    assert [*maintenance.find_faults(lake)] == []
    assert derived_rows(lake) == rebuilt(lake)


def test_reports_of_a_migrated_lake_keep_what_only_the_text_has(tmp_path: Path) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    lake = Lake(str(tmp_path / "lake"))
    migration.migrate_lake(lake)
    derivation.derive_races(lake, "derived")
    # the fingerprints of native reports are of an earlier version; the columns are enough for the present ones
    counts = retriage.retriage_lake(lake)
    native = [row for row in table_rows(lake, "reports") if row["detector"] in ("tsan", "helgrind", "drd")]
    assert (counts.reports, counts.no_text, counts.changed) == (lake.row_count("reports"),) * 2 + (len(native),)
    before = {table: comparable(lake, table) for table in ("reports", "sightings", "files")}
    counts = retriage.retriage_lake(lake)
    assert counts == RetriageCounts(lake.row_count("reports"), no_text=lake.row_count("reports"))
    assert {table: comparable(lake, table) for table in before} == before


# -- Spark -----------------------------------------------------------------------------------------


def test_executors_give_the_lake_of_a_fresh_ingest(spark: Any, tmp_path: Path) -> None:
    from deadheat.spark.retriage import SparkWorker

    lake, fresh = new_lake(tmp_path / "old"), new_lake(tmp_path / "fresh")
    degraded = [DocumentFacts(f"{case.name}", case.raw, degrade=misread_functions) for case in _SAMPLE[:6]]
    change_facts(lake, "all", degraded)
    change_facts(fresh, "all", [DocumentFacts(case.name, case.raw) for case in _SAMPLE[:6]])
    counts = retriage.retriage_lake(lake, worker=lambda rows: SparkWorker(spark, lake, False))
    assert counts.changed == counts.reports > 3
    for one in (lake, fresh):
        derivation.derive_races(one, "derived")
    for table in ("reports", "sightings", "files", "races"):
        assert comparable(lake, table) == comparable(fresh, table), table
    assert [*maintenance.find_faults(lake)] == []
    before, state = all_rows(lake), lake.state_number
    counts = retriage.retriage_lake(lake, True, lambda rows: SparkWorker(spark, lake, True))
    assert (counts.changed, counts.sightings, lake.state_number) == (0, 0, state)
    assert all_rows(lake) == before


def test_the_command_prints_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = new_lake(tmp_path)
    (case,) = [case for case in CASES if case.name == "go/branches-of-a-pipeline-in-turns"]
    text = race_report().encode()
    change_facts(lake, "one", [DocumentFacts("a.log", text, degrade=misread_functions), DocumentFacts("b", case.raw)])
    derivation.derive_races(lake, "derived")
    assert main(["retriage", "--lake", lake.uri]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 report read again, 1 changed",
        "1 sighting changed",
        "1 race in the lake, before 2",
    ]
    assert main(["retriage", "--lake", lake.uri, "--all"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "2 reports read again, 0 changed",
        "  1 without kept text: only fingerprints are renewed",
        "0 sightings changed",
    ]
