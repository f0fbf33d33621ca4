"""Starts Spark for this pipeline: quiet, in UTC, with our package on every executor."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

import deadheat
from deadheat.errors import DeadheatError
from deadheat.object_store import environment_for_executors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LOG_SETTINGS = """rootLogger.level = off
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""
_JAVA_OPTIONS, _EXECUTOR_JAVA_OPTIONS = "spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"
# independent of the time zone of the machine, and compatible with Delta
_REQUIRED_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # each batch of units is a partition, however few rows there are
    "spark.sql.execution.arrow.localRelationThreshold": "0",
}
_DEFAULT_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    # nested rows are wide, so smaller batches
    "spark.sql.parquet.columnarReaderBatchSize": "1024",
    # aggregate the sets of a race in memory
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "100000",
}
# socket paths are limited to about 100 characters
_SOCKET_SETTING, _MAX_SOCKET_FOLDER_LENGTH = "spark.python.unix.domain.socket", 50
# the optimising compiler does not pay off for short jobs
_SMALL_JAVA = "-XX:TieredStopAtLevel=1"


def start_session(
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    driver_memory: str | None = None,
    verbose: bool = False,
    small: bool = False,
) -> SparkSession:
    """Start a session. `master` defaults to all cores of this machine.

    `small` is for short jobs. `settings` override all others.
    """
    check_java()
    spark_master = master or os.environ.get("SPARK_MASTER") or f"local[{_core_count()},4]"
    is_local = spark_master.startswith("local")
    chosen = {**_DEFAULT_SETTINGS, **_local_settings(is_local, small), **_REQUIRED_SETTINGS, **(settings or {})}
    if driver_memory:
        chosen["spark.driver.memory"] = driver_memory
    java_options = [chosen.get(_JAVA_OPTIONS, ""), "" if verbose else _log_option()]
    chosen[_JAVA_OPTIONS] = " ".join(filter(None, java_options))
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # workers use this Python by default
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(spark_master).appName("deadheat")
    for key, value in chosen.items():
        builder = builder.config(key, value)
    try:
        with _silence_stderr(not verbose):
            spark = builder.getOrCreate()
    except Exception as error:
        reason = (str(error) or type(error).__name__).strip().partition("\n")[0][:300]
        raise DeadheatError(f"Spark does not start ({reason})", spark_master, "--verbose shows more") from error
    # the executors of `local-cluster` do not have our package
    prepare_session(spark, ship=not is_local or spark_master.startswith("local-"))
    return spark


@contextmanager
def _silence_stderr(silent: bool) -> Iterator[None]:
    """Discard stderr while the JVM starts."""
    if not silent:
        yield
        return
    sys.stderr.flush()
    saved, devnull = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(devnull)


def prepare_session(spark: SparkSession, ship: bool) -> None:
    for key, value in _REQUIRED_SETTINGS.items():
        if spark.conf.isModifiable(key):
            spark.conf.set(key, value)
    pass_store_access(spark)
    if ship:
        spark.sparkContext.addPyFile(package_archive())


def pass_store_access(spark: SparkSession) -> None:
    """Let executors use the object stores that the driver may use."""
    spark.sparkContext.environment.update(environment_for_executors())


def package_archive() -> str:
    archive = os.path.join(_temporary_folder(), "deadheat.zip")
    root = Path(deadheat.__file__).parent
    if not root.is_dir():  # we run from a zip file
        shutil.copyfile(root.parent, archive)
        return archive
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix not in (".pyc", ".so"):
                target.write(path, path.relative_to(root.parent))
    return archive


def _local_settings(is_local: bool, small: bool) -> dict[str, str]:
    """The settings that depend on this machine and on the size of the job."""
    if not is_local:
        return {}
    chosen = {
        "spark.driver.memory": f"{max(1, min(4, _memory_gib() // 4))}g",
        "spark.sql.shuffle.partitions": str(max(8, 4 * _core_count())),
        # return the result of a task with a thousand reports directly
        "spark.task.maxDirectResultSize": "16m",
    }
    if hasattr(socket, "AF_UNIX") and len(_temporary_folder()) < _MAX_SOCKET_FOLDER_LENGTH:
        # TCP costs 40 ms of delayed acknowledgement per task; the folder is private
        chosen |= {f"{_SOCKET_SETTING}.enabled": "true", f"{_SOCKET_SETTING}.dir": _temporary_folder()}
    if small:
        chosen |= {_JAVA_OPTIONS: _SMALL_JAVA, _EXECUTOR_JAVA_OPTIONS: _SMALL_JAVA}
    return chosen


def _memory_gib() -> int:
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 30
    except (ValueError, OSError):
        return 4


def _core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _log_option() -> str:
    path = os.path.join(_temporary_folder(), "log4j2.properties")
    Path(path).write_text(_LOG_SETTINGS)
    return f"-Dlog4j2.configurationFile=file:{path}"


@cache
def _temporary_folder() -> str:
    folder = tempfile.mkdtemp(prefix="deadheat-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    executable = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not executable or not Path(executable).exists():
        raise DeadheatError(
            f"Spark {pyspark.__version__} needs Java 17 or later, which was not found",
            do="sudo apt-get install default-jre-headless, or set JAVA_HOME",
        )


def task_slots(spark: SparkSession) -> int:
    """The number of tasks to plan for."""
    return spark.sparkContext.defaultParallelism
