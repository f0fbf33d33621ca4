"""`deadheat scan`: finds the reports in files, folders, archives or a pipe and prints the races."""

from __future__ import annotations

import os
import sys
from typing import IO, TYPE_CHECKING

from deadheat import cli, registry
from deadheat.cli import pipes, scanning
from deadheat.feeds import files, walk
from deadheat.render import Style

if TYPE_CHECKING:
    import argparse

    from deadheat.render import Output, Renderer

_EXAMPLES = """examples:
  deadheat scan ci.log                      the races in one log
  deadheat scan logs/ artifacts.zip         in every file below a folder, and inside an archive
  go test -race ./... 2>&1 | deadheat scan -
  deadheat scan --format jsonl logs/ | jq .title

exit status: 0 no race, 1 races found, 2 wrong usage, 3 nothing could be read
"""
# width if the output is not a terminal
_WIDTH = 120


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "scan",
        help="find the race reports in files, folders, archives or a pipe",
        description="Finds every race report, including damaged ones, and prints each race once.",
        epilog=_EXAMPLES,
    )
    cli.add_paths(command)
    command.add_argument(
        "--format", choices=sorted(registry.renderers()), default="text", help="default: text"
    )
    command.add_argument("--why", action="store_true", help="text: show what identifies each race")
    add_ways(command)
    command.set_defaults(run=run)


def add_ways(command: argparse._ActionsContainer) -> None:
    """Adds the options of the commands that scan and print races."""
    command.add_argument(
        "--jobs",
        type=cli.at_least(1),
        default=None,
        metavar="N",
        help="number of processes (default: one per core)",
    )
    cli.add_frames(command)
    command.add_argument(
        "--error-stacks",
        action="store_true",
        help="also read the stacks that Go programs print with errors, race or not",
    )
    command.add_argument("--brief", action="store_true", help="text: one line per race")
    command.add_argument(
        "--root", default=checkout(), metavar="DIR",
        help="checkout, for links to the code (default: that of the CI job, or this folder)",
    )  # fmt: skip
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")


def checkout() -> str:
    """The checkout folder of the CI job, or the current folder."""
    named = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    try:
        return named or os.getcwd()  # noqa: PTH109, pathlib is slow to import
    except OSError:  # it was removed
        return ""


def run(args: argparse.Namespace) -> int:
    renderer: Renderer = registry.renderers()[args.format]
    style = style_of(args)
    pipes.widen(1)
    output = renderer.output(sys.stdout, style)
    ways = scanning.Ways(
        # --brief needs no parsed reports
        files.Wish(renderer.full and not args.brief, args.error_stacks, not renderer.waits),
        args.jobs,
        args.quiet,
    )
    scan = scanning.Scan(walk.entries(args.paths), renderer.gatherer(style), output, ways)
    try:
        scan.run()
    except KeyboardInterrupt:
        _close(scan, output)  # print what was found so far
        raise
    _close(scan, output)
    if scan.sightings:
        return cli.RACES
    return cli.ENVIRONMENT if scan.failed else cli.NOTHING


def _close(scan: scanning.Scan, output: Output) -> None:
    scan.clear()
    output.close(scan.identity.ids())


def style_of(args: argparse.Namespace, out: IO[str] | None = None) -> Style:
    out = out or sys.stdout
    colour = out.isatty() and not args.no_color and not os.environ.get("NO_COLOR")
    why, root = getattr(args, "why", False), getattr(args, "root", "")
    return Style(colour, min(_width(out), 200), args.frames, args.brief, why, root)


def _width(out: IO[str]) -> int:
    """The width of the terminal; like `shutil`, which is slow to import."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(out.fileno()).columns or _WIDTH
    except (OSError, ValueError):
        return _WIDTH
