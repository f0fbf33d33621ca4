"""What is worth a notification: changes of the lake, and decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError
from deadheat.lake.tables import Lake
from deadheat.triage.events import EventKind, Status
from deadheat.web.notify.rules import NoticeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from deadheat.triage.events import Event
    from deadheat.triage.state import RaceState
    from deadheat.web.snapshot import LakeSnapshot

# the activity of a race that was quiet and is sighted again, in the column `status` of the lake
_RETURNED = "returned"
_COLUMNS = ("race", "aliases", "status")
# decisions that say themselves when the race is back
_OWN_RETURN = (Status.FIXED, Status.BACK)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to a race. The key is the same whoever notices it."""

    key: str
    kind: NoticeKind
    race: str
    actor: str = ""
    detail: str = ""


def notices_of_events(events: Iterable[Event], states: Mapping[str, RaceState]) -> list[Notice]:
    """The notices of decisions."""
    notices = []
    for event in events:
        if event.kind is EventKind.ASSIGN and event.payload["assignee"]:
            assignee = event.payload["assignee"]
            notices.append(Notice(f"event {event.id}", NoticeKind.ASSIGNED, event.race, event.actor, assignee))
        elif event.kind is EventKind.BACK:
            state = states.get(event.race)
            fix = state.fixed_in if state else None
            kind = NoticeKind.FIX_FAILED if fix else NoticeKind.BACK
            notices.append(Notice(f"event {event.id}", kind, event.race, detail=fix or ""))
    return notices


class LakeChanges:
    """The races of a lake as they were noticed last, to find what is new in a later state.

    The version of the table `races` up to which races were noticed is in the database. After a start, the races of that
    version are read from the lake, which keeps old files for a week.
    """

    def __init__(self) -> None:
        self._version = -1
        self._names: set[str] = set()
        self._returned: set[str] = set()

    @staticmethod
    def cursor_name(snapshot: LakeSnapshot) -> str:
        """The name of the cursor for this lake; another lake at the same place has another one."""
        return f"races {snapshot.lake.delta_table('races').metadata().id}"

    def notice(self, snapshot: LakeSnapshot, races: pa.Table) -> None:
        """Take the races of a table as noticed."""
        self._version = snapshot.lake.delta_table("races").version()
        self._set(races)

    def _set(self, races: pa.Table) -> None:
        names, aliases, statuses = (races[name].to_pylist() for name in _COLUMNS)
        self._names = {*names, *(alias for each in aliases for alias in each or ())}
        self._returned = {name for name, status in zip(names, statuses, strict=True) if status == _RETURNED}

    def go_to(self, uri: str, version: int) -> bool:
        """Take the races of an earlier version of the lake as noticed; False if it is not there any more."""
        if self._version == version:
            return True
        from deltalake.exceptions import DeltaError

        lake = Lake(uri)
        try:
            lake.delta_table("races").load_as_version(version)
            self._set(lake.read_rows("races", _COLUMNS))
        except (DeadheatError, DeltaError, OSError):
            return False
        self._version = version
        return True

    def changes(self, snapshot: LakeSnapshot, states: Mapping[str, RaceState]) -> list[Notice]:
        """What is in the snapshot and was not noticed."""
        notices = []
        names, aliases, statuses, histories = (
            snapshot.races[name].to_pylist() for name in ("race", "aliases", "status", "history")
        )
        for race, others, status, history in zip(names, aliases, statuses, histories, strict=True):
            if self._names.isdisjoint((race, *(others or ()))):
                notices.append(Notice(f"new {race}", NoticeKind.NEW, race))
            elif status == _RETURNED and race not in self._returned and not _says_return(states.get(race)):
                notices.append(Notice(f"returned {race} {_last_day(history)}", NoticeKind.BACK, race))
        return notices


def _says_return(state: RaceState | None) -> bool:
    return state is not None and state.status in _OWN_RETURN


def _last_day(history: list[dict[str, Any]] | None) -> str:
    return str(history[-1]["day"]) if history else ""
