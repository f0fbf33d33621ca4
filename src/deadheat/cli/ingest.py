"""The commands `ingest` (read documents into a lake) and `consolidate` (rebuild its races), with Spark."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import decisions, spark_and_lake
from deadheat.cli.options import was_given
from deadheat.cli.progress import format_bytes, show_progress
from deadheat.model import CiRun
from deadheat.printable import format_json, quote_code, visible_text
from deadheat.serialization import SCHEMA_VERSION
from deadheat.shell import format_command, path_word
from deadheat.sources import ci_metadata
from deadheat.sources.archive_limits import DEFAULT_LIMITS
from deadheat.sources.record_files import RecordOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.lake.tables import Lake


_INGEST_EXAMPLES = """examples:
  deadheat ingest logs/ --lake races             ingest new files below logs/
  deadheat ingest logs/ --lake races --watch     and keep watching
  deadheat ingest s3://ci/logs --lake s3://ci/races --master spark://host:7077
  deadheat ingest logs/ --lake races --path-pattern '{repo}/{branch}/{run}/{job}.log'
  deadheat ingest export/ --lake races --records       log records exported from Loki, Elasticsearch, …

exit status: 0 done, 2 wrong usage, 3 the environment failed, or nothing could be read
"""
_MAX_LISTED = 10
_RUN_FIELD_HELP = {
    "repo": "repository that was tested",
    "commit": "commit that was tested",
    "branch": "branch that was tested",
    "job": "name of the CI job",
    "run": "id of the CI run",
    "time": "when the documents were written",
}
# what is done when a stage of an ingest has ended
_PHASE_AFTER_STAGE = {
    "read": "writing", "ingests": "writing", "facts": "deriving races", "nodes": "deriving races"
}  # fmt: skip


def add_ingest_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "ingest",
        help="read documents into a lake, with Spark",
        description="Reads every file that is not in the lake yet, and prints what is new.",
        epilog=_INGEST_EXAMPLES,
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, archive or address")
    cli.add_archive_limits_option(command)
    spark_and_lake.add_lake_option(command)
    decisions.add_decisions_option(command)
    command.add_argument("--watch", action="store_true", help="keep running until interrupted")
    command.add_argument(
        "--every", type=_parse_seconds, default=10.0, metavar="SECONDS",
        help="with --watch: time between checks (default: 10)",
    )  # fmt: skip
    for name in ci_metadata.RUN_FIELDS:
        command.add_argument(
            f"--{name}", dest=f"of_{name}", metavar=name.upper(), help=_RUN_FIELD_HELP[name],
            type=cli.validated_type(ci_metadata.parse_time) if name == "time" else str,
        )  # fmt: skip
    command.add_argument(
        "--path-pattern", metavar="PATTERN", type=cli.validated_type(ci_metadata.PathPattern),
        help="take these fields from the paths: '{repo}/{run}/{job}.log'",
    )  # fmt: skip
    _add_record_options(command)
    command.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the summary; default: text"
    )
    command.add_argument("--quiet", action="store_true", help="no progress and no summary")
    spark_and_lake.add_spark_options(command)
    command.set_defaults(run=run_ingest, parser=command)


def _add_record_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--records", action="store_true", help="the files are log records as JSON lines; put those of a writer in order"
    )
    command.add_argument("--record-text", metavar="FIELD", help="field with the text, if not a known one: message.body")
    command.add_argument(
        "--record-stream", metavar="FIELD", action="append", default=[], help="field that names the writer; may repeat"
    )
    command.add_argument(
        "--record-order", metavar="FIELD", action="append", default=[],
        help="field that puts the records of a writer in order; may repeat (default: their times)",
    )  # fmt: skip
    command.add_argument("--record-time", metavar="FIELD", help="field with the time of the event")


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return seconds


def run_ingest(args: argparse.Namespace) -> int:
    return spark_and_lake.run_with_spark_errors(args, lambda: _ingest_paths(args))


def _ingest_paths(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import ingest
    fields = _record_fields(args)
    lake = spark_and_lake.open_lake(args.lake)
    matcher = _PathPatternMatcher(args.path_pattern)
    run_of = _run_metadata(args, matcher)
    limits = args.archive_limits or DEFAULT_LIMITS
    if args.watch:
        options = ingest.IngestOptions(run_of=run_of, archive_limits=limits)
        ingest.watch_paths(
            spark_and_lake.session_starter(args), lake, args.paths, options, args.every, _summary_printer(args, lake)
        )
        return cli.EXIT_NOTHING
    with show_progress(args.quiet, "listing files") as progress:
        options = ingest.IngestOptions(
            run_of=run_of, archive_limits=limits, on_plan=lambda plan: progress.start_phase("reading", plan.size),
            on_bytes_read=progress.tick, on_sightings_found=progress.set_report_count,
            on_stage=lambda stage: progress.continue_with(_PHASE_AFTER_STAGE.get(stage, "")),
        )  # fmt: skip
        starter = spark_and_lake.session_starter(args, progress)
        if fields is None:
            summary = ingest.ingest_files(starter, lake, args.paths, options)
        else:
            from deadheat.spark.records.ingest import ingest_records

            summary = ingest_records(starter, lake, args.paths, fields, options)
    if matcher.first_unmatched_path and not args.quiet:
        cli.print_to_stderr(f"--path-pattern matches no path, for example not {matcher.first_unmatched_path}")
    _print_summary(summary, args)
    decisions.report_returns(args, lake)
    return cli.EXIT_ENVIRONMENT if summary.rejects and not summary.files + summary.known_files else cli.EXIT_NOTHING


def _record_fields(args: argparse.Namespace) -> RecordOptions | None:
    """The fields of log records that the user names; None if the files are no records."""
    names = args.record_text, tuple(args.record_stream), tuple(args.record_order), args.record_time
    if not args.records:
        if any(was_given(args, f"record_{name}") for name in ("text", "stream", "order", "time")):
            args.parser.error("--record-text, --record-stream, --record-order and --record-time need --records")
        return None
    if args.watch or args.path_pattern:
        args.parser.error(f"--records cannot be used with {'--watch' if args.watch else '--path-pattern'}")
    return RecordOptions(*names)


class _PathPatternMatcher:
    """Applies an optional pattern to paths and records whether it matched any."""

    def __init__(self, pattern: ci_metadata.PathPattern | None) -> None:
        self._pattern = pattern
        self._has_matched = False
        self._first_path = ""

    def __call__(self, uri: str) -> CiRun:
        if self._pattern is None:
            return CiRun()
        self._first_path = self._first_path or uri
        self._has_matched = self._has_matched or self._pattern.matches_path(uri)
        return self._pattern(uri)

    @property
    def first_unmatched_path(self) -> str:
        """The first path if none matched; "" if one did or there is no pattern."""
        return "" if self._has_matched else self._first_path


def _run_metadata(args: argparse.Namespace, matcher: _PathPatternMatcher) -> Callable[[str], CiRun]:
    """Run metadata of a path: from the options, the path, its folders, the CI environment, the configuration file."""
    values = {name: getattr(args, f"of_{name}") for name in ci_metadata.RUN_FIELDS}
    options = CiRun(**{name: value for name, value in values.items() if was_given(args, f"of_{name}")})
    environment = ci_metadata.run_from_environment(os.environ).merged_with(CiRun(**values))
    return lambda uri: (
        options.merged_with(matcher(uri)).merged_with(ci_metadata.run_from_folders(uri)).merged_with(environment)
    )


def _summary_printer(args: argparse.Namespace, lake: Lake) -> Callable[[Any], None]:
    def print_if_changed(summary: Any) -> None:
        if summary.files or summary.rejects:
            _print_summary(summary, args)
            decisions.report_returns(args, lake)

    return print_if_changed


def _print_summary(summary: Any, args: argparse.Namespace) -> None:
    for uri, reason in summary.rejects[:_MAX_LISTED]:
        cli.print_to_stderr(f"{uri}: {reason}")
    if (omitted := len(summary.rejects) - _MAX_LISTED) > 0:
        cli.print_to_stderr(f"and {omitted} more; see the table rejects")
    if args.format == "json":
        print(format_json(summary_to_json(summary)), flush=True)
    elif not args.quiet:
        _print_counts(summary, args.lake)


def _print_counts(summary: Any, lake: str) -> None:
    rate = f", {format_bytes(summary.bytes / summary.seconds)}/s" if summary.bytes > 1 << 24 else ""
    print(
        f"{cli.format_count(summary.files, 'file')} ingested"
        f" ({format_bytes(summary.bytes)} in {summary.seconds:.1f} s{rate}),"
        f" {summary.known_files} already known, {len(summary.rejects)} rejected"
    )
    print(f"{cli.format_count(summary.sightings, 'sighting')}, {cli.format_count(summary.reports, 'new report')}")
    if summary.replaced_sightings:
        earlier = cli.format_count(summary.replaced_sightings, "earlier sighting")
        print(f"{earlier} of files that were overwritten within their run replaced")
    for uri in summary.duplicates[:_MAX_LISTED]:
        print(visible_text(f"{uri}: has the content of another file of its run, counted once"))
    if len(summary.duplicates) > _MAX_LISTED:
        more = cli.format_count(len(summary.duplicates) - _MAX_LISTED, "more file")
        print(f"and {more} with the content of another one")
    print(f"{cli.format_count(len(summary.new_races), 'new race')}, {summary.races} in total")
    for race, title in summary.new_races[:_MAX_LISTED]:
        print(visible_text(f"  {race}  {title}"))
    if len(summary.new_races) > _MAX_LISTED:
        command = format_command("deadheat", "races", "--lake", path_word(lake)) or "deadheat races"
        print(f"  … {quote_code(command)} lists them all")
    sys.stdout.flush()


_CONSOLIDATE_EXAMPLES = """examples:
  deadheat consolidate --lake races-lake
  deadheat consolidate --lake races-lake --master 'local[4]'

