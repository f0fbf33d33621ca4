"""What the pages show, as JSON. Texts from the lake are cut: a title may have megabytes."""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003, pydantic needs them at run time
from typing import Any

from pydantic import BaseModel, Field


class Decision(BaseModel):
    """What people have decided about a race."""

    status: str = Field(
        default="new", description="new, confirmed, in-progress, fixed, wont-fix, not-a-bug, duplicate or back"
    )
    assignee: str | None = None
    severity: str | None = None
    labels: list[str] = []
    muted: bool = False


class RaceSummary(BaseModel):
    """A race in a list."""

    race: str
    title: str
    detector: str
    kind: str
    cause: str | None = Field(description="The name of the most likely cause.")
    cause_title: str | None
    family: str | None
    activity: str = Field(description="What the sightings tell: new, recurring, quiet or returned.")
    sightings: int
    runs: int
    first_seen: datetime
    last_seen: datetime
    sites: list[str]
    tests: list[str]
    repos: list[str]
    owners: list[str]
    fix: str | None = Field(description="The commit that fixes the race, if `deadheat place` has found one.")
    decision: Decision


class FacetCount(BaseModel):
    value: str
    count: int
    chosen: bool = False


class RaceList(BaseModel):
    """One page of the races that a query selects, with the counts of all facets."""

    total: int
    page: int
    pages: int
    races: list[RaceSummary]
    facets: dict[str, list[FacetCount]]


class DayCount(BaseModel):
    day: date
    sightings: int
    new_races: int
    races: int = Field(description="Races seen on this day.")


class Overview(BaseModel):
    """The state of the lake at a glance."""

    races: int
    sightings: int
    newest_day: date | None
    activity: dict[str, int]
    status: dict[str, int]
    new: list[RaceSummary] = Field(description="Races first seen lately, the latest first.")
    back: list[RaceSummary] = Field(description="Races that returned after quiet days, or after their fix.")
    frequent: list[RaceSummary] = Field(description="Races with the most sightings.")
    quiet: list[RaceSummary] = Field(description="Races not seen any more, the latest first.")
    days: list[DayCount]
    by: dict[str, list[FacetCount]] = Field(
        description="The most frequent detectors, causes, packages, owners, branches."
    )


class SightingPlace(BaseModel):
    """A sighting of a race: where and when it was."""

    observed_at: datetime
    uri: str
    offset: int
    length: int
    stream: str | None
    repo: str | None
    branch: str | None
    commit: str | None
    job: str | None
    run: str | None
    test: str | None


class SightingPage(BaseModel):
    """A page of the sightings of a race, the latest first."""

    total: int = Field(description="All sightings of the race.")
    is_indexed: bool = Field(description="Whether all can be listed; else the index is being built.")
    next: str | None = Field(description="The value of `after` for the next page; null on the last one.")
    sightings: list[SightingPlace]


class DayStatus(BaseModel):
    day: date
    status: str


class RaceDetails(RaceSummary):
    """A race with everything that is known about it."""

    aliases: list[str]
    causes: list[dict[str, Any]] = Field(description="How many sightings have each cause, and its mean confidence.")
    history: list[DayStatus]
    related: list[str] = Field(description="The other races of its family.")
    report: dict[str, Any] | None = Field(description="Its best report, as in `deadheat scan --format jsonl`.")
    dossier: dict[str, Any] | None = Field(description="As in `deadheat explain --format json`; null without a clone.")
    verifications: list[dict[str, Any]]
    sightings_page: SightingPage


class Family(BaseModel):
    """Races that probably have one fix."""

    family: str
    culprit: str = Field(description="What they have in common.")
    why: list[str]
    race_count: int


class FamilyDetails(Family):
    races: list[RaceSummary]


class FamilyList(BaseModel):
    total: int
    page: int
    pages: int
    families: list[Family]


class Run(BaseModel):
    """One job of a run of CI."""

    repo: str | None
    branch: str | None
    commit: str | None
    job: str | None
    run: str
    first: datetime = Field(description="The time of its first document.")
    last: datetime
    sightings: int
    races: int


class RunList(BaseModel):
    """Runs with sightings, the latest first."""

    is_indexed: bool
    page: int
    pages: int
    runs: list[Run]


class RaceInRun(BaseModel):
    race: RaceSummary
    sightings: int = Field(description="In this run.")
    is_new: bool = Field(description="Whether the race was never seen before this run.")


class RunDetails(BaseModel):
    """What a run of CI brought."""

    run: str
    is_indexed: bool
    jobs: list[Run]
    new: list[RaceInRun]
    known: list[RaceInRun]


class DocumentExcerpt(BaseModel):
    """The text of a document around a sighting."""

    race: str
    sighting: SightingPlace
    source: str | None = Field(description="document: read now; lake: as the lake keeps it; null: not available")
    before: str
    report: str
    after: str
    is_cut: bool


class MinedFix(BaseModel):
    """A fix of a race in the history of a repository."""

    repo: str
    commit: str
    subject: str
    fixed_at: datetime | None
    strategy: str | None
    files: list[str]
    variables: list[str]
    causes: list[str]
    why: list[str]


class FixList(BaseModel):
    total: int
    page: int
    pages: int
    fixes: list[MinedFix]


class TableHealth(BaseModel):
    table: str
    version: int
    rows: int
    files: int
    bytes: int


class Reject(BaseModel):
    """A document that could not be read."""

    uri: str
    what: str
    observed_at: datetime


class Ingest(BaseModel):
    """A change of the facts of the lake."""

    state: int
    what: str | None
    committed_at: datetime | None
    files: int
    sightings: int
    reports: int


class LakeHealth(BaseModel):
    """Versions, sizes, rejected documents and changes of the lake, and the state of the server's index."""

    lake: str
    schema_version: int
    tables: list[TableHealth]
    rejects: list[Reject]
    reject_count: int
    ingests: list[Ingest]
    checks: dict[str, bool] = Field(description="What was checked, and whether it is as it should be.")
    indexed_sightings: int


class Health(BaseModel):
    """Whether the server works."""

    status: str = Field(description="`ok`, or `degraded` if the newest state of the lake cannot be read.")
    version: str
