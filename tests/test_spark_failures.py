"""Failures of Spark are described in one line."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from pyspark.errors import PySparkException

from deadheat.cli import spark_and_lake
from deadheat.errors import DeadheatError
from deadheat.spark import failures


def fail_with_lake(batches: Any) -> Any:
    raise DeadheatError("no such bucket", "s3://ci/races", "create it")


def failure_of(work: Any) -> DeadheatError:
    with pytest.raises(Exception, match=r".") as caught:
        work()
    return failures.describe_failure(caught.value)


def test_an_error_in_python_on_an_executor(spark: Any) -> None:
    found = failure_of(lambda: spark.range(1).mapInArrow(fail_with_lake, "n long").toArrow())
    assert "(s3://ci/races: no such bucket; create it)" in found.what
    assert "\n" not in str(found)


def test_an_error_in_java(spark: Any) -> None:
    found = failure_of(lambda: spark.read.parquet("/nonexistent/folder").count())
    assert "/nonexistent/folder" in found.what
    # a Java exception that PySpark does not translate, and its cause
    found = failure_of(lambda: spark._jvm.java.net.URI.create("::"))
    assert found.what == "Spark failed (Expected scheme name at index 0: ::)"
    found = failure_of(lambda: spark.range(3).selectExpr("raise_error(string(id))").collect())
    assert "0" in found.what
    assert "An error occurred" not in found.what


ABORTED = "Job aborted due to stage failure: Task 0 in stage 2.0 failed 4 times, most recent failure: Lost task 0.3 in "
LOST = f"""{ABORTED}stage 2.0 (TID 9) (10.0.0.7 executor 4): ExecutorLostFailure (executor 4 exited caused by one of \
the running tasks) Reason: Command exited with code 137
Driver stacktrace:"""
OLD_PYTHON = f"""{ABORTED}stage 2.0 (TID 3) (10.0.0.7 executor 1): org.apache.spark.api.python.PythonException: \
Traceback (most recent call last):
  File "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", line 1100, in main
    check_python_version(infile)
pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different version: \
3.9 than that in driver: 3.11, PySpark cannot run with different minor versions.

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:576)
Driver stacktrace:"""
DISK_FULL = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/deadheat/lake/data_files.py", line 1, in write_file
OSError: [Errno 28] No space left on device"""

LAKE_FULL = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/deadheat/lake/storage.py", line 1, in disk_errors
deadheat.errors.DeadheatError: /lake/files/a.parquet: no space left; free some space and run the same command again; \
nothing is lost"""


def test_a_full_disk_of_a_lake_says_what_to_do_once() -> None:
    found = str(failures.describe_failure(RuntimeError(LAKE_FULL)))
    assert found.startswith("Spark failed (/lake/files/a.parquet: no space left; free some space")
    assert found.endswith("nothing is lost)")


@pytest.mark.parametrize(
    ("message", "what", "do"),
    [
        (LOST, "Spark failed on 10.0.0.7 executor 4 (ExecutorLostFailure (executor 4", "memoryOverhead"),
        (OLD_PYTHON, "Python in worker has different version: 3.9", "--environment"),
        (DISK_FULL, "(OSError: [Errno 28] No space left on device)", "spark.local.dir"),
        ("java.lang.OutOfMemoryError: Java heap space", "(Java heap space)", "--driver-memory"),
        ("", "Spark failed (RuntimeError)", "--verbose"),
    ],
)
def test_messages_of_a_cluster(message: str, what: str, do: str) -> None:
    found = failures.describe_failure(RuntimeError(message))
    assert what in found.what
    assert do in found.do
    assert "\n" not in str(found)


def test_jobs_cancelled_by_an_interrupt_are_an_interrupt() -> None:
    def interrupted_work() -> int:
        raise PySparkException("[SPARK_JOB_CANCELLED] Job 0 cancelled as part of cancellation of all jobs")

    with pytest.raises(KeyboardInterrupt):
        spark_and_lake.run_with_spark_errors(argparse.Namespace(verbose=False), interrupted_work)
