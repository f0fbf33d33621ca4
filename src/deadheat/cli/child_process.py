"""Runs a command: forwards its output and signals, and keeps a copy of the output, whatever is short."""

from __future__ import annotations

import errno
import io
import os
import select
import signal
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import chain
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from deadheat import cli
from deadheat.cli import worker_pool
from deadheat.errors import DeadheatError
from deadheat.sources.file_listing import FileEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, NoReturn


_BLOCK_SIZE = 1 << 20  # the capacity of an enlarged pipe
# seconds to wait for the output of background processes after the command has ended: in silence, and in total
_SECONDS_TO_DRAIN, _MAX_SECONDS_TO_DRAIN = 0.3, 3.0
# bytes of the end of an output that are kept in memory if its temporary file cannot be written
_MAX_KEPT_IN_MEMORY = 1 << 25
_FORWARDED_SIGNALS = (
    "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGWINCH",
)  # fmt: skip
# signals that Python ignores
_IGNORED_SIGNALS = ("SIGPIPE", "SIGXFSZ")
# si_code of a signal from the terminal, which the kernel sends to the whole group
_SENT_BY_KERNEL = 0x80
# errors of `posix_spawn` for want of processes or memory; replacing this process needs neither
_SHORTAGES = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class NotStartedError(Exception):
    """The command could not be started."""

    def __init__(self, cause: OSError) -> None:
        self.cause = cause
        super().__init__(str(cause))


class CommandResult(NamedTuple):
    """The exit status of the command, as in a shell, and its output."""

    status: int
    streams: tuple[OutputStream, ...]
    was_held_open: bool  # a background process did not close the output
    copies: ExitStack

    def close(self) -> None:
        """Deletes the copies of the output."""
        self.copies.close()

    @property
    def has_write_error(self) -> bool:
        """Whether output of the command was lost."""
        return any(stream.write_error is not None for stream in self.streams)

    @property
    def is_complete(self) -> bool:
        """Whether all output of the command is in the copies."""
        return not any(stream.copy.lost for stream in self.streams)

    def warnings(self, quiet: bool) -> Iterator[str]:
        """What went wrong with the output, one line per kind; with `quiet` only what is lost."""
        for stream in self.streams:
            if stream.write_error is not None:
                why = describe_os_error(stream.write_error)
                yield f"{stream.name} of the command cannot be written: {why}; the rest of it is lost, but searched"
        if quiet:
            return
        failed = [stream.copy for stream in self.streams if stream.copy.error is not None]
        if failed and failed[0].error is not None:
            lost = sum(copy.lost for copy in failed)
            how_much = f"{lost} bytes of it are not searched" if lost else "the rest was kept in memory and is searched"
            yield f"the copy of the output cannot be written: {describe_os_error(failed[0].error)}; {how_much}"
        if self.was_held_open:
            yield "a background process keeps the output open; what it prints from now on is lost"


class OutputCopy:
    """A copy of an output in an unnamed temporary file; from its first error on, the end is kept in memory."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self.size = self.lost = self._file_size = 0
        self._file: IO[bytes] | None = None
        self._tail = bytearray()
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        except OSError as error:
            self.error = error

    def append(self, block: memoryview) -> None:
        self.size += len(block)
        if self.error is None and self._file is not None:
            try:
                while block:
                    count = os.write(self._file.fileno(), block)
                    self._file_size += count
                    block = block[count:]
            except OSError as error:
                self.error = error
        self._tail += block
        if len(self._tail) > 2 * _MAX_KEPT_IN_MEMORY:
            self.lost += len(self._tail) - _MAX_KEPT_IN_MEMORY
            del self._tail[:-_MAX_KEPT_IN_MEMORY]

    def iter_parts(self) -> Iterator[Iterator[bytes]]:
        """The contiguous parts of the output as blocks; there are two if the middle is lost."""
        tail = (bytes(self._tail[start : start + _BLOCK_SIZE]) for start in range(0, len(self._tail), _BLOCK_SIZE))
        if self.lost:
            yield self._iter_file_blocks()
            yield tail
        elif self.size:
            yield chain(self._iter_file_blocks(), tail)

    def _iter_file_blocks(self) -> Iterator[bytes]:
        if self._file is not None:
            for start in range(0, self._file_size, _BLOCK_SIZE):
                yield os.pread(self._file.fileno(), min(_BLOCK_SIZE, self._file_size - start), start)

    def iter_documents(self, name: str) -> Iterator[FileEntry]:
        if self.error is None and self._file is not None:
            if self.size:
                path = f"/dev/fd/{self._file.fileno()}"
                yield FileEntry(path, self.size, is_explicit=True, title=name)
            return
        for number, blocks in enumerate(self.iter_parts()):
            title = f"end of {name}" if number else name
            content = cast("IO[bytes]", _BlockReader(blocks))
            yield FileEntry(name, None, is_explicit=True, title=title, content=content)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class _BlockReader(io.RawIOBase):
    """Reads blocks as a file."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with memoryview(buffer) as view:
            self._rest = self._rest or next(self._blocks, b"")
            count = min(len(view), len(self._rest))
            view[:count] = self._rest[:count]
            self._rest = self._rest[count:]
            return count


