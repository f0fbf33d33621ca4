"""Distributes units of work over forked processes and returns their results in order."""

from __future__ import annotations

import os
import pickle
import select
import struct
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

from deadheat.cli import pipes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Work = Callable[[int, bool], Iterator[Any]]

_FRAME = struct.Struct("<IQ")
_TOKEN = struct.Struct("<Q")
# units per worker that may run ahead of the unit whose results are due
_AHEAD = 4
# results that are not due yet stay in the pipe beyond this many bytes
_BUFFERED = 1 << 22


class _Worker:
    """A child process: its current unit and the bytes received from it."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid, self.pipe = pid, pipe
        self.unit: int | None = None
        self.bytes = bytearray()


def run(count: int, jobs: int, work: Work) -> Iterator[Any]:
    """Yields every value of `work(unit, forked)` for each unit, in the order of the units.

    If a worker dies (a mapped file shrank, out of memory), its unit is redone in this process
    without maps. Values that were already delivered are not repeated.
    """
    if jobs < 2 or count < 2 or not hasattr(os, "fork"):
        for unit in range(count):
            yield from work(unit, False)
        return
    pool = _Pool(count, min(jobs, count), work)
    try:
        yield from pool.results()
    finally:
        pool.stop()


class _Pool:
    def __init__(self, count: int, jobs: int, work: Work) -> None:
        self._count, self._work = count, work
        self._tokens_out, self._tokens_in = os.pipe()
        self._issued = 0
        self._results: dict[int, deque[Any]] = {}
        self._waiting: dict[int, int] = {}
        self._finished: set[int] = set()
        self._lost: set[int] = set()
        sys.stdout.flush()
        sys.stderr.flush()
        self._workers = [self._fork() for _ in range(jobs)]
        self._issue(jobs * _AHEAD)

    def _fork(self) -> _Worker:
        out, into = os.pipe()
        pipes.widen(out)
        pid = os.fork()
        if pid == 0:
            os.close(out)
            os.close(self._tokens_in)
            _child(self._tokens_out, into, self._work)
        os.close(into)
        return _Worker(pid, out)

    def _issue(self, upto: int) -> None:
        while self._issued < min(upto, self._count):
            os.write(self._tokens_in, _TOKEN.pack(self._issued))
            self._issued += 1
        if self._issued == self._count and self._tokens_in >= 0:
            os.close(self._tokens_in)
            self._tokens_in = -1

    def results(self) -> Iterator[Any]:
        ahead = len(self._workers) * _AHEAD
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
                    yield from self._redo(unit, delivered)
                    break
                self._receive(unit)
            self._results.pop(unit, None)
            self._waiting.pop(unit, None)
            self._issue(unit + 1 + ahead)

    def _redo(self, unit: int, delivered: int) -> Iterator[Any]:
        for index, value in enumerate(self._work(unit, False)):
            if index >= delivered:
                yield value

    def _receive(self, due: int) -> None:
        ready = [
            w.pipe
            for w in self._workers
            if w.unit is None or w.unit == due or self._waiting.get(w.unit, 0) < _BUFFERED
        ]
        for pipe in select.select(ready, [], [])[0]:
            worker = next(w for w in self._workers if w.pipe == pipe)
            data = os.read(pipe, 1 << 20)
            if data:
                worker.bytes += data
                self._parse(worker)
            else:
                self._buried(worker)

    def _parse(self, worker: _Worker) -> None:
        at, data = 0, worker.bytes
        while len(data) - at >= _FRAME.size:
            length, unit = _FRAME.unpack_from(data, at)
            if len(data) - at - _FRAME.size < length:
                break
            begin = at + _FRAME.size
            at = begin + length
            with memoryview(data) as view, view[begin:at] as body:
                self._message(worker, unit, body)
        del data[:at]

    def _message(self, worker: _Worker, unit: int, body: memoryview) -> None:
        """Handles a message; an empty body starts a unit, the next empty one ends it."""
        if body:
            # from our own child over a private pipe
            self._results.setdefault(unit, deque()).append(pickle.loads(body))  # noqa: S301
            self._waiting[unit] = self._waiting.get(unit, 0) + len(body)
        elif worker.unit == unit:
            worker.unit = None
            self._finished.add(unit)
        else:
            worker.unit = unit

    def _buried(self, worker: _Worker) -> None:
        """Handles the end of a pipe: the worker has no more units, or has died."""
        self._workers.remove(worker)
        os.close(worker.pipe)
        os.waitpid(worker.pid, 0)
        if worker.unit is not None:
            self._lost.add(worker.unit)

    def stop(self) -> None:
        import signal

        for worker in self._workers:
            os.kill(worker.pid, signal.SIGKILL)
            os.waitpid(worker.pid, 0)
            os.close(worker.pipe)
        os.close(self._tokens_out)
        if self._tokens_in >= 0:
            os.close(self._tokens_in)


def _child(tokens: int, pipe: int, work: Work) -> None:
    """Processes units until there are none; never returns."""
    import signal

    status = 1
    try:
        # Ctrl-C reaches the whole group; the parent kills its children
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while token := os.read(tokens, _TOKEN.size):
            (unit,) = _TOKEN.unpack(token)
            _send(pipe, unit, b"")
            for value in work(unit, True):
                _send(pipe, unit, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
            _send(pipe, unit, b"")
        status = 0
    finally:
        os._exit(status)


def _send(pipe: int, unit: int, body: bytes) -> None:
    head = _FRAME.pack(len(body), unit)
    sent = os.writev(pipe, [head, body])
    while sent < len(head):
        sent += os.write(pipe, head[sent:])
    with memoryview(body) as rest:
        while sent < len(head) + len(body):
            sent += os.write(pipe, rest[sent - len(head) :])
