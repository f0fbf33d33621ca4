"""The commands `lake` (checks a lake, compacts it, forgets sightings) and `retriage` (makes its reports anew)."""

from __future__ import annotations

import argparse
import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import spark_and_lake
from deadheat.cli.options import was_given
from deadheat.cli.progress import show_progress
from deadheat.errors import DeadheatError
from deadheat.printable import visible_text
from deadheat.sources import ci_metadata

if TYPE_CHECKING:
    from deadheat.lake.rewrites.forget import ForgetCounts
    from deadheat.lake.tables import Lake

_HOURS_PER_WEEK = 168
# 90d, 12w
_AGE = re.compile(r"(?P<number>\d{1,5})(?P<unit>[hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}

_LAKE_EXAMPLES = """examples:
  deadheat lake check --lake races-lake
  deadheat lake check --lake races-lake --repair
  deadheat lake compact --lake races-lake --keep-hours 24
  deadheat lake forget --lake races-lake --older-than 90d --dry-run
  deadheat lake forget --lake races-lake --repo shop --before 2026-01-01
  deadheat lake forget --lake races-lake --file /var/ci/shop/unit.log

exit status: 0 done, or no fault; 2 wrong usage; 3 faults found, or the environment failed
"""


def add_lake_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "lake",
        help="check or compact a lake, or forget sightings",
        description="Maintains a lake. `check` reports faults; `compact` merges small files; `forget` removes"
        " sightings. The conditions of `forget` must all hold; at least one is required.",
        epilog=_LAKE_EXAMPLES,
    )
    command.add_argument("what", choices=("check", "compact", "forget"), help="what to do")
    spark_and_lake.add_lake_option(command)
    command.add_argument("--repair", action="store_true", help="check: rebuild what can be derived from the facts")
    command.add_argument(
        "--keep-hours", type=cli.integer_at_least(0), default=_HOURS_PER_WEEK, metavar="N",
        help="compact: remove files that have been unused for N hours (default: 168)",
    )  # fmt: skip
    age = command.add_mutually_exclusive_group()
    age.add_argument(
        "--before", type=cli.validated_type(ci_metadata.parse_time), metavar="DATE",
        help="forget: only sightings before this date",
    )  # fmt: skip
    age.add_argument(
        "--older-than", type=_parse_age, metavar="AGE", help="forget: only sightings older than this: 90d, 12w or 36h"
    )
    command.add_argument("--repo", metavar="REPO", help="forget: only sightings in this repository")
    command.add_argument("--file", metavar="URI", help="forget: only sightings in this file, as in the table files")
    command.add_argument("--dry-run", action="store_true", help="forget: only print what would go")
    command.set_defaults(run=run_lake, usage_error=command.error)


def _parse_age(text: str) -> timedelta:
    match = _AGE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days, weeks or hours such as 90d, 12w, 36h")
    return int(match["number"]) * _UNITS[match["unit"]]


def run_lake(args: argparse.Namespace) -> int:
    _check_options(args)
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import maintenance
    lake = spark_and_lake.open_lake(args.lake)
    if args.what == "forget":
        return _forget_sightings(lake, args)
    if args.what == "compact":
        with show_progress(False, "merging small files"):
            counts = maintenance.compact_lake(lake, args.keep_hours)
        for name, (before, after) in counts.items():
            print(f"{name:10} {cli.format_count(before, 'file')}, now {after}")
        return cli.EXIT_NOTHING
    return _check_lake(lake, args.repair)


def _check_lake(lake: Lake, is_repair: bool) -> int:
    from deadheat.lake.integrity.check import LakeCheck
    from deadheat.lake.integrity.repair import describe_loss, repair_lake

    done: list[str] = []
    with show_progress(False, "repairing the lake" if is_repair else "checking the files of the lake"):
        if is_repair:
            done, check = repair_lake(lake)
        else:
            check = LakeCheck(lake).run()
    for line in done:
        print(visible_text(f"{lake.uri}: {line}"))
    for fault in check.faults:
        loss = describe_loss(lake, fault) if is_repair else ""
        cli.print_to_stderr(f"{lake.uri}: {fault}{': ' if loss else ''}{loss}")
    for note in check.notes:
        cli.print_to_stderr(f"{lake.uri}: {note}")
    if not check.faults:
        sightings = cli.format_count(lake.row_count("sightings"), "sighting")
        races = cli.format_count(lake.row_count("races"), "race")
        print(f"{visible_text(lake.uri)}: {sightings}, {races}, no fault")
    return cli.EXIT_ENVIRONMENT if check.faults else cli.EXIT_NOTHING