class OutputStream:
    """One output of the command: its target and its copy."""

    def __init__(self, name: str, target: int, pipe: int) -> None:
        self.name, self.pipe = name, pipe
        self._target: int | None = target
        self.write_error: OSError | None = None
        self.copy = OutputCopy()

    def documents(self) -> Iterator[FileEntry]:
        """The output as documents."""
        return self.copy.iter_documents(self.name)

    def forward_block(self, block: memoryview) -> bool:
        """Writes a block to the target and the copy; false if the reader of the target is gone."""
        self.copy.append(block)
        if self._target is None:
            return True
        try:
            _write_all(self._target, block)
        except BrokenPipeError:
            return False
        except OSError as error:  # as `tee`, write no more
            self._target, self.write_error = None, error
        return True


def _write_all(descriptor: int, block: memoryview) -> None:
    while block:
        try:
            block = block[os.write(descriptor, block) :]
        except BlockingIOError:  # set by another process that shares the descriptor
            select.select([], [descriptor], [])


def describe_os_error(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def run_child(command: Sequence[str]) -> CommandResult:
    """Runs a command and waits for it; raises NotStartedError if it cannot be started.

    If there are not enough descriptors, threads or processes, the command replaces this process.
    """
    if not hasattr(os, "posix_spawnp"):
        raise DeadheatError("cannot run a command: no posix_spawnp", "", "pipe its output into: deadheat scan -")
    sys.stdout.flush()
    sys.stderr.flush()
    forwarded = {getattr(signal, name) for name in _FORWARDED_SIGNALS if hasattr(signal, name)}
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, forwarded)
    try:
        with ExitStack() as copies, closing(_OutputPipes()) as pipes:
            for stream in pipes.streams:
                copies.callback(stream.copy.close)
            with _monitor_command(forwarded) as monitor:
                monitor.watch(pipes.spawn(command, old_mask))
                was_held_open = _forward_output(pipes, monitor)
            return CommandResult(monitor.status, tuple(pipes.streams), was_held_open, copies.pop_all())
    except _ShortageError as shortage:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)
        _replace_process(command, str(shortage))
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


class _ShortageError(Exception):
    """Descriptors, threads or processes are short, and the command was not started."""


def _replace_process(command: Sequence[str], why: str) -> NoReturn:
    """Runs the command in place of this process, without a copy of its output."""
    cli.print_to_stderr(f"the output of the command cannot be searched: {why}; the command runs without deadheat")
    for name in _IGNORED_SIGNALS:
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        raise NotStartedError(error) from error


class _OutputPipes:
    """The pipes for the outputs of the command; one if stdout and stderr are the same."""

    def __init__(self) -> None:
        names = ("output",) if _is_same_file(1, 2) else ("stdout", "stderr")
        self._read_ends: list[int] = []
        self._write_ends: list[int] = []
        self.streams: list[OutputStream] = []
        try:
            for _ in names:
                read_end, write_end = os.pipe()
                self._read_ends.append(read_end)
                self._write_ends.append(write_end)
        except OSError as error:
            self.close()
            raise _ShortageError(describe_os_error(error)) from error
        # larger pipes need fewer context switches
        for pipe in (*self._read_ends, 1, 2):
            worker_pool.enlarge_pipe(pipe)
        self.streams = [
            OutputStream(name, target, pipe) for name, target, pipe in zip(names, (1, 2), self._read_ends, strict=False)
        ]

    def spawn(self, command: Sequence[str], mask: set[int | signal.Signals]) -> int:
        """Starts the command and returns its pid."""
        actions = [(os.POSIX_SPAWN_DUP2, self._write_ends[i % len(self._write_ends)], i + 1) for i in range(2)]
        try:
            return os.posix_spawnp(
                command[0],
                list(command),
                os.environ,
                file_actions=actions,
                setsigmask=mask,
                setsigdef=[getattr(signal, name) for name in _IGNORED_SIGNALS],
            )
        except OSError as error:
            if error.errno in _SHORTAGES:
                raise _ShortageError(describe_os_error(error)) from error
            raise NotStartedError(error) from error
        except ValueError as error:  # the name is empty
            raise NotStartedError(FileNotFoundError(str(error))) from error
        finally:
            self._close_ends(self._write_ends)

    def close_read_end(self, pipe: int) -> None:
        """Closes the pipe of one output: the command gets SIGPIPE if it writes more."""
        self._read_ends.remove(pipe)
        os.close(pipe)

    def close(self) -> None:
        """Closes what is still open."""
        self._close_ends(self._read_ends)
        self._close_ends(self._write_ends)

    @staticmethod
    def _close_ends(ends: list[int]) -> None:
        while ends:
            os.close(ends.pop())


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


