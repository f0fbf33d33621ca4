"""`deadheat place`: locates the races of a lake in a clone of the code, with Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark
from deadheat.cli.races import FORMATS, found_out, show

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat place --repo ~/src/tidb --lake races-lake
  deadheat show 47d9f89a --lake races-lake    now shows variable, version and fix

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "place",
        help="locate the races of a lake in a clone of the code, with Spark",
        description="Finds variable, version, fix and cause of every race in a lake.",
        epilog=_EXAMPLES,
    )
    command.add_argument(
        "--repo", action="append", required=True, metavar="DIR", help="a clone; may repeat"
    )
    spark.add_lake(command)
    command.add_argument("--again", action="store_true", help="also races that were located before")
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.add_argument("--quiet", action="store_true", help="no warnings and no summary")
    spark.add(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    return spark.guarded(args, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    room = spark.room("pipeline.place")
    told = room.place(spark.start(args), spark.lake(args.lake), args.repo, args.again)
    show([_plain(row) for row in told.placed], args.format, _line)
    if not args.quiet:
        for row in told.placed:
            if row["fault"]:
                cli.complain(f"{row['race']}: {row['fault']}")
        for what in told.missing:
            cli.complain(what)
        fit = sum(row["pin"] is not None for row in told.placed)
        known = f", {told.known} already known" if told.known else ""
        cli.complain(
            f"{fit} of {len(told.placed)} races were located in the code"
            f" ({told.seconds:.1f} s{known})"
        )
    return cli.NOTHING


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in row.items() if key != "dossier"}
    return {**kept, "placed_at": row["placed_at"].isoformat()}


def _line(row: dict[str, Any]) -> str:
    return f"{row['race']}  {found_out(row) or 'none of its files is in the repositories'}"
