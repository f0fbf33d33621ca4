"""`deadheat run`: runs a test command, forwards its output, then prints each race once."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import child, gating
from deadheat.feeds.walk import Entry
from deadheat.harness import Failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.errors import UnreadableError

_EXAMPLES = """examples:
  deadheat run -- go test -race ./...
  deadheat run --gate --baseline races.jsonl -- go test -race -json ./...
  deadheat run --write html=races.html --write junit=races.xml -- ctest
  deadheat run --gate --baseline races.jsonl --update --reason 'TICKET-12' -- go test -race ./...

exit status: that of COMMAND, 128 + N if signal N ended it, 127 if it was not found; with --gate
1 for new races and 0 for none, unless COMMAND failed for another reason than known races
"""
_MISSING, _FORBIDDEN = 127, 126


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "run",
        help="run a test command, then print each race once",
        description="Runs a command, forwards its output and signals, and prints the races in the output"
        " on standard error when it ends. Races in tests that passed count, too.",
        epilog=_EXAMPLES,
    )
    command.add_argument(
        "--gate", action="store_true", help="use the exit status of `deadheat gate`"
    )
    command.add_argument(
        "--output",
        metavar="FILE",
        help="write the races to FILE instead of standard error; - for standard output",
    )
    gating.add_options(command, baseline=False)
    command.add_argument(
        "argv",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND",
        help="the command and its arguments",
    )
    command.set_defaults(run=run, parser=command)


def run(args: argparse.Namespace) -> int:
    command = args.argv[1:] if args.argv[:1] == ["--"] else args.argv
    gated = args.gate or args.update
    if not command:
        args.parser.error("COMMAND is missing, for example: deadheat run -- go test -race ./...")
    if gated and not args.baseline:
        args.parser.error("--gate needs a --baseline")
    gating.check(args, args.parser)
    inspection = gating.Inspection(args, gated, sys.stderr)
    try:
        ended = child.run(command)
    except FileNotFoundError:
        cli.complain(f"{command[0]}: command not found; check its name and PATH")
        return _MISSING
    except OSError as error:
        cli.complain(
            f"{command[0]}: cannot be run: {(error.strerror or str(error)).lower()}; check permissions"
        )
        return _FORBIDDEN
    if args.output != "-":
        child.close_output()
    with closing(ended):
        return _conclude(args, inspection, ended)


def _conclude(args: argparse.Namespace, inspection: gating.Inspection, ended: child.Ended) -> int:
    """Writes the findings and returns the exit status."""
    inspection.of(_documents(ended))
    _tell(inspection, args.output)
    if args.update:
        inspection.update()
    if not args.gate:
        return ended.status
    # after --update every race is known
    return _status(ended, inspection, cli.NOTHING if args.update else inspection.status)


def _documents(ended: child.Ended) -> Iterator[Entry | UnreadableError]:
    """The outputs of the command as documents."""
    for stream in ended.output:
        if stream.size:
            stream.copy.seek(0)
            path = f"/dev/fd/{stream.copy.fileno()}"
            yield Entry(path, stream.size, named=True, title=stream.name)


def _tell(inspection: gating.Inspection, file: str | None) -> None:
    if file is None:
        inspection.tell(sys.stderr)
    elif file == "-":
        inspection.tell(sys.stdout)
    else:
        try:
            with open(file, "w", encoding="utf-8") as out:
                inspection.tell(out)
        except OSError as error:
            inspection.tell(sys.stderr)  # do not lose the result of a long run
            raise gating.unwritable(file, error) from error


def _status(ended: child.Ended, inspection: gating.Inspection, gate: int) -> int:
    """The status of the gate, or of the command if it failed for another reason than known races."""
    if gate or not ended.status:
        return gate
    why = _unexplained(ended, inspection)
    if why:
        cli.complain(f"no new race, but the command failed with status {ended.status}: {why}")
        return ended.status
    cli.complain(f"the command failed with status {ended.status}, and only known races were found")
    return cli.NOTHING


def _unexplained(ended: child.Ended, inspection: gating.Inspection) -> str:
    """Why the command failed, if not because of a race, as far as its output shows."""
    if not inspection.races:
        return "no race was found"
    harness = Failures()
    for stream in ended.output:
        stream.copy.seek(0)
        while block := stream.copy.read(1 << 20):
            harness.feed(block)
        harness.finish()
    if failed := sorted(harness.unexplained()):
        return f"{', '.join(failed[:3])}{' and others' if len(failed) > 3 else ''} failed without a race"
    return "a build failed or a test panicked" if harness.broken else ""
