"""Input and lakes on object stores: the same as on a local disk, with as few requests as possible."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from bench import logs
from deadheat.lake.tables import Lake
from deadheat.spark import session
from deadheat.spark.ingest import IngestOptions, ingest_files
from tests.lakes import content

if TYPE_CHECKING:
    from tests.object_store import S3Store


@pytest.fixture
def s3_spark(spark: Any, s3: S3Store) -> Any:
    session.pass_store_access(spark)
    return spark


def ingest(spark: Any, lake: str, *paths: Any, **options: Any) -> Any:
    return ingest_files(lambda small: spark, Lake(lake), [str(path) for path in paths], IngestOptions(**options))


def test_first(s3_spark: Any, s3: S3Store, tmp_path: Path) -> None:
    logs.write_sparse(tmp_path / "a.log", 5_000_000, every=200_000)
    data = (tmp_path / "a.log").read_bytes()
    s3.put("in/a.log", data)
    s3.put("in/b.log.gz", gzip.compress(data[:3_000_000] + b"xx"))
    total = len(data) + len(gzip.compress(data[:3_000_000] + b"xx"))
    for n in range(30):
        d = logs.generate_report(n + 1000)
        s3.put(f"in/small/{n}.log", d)
        total += len(d)
    import time

    t = time.time()
    s3.reset_counts()
    print(ingest(s3_spark, str(tmp_path / "lake"), f"s3://{s3.bucket}/in"))
    print(time.time() - t, *s3.counts(), s3.counts().bytes_sent["get"] / total)
    s3.reset_counts()
    t = time.time()
    print(ingest(s3_spark, f"s3://{s3.bucket}/lake", f"s3://{s3.bucket}/in"))
    print(time.time() - t, *s3.counts(), s3.counts().bytes_sent["get"] / total)
    t = time.time()
    assert content(tmp_path / "lake") == content(f"s3://{s3.bucket}/lake")
    print(time.time() - t)
    s3.reset_counts()
    t = time.time()
    print(ingest(s3_spark, f"s3://{s3.bucket}/lake2", f"s3://{s3.bucket}/in", max_local_rows=5))
    print(time.time() - t, *s3.counts(), s3.counts().bytes_sent["get"] / total)
    assert content(tmp_path / "lake") == content(f"s3://{s3.bucket}/lake2")
