"""`lake forget` removes sightings with everything that only they refer to, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from deadheat.cli import main
from deadheat.errors import DeadheatError
from deadheat.lake import derivation, maintenance, schema, transactions
from deadheat.lake.data_files import TableChange, write_rows
from deadheat.lake.rewrites import forget
from deadheat.lake.rewrites.forget import ForgetCounts, ForgetFilter
from deadheat.lake.tables import Lake
from tests.lake_facts import DocumentFacts, all_rows, change_facts, derived_rows, race_report
from tests.test_lake_changes import FACT_STAGES, KilledError, kill_at, rebuilt

if TYPE_CHECKING:
    from pathlib import Path

MARCH_3 = datetime(2026, 3, 3, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Three documents: two repositories, two days, a race that both repositories have."""
    made = Lake(str(tmp_path / "lake"))
    made.create_tables()
    common, own = race_report(), race_report("0x00c000024068", method="Remove")
    documents = [
        DocumentFacts("old.log", common + own, day=0, repo="shop"),
        DocumentFacts("new.log", common, day=5, repo="shop"),
        DocumentFacts("other.log", common, day=5, repo="bank"),
    ]
    change_facts(made, "one", documents)
    add_rejects(made, {"old.log": 0, "old.zip!a.log": 0, "new.log": 5})
    derivation.derive_races(made, "derived")
    return made


def add_rejects(lake: Lake, days: dict[str, int]) -> None:
    def build(state: int) -> transactions.Intent:
        rows = [
            {"uri": uri, "what": "broken", "observed_at": datetime(2026, 3, 1 + d, tzinfo=UTC)}
            for uri, d in days.items()
        ]
        table = pa.Table.from_pylist(rows, schema.REJECTS)
        ingest = {"state": state, "ingest": "rejects", "sightings": 0, "recount": []}
        changes = {
            "rejects": TableChange(write_rows(lake.storage, "rejects", "rejects", table)),
            "ingests": TableChange(
                write_rows(lake.storage, "ingests", "rejects", pa.Table.from_pylist([ingest], schema.INGESTS))
            ),
        }
        return transactions.facts_intent("rejects", state, changes)

    transactions.commit(lake, build)


def column(lake: Lake, table: str, name: str) -> list[Any]:
    return sorted(lake.read_rows(table, [name])[name].to_pylist())


@pytest.mark.parametrize(
    ("which", "counts", "sightings", "files", "rejects"),
    [
        (ForgetFilter(before=MARCH_3), ForgetCounts(2, 1, 0, 0, 2), ["new.log", "other.log"], 3, ["new.log"]),
        (ForgetFilter(repo="bank"), ForgetCounts(1, 0, 1), ["new.log", "old.log", "old.log"], 2, None),
        (ForgetFilter(repo="shop"), ForgetCounts(3, 1, 2, 0, 2), ["other.log"], 1, ["old.zip!a.log"]),
        (ForgetFilter(file="old.log"), ForgetCounts(2, 1, 1, 0, 1), ["new.log", "other.log"], 2, None),
        (ForgetFilter(file="old.zip"), ForgetCounts(rejects=1), None, 3, ["new.log", "old.log"]),
        (ForgetFilter(before=MARCH_3, repo="bank"), ForgetCounts(), None, 3, None),
        (
            ForgetFilter(repo="shop", file="new.log"),
            ForgetCounts(1, 0, 1, 0, 1),
            ["old.log", "old.log", "other.log"],
            2,
            None,
        ),
    ],
    ids=str,
)
def test_only_matching_sightings_go(
    lake: Lake,
    which: ForgetFilter,
    counts: ForgetCounts,
    sightings: list[str] | None,
    files: int,
    rejects: list[str] | None,
) -> None:
    before = all_rows(lake)
    assert forget.count_matches(lake, which) == counts
    assert all_rows(lake) == before, "counting changes nothing"
    assert forget.forget_sightings(lake, which) == counts
    derivation.derive_races(lake, "after")
    assert column(lake, "sightings", "uri") == sightings or ["new.log", "old.log", "old.log", "other.log"]
    assert lake.row_count("files") == files
    if rejects is not None:
        assert column(lake, "rejects", "uri") == rejects
    assert derived_rows(lake) == rebuilt(lake)
    assert [*maintenance.find_faults(lake)] == []


