"""The command `run`: runs a test command, passes its output through and scans it."""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import tempfile
import threading
from contextlib import closing, suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat import cli
from deadheat.cli import gate, worker_pool
from deadheat.errors import DeadheatError
from deadheat.parsing.test_events import GoTestFailures
from deadheat.sources.file_listing import FileEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.errors import UnreadableError


_BLOCK_SIZE = 1 << 20
# seconds to wait for the output of background processes after the command has ended
_SECONDS_TO_DRAIN = 0.3
_FORWARDED_SIGNALS = (
    "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH",
)  # fmt: skip
# si_code of a signal from the terminal, which the kernel sends to the whole group
_SENT_BY_KERNEL = 0x80


class CommandResult(NamedTuple):
    """The exit status of the command, as in a shell, and its output."""

    status: int
    streams: tuple[OutputStream, ...]

    def close(self) -> None:
        """Deletes the copies of the output."""
        for stream in self.streams:
            stream.copy.close()


class OutputStream:
    """One output of the command: its target and its copy."""

    def __init__(self, name: str, target: int, pipe: int) -> None:
        self.name, self.pipe = name, pipe
        self._target: int | None = target
        self.copy: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self.size = 0

    def forward_block(self, block: memoryview) -> bool:
        """Writes a block to the target and the copy; false if the target is closed."""
        self.size += len(block)
        _write_all(self.copy.fileno(), block)
        try:
            if self._target is not None:
                _write_all(self._target, block)
        except OSError:
            self._target = None
        return self._target is not None


def _write_all(descriptor: int, block: memoryview) -> None:
    while block:
        try:
            block = block[os.write(descriptor, block) :]
        except BlockingIOError:  # set by another process that shares the descriptor
            select.select([], [descriptor], [])


def run_child(command: Sequence[str]) -> CommandResult:
    """Runs a command and waits for it."""
    if not hasattr(os, "posix_spawnp"):
        raise DeadheatError("cannot run a command: no posix_spawnp", "", "pipe its output into: deadheat scan -")
    sys.stdout.flush()
    sys.stderr.flush()
    forwarded = {getattr(signal, name) for name in _FORWARDED_SIGNALS if hasattr(signal, name)}
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, forwarded)
    try:
        pid, streams = _spawn_command(command, old_mask)
        monitor = _CommandMonitor(pid, forwarded)
        _forward_output(streams, monitor)
        return CommandResult(monitor.join_and_get_status(), tuple(streams))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


