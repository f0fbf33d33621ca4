"""`deadheat ingest`: reads documents into a lake, with Spark."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark
from deadheat.cli.progress import Awaited, size
from deadheat.feeds import runs

if TYPE_CHECKING:
    from collections.abc import Callable

_EXAMPLES = """examples:
  deadheat ingest logs/ --lake races             ingest new files below logs/
  deadheat ingest logs/ --lake races --watch     and keep watching
  deadheat ingest s3://ci/logs --lake s3://ci/races --master spark://host:7077
  deadheat ingest logs/ --lake races --path-pattern '{repo}/{branch}/{run}/{job}.log'

exit status: 0 done, 2 wrong usage, 3 the environment failed, or nothing could be read
"""
_SHOWN = 10


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "ingest",
        help="read documents into a lake, with Spark",
        description="Reads every file that is not in the lake yet, and prints what is new.",
        epilog=_EXAMPLES,
    )
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="file, folder, archive or address"
    )
    spark.add_lake(command)
    command.add_argument("--watch", action="store_true", help="keep running until interrupted")
    command.add_argument(
        "--every", type=_seconds, default=10.0, metavar="SECONDS",
        help="with --watch: time between checks (default: 10)",
    )  # fmt: skip
    for name in runs.FIELDS:
        what = "when the documents were written" if name == "time" else f"{name} of the run"
        command.add_argument(
            f"--{name}", dest=f"of_{name}", metavar=name.upper(), help=what,
            type=cli.sound(runs.moment) if name == "time" else str,
        )  # fmt: skip
    command.add_argument(
        "--path-pattern", metavar="PATTERN", type=cli.sound(runs.PathPattern),
        help="take these fields from the paths: '{repo}/{run}/{job}.log'",
    )  # fmt: skip
    command.add_argument("--quiet", action="store_true", help="no progress and no summary")
    spark.add(command)
    command.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return seconds


def run(args: argparse.Namespace) -> int:
    return spark.guarded(args, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    room = spark.room("pipeline.ingest")
    lake = spark.lake(args.lake)
    fitted = _Fitted(args.path_pattern)
    run_of = _run_of(args, fitted)
    if args.watch:
        watching = spark.room("pipeline.watch")
        options = room.Options(run_of=run_of)
        watching.watch(spark.start(args), lake, args.paths, options, args.every, _teller(args))
        return cli.NOTHING
    line = Awaited(args.quiet)
    options = room.Options(
        run_of=run_of, planned=lambda plan: line.planned(plan.size), tick=line.tick
    )
    summary = room.ingest(spark.start(args), lake, args.paths, options)
    line.clear()
    if fitted.none and not args.quiet:
        cli.complain(f"--path-pattern matches no path, for example not {fitted.none}")
    _tell(summary, args)
    return cli.ENVIRONMENT if summary.rejects and not summary.files + summary.known else cli.NOTHING


class _Fitted:
    """Applies an optional pattern to paths and records whether it matched any."""

    def __init__(self, pattern: runs.PathPattern | None) -> None:
        self._pattern = pattern
        self._fits = False
        self._first = ""

    def __call__(self, uri: str) -> runs.Run:
        if self._pattern is None:
            return runs.Run()
        self._first = self._first or uri
        self._fits = self._fits or self._pattern.fits(uri)
        return self._pattern(uri)

    @property
    def none(self) -> str:
        """The first path if none matched; "" if one did or there is no pattern."""
        return "" if self._fits else self._first


def _run_of(args: argparse.Namespace, fitted: _Fitted) -> Callable[[str], runs.Run]:
    """Run metadata of a path: options override the path, the path overrides the CI environment."""
    given = {name: getattr(args, f"of_{name}") for name in runs.FIELDS}
    options, around = runs.Run(**given), runs.from_environment(os.environ)
    return lambda uri: options.over(fitted(uri)).over(around)


def _teller(args: argparse.Namespace) -> Callable[[Any], None]:
    def tell(summary: Any) -> None:
        if summary.files or summary.rejects:
            _tell(summary, args)

    return tell


def _tell(summary: Any, args: argparse.Namespace) -> None:
    if args.quiet:
        return
    for uri, what in summary.rejects[:_SHOWN]:
        cli.complain(f"{uri}: {what}")
    if (more := len(summary.rejects) - _SHOWN) > 0:
        cli.complain(f"and {more} more; see the table rejects")
    rate = f", {size(summary.bytes / summary.seconds)}/s" if summary.bytes > 1 << 24 else ""
    print(
        f"{cli.count(summary.files, 'file')} ingested"
        f" ({size(summary.bytes)} in {summary.seconds:.1f} s{rate}),"
        f" {summary.known} already known, {len(summary.rejects)} rejected"
    )
    print(f"{cli.count(summary.sightings, 'sighting')}, {cli.count(summary.reports, 'new report')}")
    print(f"{cli.count(len(summary.new_races), 'new race')}, {summary.races} in total")
    for race, title in summary.new_races[:_SHOWN]:
        print(cli.printable(f"  {race}  {title}"))
    if len(summary.new_races) > _SHOWN:
        print(f"  … `deadheat races --lake {args.lake}` lists them all")
    sys.stdout.flush()
