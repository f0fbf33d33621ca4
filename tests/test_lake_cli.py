"""The commands around a lake: what they print, and with which status they end."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import deadheat
from deadheat.cli import ingest as ingest_command
from deadheat.cli import main
from deadheat.lake.tables import Lake
from deadheat.spark import ingest
from deadheat.spark.fact_changes import FactChanges
from deadheat.spark.ingest import IngestSummary
from tests.cases import ROOT
from tests.lakes import content, taken

PACKAGE = Path(deadheat.__file__).parent
SAMPLES = ROOT.parent.parent / "samples"


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake") / "samples"
    taken(spark, root, [SAMPLES])
    return root


def run_command(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def test_ingest_prints_what_was_new(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop" / "7").mkdir(parents=True)
    (tmp_path / "shop" / "7" / "unit.log").write_bytes((ROOT / "go" / "two-goroutines.txt").read_bytes())
    given = ("ingest", "shop", "nothing", "--lake", "lake", "--branch", "main")
    status, out, err = run_command(capsys, *given, "--path-pattern", "{repo}/{run}/{job}.log")
    assert status == 0
    assert err == "deadheat: nothing: no such file or directory\n"
    first, second, third, race, *_ = out.splitlines()
    assert first.startswith("1 file ingested")
    assert second == "1 sighting, 1 new report"
    assert third == "1 new race, 1 in total"
    status, out, _ = run_command(capsys, "show", race.split()[0][:6], "--lake", "lake", "--format", "json")
    (latest,) = json.loads(out)["latest"]
    assert [latest[key] for key in ("repo", "branch", "job", "run", "commit")] == [
        "shop", "main", "unit", "7", None
    ]  # fmt: skip
    again = ("ingest", "shop", "--lake", "lake", "--path-pattern")
    (tmp_path / "shop" / "other.txt").write_text("nothing")
    status, out, err = run_command(capsys, *again, "{repo}/{run}/{job}.log")
    assert (status, out.splitlines()[0].split(", ")[1]) == (0, "1 already known")
    status, out, err = run_command(capsys, *again, "{repo}/{job}.txt.gz")
    assert (status, out.splitlines()[0][:16]) == (0, "1 file ingested ")  # without its run it is another document
    assert err == f"deadheat: --path-pattern matches no path, for example not {tmp_path}/shop/other.txt\n"
    for short in ("", race.split()[0][:3]):
        status, out, err = run_command(capsys, "show", short, "--lake", "lake")
        assert (status, out) == (3, "")
        assert err.endswith("is too short for an id prefix; give at least 4 characters\n")


def test_a_file_as_lake_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "races.jsonl"
    file.write_text("{}")
    for command in (["races"], ["ingest", str(tmp_path)], ["explain", str(file)]):
        status, out, err = run_command(capsys, *command, "--lake", file)
        assert (status, out) == (3, "")
        assert err.startswith(f"deadheat: {file}: is a file; name the folder of a lake")


def test_watch_prints_each_batch_until_it_is_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def watching(*args: Any) -> None:
        *_, every, on_batch = args
        assert every == 0.5
        on_batch(IngestSummary())
        on_batch(IngestSummary(files=2, bytes=1 << 25, seconds=1.0, rejects=(("x", "is broken"),) * 12))
        raise KeyboardInterrupt

    monkeypatch.setattr(ingest, "watch_paths", watching)
    given = ("ingest", SAMPLES, "--lake", tmp_path / "lake", "--watch", "--every", "0.5")
    status, out, err = run_command(capsys, *given)
    assert status == 130
    assert out.splitlines()[0].startswith("2 files ingested (33.6 MB in 1.0 s, 33.6 MB/s)")
    assert err.splitlines()[-2:] == ["deadheat: and 2 more; see the table rejects", "deadheat: interrupted"]


@pytest.mark.parametrize("option", [("--every", "0"), ("--conf", "x"), ("--every", "soon")])
def test_wrong_options_are_usage_errors(capsys: pytest.CaptureFixture[str], option: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ingest", "x", "--lake", "y", *option])
    assert ended.value.code == 2
    assert option[0] in capsys.readouterr().err


def test_ingest_fails_if_nothing_can_be_read(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run_command(capsys, "ingest", tmp_path / "nothing", "--lake", tmp_path / "lake")
    assert (status, err.count("\n")) == (3, 1)


def test_an_error_of_spark_is_one_line(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        spark.sql("select * from nowhere")

    monkeypatch.setattr(FactChanges, "build", failing)
    status, out, err = run_command(capsys, "ingest", SAMPLES, "--lake", tmp_path / "lake")
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert "Spark failed" in err


def test_races_are_listed(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run_command(capsys, "races", "--lake", lake)
    assert status == 0
    lines = out.splitlines()
    assert len(lines) >= 8
    status, out, _ = run_command(capsys, "races", "--lake", lake, "--format", "jsonl")
    found = [json.loads(line) for line in out.splitlines()]
    assert [race["race"] for race in found] == [line.split()[0] for line in lines]
    wanted = {
        "race", "aliases", "title", "detector", "kind", "cause", "family", "sightings", "runs",
        "tests", "first_seen", "last_seen", "status",
    }  # fmt: skip
    assert all(wanted <= race.keys() for race in found)
    status, out, _ = run_command(capsys, "races", "--lake", lake, "--format", "json", "--limit", 2)
    assert json.loads(out) == found[:2]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (("--detector", "go-fatal"), 1),
        (("--test", "TestTake"), 1),
        (("--repo", "nowhere"), 0),
        (("--status", "quiet"), 0),
    ],
)
def test_races_are_filtered(
    lake: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], count: int
) -> None:
    status, out, _ = run_command(capsys, "races", "--lake", lake, *options)
    assert (status, len(out.splitlines())) == (0, count)


def test_a_race_is_shown_by_any_of_its_names(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run_command(capsys, "races", "--lake", lake, "--test", "TestTake", "--format", "jsonl")
    race = json.loads(out)
    status, whole, _ = run_command(capsys, "show", race["race"], "--lake", lake)
    assert status == 0
    assert whole.startswith(race["title"])
    assert "3 times" in whole
    assert len(re.findall(r"unit-tests\.log:\d+", whole)) == 3
    for name in (*race["aliases"], race["race"][:5]):
        assert run_command(capsys, "show", name, "--lake", lake)[1] == whole
    status, _, err = run_command(capsys, "show", "ffffffff", "--lake", lake)
    assert (status, err.count("\n")) == (3, 1)


# how a report begins and goes on, in which both sides may be in a map
BEGUN = """==================
WARNING: DATA RACE
Write at 0x00c00012e018 by goroutine 7:
{assigned}  example.com/shop/cart.(*Cart).Add()
      /src/shop/cart/cart.go:12 +0x45