def close_stdout() -> None:
    """Closes standard output, so that its reader does not wait for us."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.close(devnull)


def _spawn_command(command: Sequence[str], mask: set[int | signal.Signals]) -> tuple[int, list[OutputStream]]:
    """Starts the command with pipes for its outputs; one pipe if stdout and stderr are the same."""
    is_shared = _is_same_file(1, 2)
    names = ("output",) if is_shared else ("stdout", "stderr")
    pipe_ends = [os.pipe() for _ in names]
    actions = [
        (os.POSIX_SPAWN_DUP2, write_end, target)
        for target, (_, write_end) in zip((1, 2), pipe_ends * (2 if is_shared else 1), strict=True)
    ]
    # larger pipes need fewer context switches
    for pipe in (*(read_end for read_end, _ in pipe_ends), 1, 2):
        worker_pool.enlarge_pipe(pipe)
    try:
        pid = os.posix_spawnp(
            command[0],
            list(command),
            os.environ,
            file_actions=actions,
            setsigmask=mask,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # ignored by Python
        )
    except BaseException:
        for read_end, _ in pipe_ends:
            os.close(read_end)
        raise
    finally:
        for _, write_end in pipe_ends:
            os.close(write_end)
    return pid, [
        OutputStream(name, target, read_end)
        for name, target, (read_end, _) in zip(names, (1, 2), pipe_ends, strict=False)
    ]


def _is_same_file(first: int, second: int) -> bool:
    """Whether two descriptors refer to the same file, so that the order of lines matters."""
    with suppress(OSError):
        first_stat, second_stat = os.fstat(first), os.fstat(second)
        return (first_stat.st_dev, first_stat.st_ino, first_stat.st_rdev) == (
            second_stat.st_dev,
            second_stat.st_ino,
            second_stat.st_rdev,
        )
    return False


def _forward_output(streams: list[OutputStream], monitor: _CommandMonitor) -> None:
    """Forwards output until end of file, or until the command has ended and nothing more comes."""
    block = memoryview(bytearray(_BLOCK_SIZE))
    open_streams = {stream.pipe: stream for stream in streams}
    poll = select.poll()
    for pipe in (*open_streams, monitor.exit_pipe):
        poll.register(pipe, select.POLLIN)
    while open_streams:
        ready = poll.poll(_SECONDS_TO_DRAIN * 1000 if monitor.has_exited else None)
        if not ready:
            break
        for pipe, _ in ready:
            stream = open_streams.get(pipe)
            if stream is None:
                poll.unregister(monitor.exit_pipe)  # the command has exited
            elif not (count := os.readv(pipe, [block])) or not stream.forward_block(block[:count]):
                poll.unregister(pipe)
                del open_streams[pipe]
                os.close(pipe)  # the command gets SIGPIPE if its output has no reader
    for pipe in open_streams:
        os.close(pipe)


class _CommandMonitor:
    """Waits for the command to exit and forwards signals to it."""

    def __init__(self, pid: int, forwarded: set[signal.Signals]) -> None:
        self._pid, self._forwarded = pid, forwarded
        self._status = 0
        self.has_exited = False
        self.exit_pipe, self._exit_pipe_writer = os.pipe()
        self._waiter = threading.Thread(target=self._wait_for_exit, daemon=True)
        self._listener = threading.Thread(target=self._forward_signals, daemon=True)
        self._waiter.start()
        self._listener.start()

    def _wait_for_exit(self) -> None:
        _, status = os.waitpid(self._pid, 0)
        self._status = os.waitstatus_to_exitcode(status)
        self.has_exited = True
        os.close(self._exit_pipe_writer)

    def _forward_signals(self) -> None:
        while not self.has_exited:
            number, sender, kind = _wait_for_signal(self._forwarded)
            if sender == os.getpid():
                return  # sent by join_and_get_status
            from_terminal = kind == _SENT_BY_KERNEL and number in (signal.SIGINT, signal.SIGQUIT)
            if not from_terminal and not self.has_exited:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, number)

    def join_and_get_status(self) -> int:
        """The exit status of the command; 128 + N if signal N ended it."""
        self._waiter.join()
        if self._listener.ident is not None and self._listener.is_alive():
            signal.pthread_kill(self._listener.ident, signal.SIGUSR1)
        self._listener.join()
        os.close(self.exit_pipe)
        return self._status if self._status >= 0 else 128 - self._status


def _wait_for_signal(wanted: set[signal.Signals]) -> tuple[int, int, int]:
    """Waits for a signal; returns its number, the pid of the sender and si_code."""
    if hasattr(signal, "sigwaitinfo"):
        info = signal.sigwaitinfo(wanted)
        return info.si_signo, info.si_pid, info.si_code
    number = signal.sigwait(wanted)  # macOS gives only the number
    return number, os.getpid() if number == signal.SIGUSR1 else 0, 0


_EXAMPLES = """examples:
  deadheat run -- go test -race ./...
  deadheat run --gate --baseline races.jsonl -- go test -race -json ./...
  deadheat run --write html=races.html --write junit=races.xml -- ctest
  deadheat run --gate --baseline races.jsonl --update --reason 'TICKET-12' -- go test -race ./...

exit status: that of COMMAND, 128 + N if signal N ended it, 127 if it was not found; with --gate
1 for new races and 0 for none, unless COMMAND failed for another reason than known races
"""
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
    try:
        result = run_child(command)
    except FileNotFoundError:
        cli.print_to_stderr(f"{command[0]}: command not found; check its name and PATH")
        return _EXIT_NOT_FOUND
    except OSError as error:
        cli.print_to_stderr(f"{command[0]}: cannot be run: {(error.strerror or str(error)).lower()}; check permissions")
        return _EXIT_NOT_EXECUTABLE
    if args.output != "-":
        close_stdout()
    with closing(result):
        return _report_result(args, inspection, result)


def _report_result(args: argparse.Namespace, inspection: gate.RaceInspection, result: CommandResult) -> int:
    """Writes the findings and returns the exit status."""
    inspection.inspect_documents(_output_documents(result))
    _write_findings(inspection, args.output)
    if args.update:
        inspection.update_baseline()
    if not args.gate:
        return result.status
    # after --update every race is known
    return _exit_status(result, inspection, cli.EXIT_NOTHING if args.update else inspection.exit_status)


def _output_documents(result: CommandResult) -> Iterator[FileEntry | UnreadableError]:
    """The outputs of the command as documents."""
    for stream in result.streams:
        if stream.size:
            stream.copy.seek(0)
            path = f"/dev/fd/{stream.copy.fileno()}"
            yield FileEntry(path, stream.size, is_explicit=True, title=stream.name)


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
        stream.copy.seek(0)
        while block := stream.copy.read(1 << 20):
            failures.feed(block)
        failures.finish()
    if failed := sorted(failures.unexplained_tests()):
        return f"{', '.join(failed[:3])}{' and others' if len(failed) > 3 else ''} failed without a race"
    return "a build failed or a test panicked" if failures.has_other_failure else ""
