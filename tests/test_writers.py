"""Several processes write to one lake at the same time: all succeed, and nothing is lost or stored twice."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bench import logs
from deadheat.lake import derivation, maintenance
from deadheat.lake.storage import LOG_FOLDER
from deadheat.lake.tables import Lake
from deadheat.spark import session
from deadheat.spark.ingest import ingest_files
from tests.lakes import content

_FILES = 2


@pytest.fixture
def address(where: str, request: pytest.FixtureRequest, spark: Any, tmp_path: Path) -> str:
    """Where to make a lake."""
    if where == "local":
        return str(tmp_path / "lake")
    uri: str = request.getfixturevalue("s3").uri("lake")
    session.pass_store_access(spark)
    return uri


# a change of a lake on a store takes hundreds of requests, and more if another writer was faster
@pytest.mark.parametrize(("where", "writers"), [("local", 3), ("s3", 2), pytest.param("s3", 3, marks=pytest.mark.soak)])
def test_writers_and_readers_at_once(spark: Any, address: str, writers: int, tmp_path: Path) -> None:
    folders = [tmp_path / f"writer-{number}" for number in range(writers)]
    for number, folder in enumerate(folders):
        folder.mkdir()
        for part in range(_FILES):
            # one race that all writers have, and one that only this one has
            text = logs.generate_report(part) + logs.generate_report(10 * number + part + 100)
            (folder / f"{part}.log").write_bytes(b"%d\n" % number + text)
    written = threading.Event()

    def write(folder: Path) -> None:
        for path in sorted(folder.iterdir()):
            ingest_files(lambda small: spark, Lake(address), [str(path)])

    def derive() -> None:
        while not written.wait(0.05):
            if (lake := Lake(address)).is_there:
                derivation.derive_races(lake, "beside")

    with ThreadPoolExecutor(writers + 1) as threads:
        deriving = threads.submit(derive)
        try:
            for _ in threads.map(write, folders):
                pass
        finally:
            written.set()
        deriving.result()
    ingest_files(lambda small: spark, Lake(str(tmp_path / "expected")), [str(folder) for folder in folders])
    assert content(address) == content(tmp_path / "expected")
    assert list(maintenance.find_faults(Lake(address))) == []
    assert_reader_keeps_its_snapshot(address)


def assert_reader_keeps_its_snapshot(address: str) -> None:
    reader, before = Lake(address), content(address)
    if (folder := Path(address)).is_dir():
        for path in (path for path in folder.rglob("*.parquet") if path.parent.name != LOG_FOLDER):
            os.utime(path, (0, 0))  # how long ago a file was written does not count
    names = [file.path for file in reader.data_files("sightings")]
    maintenance.compact_lake(Lake(address))
    maintenance.remove_unused_files(Lake(address))
    assert reader.read_rows("sightings").num_rows == len(before["sightings"])
    assert [file.path for file in reader.data_files("sightings")] == names
    assert [file.path for file in Lake(address).data_files("sightings")] != names
    assert content(address) == before
