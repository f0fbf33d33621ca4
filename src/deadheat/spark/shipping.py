"""Brings this package to the executors of a cluster, unless it is installed there."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark import SparkContext
    from pyspark.sql import SparkSession

# the file names of Python's bytecode and of modules compiled for one platform
_PLATFORM_SUFFIXES = (".pyc", ".so")


def classic_context(spark: SparkSession) -> SparkContext | None:
    """The SparkContext of a session. A session of Spark Connect has none."""
    return getattr(spark, "sparkContext", None)


def ship_package(spark: SparkSession) -> None:
    """Send this package to the executors if they do not have it, or another version of it.

    A package that was sent hides an installed one, which may be compiled and then is faster.
    """
    find_digest = package_digest_finder()
    here = find_digest()
    if here and here == _digest_on_executor(spark, find_digest):
        return
    context = classic_context(spark)
    if context is not None:
        context.addPyFile(package_archive())
    else:
        spark.addArtifacts(package_archive(), pyfile=True)


def _digest_on_executor(spark: SparkSession, find_digest: Callable[[], str]) -> str:
    """The digest of the package that an executor has installed, or ""."""

    def ask_executor(batches: Any) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"digest": [find_digest()]})

    return str(spark.range(1).mapInArrow(ask_executor, "digest string").toArrow()["digest"][0])


def package_digest_finder() -> Callable[[], str]:
    """A function that returns the digest of the sources of the installed package, or "".

    It is pickled as a whole because it is a local function, and refers to no other one of this package. So it also
    works where the package is not installed. It does not import the package, which may be the wrong one.
    """
    suffixes = _PLATFORM_SUFFIXES

    def find_digest() -> str:
        import hashlib
        import importlib.util
        from pathlib import Path

        try:
            spec = importlib.util.find_spec("deadheat")
        except ModuleNotFoundError:
            spec = None
        root = Path(spec.origin).parent if spec and spec.origin else None
        if root is None or not root.is_dir():  # a zip file
            return ""
        digest = hashlib.blake2b(digest_size=16)
        for path in sorted(path for path in root.rglob("*") if path.suffix not in suffixes and path.is_file()):
            digest.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    return find_digest


def package_archive() -> str:
    """The path of a zip file with this package."""
    archive = os.path.join(temporary_folder(), "deadheat.zip")
    root = Path(deadheat.__file__).parent
    if not root.is_dir():  # we run from a zip file
        shutil.copyfile(root.parent, archive)
        return archive
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix not in _PLATFORM_SUFFIXES:
                target.write(path, path.relative_to(root.parent))
    return archive


@cache
def temporary_folder() -> str:
    """A private folder that is removed at exit."""
    folder = tempfile.mkdtemp(prefix="deadheat-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
