"""A lake that an earlier version has written is migrated by the next command that writes, without loss.

`tests/data/compatibility/lake-v2.tar.gz` holds such a lake. It was written by commit 9d5614fe from the files that
`write_old_files` makes, in `/srv/logs`, with three commands; its README names them."""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deadheat.cli import main
from deadheat.lake import derivation, maintenance
from deadheat.lake.rewrites import migration, retriage
from deadheat.lake.tables import Lake
from deadheat.sources.ci_metadata import PathPattern
from tests.cases import ROOT as CASES
from tests.lake_facts import table_rows
from tests.lakes import taken

ARCHIVE = Path(__file__).parent / "data" / "compatibility" / "lake-v2.tar.gz"
OLD_ROOT = "/srv/logs"
PATTERN = "{repo}/{run}/{job}.log"
# file -> golden cases; files of a run match the pattern
RUN_FILES = {
    "ci/shop/101/unit.log": ("go/two-goroutines", "go/finished-goroutine"),
    "ci/shop/102/unit.log": ("go/two-goroutines", "go/go-test-json"),
    "ci/shop/102/race.log": ("tsan/anonymous-namespace", "go/two-pods-interleaved"),
    "ci/bank/7/unit.log": ("go/two-goroutines", "tsan/atomic-against-memcpy"),
}
# of an ingest that was killed after it was decided
KILLED_FILES = {"ci/shop/103/unit.log": ("go/two-goroutines", "go/closed-channel-against-send")}
LOOSE_FILES = {
    "loose/github.log": ("go/github-timestamps", "go/elided-frames"),
    "loose/kernel.log": ("kcsan/assertion-against-a-marked-write",),
    "loose/native.log": ("tsan/cut-off-within-the-second-stack", "helgrind/declared-at-with-variables-read"),
}
MEMBERS = {"first.log": ("go/deferwrap",), "folder/second.log": ("go/cgo-callback", "go/two-goroutines")}
BROKEN = "loose/broken.log.gz"


def write_old_files(root: Path) -> None:
    """The files that the old lake was written from, each of another day."""
    for day, (name, cases) in enumerate({**RUN_FILES, **LOOSE_FILES, **KILLED_FILES}.items(), 1):
        write_file(root / name, case_text(cases), day)
    archive = root / "loose" / "logs.zip"
    with zipfile.ZipFile(archive, "w") as target:
        for member, cases in MEMBERS.items():
            target.writestr(zipfile.ZipInfo(member, (2026, 1, 1, 0, 0, 0)), case_text(cases))
    set_day(archive, 20)
    write_file(root / BROKEN, b"\x1f\x8b\x08\x00broken", 21)


def case_text(cases: tuple[str, ...]) -> bytes:
    return b"\n\n".join((CASES / f"{case}.txt").read_bytes() for case in cases)


# what a library said about a file that is cut off; a later version words it otherwise
_LIBRARY_DETAIL = re.compile(r"\((?:Compressed file ended before .*|the data is cut off)\)")


# what depends on the causes, which stay as they were found then where no text is kept: digests of reports, and votes
OF_CAUSES = ("report", "digest", "cause", "causes", "checksum")
_NESTED_DIGEST = re.compile(r"'report': '[0-9a-f]{32}'")


def write_file(path: Path, content: bytes, day: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    set_day(path, day)


def set_day(path: Path, day: int) -> None:
    time = datetime(2026, 3, day, 12, tzinfo=UTC).timestamp()
    os.utime(path, (time, time))


@pytest.fixture
def old_lake(tmp_path: Path) -> Lake:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return Lake(str(tmp_path / "lake"))


@pytest.fixture(scope="module")
def fresh_lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Lake]:
    """The root of the same files, and a lake that they were ingested into by the present code."""
    root, path = tmp_path_factory.mktemp("logs"), tmp_path_factory.mktemp("fresh") / "lake"
    write_old_files(root)
    taken(spark, path, [root / "ci"], run_of=PathPattern(PATTERN))
    taken(spark, path, [root / "loose"])
    return root, Lake(str(path))


