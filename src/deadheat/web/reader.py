"""Loads snapshots of a lake: the next one when the lake has changed."""

from __future__ import annotations

import os
import time

from deadheat.lake.tables import Lake
from deadheat.web.snapshot import LakeSnapshot, is_consistent, lake_version, log_folders

# a lake that is not on a local disk is asked less often, because every table takes requests
_REMOTE_SECONDS = 10.0
# a former snapshot is closed when no request can use it any more
_KEPT_SNAPSHOTS = 3


class LakeReader:
    """`snapshot` is the newest complete state of the lake that was loaded."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._stamp = self._log_stamp()
        self._checked_at = time.monotonic()
        self._snapshots = [LakeSnapshot(Lake(uri).require())]

    @property
    def snapshot(self) -> LakeSnapshot:
        return self._snapshots[-1]

    def close(self) -> None:
        for snapshot in self._snapshots:
            snapshot.close()

    def check(self) -> bool:
        """Load the state of the lake if it is another one. Returns whether it was."""
        stamp = self._log_stamp()
        if stamp is None:
            if time.monotonic() - self._checked_at < _REMOTE_SECONDS:
                return False
            self._checked_at = time.monotonic()
        elif stamp == self._stamp:
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
