"""The process that reads sources and clones, so that the server answers at once and survives what they contain."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError, unexpected_fault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from deadheat.lsp_server.code_places import PlacedRaces, RaceDossier
    from deadheat.lsp_server.race_entries import LoadedRaces, RaceEntry
    from deadheat.lsp_server.settings import ServerSettings

_STOP_SECONDS = 2.0


class WorkerStoppedError(DeadheatError):
    """The worker was stopped, or has died."""


class SourceWorker:
    """The side of the server. Requests run one after another; a stopped worker is started again when it is needed."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "deadheat-worker")

    async def load(self, settings: ServerSettings) -> LoadedRaces:
        return await self._request("load", settings)  # type: ignore[no-any-return]

    async def place(self, entries: Sequence[RaceEntry], roots: Sequence[str], repos: Sequence[str]) -> PlacedRaces:
        return await self._request("place", tuple(entries), tuple(roots), tuple(repos))  # type: ignore[no-any-return]

    async def make_dossier(self, entry: RaceEntry, repos: Sequence[str]) -> RaceDossier:
        """Makes a dossier. If the request is cancelled meanwhile, the process is stopped."""
        return await self._request("dossier", entry, tuple(repos))  # type: ignore[no-any-return]

    async def _request(self, name: str, *arguments: Any) -> Any:
        async with self._lock:
            loop = asyncio.get_running_loop()
            try:
                is_right, answer = await loop.run_in_executor(self._thread, self._exchange, name, arguments)
            except asyncio.CancelledError:
                self.stop()
                raise
        if not is_right:
            raise answer
        return answer

    def _exchange(self, name: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._connection is not None
        try:
            self._connection.send((name, arguments))
            answer: tuple[bool, Any] = self._connection.recv()
        except (EOFError, OSError):
            return False, WorkerStoppedError("the process that reads logs and clones has ended", name)
        return answer

    def _start(self) -> None:
        self._connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=run_worker, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def stop(self) -> None:
        """Ends the process, and with it the request that it works on."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            self._thread.submit(_reap, process)

    def close(self) -> None:
        self.stop()
        self._thread.shutdown()


def _reap(process: SpawnProcess) -> None:
    process.join(_STOP_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()


def run_worker(connection: Connection) -> None:
    """Answers requests until the server has closed the connection."""
    from deadheat.lsp_server.code_places import CodeReader

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides
    reader = CodeReader()
    signal.signal(signal.SIGTERM, lambda *_: exit_cleanly())
    try:
        while True:
            try:
                name, arguments = connection.recv()
            except (EOFError, OSError):
                return
            connection.send(_answer(reader, name, arguments))
    finally:
        reader.close()  # removes the sandboxes of git


def exit_cleanly() -> None:
    raise SystemExit(0)


def _answer(reader: Any, name: str, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        if name == "load":
            from deadheat.lsp_server.race_entries import load_races

            loaded = load_races(*arguments)
            by_log: dict[str, list[Any]] = {}
            for entry in loaded.entries:
                if entry.log:
                    by_log.setdefault(entry.log, []).append(entry.report)
            reader.reports_by_log = {log: tuple(reports) for log, reports in by_log.items()}
            return True, loaded
        if name == "place":
            return True, reader.place_races(*arguments)
        return True, reader.make_dossier(*arguments)
    except Exception as error:  # noqa: BLE001, the server tells the client
        return False, unexpected_fault(error, name, "the request failed")
