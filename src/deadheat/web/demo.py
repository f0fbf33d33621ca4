"""The lake of `deadheat serve --demo`, which `tools/record_demo.py` records: unpacked, with some decisions."""

from __future__ import annotations

import io
import json
import pkgutil
import zipfile
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.triage.events import EventKind, EventSource, NewEvent
from deadheat.triage.store import DecisionStore

if TYPE_CHECKING:
    from pathlib import Path

_ACTOR = "demo"
_DECISIONS = "demo-decisions.json"


def unpack_demo(folder: Path) -> tuple[Path, Path]:
    """Make the lake and the database of decisions of the demo in a folder; returns their paths."""
    data = pkgutil.get_data("deadheat.web", "demo.zip")  # also works in a zip file
    if data is None:
        raise DeadheatError("the demo is not part of this installation", "deadheat.web/demo.zip", "install it again")
    lake, database = folder / "lake", folder / "decisions.sqlite"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(lake)
    path = lake / _DECISIONS
    decisions = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    store = DecisionStore.open(str(database))
    try:
        store.record_all(
            [
                NewEvent(
                    each["race"], EventKind(each["kind"]), each["payload"], _ACTOR, EventSource.IMPORT, f"demo-{n}"
                )
                for n, each in enumerate(decisions)
            ]
        )
    finally:
        store.close()
    return lake, database
