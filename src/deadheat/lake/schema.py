"""The Arrow schemas of the tables. Nested columns mirror `serialization`, field by field."""

from __future__ import annotations

import pyarrow as pa

# increment it when a column changes; lakes of other versions are upgraded or refused
LAKE_VERSION = 2
# since this version only derived tables got columns; older lakes are readable and upgraded on write
OLDEST_LAKE_VERSION = 1

TEXT, NUMBER, TIME = pa.string(), pa.int64(), pa.timestamp("us", "UTC")
TEXTS = pa.list_(TEXT)

_SITE_FIELDS = [("function", TEXT), ("package", TEXT), ("file", TEXT), ("line", NUMBER)]
SITE = pa.struct(_SITE_FIELDS)
FRAME = pa.struct([*_SITE_FIELDS, ("origin", TEXT), ("stale", pa.bool_()), ("path", TEXT), ("inlined", pa.bool_())])
STACK = pa.list_(FRAME)
ACCESS = pa.struct(
    [
        ("op", TEXT),
        ("size", NUMBER),
        ("address", TEXT),
        ("actor", TEXT),
        ("locks", TEXTS),
        ("site", SITE),
        ("stack", STACK),
        ("test", TEXT),
    ]
)
ACTOR = pa.struct([("id", TEXT), ("state", TEXT), ("created_at", STACK)])
LOCATION = pa.struct(
    [
        ("kind", TEXT),
        ("name", TEXT),
        ("address", TEXT),
        ("size", NUMBER),
        ("offset", NUMBER),
        ("actor", TEXT),
        ("file", TEXT),
        ("line", NUMBER),
        ("stack", STACK),
    ]
)
LOCK = pa.struct([("id", TEXT), ("address", TEXT), ("created_at", STACK)])
EDGE = pa.struct([("held", TEXT), ("acquired", TEXT), ("actor", TEXT), ("stack", STACK), ("held_stack", STACK)])
# a list, because a detector may print a fact twice and order matters
FACT = pa.struct([("name", TEXT), ("value", TEXT)])
CAUSE = pa.struct([("cause", TEXT), ("confidence", pa.float64()), ("evidence", TEXTS)])
# how many sightings have a cause first, and the sum of their confidences, as in `diagnosis.ranking`
VOTE = pa.struct([("cause", TEXT), ("sightings", NUMBER), ("weight", NUMBER)])

# the fields of a report, as in `scan --format jsonl`
REPORT_FIELDS = [
    ("detector", TEXT),
    ("kind", TEXT),
    ("title", TEXT),
    ("fingerprint", TEXT),
    ("accesses", pa.list_(ACCESS)),
    ("actors", pa.list_(ACTOR)),
    ("location", LOCATION),
    ("locks", pa.list_(LOCK)),
    ("cycle", pa.list_(EDGE)),
    ("facts", pa.list_(FACT)),
    ("test", TEXT),
    ("causes", pa.list_(CAUSE)),
    ("damage", TEXTS),
]
# the claims of the author, if the sighting is in a bug report
CLAIM = pa.struct(
    [
        ("kind", TEXT),
        ("role", TEXT),
        ("value", TEXT),
        ("details", pa.list_(FACT)),
        ("quote", TEXT),
        ("offset", NUMBER),
        ("length", NUMBER),
    ]
)
BUG_REPORT = pa.struct(
    [*((name, TEXT) for name in ("uri", "shape", "title", "id", "written", "thread")), ("claims", pa.list_(CLAIM))]
)
# what decides which variants are one race, as in `grouping.races`
VARIANT_FIELDS = [("base", TEXT), ("links", TEXTS), ("aliases", TEXTS), ("split", pa.bool_())]
RUN_FIELDS = [(name, TEXT) for name in ("repo", "commit", "branch", "job", "run")]

