"""`deadheat mine`: finds race fixes in the history of a repository, with Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark
from deadheat.cli.progress import Awaited, commits
from deadheat.cli.races import FORMATS, show

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat mine ~/src/tidb --lake lake
  deadheat explain issue.md --repo ~/src/tidb --lake lake    shows similar past fixes

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "mine",
        help="find past race fixes in a repository, with Spark",
        description="Finds the commits that fixed races, classifies them and stores them in a lake.",
        epilog=_EXAMPLES,
    )
    command.add_argument("repo", metavar="REPO", help="a clone of the code; read only")
    spark.add_lake(command)
    command.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    command.add_argument(
        "--quiet", action="store_true", help="no progress, no warnings and no summary"
    )
    spark.add(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    return spark.guarded(args, lambda: _run(args))


def _run(args: argparse.Namespace) -> int:
    line = Awaited(args.quiet, commits)
    room = spark.room("pipeline.mine")
    told = room.mine(spark.start(args), spark.lake(args.lake), args.repo, line.planned, line.tick)
    line.clear()
    rows = [_plain(fix) for fix in told.fixes]
    show(rows, args.format, _line)
    if not args.quiet:
        for what in told.missing:
            cli.complain(what)
        ways = Counter(fix.strategy for fix in told.fixes)
        summary = ", ".join(f"{count} {way}" for way, count in ways.most_common())
        cli.complain(
            f"{len(rows)} {'fix' if len(rows) == 1 else 'fixes'}"
            f" in {cli.count(told.commits, 'commit')}, {told.seconds:.0f} s"
            + (f" ({summary})" if summary else "")
        )
    return cli.NOTHING


def _plain(fix: Any) -> dict[str, Any]:
    from deadheat.code.mining.plain import fix_to_row

    row = fix_to_row(fix)
    return {**row, "fixed_at": row["fixed_at"].isoformat()}


def _line(fix: dict[str, Any]) -> str:
    back = f"  (reverted by {fix['reverted_by'][:11]})" if fix["reverted_by"] else ""
    return f"{fix['commit'][:11]}  {fix['strategy']:22}  {fix['subject']}{back}"
