"""Starts Spark the way this pipeline wants it: quiet, in UTC, with our package on every executor."""

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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_QUIET = """rootLogger.level = off
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""
_JAVA, _EXECUTOR_JAVA = "spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"
# results do not depend on the machine's time zone, and columns are as Delta has them
_ALWAYS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # each batch of units is a partition, however few there are
    "spark.sql.execution.arrow.localRelationThreshold": "0",
}
_DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    # nested rows are wide: fewer of them at a time need less memory
    "spark.sql.parquet.columnarReaderBatchSize": "1024",
    # what one race has in common is gathered in memory before it is sorted on disk
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "100000",
}
# how Java and Python talk to one another; names of sockets have to fit into a hundred letters
_SOCKETS, _LONG = "spark.python.unix.domain.socket", 50
# what is over soon is not worth the better one of Java's compilers
_SMALL_JAVA = "-XX:TieredStopAtLevel=1"


def started(
    master: str | None = None,
    settings: Mapping[str, str] | None = None,
    driver_memory: str | None = None,
    verbose: bool = False,
    small: bool = False,
) -> SparkSession:
    """A session for this pipeline; `master` as Spark has it, all cores of this machine by default.

    `small` is for work that is over soon. `settings` win over whatever is chosen here.
    """
    check_java()
    wanted = master or os.environ.get("SPARK_MASTER") or f"local[{_cores()},4]"
    is_here = wanted.startswith("local")
    chosen = {**_DEFAULTS, **_for_size(is_here, small), **_ALWAYS, **(settings or {})}
    if driver_memory:
        chosen["spark.driver.memory"] = driver_memory
    java = [chosen.get(_JAVA, ""), "" if verbose else _quiet_option()]
    chosen[_JAVA] = " ".join(filter(None, java))
    if is_here:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # workers are of this very Python, unless somebody has said otherwise
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(wanted).appName("deadheat")
    for key, value in chosen.items():
        builder = builder.config(key, value)
    try:
        with _hushed(not verbose):
            spark = builder.getOrCreate()
    except Exception as error:
        raise DeadheatError(
            f"Spark does not start ({_first_line(error)})", wanted, "--verbose tells more"
        ) from error
    # `local-cluster` has executors on this machine that know nothing of us
    prepare(spark, ship=not is_here or wanted.startswith("local-"))
    return spark


@contextmanager
def _hushed(wanted: bool) -> Iterator[None]:
    """Keeps what a starting JVM says to itself; what it says later is heard."""
    if not wanted:
        yield
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def prepare(spark: SparkSession, ship: bool) -> None:
    """Makes a session that somebody else has started fit for this pipeline."""
    for key, value in _ALWAYS.items():
        if spark.conf.isModifiable(key):
            spark.conf.set(key, value)
    if ship:
        spark.sparkContext.addPyFile(packed())


def packed() -> str:
    """Our own package as a zip that executors can import."""
    archive = os.path.join(_folder(), "deadheat.zip")
    root = Path(deadheat.__file__).parent
    if not root.is_dir():  # we run from a zip ourselves
        shutil.copyfile(root.parent, archive)
        return archive
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in _sources(root):
            target.write(path, path.relative_to(root.parent))
    return archive


def _sources(root: Path) -> Iterator[Path]:
    return (p for p in sorted(root.rglob("*")) if p.is_file() and p.suffix not in (".pyc", ".so"))


def _for_size(is_here: bool, small: bool) -> dict[str, str]:
    """What depends on this machine and on how long the work is going to take."""
    if not is_here:
        return {}
    chosen = {
        "spark.driver.memory": f"{max(1, min(4, _memory_gib() // 4))}g",
        "spark.sql.shuffle.partitions": str(max(8, 4 * _cores())),
        # what a task tells of a thousand reports is told at once, and not fetched
        "spark.task.maxDirectResultSize": "16m",
    }
    if hasattr(socket, "AF_UNIX") and len(_folder()) < _LONG:
        # over TCP, both sides wait 40 ms for one another in every task; nobody else sees the folder
        chosen |= {f"{_SOCKETS}.enabled": "true", f"{_SOCKETS}.dir": _folder()}
    if small:
        chosen |= {_JAVA: _SMALL_JAVA, _EXECUTOR_JAVA: _SMALL_JAVA}
    return chosen


def _memory_gib() -> int:
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) >> 30
    except (ValueError, OSError):
        return 4


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _quiet_option() -> str:
    path = os.path.join(_folder(), "log4j2.properties")
    Path(path).write_text(_QUIET)
    return f"-Dlog4j2.configurationFile=file:{path}"


@cache
def _folder() -> str:
    """A folder of this process for what Spark wants to have as a file."""
    folder = tempfile.mkdtemp(prefix="deadheat-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def check_java() -> None:
    """Raises where Spark could not start for want of Java."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java or not Path(java).exists():
        raise DeadheatError(
            f"Spark {pyspark.__version__} needs Java 17 or later, and there is none",
            do="sudo apt-get install default-jre-headless, or set JAVA_HOME",
        )


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().partition("\n")[0][:300]