Previous read at 0x00c00012e018 by goroutine 8:
{looked}  example.com/shop/cart.(*Cart).Total()
      /src/shop/cart/cart.go:20 +0x38
"""
ENDED = """
Goroutine 7 (running) created at:
  main.main()
      /src/shop/main.go:12 +0x9a

Goroutine 8 (running) created at:
  main.main()
      /src/shop/main.go:17 +0x9a
==================
"""
PLACE = "\n      /usr/local/go/src/runtime/map_faststr.go:203 +0x0\n"
IN_A_MAP = {"assigned": f"  runtime.mapassign_faststr(){PLACE}", "looked": f"  runtime.mapaccess1_faststr(){PLACE}"}


def test_a_race_is_shown_with_its_best_report_and_the_causes_of_all(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two that are cut off know of a map; the whole one, as other versions print it, does not."""
    whole, cut = BEGUN.format(assigned="", looked="") + ENDED, BEGUN.format(**IN_A_MAP)
    for name, text in zip("abc", (whole, cut, f"{cut}\nexit status 66\n"), strict=True):
        (tmp_path / f"{name}.log").write_text(text)
    root = tmp_path / "lake"
    taken(spark, root, [tmp_path])
    _, out, _ = run_command(capsys, "races", "--lake", root, "--format", "jsonl")
    race = json.loads(out)
    found = [(cause["cause"], cause["sightings"]) for cause in race["causes"]]
    assert (race["cause"], found) == ("concurrent-map", [("concurrent-map", 2), ("missing-lock", 1)])
    of_map, of_lock = [cause["confidence"] for cause in race["causes"]]
    _, out, _ = run_command(capsys, "show", race["race"], "--lake", root)
    title = "A map is used by several threads, one of which changes it"
    by_report = f"{title} ({of_map:.0%}) of 2 sightings, No lock on either side ({of_lock:.0%}) of 1 sighting"
    assert f"{title}; by report: {by_report}" in " ".join(out.split())
    _, out, _ = run_command(capsys, "show", race["race"], "--lake", root, "--format", "json")
    shown = json.loads(out)
    assert shown["cause"] == "concurrent-map"
    assert (shown["report"]["damage"], shown["report"]["causes"][0]["cause"]) == ([], "missing-lock")