exit status: 0 done, 2 wrong usage, 3 the environment failed
"""


def summary_to_json(summary: Any) -> dict[str, Any]:
    """All of a summary, whatever its size."""
    content = {field.name: getattr(summary, field.name) for field in dataclasses.fields(summary)}
    content["new_races"] = [{"race": race, "title": title} for race, title in summary.new_races]
    content["rejects"] = [{"uri": uri, "reason": reason} for uri, reason in summary.rejects]
    return {"schema": SCHEMA_VERSION, **content}


def add_consolidate_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "consolidate",
        help="rebuild the races and families of a lake, with Spark",
        description="Rebuilds races and families from the reports. `ingest` keeps them up to date.",
        epilog=_CONSOLIDATE_EXAMPLES,
    )
    spark_and_lake.add_lake_option(command)
    spark_and_lake.add_spark_options(command)
    command.set_defaults(run=run_consolidate)


def run_consolidate(args: argparse.Namespace) -> int:
    return spark_and_lake.run_with_spark_errors(args, lambda: _rebuild_races(args))


def _rebuild_races(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("spark"):
        from deadheat.spark import ingest
    with show_progress(False, "deriving races") as progress:
        starter = spark_and_lake.session_starter(args, progress)
        races = ingest.rebuild_lake(starter, spark_and_lake.open_lake(args.lake))
    print(cli.format_count(races, "race"))
    return cli.EXIT_NOTHING