def _check_options(args: argparse.Namespace) -> None:
    """`forget` needs a condition on the command line, and the others have none."""
    conditions = ("before", "older_than", "repo", "file")
    if args.what != "check" and was_given(args, "repair"):
        args.usage_error("--repair is an option of check")
    given = [f"--{name.replace('_', '-')}" for name in (*conditions, "dry_run") if was_given(args, name)]
    if args.what == "forget" and not any(was_given(args, name) for name in conditions):
        names = ", ".join(f"--{name.replace('_', '-')}" for name in conditions)
        args.usage_error(f"forget needs at least one of {names}")
    if args.what != "forget" and given:
        args.usage_error(f"{given[0]} is an option of forget")


def _forget_sightings(lake: Lake, args: argparse.Namespace) -> int:
    from deadheat.lake import derivation, verifications
    from deadheat.lake.rewrites import forget, migration

    lake.require()
    if args.dry_run and lake.is_older:
        raise DeadheatError("was written by an earlier version", lake.uri, "`deadheat consolidate` migrates it")
    migration.migrate_lake(lake)
    before = args.before if args.older_than is None else datetime.now(UTC) - args.older_than
    which = forget.ForgetFilter(before, args.repo, args.file)
    if args.dry_run:
        print(f"would forget {_describe_counts(forget.count_matches(lake, which))}")
        return cli.EXIT_NOTHING
    with show_progress(False, "forgetting sightings") as progress:
        names = verifications.race_names(lake)
        counts = forget.forget_sightings(lake, which)
        races = lake.row_count("races")
        progress.start_phase("deriving races")
        derivation.derive_races(lake, f"forget-{uuid.uuid4().hex[:12]}-derived")
        forgotten = verifications.forget_verifications(lake, names.keys() - verifications.race_names(lake).keys())
    print(f"forgot {_describe_counts(counts)}")
    print(f"{cli.format_count(lake.row_count('races'), 'race')} in the lake, before {races}")
    if forgotten:
        print(f"{cli.format_count(forgotten, 'verification')} of races without a sighting forgotten")
    if any(counts):
        print(
            f"unused data files go after {_HOURS_PER_WEEK} hours; `deadheat lake compact --keep-hours 0` removes them"
        )
    return cli.EXIT_NOTHING


def _describe_counts(counts: ForgetCounts) -> str:
    parts = [
        cli.format_count(counts.sightings, "sighting"),
        cli.format_count(counts.reports, "report"),
        cli.format_count(counts.files, "file"),
        *([cli.format_count(counts.duplicates, "duplicate file")] if counts.duplicates else []),
        cli.format_count(counts.rejects, "reject"),
    ]
    return ", ".join(parts)


_RETRIAGE_EXAMPLES = """examples:
  deadheat retriage --lake races-lake
  deadheat retriage --lake races-lake --all

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def add_retriage_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "retriage",
        help="parse the kept text of reports again, after an update",
        description="Parses the kept text of reports again that an earlier version of deadheat has parsed, and derives"
        " the races again. Uses Spark if there are many.",
        epilog=_RETRIAGE_EXAMPLES,
    )
    spark_and_lake.add_lake_option(command)
    command.add_argument(
        "--all", action="store_true", help="also reports of this version, such as after a change of rules"
    )
    spark_and_lake.add_spark_options(command)
    command.set_defaults(run=run_retriage)


def run_retriage(args: argparse.Namespace) -> int:
    return spark_and_lake.run_with_spark_errors(args, lambda: _retriage_reports(args))


def _retriage_reports(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import retriage
    lake = spark_and_lake.open_lake(args.lake).require()
    races = lake.row_count("races")
    with show_progress(False, "parsing reports") as progress:
        counts = retriage.retriage_lake(spark_and_lake.session_starter(args, progress), lake, args.all)
    print(f"{cli.format_count(counts.reports, 'report')} read again, {counts.changed} changed")
    for count, reason in (
        (counts.no_text, "without kept text: only fingerprints are renewed"),
        (counts.unreadable, "not found in the kept text any more: kept as before"),
        (counts.unnamed, "with names that other sightings lack: kept as before"),
    ):
        if count:
            print(f"  {count} {reason}")
    print(f"{cli.format_count(counts.sightings, 'sighting')} changed")
    print(f"{cli.format_count(lake.row_count('races'), 'race')} in the lake, before {races}")
    return cli.EXIT_NOTHING