def _forward_output(pipes: _OutputPipes, monitor: _CommandMonitor) -> bool:
    """Forwards output until end of file, or until the command has ended and nothing more comes.

    Returns whether a background process still has the output open.
    """
    block = memoryview(bytearray(_BLOCK_SIZE))
    open_streams = {stream.pipe: stream for stream in pipes.streams}
    end_of_drain = 0.0
    poll = select.poll()
    for pipe in (*open_streams, monitor.exit_pipe):
        poll.register(pipe, select.POLLIN)
    while open_streams:
        has_exited = monitor.has_exited
        ready = poll.poll(_SECONDS_TO_DRAIN * 1000 if has_exited else None)
        if has_exited:
            # what the command printed is read by now: a block is as large as a pipe
            is_late = bool(end_of_drain) and time.monotonic() > end_of_drain
            if not ready or (is_late and any(events & select.POLLIN for _, events in ready)):
                return True
            end_of_drain = end_of_drain or time.monotonic() + _MAX_SECONDS_TO_DRAIN
        for pipe, _ in ready:
            stream = open_streams.get(pipe)
            if stream is None:
                poll.unregister(monitor.exit_pipe)  # the command has exited
                continue
            count = os.readv(pipe, [block])
            if not count or not stream.forward_block(block[:count]):
                poll.unregister(pipe)
                del open_streams[pipe]
                pipes.close_read_end(pipe)
    return False


class _CommandMonitor:
    """Waits for the command to exit and forwards signals to it.

    The threads begin before the command, so that it is not started if they cannot be.
    """

    def __init__(self, forwarded: set[signal.Signals]) -> None:
        self._pid, self._forwarded = 0, forwarded
        self._returned_status = 0
        self.has_exited = False
        self.exit_pipe, self._exit_pipe_writer = os.pipe()
        self._is_started = threading.Event()
        self._waiter = threading.Thread(target=self._wait_for_exit, daemon=True)
        self._listener = threading.Thread(target=self._forward_signals, daemon=True)

    def start(self) -> None:
        self._waiter.start()
        self._listener.start()

    def watch(self, pid: int) -> None:
        """Sets the command; 0 if it could not be started."""
        self._pid = pid
        self._is_started.set()

    def _wait_for_exit(self) -> None:
        self._is_started.wait()
        if self._pid:
            _, status = os.waitpid(self._pid, 0)
            self._returned_status = os.waitstatus_to_exitcode(status)
        self.has_exited = True
        os.close(self._exit_pipe_writer)

    def _forward_signals(self) -> None:
        while not self.has_exited:
            number, sender, kind = _wait_for_signal(self._forwarded)
            if sender == os.getpid():
                return  # sent by stop
            self._is_started.wait()
            from_terminal = kind == _SENT_BY_KERNEL and number in (signal.SIGINT, signal.SIGQUIT)
            if self._pid and not from_terminal and not self.has_exited:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, number)

    def stop(self) -> None:
        """Waits for the command and ends the threads."""
        if not self._is_started.is_set():
            self.watch(0)
        if self._waiter.ident is None:
            os.close(self._exit_pipe_writer)
        else:
            self._waiter.join()
        if self._listener.ident is not None:
            if self._listener.is_alive():
                signal.pthread_kill(self._listener.ident, signal.SIGUSR1)
            self._listener.join()
        os.close(self.exit_pipe)

    @property
    def status(self) -> int:
        """The exit status of the command; 128 + N if signal N ended it."""
        return self._returned_status if self._returned_status >= 0 else 128 - self._returned_status


@contextmanager
def _monitor_command(forwarded: set[signal.Signals]) -> Iterator[_CommandMonitor]:
    """A monitor for a command that is not started yet; waits for it at the end."""
    try:
        monitor = _CommandMonitor(forwarded)
    except OSError as error:
        raise _ShortageError(describe_os_error(error)) from error
    try:
        try:
            monitor.start()
        except RuntimeError as error:
            raise _ShortageError(str(error)) from error
        yield monitor
    finally:
        monitor.stop()


def _wait_for_signal(wanted: set[signal.Signals]) -> tuple[int, int, int]:
    """Waits for a signal; returns its number, the pid of the sender and si_code."""
    if hasattr(signal, "sigwaitinfo"):
        info = signal.sigwaitinfo(wanted)
        return info.si_signo, info.si_pid, info.si_code
    number = signal.sigwait(wanted)  # macOS gives only the number
    return number, os.getpid() if number == signal.SIGUSR1 else 0, 0
