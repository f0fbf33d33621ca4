"""The Arrow schemas of the tables. Nested columns mirror `serialization`, field by field."""

from __future__ import annotations

import pyarrow as pa

# increment it when a column changes; lakes of other versions are upgraded or refused
LAKE_VERSION = 2
# since this version only derived tables got columns; older lakes are readable and upgraded on write
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
# how many sightings have a cause first, and the sum of their confidences, as in `diagnosis.ranking`
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

REPORTS = pa.schema([("digest", TEXT), *REPORT_FIELDS, *_columns("sites keys", TEXTS)])
SIGHTINGS = pa.schema(
    [
        *_columns("node uri"),  # used to skip data files
        *_columns("offset length", NUMBER),
        *_columns("lane file"),
        *(("observed_at", TIME), ("ingest", TEXT)),
        *RUN_FIELDS,
        *_columns("test fingerprint"),
        *VARIANT_FIELDS,
        *(("report", TEXT), ("names", TEXTS), ("damage", NUMBER), ("bug_report", BUG_REPORT)),
    ]
)
RACES = pa.schema(
    [
        *(("race", TEXT), ("aliases", TEXTS)),
        *_columns("title detector kind"),
        *(("sites", TEXTS), ("cause", TEXT), ("causes", pa.list_(VOTE)), ("family", TEXT), ("sightings", NUMBER)),
        *_columns("repos runs tests", TEXTS),
        *_columns("first_seen last_seen", TIME),
        *(("status", TEXT), ("history", pa.list_(pa.struct([("day", DAY), ("status", TEXT)])))),
        *(("report", TEXT), ("nodes", TEXTS), ("keys", TEXTS)),
    ]
)
# rows of variants are added up to rows of races
NODES = pa.schema(
    [
        ("node", TEXT),
        *VARIANT_FIELDS,
        ("sightings", NUMBER),
        *_columns("repos runs tests", TEXTS),
        ("days", pa.list_(DAY)),
        *_columns("first_seen last_seen", TIME),
        *(("keys", TEXTS), ("damage", NUMBER)),
        *_columns("report title detector kind"),
        *(("sites", TEXTS), ("causes", pa.list_(VOTE))),
    ]
)
FAMILIES = pa.schema([*_columns("family culprit"), *_columns("races why", TEXTS)])
REJECTS = pa.schema([*_columns("uri what"), ("observed_at", TIME), ("ingest", TEXT)])
FILES = pa.schema([("uri", TEXT), ("length", NUMBER), ("modified_at", TIME), *_columns("head tail ingest")])

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

TABLES = {
    "files": FILES,
    "reports": REPORTS,
    "sightings": SIGHTINGS,
    "rejects": REJECTS,
    "nodes": NODES,
    "races": RACES,
    "families": FAMILIES,
    "fixes": FIXES,
    "dossiers": DOSSIERS,
}
# tables that many lakes do not have; they are created on the first write
OPTIONAL_TABLES = ("fixes", "dossiers")


def sort_columns(table: str) -> list[str]:
    """The columns that data files are sorted by, for file skipping."""
    return [column.name for column in list(TABLES[table])[:2] if column.type == TEXT]
