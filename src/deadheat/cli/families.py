"""`deadheat families`: lists groups of races in a lake that may have the same cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark
from deadheat.cli.races import FORMATS, show

if TYPE_CHECKING:
    import argparse

_SHOWN = 3


_EXAMPLES = """examples:
  deadheat families --lake races-lake
  deadheat families --lake races-lake --format jsonl

exit status: 0 no family, 1 families, 2 wrong usage, 3 the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "families",
        help="list the families of races in a lake",
        description="Lists races that share a culprit, and why, the largest family first.",
        epilog=_EXAMPLES,
    )
    spark.add_lake(command)
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.set_defaults(run=run)


@spark.without_pandas()
def run(args: argparse.Namespace) -> int:
    found = spark.room("lake.lookup").families(spark.lake(args.lake).expect())
    show(found, args.format, _line)
    return cli.RACES if found else cli.NOTHING


def _line(family: dict[str, Any]) -> str:
    why = "; ".join(family["why"][:_SHOWN])
    return f"{family['family']}  {len(family['races']):4} races  {why}"
