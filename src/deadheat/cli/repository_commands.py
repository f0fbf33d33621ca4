"""The commands `mine` and `place`, which read a git repository and write to a lake."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import kept_verifications, spark_and_lake
from deadheat.cli.lake_commands import ROW_FORMATS, print_rows
from deadheat.cli.progress import format_commits, format_races, show_progress
from deadheat.printable import visible_text

if TYPE_CHECKING:
    import argparse


_MINE_EXAMPLES = """examples:
  deadheat mine ~/src/tidb --lake lake
  deadheat explain issue.md --repo ~/src/tidb --lake lake    shows similar past fixes

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add_mine_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "mine",
        help="find past race fixes in a repository, with Spark",
        description="Finds the commits that fixed races, classifies them and stores them in a lake.",
        epilog=_MINE_EXAMPLES,
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
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import repository_jobs
    with show_progress(args.quiet, "listing commits") as progress:
        result = repository_jobs.mine_fixes(
            spark_and_lake.session_starter(args, progress),
            spark_and_lake.open_lake(args.lake),
            args.repo,
            lambda total: progress.start_phase("examining commits", total, format_commits),
            progress.tick,
        )
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
    return visible_text(f"{fix['commit'][:11]}  {fix['strategy']:22}  {fix['subject']}{reverted}")


_PLACE_EXAMPLES = """examples:
  deadheat place --repo ~/src/tidb --lake races-lake
  deadheat show 47d9f89a --lake races-lake    now shows variable, version and fix

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add_place_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "place",
        help="locate the races of a lake in a clone of the code, with Spark",
        description="Finds variable, version, fix and cause of every race in a lake.",
        epilog=_PLACE_EXAMPLES,
    )
    command.add_argument("--repo", action="append", required=True, metavar="DIR", help="a clone; may repeat")
    spark_and_lake.add_lake_option(command)
    cli.add_map_option(command)
    command.add_argument("--again", action="store_true", help="also races that were located before")
    command.add_argument("--format", choices=ROW_FORMATS, default="text", help="default: text")
    command.add_argument("--quiet", action="store_true", help="no progress, no warnings and no summary")
    spark_and_lake.add_spark_options(command)
    command.set_defaults(run=run_place)


def run_place(args: argparse.Namespace) -> int:
    return spark_and_lake.run_with_spark_errors(args, lambda: _place_races(args))


def _place_races(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import repository_jobs
    with show_progress(args.quiet, "reading the clone") as progress:
        options = repository_jobs.DossierOptions(
            again=args.again,
            path_maps=tuple(args.map),
            owner_rules=args.configuration.owner_rules if args.configuration else (),
            on_clone=progress.show_count,
            on_count=lambda total: progress.start_phase("locating races", total, format_races),
            on_progress=progress.tick,
        )
        result = repository_jobs.make_dossiers(
            spark_and_lake.session_starter(args, progress), spark_and_lake.open_lake(args.lake), args.repo, options
        )
        lake = spark_and_lake.open_lake(args.lake)
        failed = [line for path in args.repo for line in kept_verifications.add_failed_fixes(lake, path)]
    print_rows([_placed_row_to_json(row) for row in result.dossiers], args.format, _placed_race_line)
    if not args.quiet:
        for failure in failed:
            cli.print_to_stderr(failure)
        for row in result.dossiers:
            if row["fault"]:
                cli.print_to_stderr(f"{row['race']}: {row['fault']}")
        for warning in result.missing:
            cli.print_to_stderr(warning)
        located = sum(row["pin"] is not None for row in result.dossiers)
        known = f", {result.known_count} already known" if result.known_count else ""
        races = cli.format_count(len(result.dossiers), "race")
        cli.print_to_stderr(f"located {located} of {races} in the code ({result.seconds:.1f} s{known})")
    return cli.EXIT_NOTHING


def _placed_row_to_json(row: dict[str, Any]) -> dict[str, Any]:
    columns = {key: value for key, value in row.items() if key != "dossier"}
    return {**columns, "placed_at": row["placed_at"].isoformat()}


def _placed_race_line(row: dict[str, Any]) -> str:
    from deadheat.output.lake_race_text import describe_dossier_row

    return visible_text(f"{row['race']}  {describe_dossier_row(row) or 'none of its files is in the repositories'}")
