"""What the commands that use Spark have in common: their options, and how a session is started."""

from __future__ import annotations

import argparse
import logging
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


def add_lake(command: argparse.ArgumentParser) -> None:
    command.add_argument("--lake", required=True, metavar="DIR", help="where the lake lies")


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--master", metavar="URL", help="where Spark runs (default: on all cores of this machine)"
    )
    command.add_argument(
        "--conf", action="append", default=[], type=_setting, metavar="KEY=VALUE",
        help="a setting of Spark; may be given several times",
    )  # fmt: skip
    command.add_argument("--driver-memory", metavar="SIZE", help="such as 4g")
    command.add_argument("--verbose", action="store_true", help="let Spark write its log")


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


def start(args: argparse.Namespace) -> Callable[[bool], Any]:
    """Starts a session when it is called, with what the user has asked for."""

    def started(small: bool) -> Any:
        session = room("pipeline.session")
        if not args.verbose:
            _hush()
        return session.started(
            args.master, dict(args.conf), args.driver_memory, args.verbose, small
        )

    return started


def _hush() -> None:
    """PySpark logs what we tell in one line, to whoever listens and otherwise to the screen."""
    logging.getLogger().addHandler(logging.NullHandler())
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def guarded(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Does the work; what Spark fails with becomes one line, unless its log was asked for."""
    try:
        return work()
    except Exception as error:
        if args.verbose or type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
            raise
        said = str(error).strip().partition("\n")[0]
        raise DeadheatError(f"Spark failed ({said})", do="--verbose tells more") from error


def room(name: str) -> ModuleType:
    """A module that needs an extra, or one line that says which."""
    from importlib import import_module

    try:
        return import_module(f"deadheat.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("deadheat"):
            raise
        extra = name.partition(".")[0].replace("pipeline", "spark")
        raise DeadheatError(
            f"{error.name} is not installed", do=f"pip install 'deadheat[{extra}]'"
        ) from None


class _Hidden:
    """Finds nothing, and keeps others from finding it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Arrow imports pandas to see whether it was given a frame; that takes longer than a lookup."""
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)


def lake(where: str) -> Any:
    """The lake that the user has named."""
    if Path(where).is_file():
        raise DeadheatError("is a file", where, "name the folder of a lake, or one to be made")
    return room("lake.tables").Lake(where)