def test_a_forgotten_file_can_be_added_again_with_the_same_result(lake: Lake) -> None:
    before = derived_rows(lake)
    forget.forget_sightings(lake, ForgetFilter(file="old.log"))
    derivation.derive_races(lake, "after")
    assert derived_rows(lake) != before
    document = DocumentFacts("old.log", race_report() + race_report("0x00c000024068", method="Remove"), repo="shop")
    change_facts(lake, "again", [document])
    derivation.derive_races(lake, "again-derived")
    assert derived_rows(lake) == before
    assert [*maintenance.find_faults(lake)] == []


def test_a_duplicate_of_a_forgotten_file_can_be_ingested_again(lake: Lake) -> None:
    original = DocumentFacts("new.log", repo="shop")
    change_facts(lake, "copy", [DocumentFacts("copy.log", repo="bank", duplicate_of=original)])
    assert forget.forget_sightings(lake, ForgetFilter(before=MARCH_3)).duplicates == 0
    assert forget.forget_sightings(lake, ForgetFilter(file="new.log")) == ForgetCounts(1, 0, 1, 1, 1)
    assert column(lake, "files", "uri") == ["old.log", "other.log"]


@pytest.mark.parametrize("stage", FACT_STAGES)
def test_forgetting_killed_at_any_stage_is_completed_or_did_not_happen(lake: Lake, stage: str) -> None:
    with pytest.raises(KilledError):
        forget.forget_sightings(lake, ForgetFilter(repo="shop"), kill_at(stage))
    again = Lake(lake.uri)
    forget.forget_sightings(again, ForgetFilter(repo="shop"))
    derivation.derive_races(again, "after")
    assert column(again, "sightings", "uri") == ["other.log"]
    assert column(again, "files", "uri") == ["other.log"]
    assert derived_rows(again) == rebuilt(again)
    assert [*maintenance.find_faults(again)] == []


def run_command(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    try:
        status = main([str(arg) for arg in args])
    except SystemExit as error:
        status = int(str(error.code))
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_prints_what_goes(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("lake", "forget", "--lake", lake.uri, "--repo", "shop")
    counts = "3 sightings, 1 report, 2 files, 2 rejects\n"
    assert run_command(capsys, *command, "--dry-run") == (0, f"would forget {counts}", "")
    assert Lake(lake.uri).row_count("sightings") == 4
    status, out, err = run_command(capsys, *command)
    assert (status, err) == (0, "")
    assert out.startswith(f"forgot {counts}1 race in the lake, before 2\n")
    assert Lake(lake.uri).row_count("sightings") == 1
    status, out, _ = run_command(capsys, *command)
    assert out == "forgot 0 sightings, 0 reports, 0 files, 0 rejects\n1 race in the lake, before 1\n"
    assert run_command(capsys, "lake", "forget", "--lake", lake.uri, "--older-than", "1w")[0] == 0
    assert Lake(lake.uri).row_count("races") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("forget",), "forget needs at least one of --before, --older-than, --repo, --file"),
        (("check", "--repo", "shop"), "--repo is an option of forget"),
        (("compact", "--dry-run"), "--dry-run is an option of forget"),
        (("forget", "--older-than", "soon"), "'soon' is not a number of days"),
        (("forget", "--before", "soon"), "is not a valid time"),
        (("forget", "--before", "2026-01-01", "--older-than", "1d"), "not allowed with"),
    ],
)
def test_wrong_usage_is_one_line(
    lake: Lake, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    status, out, err = run_command(capsys, "lake", *options, "--lake", lake.uri)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_missing_lake_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="there is no lake"):
        forget.forget_sightings(Lake(str(tmp_path)).require(), ForgetFilter(repo="x"))