REPORTS = pa.schema([("digest", TEXT), *REPORT_FIELDS, ("sites", TEXTS), ("keys", TEXTS)])
SIGHTINGS = pa.schema(
    [
        # the first two columns are used to skip data files
        ("node", TEXT),
        ("uri", TEXT),
        ("offset", NUMBER),
        ("length", NUMBER),
        ("lane", TEXT),
        ("file", TEXT),
        ("observed_at", TIME),
        ("ingest", TEXT),
        *RUN_FIELDS,
        ("test", TEXT),
        ("fingerprint", TEXT),
        *VARIANT_FIELDS,
        ("report", TEXT),
        ("names", TEXTS),
        ("damage", NUMBER),
        ("bug_report", BUG_REPORT),
    ]
)
RACES = pa.schema(
    [
        ("race", TEXT),
        ("aliases", TEXTS),
        ("title", TEXT),
        ("detector", TEXT),
        ("kind", TEXT),
        ("sites", TEXTS),
        ("cause", TEXT),
        ("causes", pa.list_(VOTE)),
        ("family", TEXT),
        ("sightings", NUMBER),
        ("repos", TEXTS),
        ("runs", TEXTS),
        ("tests", TEXTS),
        ("first_seen", TIME),
        ("last_seen", TIME),
        ("status", TEXT),
        ("history", pa.list_(pa.struct([("day", pa.date32()), ("status", TEXT)]))),
        ("report", TEXT),
        ("nodes", TEXTS),
        ("keys", TEXTS),
    ]
)
# rows of variants are added up to rows of races
NODES = pa.schema(
    [
        ("node", TEXT),
        *VARIANT_FIELDS,
        ("sightings", NUMBER),
        ("repos", TEXTS),
        ("runs", TEXTS),
        ("tests", TEXTS),
        ("days", pa.list_(pa.date32())),
        ("first_seen", TIME),
        ("last_seen", TIME),
        ("keys", TEXTS),
        ("damage", NUMBER),
        ("report", TEXT),
        ("title", TEXT),
        ("detector", TEXT),
        ("kind", TEXT),
        ("sites", TEXTS),
        ("causes", pa.list_(VOTE)),
    ]
)
FAMILIES = pa.schema([("family", TEXT), ("culprit", TEXT), ("races", TEXTS), ("why", TEXTS)])
REJECTS = pa.schema([("uri", TEXT), ("what", TEXT), ("observed_at", TIME), ("ingest", TEXT)])
FILES = pa.schema(
    [("uri", TEXT), ("length", NUMBER), ("modified_at", TIME), ("head", TEXT), ("tail", TEXT), ("ingest", TEXT)]
)

# fixes of races in the history of a repository, written by `mine`
QUOTED = pa.struct([("fingerprint", TEXT), ("title", TEXT), ("report", TEXT)])
FIXES = pa.schema(
    [
        ("repo", TEXT),
        ("commit", TEXT),
        ("subject", TEXT),
        ("fixed_at", TIME),
        ("strategy", TEXT),
        ("strategies", TEXTS),
        ("why", TEXTS),
        ("files", TEXTS),
        ("functions", TEXTS),
        ("types", TEXTS),
        ("variables", TEXTS),
        ("causes", TEXTS),
        ("issues", TEXTS),
        ("pull", TEXT),
        ("is_merge", pa.bool_()),
        ("brings", TEXTS),
        ("reverted_by", TEXT),
        ("reports", pa.list_(QUOTED)),
    ]
)

# what repositories tell about races, written by `place`
CANDIDATE = pa.struct([("commit", TEXT), ("subject", TEXT), ("score", pa.float64()), ("why", TEXTS)])
PIN = pa.struct(
    [
        *((name, TEXT) for name in ("line", "first", "last", "first_day", "last_day", "named")),
        *((name, NUMBER) for name in ("commits", "frames", "frames_fit", "ties")),
        ("tags", TEXTS),
    ]
)
VARIABLE = pa.struct(
    [*((name, TEXT) for name in ("name", "owner", "kind", "file")), ("line", NUMBER), ("sure", pa.bool_())]
)
DOSSIERS = pa.schema(
    [
        ("race", TEXT),
        ("repo", TEXT),
        ("state", TEXT),
        ("report", TEXT),
        ("tip", TEXT),
        ("placed_at", TIME),
        ("racing", NUMBER),
        ("pin", PIN),
        ("variable", VARIABLE),
        ("cause", CAUSE),
        ("fixed_by", pa.list_(CANDIDATE)),
        ("fixed_in", TEXTS),
        ("introduced_by", pa.list_(CANDIDATE)),
        ("still_present", pa.bool_()),
        ("reproduce", pa.struct([("framework", TEXT), ("command", TEXT)])),
        ("owners", pa.list_(pa.struct([("who", TEXT), ("why", TEXT)]))),
        ("fault", TEXT),
        ("dossier", TEXT),
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
# rebuilt from the other tables and replaced as a whole
DERIVED_TABLES = ("nodes", "races", "families")


def sort_columns(table: str) -> list[str]:
    """The columns that data files are sorted by, for file skipping."""
    return [column.name for column in list(TABLES[table])[:2] if column.type == TEXT]
