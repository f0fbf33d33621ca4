"""What the commands that use Spark or a lake share: options, optional imports and sessions."""

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
    command.add_argument(
        "--lake", required=True, metavar="DIR", help="folder or address of the lake"
    )


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--master", metavar="URL", help="Spark master (default: all cores of this machine)"
    )
    command.add_argument(
        "--conf", action="append", default=[], type=_setting, metavar="KEY=VALUE",
        help="Spark setting; may repeat",
    )  # fmt: skip
    command.add_argument(
        "--driver-memory", metavar="SIZE", help="memory of the Spark driver, such as 4g"
    )
    command.add_argument("--verbose", action="store_true", help="show the log of Spark")


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


def start(args: argparse.Namespace) -> Callable[[bool], Any]:
    """Returns a function that starts a session with the options of the user."""

    def started(small: bool) -> Any:
        session = room("pipeline.session")
        if not args.verbose:
            _hush()
        return session.started(
            args.master, dict(args.conf), args.driver_memory, args.verbose, small
        )

    return started


def _hush() -> None:
    """Keeps PySpark from logging errors that we print on one line."""
    logging.getLogger().addHandler(logging.NullHandler())
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def guarded(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Runs `work`; turns an error of Spark into one line, unless --verbose is given."""
    try:
        return work()
    except Exception as error:
        if args.verbose or type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
            raise
        said = str(error).strip().partition("\n")[0]
        raise DeadheatError(
            f"Spark failed ({said})", do="run with --verbose for details"
        ) from error


def room(name: str) -> ModuleType:
    """Imports a module that needs an optional dependency; the error names the extra to install."""
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
    """An import hook that hides pandas."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keeps Arrow from importing pandas, which takes longer than a lookup."""
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)


def lake(where: str) -> Any:
    """Opens the lake at a path or address."""
    if Path(where).is_file():
        raise DeadheatError("is a file", where, "name the folder of a lake, or a new folder")
    return room("lake.tables").Lake(where)
