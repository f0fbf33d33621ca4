"""`deadheat lake`: checks a lake, or merges its small files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import spark

if TYPE_CHECKING:
    import argparse

_WEEK = 168


_EXAMPLES = """examples:
  deadheat lake check --lake races-lake
  deadheat lake compact --lake races-lake --keep-hours 24

exit status: 0 no fault, 2 wrong usage, 3 faults found, or the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "lake",
        help="check or compact a lake",
        description="Maintains a lake. `check` reports faults; `compact` merges small files.",
        epilog=_EXAMPLES,
    )
    command.add_argument("what", choices=("check", "compact"), help="what to do")
    spark.add_lake(command)
    command.add_argument(
        "--keep-hours", type=cli.at_least(0), default=_WEEK, metavar="N",
        help="compact: remove files that have been unused for N hours (default: 168)",
    )  # fmt: skip
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    care, lake = spark.room("lake.care"), spark.lake(args.lake)
    if args.what == "compact":
        for name, (before, after) in care.compact(lake, args.keep_hours).items():
            print(f"{name:10} {before} files, now {after}")
        return cli.NOTHING
    faults = list(care.faults(lake))
    for fault in faults:
        cli.complain(f"{lake.uri}: {fault}")
    if not faults:
        print(
            f"{lake.uri}: {lake.count('sightings')} sightings, {lake.count('races')} races, no fault"
        )
    return cli.ENVIRONMENT if faults else cli.NOTHING
