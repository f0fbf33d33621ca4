"""Distributes units of work over forked processes and returns their results in order."""

from __future__ import annotations

import os
import pickle
import select
import struct
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    UnitFunction = Callable[[int, bool], Iterator[Any]]

    DeathFunction = Callable[[int, str], Any]  # the value for a unit whose worker died, given why


# maximum for an unprivileged process
_PIPE_SIZE: Final = 1 << 20


def enlarge_pipe(descriptor: int) -> None:
    """Enlarges the buffer of a pipe, if the system allows it."""
    with suppress(ImportError, OSError):  # not Linux, not a pipe, or not permitted
        from fcntl import F_GETPIPE_SZ, F_SETPIPE_SZ, fcntl

        if fcntl(descriptor, F_GETPIPE_SZ) < _PIPE_SIZE:
            fcntl(descriptor, F_SETPIPE_SZ, _PIPE_SIZE)


_MESSAGE_HEADER = struct.Struct("<IQ")
_UNIT_TOKEN = struct.Struct("<Q")
# units per worker that may run ahead of the unit whose results are due
_MAX_UNITS_AHEAD = 4
# results that are not due yet stay in the pipe beyond this many bytes
_MAX_BUFFERED_BYTES = 1 << 22


class _WorkerProcess:
    """A child process: its current unit and the bytes received from it."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid, self.pipe = pid, pipe
        self.unit: int | None = None
        self.bytes = bytearray()


def run_units(count: int, jobs: int, work: UnitFunction, describe_death: DeathFunction) -> Iterator[Any]:
    """Yields every value of `work(unit, forked)` for each unit, in the order of the units.

    If a worker dies, for example because memory was short, its unit is read again by a process that runs alone. If
    that dies too, `describe_death` gives the last value. Values that were already delivered are not repeated.
    """
    if jobs < 2 or count < 2 or not hasattr(os, "fork"):
        for unit in range(count):
            yield from work(unit, False)
        return
    pool = _WorkerPool(count, min(jobs, count), work, describe_death)
    try:
        yield from pool.iter_results()
    finally:
        pool.stop()


class _WorkerPool:
    def __init__(self, count: int, jobs: int, work: UnitFunction, describe_death: DeathFunction) -> None:
        self._count, self._work, self._describe_death = count, work, describe_death
        self._tokens_out, self._tokens_in = os.pipe()
        self._issued = 0
        self._results: dict[int, deque[Any]] = {}
        self._buffered_bytes: dict[int, int] = {}
        self._finished: set[int] = set()
        self._lost: set[int] = set()
        sys.stdout.flush()
        sys.stderr.flush()
        self._workers = [self._fork_worker(self._tokens_out) for _ in range(jobs)]
        self._issue_units(jobs * _MAX_UNITS_AHEAD)

    def _fork_worker(self, tokens: int) -> _WorkerProcess:
        read_end, write_end = os.pipe()
        enlarge_pipe(read_end)
        pid = os.fork()
        if pid == 0:
            os.close(read_end)
            if self._tokens_in >= 0:
                os.close(self._tokens_in)
            _run_worker(tokens, write_end, self._work)
        os.close(write_end)
        return _WorkerProcess(pid, read_end)

    def _issue_units(self, upto: int) -> None:
        while self._issued < min(upto, self._count):
            os.write(self._tokens_in, _UNIT_TOKEN.pack(self._issued))
            self._issued += 1
        if self._issued == self._count and self._tokens_in >= 0:
            os.close(self._tokens_in)
            self._tokens_in = -1

    def iter_results(self) -> Iterator[Any]:
        ahead = len(self._workers) * _MAX_UNITS_AHEAD
        for unit in range(self._count):
            delivered = 0
            while True:
                queue = self._results.get(unit)
                while queue:
                    delivered += 1
                    yield queue.popleft()
                if unit in self._finished:
                    break
                if unit in self._lost or not self._workers:
                    yield from self._redo_unit(unit, delivered)
                    break
                self._receive_results(unit)
            self._results.pop(unit, None)
            self._buffered_bytes.pop(unit, None)
            self._issue_units(unit + 1 + ahead)

    def _redo_unit(self, unit: int, delivered: int) -> Iterator[Any]:
        """Reads a unit again whose worker died, in a process of its own."""
        tokens_out, tokens_in = os.pipe()
        os.write(tokens_in, _UNIT_TOKEN.pack(unit))
        os.close(tokens_in)
        worker = self._fork_worker(tokens_out)
        os.close(tokens_out)
        self._workers.append(worker)  # so that `stop` ends it
        queue = self._results[unit] = deque()
        count = 0
        while data := os.read(worker.pipe, 1 << 20):
            worker.bytes += data
            self._parse_messages(worker)
            while queue:
                value = queue.popleft()
                count += 1
                if count > delivered:
                    yield value
        status = self._remove_worker(worker)
        if unit not in self._finished:
            yield self._describe_death(unit, _describe_status(status))

    def _receive_results(self, due: int) -> None:
        ready = [
            w.pipe
            for w in self._workers
            if w.unit is None or w.unit == due or self._buffered_bytes.get(w.unit, 0) < _MAX_BUFFERED_BYTES
        ]
        for pipe in select.select(ready, [], [])[0]:
            worker = next(w for w in self._workers if w.pipe == pipe)
            data = os.read(pipe, 1 << 20)
            if data:
                worker.bytes += data
                self._parse_messages(worker)
            else:
                self._remove_worker(worker)

    def _parse_messages(self, worker: _WorkerProcess) -> None:
        offset, data = 0, worker.bytes
        while len(data) - offset >= _MESSAGE_HEADER.size:
            length, unit = _MESSAGE_HEADER.unpack_from(data, offset)
            if len(data) - offset - _MESSAGE_HEADER.size < length:
                break
            body_start = offset + _MESSAGE_HEADER.size
            offset = body_start + length
            with memoryview(data) as view, view[body_start:offset] as body:
                self._handle_message(worker, unit, body)
        del data[:offset]

    def _handle_message(self, worker: _WorkerProcess, unit: int, body: memoryview) -> None:
        """Handles a message; an empty body starts a unit, the next empty one ends it."""
        if body:
            # from our own child over a private pipe
            self._results.setdefault(unit, deque()).append(pickle.loads(body))  # noqa: S301
            self._buffered_bytes[unit] = self._buffered_bytes.get(unit, 0) + len(body)
        elif worker.unit == unit:
            worker.unit = None
            self._finished.add(unit)
        else:
            worker.unit = unit

    def _remove_worker(self, worker: _WorkerProcess) -> int:
        """Handles the end of a pipe: the worker has no more units, or has died. Returns its exit status."""
        self._workers.remove(worker)
        os.close(worker.pipe)
        _, status = os.waitpid(worker.pid, 0)
        if worker.unit is not None:
            self._lost.add(worker.unit)
        return os.waitstatus_to_exitcode(status)

    def stop(self) -> None:
        import signal

        for worker in self._workers:
            os.kill(worker.pid, signal.SIGKILL)
            os.waitpid(worker.pid, 0)
            os.close(worker.pipe)
        os.close(self._tokens_out)
        if self._tokens_in >= 0:
            os.close(self._tokens_in)


def _describe_status(status: int) -> str:
    if status == -9:
        return "was killed, perhaps because memory was short"
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"


def _run_worker(tokens: int, pipe: int, work: UnitFunction) -> None:
    """Processes units until there are none; never returns."""
    import signal

    status = 1
    try:
        # Ctrl-C reaches the whole group; the parent kills its children
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while token := os.read(tokens, _UNIT_TOKEN.size):
            (unit,) = _UNIT_TOKEN.unpack(token)
            _send_message(pipe, unit, b"")
            for value in work(unit, True):
                _send_message(pipe, unit, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
            _send_message(pipe, unit, b"")
        status = 0
    finally:
        os._exit(status)


def _send_message(pipe: int, unit: int, body: bytes) -> None:
    head = _MESSAGE_HEADER.pack(len(body), unit)
    sent = os.writev(pipe, [head, body])
    while sent < len(head):
        sent += os.write(pipe, head[sent:])
    with memoryview(body) as rest:
        while sent < len(head) + len(body):
            sent += os.write(pipe, rest[sent - len(head) :])
