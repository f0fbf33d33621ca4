"""What the commands that use Spark or a lake share: options, optional imports and sessions."""

from __future__ import annotations

import argparse
import logging
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deadheat.cli.progress import ProgressLine
    from deadheat.lake.tables import Lake


def add_lake_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--lake", required=True, metavar="DIR", help="folder or address of the lake")


def add_spark_options(
    command: argparse.ArgumentParser, master_help: str = "Spark master (default: all cores of this machine)"
) -> None:
    command.add_argument("--master", metavar="URL", help=master_help)
    command.add_argument(
        "--conf", action="append", default=[], type=_parse_setting, metavar="KEY=VALUE",
        help="Spark setting; may repeat",
    )  # fmt: skip
    command.add_argument(
        "--environment", metavar="FILE", help="archive with the Python environment of the executors, made by venv-pack"
    )
    command.add_argument("--driver-memory", metavar="SIZE", help="memory of the Spark driver, such as 4g")
    command.add_argument("--verbose", action="store_true", help="show the log of Spark")


def _parse_setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


def session_starter(
    args: argparse.Namespace, progress: ProgressLine | None = None, settings: Mapping[str, str] | None = None
) -> Callable[[bool], Any]:
    """Returns a function that starts a session with settings and the options of the user, which override them."""

    def start_session(small: bool) -> Any:
        with requires_extra("spark"):
            from deadheat.spark import session
        if not args.verbose:
            _silence_pyspark()
        with progress.run_phase("starting Spark") if progress else nullcontext():
            chosen = {**(settings or {}), **dict(args.conf)}
            return session.start_session(args.master, chosen, args.driver_memory, args.verbose, small, args.environment)

    return start_session


def _silence_pyspark() -> None:
    """Keeps PySpark from logging errors that we print on one line."""
    logging.getLogger().addHandler(logging.NullHandler())
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def run_with_spark_errors(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Runs `work`; turns an error of Spark into one line, unless --verbose is given."""
    try:
        return work()
    except Exception as error:
        if args.verbose or type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
            raise
        # on Ctrl-C PySpark cancels all jobs, and their error may arrive before the interrupt
        if "cancellation of all jobs" in str(error):
            raise KeyboardInterrupt from error
        from deadheat.spark import failures

        raise failures.describe_failure(error) from error


@contextmanager
def requires_extra(extra: str) -> Iterator[None]:
    """Turns a failed import of an optional dependency into an error that names the extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("deadheat"):
            raise
        raise DeadheatError(f"{error.name} is not installed", do=f"pip install 'deadheat[{extra}]'") from None


def open_lake(path: str) -> Lake:
    """Opens the lake at a path or address."""
    if Path(path).is_file():
        raise DeadheatError("is a file", path, "name the folder of a lake, or a new folder")
    with requires_extra("lake"):
        import deltalake  # noqa: F401, the lake imports it when it opens a table

        from deadheat.lake.tables import Lake
    lake = Lake(path)
    lake.on_note = lambda note: cli.print_to_stderr(f"{lake.uri}: {note}")
    return lake
