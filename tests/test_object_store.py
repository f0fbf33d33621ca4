"""Input and lakes on object stores: the same as on a local disk, with as few requests as possible."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from s3fs import S3FileSystem

from bench import logs
from deadheat import cli
from deadheat.lake import maintenance
from deadheat.lake.storage import LOG_FOLDER
from deadheat.lake.tables import Lake
from deadheat.spark import ingest, session
from deadheat.spark.ingest import IngestOptions, IngestSummary
from tests.lakes import content

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.object_store import S3Store


@pytest.fixture
def s3_spark(spark: Any, s3: S3Store) -> Any:
    """The session, whose tasks know the server."""
    session.pass_store_access(spark)
    return spark


def take(spark: Any, lake: str, *paths: str, **options: Any) -> IngestSummary:
    return ingest.ingest_files(lambda small: spark, Lake(lake), paths, IngestOptions(**options))


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A log of several ranges, a compressed one, and small files."""
    path = tmp_path_factory.mktemp("logs") / "large.log"
    logs.write_sparse(path, 5_000_000, every=250_000)
    large = path.read_bytes()
    return {
        "in/large.log": large,
        "in/packed.log.gz": gzip.compress(large[:2_000_000] + logs.generate_report(7), 1),
        **{f"in/{n}/test.log": logs.generate_report(n) for n in range(1000, 1020)},
    }


def put_all(s3: S3Store, documents: dict[str, bytes]) -> str:
    for key, data in documents.items():
        s3.put(key, data)
    s3.reset_counts()
    return s3.uri("in")


def test_every_byte_is_fetched_once(s3_spark: Any, s3: S3Store, documents: dict[str, bytes], tmp_path: Path) -> None:
    source = put_all(s3, documents)
    summary = take(s3_spark, str(tmp_path / "lake"), source)
    assert (summary.files, summary.rejects) == (len(documents), ())
    size = sum(map(len, documents.values()))
    assert size <= s3.counts().bytes_sent["get"] <= 1.05 * size
    assert s3.counts().requests["head"] == 0
    # they are known by their ETags
    s3.reset_counts()
    assert take(s3_spark, str(tmp_path / "lake"), source).known_files == len(documents)
    assert s3.counts().requests == {"list": 1}


def test_a_lake_on_a_store_is_the_same_as_a_local_one(
    s3_spark: Any, s3: S3Store, documents: dict[str, bytes], tmp_path: Path
) -> None:
    source = put_all(s3, documents)
    take(s3_spark, str(tmp_path / "lake"), source)
    expected = content(tmp_path / "lake")
    # more rows than the driver takes, so that executors write and derive
    for name, options in {"small": {}, "large": {"max_local_rows": 5}}.items():
        take(s3_spark, s3.uri(name), source, **options)
        assert content(s3.uri(name)) == expected
        assert list(maintenance.find_faults(Lake(s3.uri(name)))) == []


def test_local_files_into_a_lake_on_a_store(s3_spark: Any, s3: S3Store, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(logs.generate_report(1))
    take(s3_spark, s3.uri("lake"), str(path))
    path.write_bytes(logs.generate_report(1) + logs.generate_report(2))
    take(s3_spark, s3.uri("lake"), str(path))
    assert Lake(s3.uri("lake")).row_count("sightings") == 2


@pytest.mark.parametrize("more", [6, pytest.param(20, marks=pytest.mark.soak)])
def test_requests_of_an_ingest_do_not_depend_on_the_ingests_before(
    s3_spark: Any, s3: S3Store, more: int, tmp_path: Path
) -> None:
    """The lake grows on the local disk, which is faster, and is copied."""
    root, numbers, requests = tmp_path / "lake", iter(range(1000)), []

    def take_next(lake: str) -> None:
        path = tmp_path / f"{next(numbers)}.log"
        path.write_bytes(logs.generate_report(int(path.stem)))
        take(s3_spark, lake, str(path))

    for count in (5, more):
        for _ in range(count):
            take_next(str(root))
        for name in (lake := Lake(str(root))).table_names:
            table = lake.delta_table(name)
            (checkpoint,) = [file for file in (root / name / LOG_FOLDER).iterdir() if file.name == "_last_checkpoint"]
            assert table.version() - json.loads(checkpoint.read_bytes())["version"] <= 5
            table.create_checkpoint()  # so that both copies are as long after one
        for path in root.rglob("*"):
            if path.is_file():
                s3.put(f"lake-{count}/{path.relative_to(root)}", path.read_bytes())
        s3.reset_counts()
        take_next(s3.uri(f"lake-{count}"))
        requests.append(s3.counts().total)
    assert requests[1] <= 1.2 * requests[0], requests


def test_failed_requests_are_repeated(s3_spark: Any, s3: S3Store) -> None:
    lake, sources = s3.uri("lake"), [s3.put(f"in/{n}.log", logs.generate_report(n)) for n in range(4)]
    take(s3_spark, lake, sources[0])
    failures = (("get", "drop"), ("list", "503"), ("put", "503"))
    for (operation, failure), source in zip(failures, sources[1:], strict=True):
        s3.fail_next(operation, failure)
        summary = take(s3_spark, lake, source)
        assert (summary.sightings, summary.rejects) == (1, ())
    assert Lake(lake).row_count("sightings") == 4
    assert list(maintenance.find_faults(Lake(lake))) == []


_NO_BUCKET = "bucket does not exist"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ingest", "s3://no-bucket/a.log", "--lake", "lake"], _NO_BUCKET),
        (["ingest", "s3://BUCKET/none.log", "--lake", "lake"], "does not exist or is empty"),
        (["races", "--lake", "s3://no-bucket/lake"], _NO_BUCKET),
        (["races", "--lake", "s3://BUCKET/lake"], "there is no lake"),
        (["scan", "s3://BUCKET/a.log"], "only `deadheat ingest` reads"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    s3: S3Store,
    arguments: Sequence[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_fails_in_one_line([argument.replace("BUCKET", s3.bucket) for argument in arguments], reason, capsys)


@pytest.mark.parametrize("command", ["ingest a.log --lake", "races --lake", "ingest --lake lake"])
def test_missing_credentials_are_one_line(
    s3: S3Store, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    S3FileSystem.clear_instance_cache()
    assert_fails_in_one_line([*command.split(), s3.uri("of-nobody")], "Unable to locate credentials", capsys)


def assert_fails_in_one_line(arguments: Sequence[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*arguments]) == cli.EXIT_ENVIRONMENT
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("deadheat: s3://")
    assert reason in line
