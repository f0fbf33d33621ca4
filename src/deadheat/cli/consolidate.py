"""`deadheat consolidate`: rebuilds the races and families of a lake from its sightings and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import spark

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat consolidate --lake races-lake
  deadheat consolidate --lake races-lake --master 'local[4]'

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "consolidate",
        help="rebuild the races and families of a lake, with Spark",
        description="Rebuilds races and families from the reports. `ingest` keeps them up to date.",
        epilog=_EXAMPLES,
    )
    spark.add_lake(command)
    spark.add(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    return spark.guarded(args, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    room = spark.room("pipeline.ingest")
    print(f"{room.consolidate(spark.start(args), spark.lake(args.lake))} races")
    return cli.NOTHING
