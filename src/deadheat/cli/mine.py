"""`deadheat mine`: finds race fixes in the history of a repository, with Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import spark_and_lake
from deadheat.cli.lake_commands import ROW_FORMATS, print_rows
from deadheat.cli.progress import DeferredProgress, format_commits

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat mine ~/src/tidb --lake lake
  deadheat explain issue.md --repo ~/src/tidb --lake lake    shows similar past fixes

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add_mine_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "mine",
        help="find past race fixes in a repository, with Spark",
        description="Finds the commits that fixed races, classifies them and stores them in a lake.",
        epilog=_EXAMPLES,
    )
    command.add_argument("repo", metavar="REPO", help="a clone of the code; read only")
    spark_and_lake.add_lake_option(command)
    command.add_argument("--format", choices=ROW_FORMATS, default="text", help="default: text")
    command.add_argument("--quiet", action="store_true", help="no progress, no warnings and no summary")
    spark_and_lake.add_spark_options(command)
    command.set_defaults(run=run_mine)


def run_mine(args: argparse.Namespace) -> int:
    return spark_and_lake.run_with_spark_errors(args, lambda: _mine_fixes(args))


def _mine_fixes(args: argparse.Namespace) -> int:
    progress = DeferredProgress(args.quiet, format_commits)
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import repository_jobs
    result = repository_jobs.mine_fixes(
        spark_and_lake.session_starter(args),
        spark_and_lake.open_lake(args.lake),
        args.repo,
        progress.set_total,
        progress.tick,
    )
    progress.clear()
    rows = [_fix_to_json(fix) for fix in result.fixes]
    print_rows(rows, args.format, _fix_line)
    if not args.quiet:
        for warning in result.missing:
            cli.print_to_stderr(warning)
        strategies = Counter(fix.strategy for fix in result.fixes)
        summary = ", ".join(f"{count} {strategy}" for strategy, count in strategies.most_common())
        cli.print_to_stderr(
            f"{len(rows)} {'fix' if len(rows) == 1 else 'fixes'}"
            f" in {cli.format_count(result.commits, 'commit')}, {result.seconds:.0f} s"
            + (f" ({summary})" if summary else "")
        )
    return cli.EXIT_NOTHING


def _fix_to_json(fix: Any) -> dict[str, Any]:
    from deadheat.repo.mining import fix_to_row

    row = fix_to_row(fix)
    return {**row, "fixed_at": row["fixed_at"].isoformat()}


def _fix_line(fix: dict[str, Any]) -> str:
    reverted = f"  (reverted by {fix['reverted_by'][:11]})" if fix["reverted_by"] else ""
    return f"{fix['commit'][:11]}  {fix['strategy']:22}  {fix['subject']}{reverted}"
