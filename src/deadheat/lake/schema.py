"""The Arrow schemas of the tables. Nested columns mirror `serialization`, field by field."""

from __future__ import annotations

import pyarrow as pa

# increment it when a column changes; lakes of other versions are upgraded or refused
LAKE_VERSION = 3
# older lakes are readable, and the next write upgrades them
OLDEST_LAKE_VERSION = 1

TEXT, NUMBER, FLAG, REAL = pa.string(), pa.int64(), pa.bool_(), pa.float64()
TIME, DAY, TEXTS = pa.timestamp("us", "UTC"), pa.date32(), pa.list_(TEXT)


def _columns(names: str, kind: pa.DataType = TEXT) -> list[tuple[str, pa.DataType]]:
    """Several columns of one type."""
    return [(name, kind) for name in names.split()]


_SITE_FIELDS = [*_columns("function package file"), ("line", NUMBER)]
SITE = pa.struct(_SITE_FIELDS)
FRAME = pa.struct([*_SITE_FIELDS, ("origin", TEXT), ("stale", FLAG), ("path", TEXT), ("inlined", FLAG)])
STACK = pa.list_(FRAME)
ACCESS = pa.struct(
    [
        *(("op", TEXT), ("size", NUMBER)),
        *_columns("address actor"),
        *(("locks", TEXTS), ("site", SITE), ("stack", STACK), ("test", TEXT)),
    ]
)
ACTOR = pa.struct([*_columns("id state"), ("created_at", STACK)])
LOCATION = pa.struct(
    [
        *_columns("kind name address"),
        *_columns("size offset", NUMBER),
        *_columns("actor file"),
        *(("line", NUMBER), ("stack", STACK)),
    ]
)
LOCK = pa.struct([*_columns("id address"), ("created_at", STACK)])
EDGE = pa.struct([*_columns("held acquired actor"), *_columns("stack held_stack", STACK)])
# a list, because a detector may print a fact twice and order matters
FACT = pa.struct(_columns("name value"))
CAUSE = pa.struct([("cause", TEXT), ("confidence", REAL), ("evidence", TEXTS)])
# how many sightings have a cause first, and the sum of their confidences, as in `diagnosis.cause_votes`
VOTE = pa.struct([("cause", TEXT), *_columns("sightings weight", NUMBER)])

# the fields of a report, as in `scan --format jsonl`
REPORT_FIELDS = [
    *_columns("detector kind title fingerprint"),
    *(("accesses", pa.list_(ACCESS)), ("actors", pa.list_(ACTOR)), ("location", LOCATION)),
    *(("locks", pa.list_(LOCK)), ("cycle", pa.list_(EDGE)), ("facts", pa.list_(FACT))),
    *(("test", TEXT), ("causes", pa.list_(CAUSE)), ("damage", TEXTS)),
]
# the claims of the author, if the sighting is in a bug report
CLAIM = pa.struct(
    [*_columns("kind role value"), *(("details", pa.list_(FACT)), ("quote", TEXT)), *_columns("offset length", NUMBER)]
)
BUG_REPORT = pa.struct([*_columns("uri shape title id written thread"), ("claims", pa.list_(CLAIM))])
# what decides which variants are one race, as in `grouping.races`
VARIANT_FIELDS = [("base", TEXT), *_columns("links aliases", TEXTS), ("split", FLAG)]
RUN_FIELDS = _columns("repo commit branch job run")

# by which code a row was made; `retriage` makes the rows of older versions anew
VERSION_FIELDS = _columns("parser_version fingerprint_version", NUMBER)

REPORTS = pa.schema(
    [
        *(("digest", TEXT), *REPORT_FIELDS, *_columns("sites keys", TEXTS)),
        # the text of the first sighting, and the values of its placeholders
        *(("text", pa.binary()), ("text_names", TEXTS), *VERSION_FIELDS),
    ]
)
SIGHTINGS = pa.schema(
    [
        *_columns("node uri"),
        *_columns("offset length", NUMBER),
        *_columns("lane file document"),
        *(("observed_at", TIME), ("ingest", TEXT)),
        *RUN_FIELDS,
        *_columns("test fingerprint"),
        *VARIANT_FIELDS,
        *(("report", TEXT), ("names", TEXTS), ("damage", NUMBER), ("bug_report", BUG_REPORT)),
        *VERSION_FIELDS,
    ]
)
# the sighting that a race is shown with
EXAMPLE_COLUMNS = (
    "uri", "offset", "length", "lane", "observed_at", "repo", "commit", "branch", "job", "run",
    "test", "node", "report", "names", "bug_report",
)  # fmt: skip
EXAMPLE = pa.struct([SIGHTINGS.field(name) for name in EXAMPLE_COLUMNS])
# a run or commit, and when it last saw the race
LATEST = pa.list_(pa.struct([("at", TIME), ("name", TEXT)]))
_HISTORY = pa.list_(pa.struct([("day", DAY), ("status", TEXT)]))
_COUNT_FIELDS = [
    ("sightings", NUMBER),
    *_columns("repos tests", TEXTS),
    ("days", pa.list_(DAY)),
    *_columns("first_seen last_seen", TIME),
    *(("latest_runs", LATEST), ("latest_commits", LATEST), ("run_sample", pa.list_(NUMBER))),
]
RACES = pa.schema(
    [
        *(("race", TEXT), ("aliases", TEXTS)),
        *_columns("title detector kind"),
        *(("sites", TEXTS), ("cause", TEXT), ("causes", pa.list_(VOTE)), ("family", TEXT)),
        *(("runs", TEXTS), ("run_count", NUMBER)),
        *_COUNT_FIELDS,
        *(("status", TEXT), ("history", _HISTORY)),
        *(("damage", NUMBER), ("report", TEXT), ("example", EXAMPLE), ("nodes", TEXTS), ("keys", TEXTS)),
    ]
)
# rows of variants are added up to rows of races
NODES = pa.schema(
    [
        *_columns("node race"),
        *VARIANT_FIELDS,
        *_COUNT_FIELDS,
        *(("keys", TEXTS), ("damage", NUMBER)),
        *_columns("report title detector kind"),
        *(("sites", TEXTS), ("causes", pa.list_(VOTE)), ("example", EXAMPLE), ("relations", TEXTS)),
    ]
)
FAMILIES = pa.schema([*_columns("family culprit"), *_columns("races why", TEXTS)])
REJECTS = pa.schema([*_columns("uri what"), ("observed_at", TIME), ("ingest", TEXT)])
# one row each time that a document was read; the newest row of a document counts
FILES = pa.schema(
    [
        *_columns("uri document"),
        *_columns("repo run job"),
        *(("length", NUMBER), ("modified_at", TIME), ("etag", TEXT)),
        *_columns("head tail content duplicate_of"),
        *_columns("sightings checksum", NUMBER),
        *(("state", NUMBER), ("ingest", TEXT)),
    ]
)
# one row per change of the facts, in order
INGESTS = pa.schema(
    [
        *(("state", NUMBER), ("ingest", TEXT), ("what", TEXT), ("committed_at", TIME)),
        *_columns("files sightings reports", NUMBER),
        # variants of which sightings were removed: they are counted anew
        ("recount", TEXTS),
    ]
)

