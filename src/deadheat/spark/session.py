"""Starts Spark for this pipeline: quiet, in UTC, with this package on every executor."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from deadheat.errors import DeadheatError
from deadheat.object_store import environment_for_executors
from deadheat.spark import failures
from deadheat.spark.shipping import classic_context, ship_package, temporary_folder

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
STATE_STORE_SETTING = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
# independent of the time zone of the machine, and compatible with Delta
_REQUIRED_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # each batch of units is a partition, however few rows there are
    "spark.sql.execution.arrow.localRelationThreshold": "0",
    # the state of `transformWithState`
    STATE_STORE_SETTING: ROCKSDB,
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
_MASTER, _ARCHIVES, _PYTHON = "spark.master", "spark.archives", "spark.pyspark.python"
# where executors unpack their Python environment
_ENVIRONMENT_FOLDER = "environment"
# set by `spark-submit`
_GATEWAY_VARIABLE = "PYSPARK_GATEWAY_PORT"
# the default of Spark's maximum of executors
_NO_LIMIT = (1 << 31) - 1
_UNKNOWN_SLOTS = 200
# the optimising compiler does not pay off for short jobs
_SMALL_JAVA = "-XX:TieredStopAtLevel=1"


def start_session(
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    driver_memory: str | None = None,
    verbose: bool = False,
    small: bool = False,
    environment: str | None = None,
) -> SparkSession:
    """Start a session. `master` defaults to that of `spark-submit`, then to all cores of this machine.

    `small` is for short jobs. `environment` is an archive with the Python environment of the executors. `settings`
    override all others.
    """
    check_java()
    submitted = _submitted_settings()
    named = master or (settings or {}).get(_MASTER) or submitted.get(_MASTER) or os.environ.get("SPARK_MASTER")
    spark_master = named or f"local[{_core_count()},4]"
    is_local = spark_master.startswith("local")
    defaults = {**_DEFAULT_SETTINGS, **_local_settings(is_local, small)}
    chosen = {name: value for name, value in defaults.items() if name not in submitted}
    chosen |= {**_REQUIRED_SETTINGS, **(settings or {})}
    if driver_memory:
        chosen["spark.driver.memory"] = driver_memory
    if not verbose and not submitted:
        chosen[_JAVA_OPTIONS] = f"{chosen.get(_JAVA_OPTIONS, '')} {_log_option()}".strip()
    has_executors = not is_local or spark_master.startswith("local-")  # in processes of their own
    if environment and not has_executors:
        raise DeadheatError("is for the executors of a cluster", environment, "give a --master")
    if environment:
        chosen[_ARCHIVES] = ",".join(filter(None, [chosen.get(_ARCHIVES), f"{environment}#{_ENVIRONMENT_FOLDER}"]))
        chosen[_PYTHON] = f"./{_ENVIRONMENT_FOLDER}/bin/python"
    if is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # workers use this Python by default
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if python := chosen.get(_PYTHON) or submitted.get(_PYTHON):
        os.environ["PYSPARK_PYTHON"] = python  # PySpark reads only this
    spark = _get_session(spark_master, chosen, verbose)
    prepare_session(spark, ship=has_executors)
    return spark


def _submitted_settings() -> dict[str, str]:
    """The settings of `spark-submit`, if it has started this process."""
    if _GATEWAY_VARIABLE not in os.environ:
        return {}
    SparkContext._ensure_initialized()
    return dict(SparkConf().getAll())


def _get_session(master: str, settings: Mapping[str, str], verbose: bool) -> SparkSession:
    builder = SparkSession.builder.master(master).appName("deadheat")
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with _silence_stderr(not verbose):
            return builder.getOrCreate()
    except Exception as error:
        reason = failures.failure_reason(error)
        raise DeadheatError(f"Spark does not start ({reason})", master, "--verbose shows more") from error


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
    """Set what this pipeline needs. `ship`: send this package to the executors, unless they have it."""
    for key, value in _REQUIRED_SETTINGS.items():
        if spark.conf.isModifiable(key):
            spark.conf.set(key, value)
    pass_store_access(spark)
    if ship:
        ship_package(spark)


def pass_store_access(spark: SparkSession) -> None:
    """Let executors use the object stores that the driver may use."""
    context = classic_context(spark)
    if context is not None:
        context.environment.update(environment_for_executors())


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
    if hasattr(socket, "AF_UNIX") and len(temporary_folder()) < _MAX_SOCKET_FOLDER_LENGTH:
        # TCP costs 40 ms of delayed acknowledgement per task; the folder is private
        chosen |= {f"{_SOCKET_SETTING}.enabled": "true", f"{_SOCKET_SETTING}.dir": temporary_folder()}
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
    path = os.path.join(temporary_folder(), "log4j2.properties")
    Path(path).write_text(_LOG_SETTINGS)
    return f"-Dlog4j2.configurationFile=file:{path}"


def check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    executable = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not executable or not Path(executable).exists():
        raise DeadheatError(
            f"Spark {pyspark.__version__} needs Java 17 or later, which was not found",
            do="sudo apt-get install default-jre-headless, or set JAVA_HOME",
        )


def task_slots(spark: SparkSession) -> int:
    """How many tasks can run at once, with all executors that Spark may add."""
    cores = _number_setting(spark, "spark.executor.cores", 1)
    if spark.conf.get("spark.dynamicAllocation.enabled", "false") == "true":
        executors = _number_setting(spark, "spark.dynamicAllocation.maxExecutors", _NO_LIMIT)
        return executors * cores if executors < _NO_LIMIT else _UNKNOWN_SLOTS
    context = classic_context(spark)
    if context is not None:
        return context.defaultParallelism
    executors = _number_setting(spark, "spark.executor.instances", 0)
    return _number_setting(spark, "spark.default.parallelism", 0) or executors * cores or _UNKNOWN_SLOTS


def _number_setting(spark: SparkSession, name: str, default: int) -> int:
    return int(spark.conf.get(name, None) or default)