def rows_below(lake: Lake, root: object, table: str, *volatile: str) -> list[str]:
    """The rows of a table, with paths below a neutral root."""
    rows = [{name: row[name] for name in row if name not in volatile} for row in table_rows(lake, table)]
    texts = [_NESTED_DIGEST.sub("'report': ''", _LIBRARY_DETAIL.sub("(...)", str(row))) for row in rows]
    return sorted(text.replace(str(root), "ROOT") for text in texts)


def renew(lake: Lake) -> None:
    """Give the reports their present fingerprints, as `deadheat retriage` does."""
    retriage.retriage_lake(lake)
    derivation.derive_races(lake, "renewed")


def assert_same_content(migrated: Lake, fresh: Lake, root: Path) -> None:
    renew(migrated)
    for table, volatile in {
        "sightings": ("ingest", "document", "parser_version"),
        "reports": ("text", "text_names", "parser_version", "fingerprint_version"),
        "files": ("ingest", "document", "state", "content", "modified_at"),
        "rejects": ("ingest", "observed_at"),
        "nodes": (),
        "races": (),
        "families": (),
    }.items():
        expected = rows_below(fresh, root, table, *volatile, *OF_CAUSES)
        assert rows_below(migrated, OLD_ROOT, table, *volatile, *OF_CAUSES) == expected, table
        assert expected or table == "families"


def test_a_migrated_lake_has_the_content_of_a_fresh_one(old_lake: Lake, fresh_lake: tuple[Path, Lake]) -> None:
    assert old_lake.is_older
    old = [row["node"] for row in table_rows(old_lake, "sightings")]
    migration.migrate_lake(old_lake)
    assert not old_lake.is_older
    assert lake_faults(old_lake) == [
        "races are not derived from the latest sightings; the next ingest or `deadheat consolidate` does it"
    ]
    derivation.derive_races(old_lake, "derived")
    assert lake_faults(old_lake) == []
    root, fresh = fresh_lake
    assert_same_content(old_lake, fresh, root)
    assert len(old) < old_lake.row_count("sightings"), "the killed ingest is completed"
    state = old_lake.state_number
    migration.migrate_lake(old_lake)
    assert (old_lake.state_number, derivation.derive_races(old_lake, "again")) == (state, [])


def lake_faults(lake: Lake) -> list[str]:
    return [*maintenance.find_faults(Lake(lake.uri))]


class KilledError(Exception):
    pass


@pytest.mark.parametrize("stage", ["decided", "ingests", "sightings", "rejects", "nodes", "families"])
def test_a_migration_killed_at_any_stage_is_completed(
    old_lake: Lake, fresh_lake: tuple[Path, Lake], stage: str
) -> None:
    def kill(reached: str) -> None:
        if reached == stage:
            raise KilledError

    with pytest.raises(KilledError):
        migration.migrate_lake(old_lake, kill)
    again = Lake(old_lake.uri)
    again.create_tables()
    migration.migrate_lake(again)
    derivation.derive_races(again, "derived")
    root, fresh = fresh_lake
    assert_same_content(again, fresh, root)
    assert lake_faults(again) == []


@pytest.mark.parametrize("command", ["consolidate", "ingest"])
def test_the_next_writing_command_migrates(
    spark: Any, old_lake: Lake, fresh_lake: tuple[Path, Lake], tmp_path: Path, command: str
) -> None:
    new = tmp_path / "new.log"
    new.write_text("nothing\n")
    assert main([command, *([str(new)] if command == "ingest" else []), "--lake", old_lake.uri]) == 0
    lake = Lake(old_lake.uri)
    renew(lake)
    root, fresh = fresh_lake
    assert rows_below(lake, OLD_ROOT, "races", *OF_CAUSES) == rows_below(fresh, root, "races", *OF_CAUSES)
    assert lake.row_count("files") == fresh.row_count("files") + (command == "ingest")
    assert lake_faults(lake) == []


def test_a_lake_that_is_not_migrated_can_be_read(old_lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["races", "--lake", old_lake.uri]) == 0
    out, err = capsys.readouterr()
    assert (len(out.splitlines()), err) == (14, "")
    race = out.split()[0]
    assert main(["show", race, "--lake", old_lake.uri]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "  runs        3\n" in out
    assert out.count("/srv/logs/") == 5