def test_families_are_listed(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run_command(capsys, "families", "--lake", lake, "--format", "json")
    families = json.loads(out)
    assert status == 0
    assert all(len(family["races"]) > 1 and family["why"] for family in families)


def test_a_lake_is_checked_and_compacted(spark: Any, lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, before, _ = run_command(capsys, "races", "--lake", lake)
    assert run_command(capsys, "lake", "check", "--lake", lake)[0] == 0
    status, out, _ = run_command(capsys, "lake", "compact", "--lake", lake, "--keep-hours", 0)
    assert (status, "sightings" in out) == (0, True)
    assert run_command(capsys, "consolidate", "--lake", lake)[0] == 0
    assert run_command(capsys, "races", "--lake", lake)[1] == before
    assert run_command(capsys, "lake", "check", "--lake", lake)[0] == 0


def test_retriage_of_an_ingested_lake_changes_nothing(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = content(lake)
    status, out, err = run_command(capsys, "retriage", "--all", "--lake", lake)
    assert (status, err) == (0, "")
    reports = Lake(str(lake)).row_count("reports")
    first, *_, third, _ = out.splitlines()
    assert first == f"{reports} reports read again, 0 changed"
    assert third == "0 sightings changed"
    assert content(lake) == before


@pytest.mark.parametrize(
    "command",
    ["races", "show x", "families", "lake check", "lake compact", "lake forget --repo x", "consolidate", "retriage"],
)
def test_a_missing_lake_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, err = run_command(capsys, *command.split(), "--lake", tmp_path / "none")
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert "there is no lake" in err


ABSENT = """
import sys
sys.modules[sys.argv[1]] = None
from deadheat.cli import main
sys.exit(main(sys.argv[2:]))
"""


def ran(folder: Path, *command: str, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("absent", "command", "says"),
    [
        ("pyspark", ["ingest", ".", "--lake", "x"], "deadheat[spark]"),
        ("deltalake", ["races", "--lake", "x"], "deadheat[lake]"),
    ],
)
def test_a_missing_dependency_is_one_line(tmp_path: Path, absent: str, command: list[str], says: str) -> None:
    status, err = ran(tmp_path, "-c", ABSENT, absent, *command)
    assert (status, err.count("\n")) == (3, 1)
    assert says in err


def test_missing_java_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    command = ("-m", "deadheat", "ingest", "a.log", "--lake", "lake")
    status, err = ran(tmp_path, *command, PATH="", JAVA_HOME="")
    assert (status, err.count("\n")) == (3, 1)
    assert "needs Java 17" in err


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_not_read_replaced_or_counted_once_is_printed(capsys: pytest.CaptureFixture[str], quiet: bool) -> None:
    summary = IngestSummary(
        files=2, sightings=1, replaced_sightings=3, duplicates=("b.log",), rejects=(("c.log", "no such file"),)
    )
    ingest_command._print_summary(summary, argparse.Namespace(format="text", quiet=quiet, lake="races"))
    out, err = capsys.readouterr()
    assert err == "deadheat: c.log: no such file\n"
    assert ("3 earlier sightings of files that were overwritten within their run replaced\n" in out) is not quiet
    assert ("b.log: has the content of another file of its run, counted once\n" in out) is not quiet
