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

from deadheat.cli import pipes
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCK = 1 << 20
# seconds to wait for the output of background processes after the command has ended
_AFTER = 0.3
_PASSED_ON = (
    "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH",
)  # fmt: skip
# si_code of a signal from the terminal, which the kernel sends to the whole group
_BY_THE_KERNEL = 0x80


class Ended(NamedTuple):
    """The exit status of the command, as in a shell, and its output."""

    status: int
    output: tuple[Stream, ...]

    def close(self) -> None:
        """Deletes the copies of the output."""
        for stream in self.output:
            stream.copy.close()


class Stream:
    """One output of the command: its target and its copy."""

    def __init__(self, name: str, target: int, pipe: int) -> None:
        self.name, self.pipe = name, pipe
        self._target: int | None = target
        self.copy: IO[bytes] = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self.size = 0

    def pass_on(self, block: memoryview) -> bool:
        """Writes a block to the target and the copy; false if the target is closed."""
        self.size += len(block)
        _write(self.copy.fileno(), block)
        try:
            if self._target is not None:
                _write(self._target, block)
        except OSError:
            self._target = None
        return self._target is not None


def _write(descriptor: int, block: memoryview) -> None:
    while block:
        try:
            block = block[os.write(descriptor, block) :]
        except BlockingIOError:  # set by another process that shares the descriptor
            select.select([], [descriptor], [])


def run(command: Sequence[str]) -> Ended:
    """Runs a command and waits for it."""
    if not hasattr(os, "posix_spawnp"):
        raise DeadheatError(
            "cannot run a command: no posix_spawnp", "", "pipe its output into: deadheat scan -"
        )
    sys.stdout.flush()
    sys.stderr.flush()
    passed_on = {getattr(signal, name) for name in _PASSED_ON if hasattr(signal, name)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    try:
        pid, streams = _spawn(command, before)
        warden = _Warden(pid, passed_on)
        _pump(streams, warden)
        return Ended(warden.end(), tuple(streams))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def close_output() -> None:
    """Closes standard output, so that its reader does not wait for us."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _spawn(command: Sequence[str], mask: set[int | signal.Signals]) -> tuple[int, list[Stream]]:
    """Starts the command with pipes for its outputs; one pipe if stdout and stderr are the same."""
    together = _same(1, 2)
    names = ("output",) if together else ("stdout", "stderr")
    ends = [os.pipe() for _ in names]
    actions = [
        (os.POSIX_SPAWN_DUP2, into, target)
        for target, (_, into) in zip((1, 2), ends * (2 if together else 1), strict=True)
    ]
    # larger pipes need fewer context switches
    for pipe in (*(out for out, _ in ends), 1, 2):
        pipes.widen(pipe)
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
        for out, _ in ends:
            os.close(out)
        raise
    finally:
        for _, into in ends:
            os.close(into)
    return pid, [
        Stream(name, target, out)
        for name, target, (out, _) in zip(names, (1, 2), ends, strict=False)
    ]


def _same(one: int, other: int) -> bool:
    """Whether two descriptors refer to the same file, so that the order of lines matters."""
    with suppress(OSError):
        a, b = os.fstat(one), os.fstat(other)
        return (a.st_dev, a.st_ino, a.st_rdev) == (b.st_dev, b.st_ino, b.st_rdev)
    return False


def _pump(streams: list[Stream], warden: _Warden) -> None:
    """Forwards output until end of file, or until the command has ended and nothing more comes."""
    block = memoryview(bytearray(_BLOCK))
    waiting = {stream.pipe: stream for stream in streams}
    poll = select.poll()
    for pipe in (*waiting, warden.bell):
        poll.register(pipe, select.POLLIN)
    while waiting:
        ready = poll.poll(_AFTER * 1000 if warden.over else None)
        if not ready:
            break
        for pipe, _ in ready:
            stream = waiting.get(pipe)
            if stream is None:
                poll.unregister(warden.bell)  # the command has exited
            elif not (count := os.readv(pipe, [block])) or not stream.pass_on(block[:count]):
                poll.unregister(pipe)
                del waiting[pipe]
                os.close(pipe)  # the command gets SIGPIPE if its output has no reader
    for pipe in waiting:
        os.close(pipe)


class _Warden:
    """Waits for the command to exit and forwards signals to it."""

    def __init__(self, pid: int, passed_on: set[signal.Signals]) -> None:
        self._pid, self._passed_on = pid, passed_on
        self._status = 0
        self.over = False
        self.bell, self._rings = os.pipe()
        self._waiter = threading.Thread(target=self._wait, daemon=True)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._waiter.start()
        self._listener.start()

    def _wait(self) -> None:
        _, status = os.waitpid(self._pid, 0)
        self._status = os.waitstatus_to_exitcode(status)
        self.over = True
        os.close(self._rings)

    def _listen(self) -> None:
        while not self.over:
            number, sender, kind = _next_signal(self._passed_on)
            if sender == os.getpid():
                return  # sent by join_and_get_status
            from_terminal = kind == _BY_THE_KERNEL and number in (signal.SIGINT, signal.SIGQUIT)
            if not from_terminal and not self.over:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, number)

    def end(self) -> int:
        """The exit status of the command; 128 + N if signal N ended it."""
        self._waiter.join()
        if self._listener.ident is not None and self._listener.is_alive():
            signal.pthread_kill(self._listener.ident, signal.SIGUSR1)
        self._listener.join()
        os.close(self.bell)
        return self._status if self._status >= 0 else 128 - self._status


def _next_signal(wanted: set[signal.Signals]) -> tuple[int, int, int]:
    """Waits for a signal; returns its number, the pid of the sender and si_code."""
    if hasattr(signal, "sigwaitinfo"):
        told = signal.sigwaitinfo(wanted)
        return told.si_signo, told.si_pid, told.si_code
    number = signal.sigwait(wanted)  # macOS gives only the number
    return number, os.getpid() if number == signal.SIGUSR1 else 0, 0
