"""Finds what happened, which rules select it, and puts a message for each destination into the outbox."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.codeowners import OwnerRule, owners_by_rule
from deadheat.triage.events import Status
from deadheat.web.notify.notices import LakeChanges, Notice, notices_of_events
from deadheat.web.notify.rules import Destination, NoticeKind, NotificationRule, digest_times
from deadheat.web.notify.texts import MAX_LISTED, digest_message, list_message, race_message
from deadheat.web.race_data import PageData
from deadheat.web.race_table import RaceQuery, files_of_sites

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import time as time_of_day

    from deadheat.triage.store import DecisionStore
    from deadheat.web.models import RaceSummary
    from deadheat.web.services import Services

_LOG = logging.getLogger("deadheat.web.notify")
_EVENTS_CURSOR = "notified events"
# notices of one kind that are one message each
_MAX_MESSAGES = 10
# branches of new races are known when the index of sightings is complete
_INDEX_WAIT_SECONDS = 60.0
_MONDAY = 0
# a race with one of them is not part of a digest
_CLOSED = (Status.FIXED, Status.WONT_FIX, Status.NOT_A_BUG, Status.DUPLICATE)
_QUIET_KINDS = (NoticeKind.NEW, NoticeKind.BACK, NoticeKind.FIX_FAILED)


class QueuedMessage(NamedTuple):
    """A notification to one destination."""

    key: str
    destination: str
    body: dict[str, Any]


class NoticeFinder:
    """Looks for what is worth a notification. Several may, in any processes: each event is enqueued once."""

    def __init__(
        self, services: Services, store: DecisionStore, destinations: Sequence[Destination], public_url: str,
        owner_rules: Sequence[OwnerRule] = (),
    ) -> None:  # fmt: skip
        self._services, self._store = services, store
        self._destinations, self._public_url = destinations, public_url.rstrip("/")
        self._owner_rules = owner_rules
        self._lake_changes = LakeChanges()

    def begin(self, now: datetime) -> None:
        """When notifications are used first, what is there is not new. Afterwards nothing is omitted."""
        if not self._store.cursor(_EVENTS_CURSOR):
            self._store.outbox.enqueue_up_to(_EVENTS_CURSOR, 0, self._store.version() + 1, ())
        snapshot = self._services.live.state.snapshot
        cursor = LakeChanges.cursor_name(snapshot)
        known = self._store.cursor(cursor)
        version = snapshot.lake.delta_table("races").version()
        if not known:
            self._store.outbox.enqueue_up_to(cursor, 0, version + 1, ())
        if known in (0, version + 1):
            self._lake_changes.notice(snapshot, snapshot.races)
        for kind, at in digest_times(self._destinations):
            if not self._store.cursor(_digest_cursor(kind, at)):
                self._store.outbox.enqueue_up_to(_digest_cursor(kind, at), 0, _last_due(kind, at, now).toordinal(), ())

    def look(self, now: datetime) -> None:
        """Enqueue what has happened since the last look."""
        self._look_at_events()
        self._look_at_lake()
        for kind, at in sorted(digest_times(self._destinations)):
            self._look_at_clock(kind, at, now)

    # -- events of races ------------------------------------------------------------------------------

    def _look_at_events(self) -> None:
        known = self._store.cursor(_EVENTS_CURSOR)
        events = self._store.changes_since(known - 1)
        if not events:
            return
        self._services.live.refresh_decisions(events[-1].sequence)
        notices = notices_of_events(events, self._services.live.state.states)
        self._store.outbox.enqueue_up_to(_EVENTS_CURSOR, known, events[-1].sequence + 1, self._messages(notices))

    def _look_at_lake(self) -> None:
        live = self._services.live.state
        cursor = LakeChanges.cursor_name(live.snapshot)
        known = self._store.cursor(cursor)
        version = live.snapshot.lake.delta_table("races").version()
        if not known:  # the lake was replaced by another one
            self.begin(datetime.now(UTC))
        if not known or known > version:  # another process has looked at a later version
            return
        loaded = self._services.background.snapshot_loaded_at
        is_indexed = live.index_version == str(live.snapshot.lake.delta_table("sightings").version())
        if not is_indexed and time.time() - loaded < _INDEX_WAIT_SECONDS:
            return
        if self._lake_changes.go_to(self._services.live.reader.uri, known - 1):
            notices = self._lake_changes.changes(live.snapshot, live.states)
        else:
            _LOG.warning("the lake as of the last notification was removed: new races since then are not announced")
            notices = []
        self._store.outbox.enqueue_up_to(cursor, known, version + 1, self._messages(notices))
        self._lake_changes.notice(live.snapshot, live.snapshot.races)

    def _messages(self, notices: Sequence[Notice]) -> list[QueuedMessage]:
        data = PageData(self._services)
        known = {
            notice.race: number for notice in notices if (number := data.snapshot.number_of(notice.race)) is not None
        }
        return [
            message
            for destination in self._destinations
            for message in self._messages_to(destination, [n for n in notices if n.race in known], known, data)
        ]

    def _messages_to(
        self, destination: Destination, notices: Sequence[Notice], numbers: dict[str, int], data: PageData
    ) -> Iterable[QueuedMessage]:
        selected: dict[NoticeKind, list[Notice]] = defaultdict(list)
        wanted = [(rule.kinds, self._selected(rule, numbers.values(), data)) for rule in destination.rules]
        for notice in notices:
            is_quiet = notice.kind in _QUIET_KINDS and data.decision(notice.race).muted
            if not is_quiet and any(notice.kind in kinds and numbers[notice.race] in found for kinds, found in wanted):
                selected[notice.kind].append(notice)
        for kind, chosen in selected.items():
            races = [data.summary(data.snapshot.race_at(numbers[each.race])) for each in chosen]
            if len(chosen) > _MAX_MESSAGES:
                body = list_message(kind, races[:MAX_LISTED], len(races), self._public_url)
                yield QueuedMessage(f"{chosen[0].key} and {len(chosen) - 1} more", destination.name, body)
                continue
            for notice, race in zip(chosen, races, strict=True):
                body = race_message(notice, race, self._owners(race), self._public_url)
                yield QueuedMessage(notice.key, destination.name, body)

    def _selected(self, rule: NotificationRule, numbers: Iterable[int], data: PageData) -> set[int]:
        """Which of these races a rule selects."""
        found = data.snapshot.table.numbers_of(rule.query, [*numbers])
        if not rule.owners:
            return found
        return {
            number for number in found
            if not rule.owners.isdisjoint(self._owners(data.summary(data.snapshot.race_at(number))))
        }  # fmt: skip

    def _owners(self, race: RaceSummary) -> list[str]:
        """Owners in the order of trust: those of the configuration, then those that the dossier names."""
        ruled = [owner for path in files_of_sites(race.sites) for owner in owners_by_rule(self._owner_rules, path)[0]]
        return [*dict.fromkeys([*ruled, *race.owners])]

    # -- digests ----------------------------------------------------------------------------------------

    def _look_at_clock(self, kind: NoticeKind, at: time_of_day, now: datetime) -> None:
        due = _last_due(kind, at, now)
        cursor = _digest_cursor(kind, at)
        known = self._store.cursor(cursor)
        if known >= due.toordinal():
            return
        since = datetime.combine(due, at, UTC) - (timedelta(days=1) if kind is NoticeKind.DAILY else timedelta(days=7))
        data = PageData(self._services)
        messages = []
        for destination in self._destinations:
            rules = [rule for rule in destination.rules if kind in rule.kinds and rule.digest_at == at]
            if rules and (body := self._digest(kind, rules, since, data)) is not None:
                messages.append(QueuedMessage(f"{kind} {due} {at}", destination.name, body))
        self._store.outbox.enqueue_up_to(cursor, known, due.toordinal(), messages)

    def _digest(
        self, kind: NoticeKind, rules: Sequence[NotificationRule], since: datetime, data: PageData
    ) -> dict[str, Any] | None:
        """The summary of a period; None if nothing has happened and nothing waits."""
        table, everything = data.snapshot.table, range(data.snapshot.race_count)
        numbers = {number for rule in rules for number in self._selected(rule, everything, data)}

        def listed(query: RaceQuery) -> list[RaceSummary]:
            return [data.summary(data.snapshot.race_at(n)) for n in sorted(table.numbers_of(query, [*numbers]))]

        recent = table.numbers_since(since, [*numbers])
        new = [data.summary(data.snapshot.race_at(n)) for n in sorted(recent)]
        back = listed(RaceQuery(values={"status": (Status.BACK.value,)}))
        untriaged = table.numbers_of(RaceQuery(values={"status": (Status.NEW.value,)}), [*numbers])
        urgent = [
            race for race in listed(RaceQuery(values={"severity": ("critical", "high")}))
            if race.decision.status not in _CLOSED
        ]  # fmt: skip
        if not (new or back or untriaged or urgent):
            return None
        counts = {"new": len(new), "back": len(back), "urgent": len(urgent), "without decision": len(untriaged)}
        lists: dict[str, Sequence[RaceSummary]] = {"new": new, "back": back, "urgent": urgent}
        return digest_message(kind, counts, lists, self._public_url)


def _digest_cursor(kind: NoticeKind, at: time_of_day) -> str:
    return f"digest {kind} {at:%H:%M}"


def _last_due(kind: NoticeKind, at: time_of_day, now: datetime) -> date:
    """The day of the latest digest that is due."""
    day = now.date() if now.time() >= at else now.date() - timedelta(days=1)
    return day - timedelta(days=(day.weekday() - _MONDAY) % 7) if kind is NoticeKind.WEEKLY else day
