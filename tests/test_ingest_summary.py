"""What an ingest says about itself: on the way, and at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bench import logs
from deadheat import cli
from deadheat.cli import spark_and_lake
from deadheat.lake.tables import Lake
from deadheat.spark import ingest

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILES, REPORTS = 3, 20


def write_documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.log").write_bytes(
            b"".join(logs.generate_report(n) for n in range(REPORTS)) + b"ok\n" * number
        )
    return folder


def test_the_summary_as_json_is_complete(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spark_and_lake, "session_starter", lambda *_: lambda small: spark)
    documents, lake = write_documents(tmp_path / "documents"), str(tmp_path / "lake")
    paths = [str(documents), str(tmp_path / "missing")]
    assert cli.main(["ingest", *paths, "--lake", lake, "--format", "json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    races = Lake(lake).read_rows("races").to_pylist()
    assert summary.pop("new_races") == [{name: row[name] for name in ("race", "title")} for row in sorted_races(races)]
    assert summary.pop("seconds") > 0
    assert summary == {
        "schema": 1, "files": FILES, "known_files": 0, "bytes": sum(f.stat().st_size for f in documents.iterdir()),
        "sightings": FILES * REPORTS, "replaced_sightings": 0, "reports": REPORTS, "races": REPORTS, "duplicates": [],
        "rejects": [{"uri": paths[1], "reason": "no such file or directory"}], "tasks": 1,
    }  # fmt: skip
    # nothing is new
    assert cli.main(["ingest", str(documents), "--lake", lake, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["known_files"] == FILES


def sorted_races(races: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(races, key=lambda row: str(row["race"]))


def test_sightings_are_counted_while_tasks_end(spark: Any, tmp_path: Path) -> None:
    counts: list[int] = []
    options = ingest.IngestOptions(on_sightings_found=counts.append)
    documents = str(write_documents(tmp_path / "documents"))
    ingest.ingest_files(lambda small: spark, Lake(str(tmp_path / "lake")), [documents], options)
    assert counts[-1] == FILES * REPORTS