# fixes of races in the history of a repository, written by `mine`
QUOTED = pa.struct(_columns("fingerprint title report"))
FIXES = pa.schema(
    [
        *_columns("repo commit subject"),
        *(("fixed_at", TIME), ("strategy", TEXT)),
        *_columns("strategies why files functions types variables causes issues", TEXTS),
        *(("pull", TEXT), ("is_merge", FLAG), ("brings", TEXTS), ("reverted_by", TEXT), ("reports", pa.list_(QUOTED))),
    ]
)

# what repositories tell about races, written by `place`
CANDIDATE = pa.struct([*_columns("commit subject"), ("score", REAL), ("why", TEXTS)])
PIN = pa.struct(
    [
        *_columns("line first last first_day last_day named"),
        *_columns("commits frames frames_fit ties", NUMBER),
        ("tags", TEXTS),
    ]
)
VARIABLE = pa.struct([*_columns("name owner kind file"), ("line", NUMBER), ("sure", FLAG)])
DOSSIERS = pa.schema(
    [
        *_columns("race repo state report tip"),
        *(("placed_at", TIME), ("racing", NUMBER), ("pin", PIN), ("variable", VARIABLE), ("cause", CAUSE)),
        *(("fixed_by", pa.list_(CANDIDATE)), ("fixed_in", TEXTS), ("introduced_by", pa.list_(CANDIDATE))),
        *(("still_present", FLAG), ("reproduce", pa.struct(_columns("framework command")))),
        ("owners", pa.list_(pa.struct(_columns("who why")))),
        *_columns("fault dossier"),
    ]
)

# results of `reproduce`, `verify` and `bisect`; rows are only added
VERIFICATIONS = pa.schema(
    [
        *_columns("race kind"),
        ("at", TIME),
        *_columns("repo old_commit new_commit change patch verdict reason"),
        *_columns("confidence error remaining_bound", REAL),
        *_columns("old_runs old_sightings new_runs new_sightings", NUMBER),
        *_columns("rate rate_low rate_high", REAL),
        *_columns("configuration command"),
        *(("seconds", REAL), ("is_interrupted", FLAG)),
        *_columns("version result"),
    ]
)

TABLES = {
    "ingests": INGESTS,
    "files": FILES,
    "reports": REPORTS,
    "sightings": SIGHTINGS,
    "rejects": REJECTS,
    "nodes": NODES,
    "races": RACES,
    "families": FAMILIES,
    "fixes": FIXES,
    "dossiers": DOSSIERS,
    "verifications": VERIFICATIONS,
}
# tables that many lakes do not have; they are created on the first write
OPTIONAL_TABLES = ("fixes", "dossiers", "verifications")


# the first table of a change decides whether it happens; the others follow
FACT_TABLES = ("ingests", "reports", "sightings", "files", "rejects")
DERIVED_TABLES = ("nodes", "races", "families")
# the order of rows in data files
_SORT_COLUMNS = {
    "ingests": ("state",),
    "files": ("uri", "document"),
    "reports": ("digest",),
    "sightings": ("node", "uri", "offset"),
    "rejects": ("uri",),
    "nodes": ("node",),
    "races": ("race",),
    "families": ("family",),
    "fixes": ("repo", "commit"),
    "dossiers": ("race", "repo"),
    "verifications": ("race", "at"),
}
# columns with minimum and maximum in the log, for skipping data files
_STATISTICS = {"sightings": ("node", "uri", "observed_at", "ingest"), "files": ("uri", "ingest")}
# tables in one folder per day of this column
_DAY_COLUMNS = {"sightings": "observed_at"}
PARTITION = "day"


def sort_columns(table: str) -> tuple[str, ...]:
    return _SORT_COLUMNS[table]


def statistics_columns(table: str) -> tuple[str, ...]:
    return _STATISTICS.get(table, _SORT_COLUMNS[table])


def day_column(table: str) -> str | None:
    """The column whose day is the partition of a row, if the table has partitions."""
    return _DAY_COLUMNS.get(table)


def delta_schema(table: str) -> pa.Schema:
    """The columns of a table with its partition, which is not in the data files."""
    schema = TABLES[table]
    return schema.append(pa.field(PARTITION, DAY)) if day_column(table) else schema
