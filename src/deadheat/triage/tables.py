"""The tables of the database of decisions. `migrations` makes them; a test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, Table, Text, UniqueConstraint

metadata = MetaData()

# an integer key that SQLite counts by itself
_NUMBER = BigInteger().with_variant(Integer, "sqlite")

# one row; its value is the number of the latest change, and locking it keeps writers apart
counter = Table(
    "counter", metadata, Column("id", Integer, primary_key=True), Column("value", BigInteger, nullable=False)
)

events = Table(
    "events",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("id", String(32), nullable=False, unique=True),
    Column("name", String(100), nullable=False),
    Column("race", String(100), nullable=False, index=True),
    Column("actor", String(200), nullable=False),
    Column("key", String(200), nullable=False),
    Column("at", String(27), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("payload", Text, nullable=False),
    Column("source", String(10), nullable=False),
    UniqueConstraint("actor", "key", name="one_event_per_key"),
)

# which race an alias belongs to, as the lake says
aliases = Table(
    "aliases",
    metadata,
    Column("alias", String(100), primary_key=True),
    Column("race", String(100), nullable=False, index=True),
)

# derived from the events; a race that has become an alias keeps a row without a document
states = Table(
    "states",
    metadata,
    Column("race", String(100), primary_key=True),
    Column("changed", BigInteger, nullable=False, index=True),
    Column("status", String(20)),
    Column("assignee", String(200)),
    Column("severity", String(20)),
    Column("muted_until", String(27)),
    Column("duplicate_of", String(100)),
    Column("document", Text),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("role", String(10), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("created_at", String(27), nullable=False),
    Column("last_used_at", String(27)),
    Column("revoked_at", String(27)),
    Column("expires_at", String(27)),
)

# logins of browsers; a row is removed when its session ends
sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("token", String(16), nullable=False, index=True),
    Column("created_at", String(27), nullable=False),
    Column("expires_at", String(27), nullable=False),
)

# values that all processes of a server share
shared_values = Table(
    "shared_values", metadata, Column("name", String(100), primary_key=True), Column("value", Text, nullable=False)
)

audit = Table(
    "audit",
    metadata,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    Column("at", String(27), nullable=False, index=True),
    Column("actor", Text, nullable=False),
    Column("action", String(100), nullable=False),
    Column("address", Text, nullable=False),
    Column("details", Text, nullable=False),
)

outbox = Table(
    "outbox",
    metadata,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    Column("event_key", String(300), nullable=False),
    Column("destination", String(300), nullable=False),
    Column("body", Text, nullable=False),
    Column("state", String(10), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", String(27), nullable=False),
    Column("next_attempt_at", String(27), nullable=False),
    Column("error", Text, nullable=False),
    UniqueConstraint("event_key", "destination", name="one_notification_per_event"),
    Index("outbox_due", "state", "next_attempt_at"),
)

uploads = Table(
    "uploads",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("received_at", String(27), nullable=False),
    Column("ingested_at", String(27)),
)

# how far a reader of the events has come, so that a restart omits none
cursors = Table(
    "cursors", metadata, Column("name", String(100), primary_key=True), Column("sequence", BigInteger, nullable=False)
)
