"""The command `run`: runs a test command, passes its output through and scans it."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.baseline.test_runs import lacks_race_detector, selects_tests
from deadheat.cli import gate
from deadheat.cli.child_process import NotStartedError, describe_os_error, run_child
from deadheat.parsing.test_events import GoTestFailures

if TYPE_CHECKING:
    from deadheat.cli.child_process import CommandResult

_EXAMPLES = """examples:
  deadheat run -- go test -race ./...
  deadheat run --gate --baseline races.jsonl -- go test -race -json ./...
  deadheat run --write html=races.html --write junit=races.xml -- ctest
  deadheat run --gate --baseline races.jsonl --update --reason 'TICKET-12' -- go test -race ./...

exit status: that of COMMAND, 128 + N if signal N ended it, 127 if it was not found; with --gate
1 for new races and 0 for none, unless COMMAND failed for another reason than known races
"""
_FIRST_SIGNAL_STATUS = 128
_EXIT_NOT_FOUND, _EXIT_NOT_EXECUTABLE = 127, 126


def add_run_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "run",
        help="run a test command, then print each race once",
        description="Runs a command, forwards its output and signals, and prints the races in the output"
        " on standard error when it ends. Races in tests that passed count, too.",
        epilog=_EXAMPLES,
    )
    command.add_argument("--gate", action="store_true", help="use the exit status of `deadheat gate`")
    command.add_argument(
        "--output", metavar="FILE", help="write the races to FILE instead of standard error; - for standard output"
    )
    gate.add_gate_options(command, baseline=False)
    command.add_argument("argv", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the command and its arguments")
    command.set_defaults(run=run_test_command, parser=command)


def run_test_command(args: argparse.Namespace) -> int:
    command = args.argv[1:] if args.argv[:1] == ["--"] else args.argv
    gated = args.gate or args.update
    if not command:
        args.parser.error("COMMAND is missing, for example: deadheat run -- go test -race ./...")
    if gated and not args.baseline:
        args.parser.error("--gate needs a --baseline")
    gate.check_options(args, args.parser)
    inspection = gate.RaceInspection(args, gated, sys.stderr)
    words = [*command, *os.environ.get("GOFLAGS", "").split()]
    inspection.selects_tests, inspection.lacks_race_detector = selects_tests(words), lacks_race_detector(words)
    try:
        result = run_child(command)
    except NotStartedError as error:
        if isinstance(error.cause, FileNotFoundError):
            cli.print_to_stderr(f"{command[0]}: command not found; check its name and PATH")
            return _EXIT_NOT_FOUND
        reason = describe_os_error(error.cause)
        cli.print_to_stderr(f"{command[0]}: cannot be run: {reason}; check permissions")
        return _EXIT_NOT_EXECUTABLE
    if args.output != "-":
        close_stdout()
    with closing(result):
        return _report_result(args, inspection, result)


def close_stdout() -> None:
    """Closes standard output, so that its reader does not wait for us."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.close(devnull)


def _report_result(args: argparse.Namespace, inspection: gate.RaceInspection, result: CommandResult) -> int:
    """Writes the findings and returns the exit status."""
    for line in result.warnings(args.quiet):
        cli.print_to_stderr(line)
    inspection.is_cut = result.status > _FIRST_SIGNAL_STATUS or not result.is_complete
    inspection.has_failed = result.status != 0
    inspection.inspect_documents(document for stream in result.streams for document in stream.documents())
    try:
        _write_findings(inspection, args.output)
    except BrokenPipeError:  # nobody reads the findings
        cli.redirect_to_devnull(sys.stdout if args.output == "-" else sys.stderr)
    if args.update:
        inspection.update_baseline()
    status = result.status
    if args.gate:
        # after --update every race is known
        status = _exit_status(result, inspection, cli.EXIT_NOTHING if args.update else inspection.exit_status)
    return status or (cli.EXIT_ENVIRONMENT if result.has_write_error else cli.EXIT_NOTHING)


def _write_findings(inspection: gate.RaceInspection, file: str | None) -> None:
    if file is None:
        inspection.write_findings(sys.stderr)
    elif file == "-":
        inspection.write_findings(sys.stdout)
    else:
        try:
            with open(file, "w", encoding="utf-8") as out:
                inspection.write_findings(out)
        except OSError as error:
            inspection.write_findings(sys.stderr)  # do not lose the result of a long run
            raise gate.unwritable_error(file, error) from error


def _exit_status(result: CommandResult, inspection: gate.RaceInspection, gate_status: int) -> int:
    """The status of the gate, or of the command if it failed for another reason than known races."""
    if gate_status or not result.status:
        return gate_status
    why = _unexplained_failure(result, inspection)
    if why:
        cli.print_to_stderr(f"no new race, but the command failed with status {result.status}: {why}")
        return result.status
    cli.print_to_stderr(f"the command failed with status {result.status}, and only known races were found")
    return cli.EXIT_NOTHING


def _unexplained_failure(result: CommandResult, inspection: gate.RaceInspection) -> str:
    """Why the command failed, if not because of a race, as far as its output shows."""
    if not inspection.findings:
        return "no race was found"
    failures = GoTestFailures()
    for stream in result.streams:
        for blocks in stream.copy.iter_parts():
            for block in blocks:
                failures.feed(block)
            failures.finish()
    if failed := sorted(failures.unexplained_tests()):
        return f"{', '.join(failed[:3])}{' and others' if len(failed) > 3 else ''} failed without a race"
    return "a build failed or a test panicked" if failures.has_other_failure else ""
