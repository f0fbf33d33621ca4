"""`deadheat scan`: finds the reports in files, folders, archives or a pipe and prints the races."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

from deadheat import cli, plugins
from deadheat.api import ReadOptions
from deadheat.cli import scan_job, worker_pool
from deadheat.output import OutputStyle
from deadheat.sources import file_listing

if TYPE_CHECKING:
    import argparse

    from deadheat.output import OutputFormat, OutputWriter

_EXAMPLES = """examples:
  deadheat scan ci.log                      the races in one log
  deadheat scan logs/ artifacts.zip         in every file below a folder, and inside an archive
  go test -race ./... 2>&1 | deadheat scan -
  deadheat scan --format jsonl logs/ | jq .title

exit status: 0 no race, 1 races found, 2 wrong usage, 3 nothing could be read
"""
# width if the output is not a terminal
_DEFAULT_WIDTH = 120


def add_scan_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "scan",
        help="find the race reports in files, folders, archives or a pipe",
        description="Finds every race report, including damaged ones, and prints each race once.",
        epilog=_EXAMPLES,
    )
    cli.add_path_arguments(command)
    command.add_argument("--format", choices=sorted(plugins.output_formats()), default="text", help="default: text")
    command.add_argument("--why", action="store_true", help="text: show what identifies each race")
    add_scan_options(command)
    command.set_defaults(run=run_scan)


def add_scan_options(command: argparse._ActionsContainer) -> None:
    """Adds the options of the commands that scan and print races."""
    command.add_argument(
        "--jobs",
        type=cli.integer_at_least(1),
        default=None,
        metavar="N",
        help="number of processes (default: one per core)",
    )
    cli.add_frames_option(command)
    command.add_argument(
        "--error-stacks",
        action="store_true",
        help="also read the stacks that Go programs print with errors, race or not",
    )
    command.add_argument("--brief", action="store_true", help="text: one line per race")
    command.add_argument(
        "--root", default=checkout_folder(), metavar="DIR",
        help="checkout, for links to the code (default: that of the CI job, or this folder)",
    )  # fmt: skip
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")


def checkout_folder() -> str:
    """The checkout folder of the CI job, or the current folder."""
    ci_folder = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    try:
        return ci_folder or os.getcwd()  # noqa: PTH109, pathlib is slow to import
    except OSError:  # it was removed
        return ""


def run_scan(args: argparse.Namespace) -> int:
    output_format: OutputFormat = plugins.output_formats()[args.format]
    style = style_from_options(args)
    worker_pool.enlarge_pipe(1)
    writer = output_format.new_writer(sys.stdout, style)
    options = scan_job.ScanOptions(
        ReadOptions(args.error_stacks, not output_format.prints_at_end), args.jobs, args.quiet
    )
    scan = scan_job.ScanJob(file_listing.list_entries(args.paths), output_format.new_collector(style), writer, options)
    try:
        scan.run()
    except KeyboardInterrupt:
        _write_output(scan, writer)  # print what was found so far
        raise
    _write_output(scan, writer)
    if scan.sighting_count:
        return cli.EXIT_RACES
    return cli.EXIT_ENVIRONMENT if scan.read_nothing else cli.EXIT_NOTHING


def _write_output(scan: scan_job.ScanJob, writer: OutputWriter) -> None:
    scan.clear_progress()
    writer.write_remaining(scan.identity.race_ids())


def style_from_options(args: argparse.Namespace, out: IO[str] | None = None) -> OutputStyle:
    out = out or sys.stdout
    colour = out.isatty() and not args.no_color and not os.environ.get("NO_COLOR")
    why, root = getattr(args, "why", False), getattr(args, "root", "")
    return OutputStyle(colour, min(_terminal_width(out), 200), args.frames, args.brief, why, root)


def _terminal_width(out: IO[str]) -> int:
    """The width of the terminal; like `shutil`, which is slow to import."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(out.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH
