"""Makes the models of races from a snapshot."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat.api import diagnose_sighting
from deadheat.lake import queries
from deadheat.output.html.markup import MAX_TEXT_LENGTH
from deadheat.printable import shorten
from deadheat.serialization import sighting_to_wire
from deadheat.triage.state import RaceState
from deadheat.web import models
from deadheat.web.live import listed_decision
from deadheat.web.problems import ProblemError
from deadheat.web.race_table import RaceQuery
from deadheat.web.timeline import timeline

if TYPE_CHECKING:
    from deadheat.model import Sighting
    from deadheat.web.race_table import FacetValue
    from deadheat.web.services import Services
    from deadheat.web.sighting_index import SightingCursor
    from deadheat.web.snapshot import LakeSnapshot
    from deadheat.web.timeline import TimelineEntry

    JsonDict = dict[str, Any]

MAX_LISTED = 20
OVERVIEW_SIZE = 8
MAX_TREND_DAYS = 90
OVERVIEW_FACETS = ("detector", "cause", "package", "owner", "branch")
_UNKNOWN = "unknown"


class PageData:
    """Everything that one request reads: a snapshot, and the decisions as of now."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.live = services.live.state
        self.snapshot: LakeSnapshot = self.live.snapshot
        self.index = services.live.index

    @property
    def version(self) -> str:
        """Changes whenever a page would change."""
        return self.live.version

    def summary(self, race: JsonDict) -> models.RaceSummary:
        row = self.snapshot.dossier_row(race)
        fixes = (row or {}).get("fixed_by") or ()
        known = race["cause"] not in (None, _UNKNOWN)
        return models.RaceSummary(
            race=race["race"],
            title=cut(race["title"]),
            detector=race["detector"],
            kind=race["kind"],
            cause=race["cause"],
            cause_title=plugins.cause_title(race["cause"]) if known else None,
            family=race["family"],
            activity=race["status"],
            sightings=race["sightings"],
            runs=race["run_count"] or 0,
            first_seen=race["first_seen"],
            last_seen=race["last_seen"],
            sites=cut_all(race["sites"]),
            tests=cut_all(race["tests"]),
            repos=cut_all(race["repos"]),
            owners=[owner["who"] for owner in (row or {}).get("owners") or ()],
            fix=fixes[0]["commit"] if fixes else None,
            decision=self.decision(race["race"]),
        )

    def decision(self, race: str) -> models.Decision:
        state = self.live.states.get(race)
        if state is None:
            return models.Decision()
        listed = listed_decision(state, datetime.now(UTC))
        return models.Decision(
            status=listed.status, assignee=listed.assignee, severity=listed.severity, labels=[*listed.labels],
            muted=listed.is_muted,
        )  # fmt: skip

    def state_of(self, race: str) -> RaceState:
        """What people have decided about a race."""
        return self.live.states.get(race) or RaceState(race)

    def history(self, race: JsonDict) -> list[TimelineEntry]:
        store = self.services.store
        return timeline(race["history"], store.history(race["race"]) if store is not None else ())

    def assignees(self) -> list[str]:
        """Everybody to whom a race is assigned."""
        return sorted({state.assignee for state in self.live.states.values() if state.assignee})[:200]

    def find_race(self, name: str) -> JsonDict:
        race = self.snapshot.find_race(name)
        if race is None:
            raise ProblemError(404, "There is no such race in the lake.", "Search for it in the list of races.")
        return race

    def list_races(self, query: RaceQuery, size: int, with_facets: bool = True) -> models.RaceList:
        listing = self.snapshot.table.list_races(query, size, with_facets)
        return models.RaceList(
            total=listing.total,
            page=query.page,
            pages=max(1, -(-listing.total // size)),
            races=[self.summary(self.snapshot.race_at(number)) for number in listing.numbers],
            facets={name: [*map(facet_count, values)] for name, values in listing.facets.items()},
        )

    def overview(self) -> models.Overview:
        table, snapshot = self.snapshot.table, self.snapshot
        days = snapshot.days[-MAX_TREND_DAYS:]
        activity = dict(table.counts_by("activity", 10))

        def first_of(query: RaceQuery) -> list[models.RaceSummary]:
            return self.list_races(query, OVERVIEW_SIZE, with_facets=False).races

        return models.Overview(
            races=snapshot.race_count,
            sightings=snapshot.lake.row_count("sightings"),
            newest_day=snapshot.newest_day,
            activity=activity,
            status=dict(table.counts_by("status", 10)),
            new=first_of(RaceQuery(values={"activity": ("new",)}, sort="first")),
            back=first_of(RaceQuery(values={"activity": ("returned",)})),
            frequent=first_of(RaceQuery(sort="sightings")),
            quiet=first_of(RaceQuery(values={"activity": ("quiet",)})),
            days=[models.DayCount(**day._asdict()) for day in days],
            by={
                name: [
                    models.FacetCount(value=value, count=count) for value, count in table.counts_by(name, OVERVIEW_SIZE)
                ]
                for name in OVERVIEW_FACETS
            },
        )

    # -- one race -----------------------------------------------------------------------------------

    def example(self, race: JsonDict) -> Sighting | None:
        text = self.index.report(race["report"])
        report = json.loads(text) if text is not None else self.snapshot.read_report(race["report"])
        return self.snapshot.example_of(race, report)

    def details(self, race: JsonDict) -> models.RaceDetails:
        summary = queries.race_summary({**race, "runs": []})
        example = self.example(race)
        return models.RaceDetails(
            **self.summary(race).model_dump(),
            aliases=race["aliases"],
            causes=summary["causes"],
            history=[models.DayStatus(**state) for state in race["history"]],
            related=self.related_races(race),
            report=sighting_to_wire(diagnose_sighting(example)) if example is not None else None,
            dossier=self.snapshot.read_dossier(race),
            verifications=self.snapshot.verifications_of(race),
            sightings_page=self.sightings(race),
        )

    def related_races(self, race: JsonDict) -> list[str]:
        family = self.snapshot.families.get(race["family"] or "")
        return [other for other in family["races"] if other != race["race"]] if family else []

    def sightings(self, race: JsonDict, after: SightingCursor | None = None) -> models.SightingPage:
        """The latest sightings of a race, or those after a position."""
        is_indexed = self.live.index_version != ""
        if is_indexed:
            rows = self.index.sightings_of(race["nodes"], MAX_LISTED + 1, after)
        else:
            # reads data files that grow with the lake, so there are no further pages
            rows = queries.latest_sightings(self.snapshot.lake, race, MAX_LISTED) if after is None else []
        shown = rows[:MAX_LISTED]
        return models.SightingPage(
            total=race["sightings"],
            is_indexed=is_indexed,
            next=shown[-1]["cursor"] if len(rows) > MAX_LISTED and is_indexed else None,
            sightings=[*map(place_of_row, shown)],
        )


def place_of_row(row: JsonDict) -> models.SightingPlace:
    names = ("repo", "branch", "commit", "job", "run", "test")
    optional = {name: None if row[name] is None else cut(row[name]) for name in names}
    return models.SightingPlace(
        observed_at=row["observed_at"], uri=row["uri"], offset=row["offset"], length=row["length"], stream=row["lane"],
        **optional,
    )  # fmt: skip


def facet_count(value: FacetValue) -> models.FacetCount:
    return models.FacetCount(value=value.value, count=value.races, chosen=value.is_chosen)


def cut(text: str | None) -> str:
    return shorten(text or "", MAX_TEXT_LENGTH)


def cut_all(texts: list[str] | None) -> list[str]:
    return [cut(text) for text in (texts or ())[:MAX_LISTED]]
