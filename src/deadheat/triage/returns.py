"""Which fixed races are back: sighted again in code that has the fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from deadheat.triage.events import SYSTEM_ACTOR, EventKind, EventSource, NewEvent, ReusedKeyError, Status, format_time
from deadheat.triage.state import duplicate_roots

if TYPE_CHECKING:
    from deadheat.triage.events import JsonDict
    from deadheat.triage.state import RaceState
    from deadheat.triage.store import DecisionStore

# whether a commit contains a fix; None if no clone knows
ContainsFix = Callable[[str, str], bool | None]
# when each commit was first sighted with any race, as far as the lake knows
FirstSightings = Callable[[Sequence[str]], Mapping[str, datetime]]
# the details of the sighting of a lake race at a commit (None: without one) and time
SightingDetails = Callable[[Mapping[str, Any], str | None, datetime], Mapping[str, Any] | None]
# what of a sighting is stored with the event
_SIGHTING_KEYS = ("uri", "offset", "repo", "branch", "job", "run", "test")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sighting of a race after it was fixed."""

    state: RaceState
    row: Mapping[str, Any]
    commit: str | None
    at: datetime
    contains_fix: bool | None


def record_sightings(
    store: DecisionStore,
    lake_races: Iterable[Mapping[str, Any]],
    contains_fix: ContainsFix | None = None,
    first_sightings: FirstSightings | None = None,
    details: SightingDetails | None = None,
) -> list[RaceState]:
    """Records the aliases of the lake's races and which fixed races are back; returns the states of those.

    The races have the columns `race`, `aliases`, `last_seen` and `latest_commits` of the lake. A sighting says that a
    race is back if its commit contains the fix; where that is not known, if it was observed after the race was declared
    fixed and its commit was not sighted before. Sightings of duplicates count. One return is recorded once.
    """
    races = list(lake_races)
    store.set_aliases({race["race"]: race["aliases"] for race in races})
    states = store.states()
    roots = duplicate_roots(states)
    candidates = [
        candidate
        for race in races
        if (state := states.get(roots.get(race["race"], race["race"]))) and state.status is Status.FIXED
        for candidate in _candidates(state, race, contains_fix)
    ]
    unknown = sorted(
        {c.commit for c in candidates if c.commit and c.contains_fix is None and c.at > _fixed_at(c.state)}
    )
    first = first_sightings(unknown) if first_sightings and unknown else {}
    earliest: dict[str, _Candidate] = {}
    for candidate in candidates:
        known = earliest.get(candidate.state.race)
        if _shows_return(candidate, first) and (known is None or candidate.at < known.at):
            earliest[candidate.state.race] = candidate
    recorded = (_record_return(store, candidate, details) for candidate in earliest.values())
    return [state for state in recorded if state is not None]


def _fixed_at(state: RaceState) -> datetime:
    assert state.fixed_at is not None
    return state.fixed_at


def _candidates(state: RaceState, race: Mapping[str, Any], contains_fix: ContainsFix | None) -> Iterable[_Candidate]:
    commits = [(commit["name"], _in_utc(commit["at"])) for commit in race["latest_commits"] or ()]
    last_seen = _in_utc(race["last_seen"])
    for commit, at in commits:
        yield _Candidate(state, race, commit, at, _contains(state.fixed_in, commit, contains_fix))
    if all(at < last_seen for _, at in commits):  # the latest run has no commit
        yield _Candidate(state, race, None, last_seen, None)


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _contains(fix: str | None, commit: str, contains_fix: ContainsFix | None) -> bool | None:
    if fix is None:
        return None
    if len(fix) >= 7 and commit.startswith(fix):
        return True
    return contains_fix(fix, commit) if contains_fix else None


def _shows_return(candidate: _Candidate, first: Mapping[str, datetime]) -> bool:
    if candidate.contains_fix is not None:
        return candidate.contains_fix
    fixed_at = _fixed_at(candidate.state)
    if candidate.at <= fixed_at:
        return False
    seen_before = first.get(candidate.commit) if candidate.commit else None
    return seen_before is None or _in_utc(seen_before) > fixed_at


def _record_return(store: DecisionStore, candidate: _Candidate, details: SightingDetails | None) -> RaceState | None:
    state = candidate.state
    sighting: JsonDict = {"race": candidate.row["race"], "observed_at": format_time(candidate.at)}
    if candidate.commit:
        sighting["commit"] = candidate.commit
    found = details(candidate.row, candidate.commit, candidate.at) if details else None
    sighting |= {key: found[key] for key in _SIGHTING_KEYS if found and found.get(key) is not None}
    payload = {"decision": state.status_event, "sighting": sighting}
    # one event for each decision that the race is fixed
    key = f"back {state.status_event}"
    event = NewEvent(state.race, EventKind.BACK, payload, SYSTEM_ACTOR, EventSource.SYSTEM, key)
    try:
        after = store.record(event)
    except ReusedKeyError:  # another process has recorded it with another sighting
        return None
    return after if after.status is Status.BACK else None
