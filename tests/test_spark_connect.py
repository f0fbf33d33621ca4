"""The pipeline with Spark Connect, which has no SparkContext."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import deadheat
from deadheat.errors import DeadheatError
from deadheat.spark import session
from tests import conftest, standalone_cluster

pytest.importorskip("grpc")
DOCUMENTS = Path(__file__).parents[1] / "samples" / "prod"

# the driver is not restricted as the executors are
_READ = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Restriction"]
sys.path.insert(0, sys.argv[2])
from pyspark.sql import SparkSession
from deadheat import spark as pipeline

builder = SparkSession.builder.remote("local[1]")
for setting in sys.argv[3:]:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
assert not hasattr(spark, "sparkContext")
pipeline.prepare_session(spark, ship=True)
races = pipeline.races(pipeline.read(spark, [sys.argv[1]]))
print("races:", *sorted(row.race for row in races.select("race").collect()))
spark.stop()
"""


def test_documents_are_read_with_code_that_was_sent(tmp_path: Path) -> None:
    try:
        session.check_java()
    except DeadheatError as error:
        pytest.skip(str(error))
    settings = [f"{name}={value}" for name, value in conftest.SETTINGS.items()]
    environment = {
        **os.environ,
        "PYTHONPATH": str(standalone_cluster.write_restriction(tmp_path)),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": standalone_cluster.HOST,
    }
    source = str(Path(deadheat.__file__).parents[1])
    command = [sys.executable, "-c", _READ, str(DOCUMENTS), source, *settings]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    texts = [path.read_bytes() for path in DOCUMENTS.iterdir()]
    races = sorted({sighting.verdict.race for text in texts for sighting in deadheat.scan(text, diagnose=False)})
    assert done.stdout.split("races: ")[1].split() == races != []
    imported = [path.read_text() for path in tmp_path.glob("imported-*")]
    assert {Path(origin).parts[-3] for origin in imported} == {"deadheat.zip"}
