"""Keeps a snapshot of the lake, and loads the next one when the lake has changed."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.lake.tables import Lake
from deadheat.web.snapshot import LakeSnapshot, is_consistent, lake_version, log_folders

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger("deadheat.web")
# a lake that is not on a local disk is asked less often, because every table takes requests
_REMOTE_FACTOR = 10
# a former snapshot is closed when no request can use it any more
_KEPT_SNAPSHOTS = 2


class LakeReader:
    """`snapshot` is the newest complete state of the lake that was loaded."""

    def __init__(self, uri: str, on_change: Callable[[], None] = lambda: None) -> None:
        self.uri = uri
        self.on_change = on_change
        self.fault = ""  # why the newest state could not be loaded
        self._stamp = self._log_stamp()
        self._snapshots = [LakeSnapshot(Lake(uri).require())]
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def snapshot(self) -> LakeSnapshot:
        return self._snapshots[-1]

    def start(self, seconds: float) -> None:
        """Look for changes every few seconds, in a thread."""
        interval = seconds if self.snapshot.lake.storage.is_local else seconds * _REMOTE_FACTOR
        self._thread = threading.Thread(target=self._watch, args=(interval,), name="lake-reader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)

    def _watch(self, interval: float) -> None:
        while not self._stop.wait(interval):
            try:
                self.check()
                self.fault = ""
            except DeadheatError as error:
                if self.fault != str(error):
                    _LOG.warning("the lake cannot be read again: %s", error)
                self.fault = str(error)

    def check(self) -> bool:
        """Load the state of the lake if it is another one. Returns whether it was."""
        stamp = self._log_stamp()
        if stamp is not None and stamp == self._stamp:
            return False
        lake = Lake(self.uri).require()
        if not is_consistent(lake):
            return False  # a writer is at work; its last table changes the stamp again
        self._stamp = stamp
        if lake_version(lake) == self.snapshot.version:
            return False
        self._snapshots.append(LakeSnapshot(lake))
        while len(self._snapshots) > _KEPT_SNAPSHOTS:
            self._snapshots.pop(0).close()
        self.on_change()
        return True

    def _log_stamp(self) -> tuple[int, ...] | None:
        """The times of the last changes of the logs; None if the lake is not on a local disk."""
        if "://" in self.uri and not self.uri.startswith("file://"):
            return None
        root = self.uri.removeprefix("file://")
        return tuple(_modified_at(f"{root}/{name}") for name in log_folders())


def _modified_at(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0
