"""Runs a child process: forwards its output as it comes, and our signals to it.

A copy of its output is kept in unnamed temporary files.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat.cli import worker_pool
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
