"""What a server does beside answering requests, in two threads: it looks for what happened, and sends messages."""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.lake.data_files import is_in
from deadheat.triage.server_tables import UploadState
from deadheat.web.notify.delivery import Deliverer
from deadheat.web.notify.finder import NoticeFinder
from deadheat.web.operations.ingest_process import read_ingest_state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deadheat.codeowners import OwnerRule
    from deadheat.triage.store import DecisionStore
    from deadheat.web.intake.folder import IntakeFolder
    from deadheat.web.notify.delivery import DeliveryPolicy
    from deadheat.web.notify.rules import Destination
    from deadheat.web.operations.ingest_process import IngestState
    from deadheat.web.services import Services
    from deadheat.web.snapshot import LakeSnapshot

_LOG = logging.getLogger("deadheat.web")
_LOOK_SECONDS = 1.0
# an upload may be registered after it was ingested
_UPLOAD_CHECK_SECONDS = 30.0
INGEST_STATE_FILE = "ingest.json"


class BackgroundWork:
    """The threads of one process. `snapshot_loaded_at` is when the state that pages show was noticed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.state_folder: Path | None = None  # what the processes of one server share
        self.snapshot_loaded_at = time.time()
        self._snapshot: LakeSnapshot | None = None
        self._finder: NoticeFinder | None = None
        self._deliverer: Deliverer | None = None
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._faults: dict[str, str] = {}
        self._uploads_checked_at = 0.0

    def use_notifications(
        self, store: DecisionStore, destinations: Sequence[Destination], public_url: str,
        owner_rules: Sequence[OwnerRule] = (), policy: DeliveryPolicy | None = None,
    ) -> None:  # fmt: skip
        self._finder = NoticeFinder(self._services, store, destinations, public_url, owner_rules)
        self._deliverer = Deliverer(store, destinations, policy)

    def start(self) -> None:
        if self._services.intake is not None:
            self._services.intake.remove_abandoned()
        if self._finder is not None:
            self._finder.begin(datetime.now(UTC))
        loops: list[tuple[str, Callable[[], bool]]] = [("look", self._look)]
        if self._deliverer is not None:
            loops.append(("notify", self._deliver))
        for name, step in loops:
            thread = threading.Thread(target=self._repeat, args=(name, step), name=f"deadheat-{name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """A notification that is being sent may be sent again by another process: it is not waited for."""
        self._stop.set()
        for thread in self._threads:
            thread.join(3)

    def ingest_state(self) -> IngestState | None:
        return read_ingest_state(self.state_folder / INGEST_STATE_FILE) if self.state_folder is not None else None

    def _repeat(self, name: str, step: Callable[[], bool]) -> None:
        """Repeats a step; at once while it says that there is more to do."""
        while not self._stop.is_set():
            is_busy = False
            try:
                is_busy = step()
                self._faults.pop(name, None)
            except (DeadheatError, OSError) as error:
                if self._faults.get(name) != str(error):  # once, however long it lasts
                    _LOG.warning("%s", error)
                self._faults[name] = str(error)
            except Exception:  # noqa: BLE001, without the thread nobody would be notified
                _LOG.exception("failed in the background: %s", name)
            if not is_busy:
                self._stop.wait(_LOOK_SECONDS)

    def _look(self) -> bool:
        snapshot = self._services.live.state.snapshot
        is_new = snapshot is not self._snapshot
        if is_new:
            self._snapshot, self.snapshot_loaded_at = snapshot, time.time()
        is_due = is_new or time.monotonic() - self._uploads_checked_at > _UPLOAD_CHECK_SECONDS
        if is_due and self._services.intake is not None and self._services.store is not None:
            note_ingested(self._services.store, self._services.intake, snapshot)
            self._uploads_checked_at = time.monotonic()
        if self._finder is not None:
            self._finder.look(datetime.now(UTC))
        return False

    def _deliver(self) -> bool:
        assert self._deliverer is not None
        return self._deliverer.deliver_due() > 0


def note_ingested(store: DecisionStore, intake: IntakeFolder, snapshot: LakeSnapshot) -> None:
    """Notes which received documents are in the lake."""
    received = store.uploads.all(UploadState.RECEIVED)
    waiting = {str(path): each.digest for each in received for path in intake.files_of(each.digest)}
    if not waiting:
        return
    low, high = min(waiting), max(waiting)
    files = [file for file in snapshot.lake.data_files("files") if file.may_contain("uri", low, high)]
    if not files:
        return
    for uri in snapshot.lake.read_rows("files", ["uri"], is_in("uri", waiting), files)["uri"].to_pylist():
        store.uploads.mark_ingested(waiting[uri])
