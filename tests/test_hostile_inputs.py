"""A folder of files that try to hang a reader, exhaust its memory or end it, beside good logs."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from deadheat import cli
from deadheat.errors import DeadheatError, UnreadableError
from deadheat.lake.tables import Lake
from deadheat.sources import archives
from deadheat.sources.archive_limits import DEFAULT_LIMITS, ArchiveLimits, higher_limit_hint, parse_limits
from tests.cases import ROOT
from tests.hostile_inputs import HOSTILE_INPUTS, REPORT, gzip_zeros, tar_member
from tests.lakes import taken
from tests.test_cli import make_tar, make_zip

if TYPE_CHECKING:
    from pathlib import Path

OTHER = (ROOT / "go" / "by-main-goroutine.txt").read_bytes()
GOOD_LOGS = 10
# prints the peak of memory of any of its child processes, in kilobytes
MEASURE = "import resource, subprocess, sys; p = subprocess.run(sys.argv[1:]);" + (
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(p.returncode)"
)


@pytest.mark.long
def test_folder_of_hostile_files_gives_all_reports_and_a_line_for_each(tmp_path: Path) -> None:
    for number in range(GOOD_LOGS):
        (tmp_path / f"good-{number}.log").write_bytes(OTHER)
    for name, hostile in HOSTILE_INPUTS.items():
        (tmp_path / name).write_bytes(hostile.build())
    scan = [sys.executable, "-m", "deadheat", "scan", "--format", "jsonl", "--jobs", "2", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *scan], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == cli.EXIT_RACES
    *faults, peak = done.stderr.splitlines()
    uris = [json.loads(line)["document"]["uri"] for line in done.stdout.splitlines()]
    assert sum("/good-" in uri for uri in uris) == GOOD_LOGS
    for name, hostile in HOSTILE_INPUTS.items():
        path = str(tmp_path / name)
        about = [fault for fault in faults if fault.startswith((f"deadheat: {path}:", f"deadheat: {path}!"))]
        found = [uri for uri in uris if uri == path or uri.startswith(f"{path}!")]
        assert len(found) == hostile.reports, name
        assert len(about) == (1 if hostile.message else 0), about
        assert hostile.message in "".join(about)
    assert len(faults) == sum(bool(hostile.message) for hostile in HOSTILE_INPUTS.values())
    assert 3 * int(peak) < 300_000  # the parent and two workers


LOG = b"all is well\n" * 1000
LIMITED = {
    "ratio=1,bytes=4000": (gzip.compress(LOG), "unpacks to more than 3 KiB", "bytes=32000"),
    "members=2": (make_tar(("a", LOG), ("b", LOG), ("c", LOG)), "more than 2 members", "members=16"),
    "members=1": (make_zip(("a", LOG), ("b", LOG)), "more than 1 members", "members=8"),
    "depth=1": (gzip.compress(gzip.compress(LOG)), "nested more than 1 archives deep", "depth=2"),
    "depth=0": (gzip.compress(LOG), "nested more than 0 archives deep", "depth=1"),
    "header=1000": (make_tar(("a" * 40_000, LOG)), "headers of more than 1000 bytes", "header=8000"),
    "directory=10": (make_zip(("a" * 100, LOG)), "more than 10 bytes", "directory="),
    "temporary=100": (make_zip(("a.zip", make_zip(("b", os.urandom(500))))), "more than 100 bytes", "temporary=800"),
    "seconds=0": (gzip.compress(LOG), "more than 0 seconds", "seconds=1"),
}


def read_members(data: bytes, limits: ArchiveLimits) -> tuple[int, list[str]]:
    """The number of members that were read, and the faults."""
    count, faults = 0, []
    for member in archives.iter_members(io.BytesIO(data), "a", limits):
        try:
            if isinstance(member, UnreadableError):
                raise member
            while member.read(1 << 16):
                pass
            count += 1
        except UnreadableError as error:
            faults.append(str(error))
    return count, faults


@pytest.mark.parametrize("limit", LIMITED)
def test_limit_is_told_when_met_and_can_be_raised(limit: str) -> None:
    data, message, hint = LIMITED[limit]
    _, (fault,) = read_members(data, parse_limits(limit))
    assert message in fault
    assert f"to read it: --archive-limits {hint}" in fault
    assert read_members(data, DEFAULT_LIMITS)[1] == []
    for _ in range(5):  # what a file needs is not known before it is read
        limit += "," + fault.rpartition("--archive-limits ")[2]
        count, faults = read_members(data, parse_limits(limit))
        fault = "".join(faults)
    assert (count, faults) == read_members(data, DEFAULT_LIMITS)


def test_members_before_a_limit_are_read() -> None:
    data = b"".join(tar_member(f"{number}.log", LOG) for number in range(5))
    count, faults = read_members(data, DEFAULT_LIMITS._replace(members=3))
    assert (count, len(faults)) == (3, 1)


@pytest.mark.parametrize(
    "text", ["byte=5", "bytes", "bytes=", "bytes=x", "bytes=5Q", "bytes=-5", "bytes=5.5", "=", "bytes=٣"]
)
def test_unknown_limit_is_wrong_usage(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DeadheatError, match="is not a limit"):
        parse_limits(text)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["scan", "--archive-limits", text, str(tmp_path)])
    assert "names are bytes, ratio, " in capsys.readouterr().err


def test_units_of_limits() -> None:
    assert parse_limits("") == DEFAULT_LIMITS
    assert parse_limits("bytes=2T,members=3k,depth=9") == DEFAULT_LIMITS._replace(bytes=2 << 40, members=3072, depth=9)
    assert higher_limit_hint("bytes", (1 << 30) + 1) == "to read it: --archive-limits bytes=2G"


def test_full_temporary_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class FullFile(io.BytesIO):
        def write(self, data: Any, /) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", FullFile)
    data = make_tar(("a.zip", make_zip(("a.log", REPORT))), ("b.log", LOG))
    count, (fault,) = read_members(data, DEFAULT_LIMITS)
    assert count == 1
    assert f"a!a.zip: cannot be copied to {tempfile.gettempdir()} (no space left on device), skipped" in fault


def test_archive_with_many_bad_members_is_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = [(f"{number}.gz", gzip.compress(LOG)[:-4]) for number in range(100)]
    (tmp_path / "a.tar").write_bytes(make_tar(*bad, ("b.log", OTHER)))
    for command, status in (("scan", cli.EXIT_RACES), ("explain", cli.EXIT_NOTHING)):
        assert cli.main([command, str(tmp_path)]) == status
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 21
        assert lines[-1].endswith("a.tar: 80 more faults in this file")


def test_ingest_writes_a_row_for_each_bad_input_and_reads_it_again_with_higher_limits(
    spark: Any, tmp_path: Path
) -> None:
    folder, root = tmp_path / "logs", tmp_path / "lake"
    folder.mkdir()
    names = ["garbage-behind-it.gz", "messages-in-messages.eml", "nested.gz", "claims-2-to-the-50.tar"]
    for name in names:
        (folder / name).write_bytes(HOSTILE_INPUTS[name].build())
    (folder / "good.log").write_bytes(OTHER)
    (folder / "large.gz").write_bytes(gzip.compress(REPORT + bytes(1 << 20) + OTHER))
    (folder / "zeros.gz").write_bytes(gzip_zeros(64))
    low = DEFAULT_LIMITS._replace(bytes=1 << 19, ratio=2)
    summary = taken(spark, root, [folder], archive_limits=low)
    rejects = {uri.rpartition("/")[2]: what for uri, what in summary.rejects}
    assert set(rejects) == {*names, "large.gz", "zeros.gz"} - {"claims-2-to-the-50.tar"} | {
        "claims-2-to-the-50.tar!a.log"
    }
    assert "nested too deeply" in rejects["messages-in-messages.eml"]
    assert summary.sightings == 5
    # as it is, nothing is read again; with other limits, the archives that exceeded one are
    assert taken(spark, root, [folder]).files == 0
    summary = taken(spark, root, [folder], archive_limits=DEFAULT_LIMITS._replace(depth=20))
    assert (summary.files, summary.sightings, summary.replaced_sightings) == (3, 2, 0)
    assert Lake(str(root)).row_count("sightings") == 7
    assert taken(spark, root, [folder], archive_limits=DEFAULT_LIMITS._replace(depth=20)).files == 0
