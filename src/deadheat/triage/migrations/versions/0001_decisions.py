"""Events, states, aliases, tokens, audit log, outbox, uploads and cursors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TIME, _NAME, _RACE = sa.String(27), sa.String(200), sa.String(100)


def upgrade() -> None:
    counter = op.create_table(
        "counter", sa.Column("id", sa.Integer, primary_key=True), sa.Column("value", sa.BigInteger, nullable=False)
    )
    op.bulk_insert(counter, [{"id": 1, "value": 0}])
    op.create_table(
        "events",
        sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("name", _RACE, nullable=False),
        sa.Column("race", _RACE, nullable=False, index=True),
        sa.Column("actor", _NAME, nullable=False),
        sa.Column("key", _NAME, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.UniqueConstraint("actor", "key", name="one_event_per_key"),
    )
    op.create_table(
        "aliases", sa.Column("alias", _RACE, primary_key=True), sa.Column("race", _RACE, nullable=False, index=True)
    )
    op.create_table(
        "states",
        sa.Column("race", _RACE, primary_key=True),
        sa.Column("changed", sa.BigInteger, nullable=False, index=True),
        sa.Column("status", sa.String(20)),
        sa.Column("assignee", _NAME),
        sa.Column("severity", sa.String(20)),
        sa.Column("muted_until", _TIME),
        sa.Column("duplicate_of", _RACE),
        sa.Column("document", sa.Text),
    )
    _create_server_tables()


def _create_server_tables() -> None:
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", _NAME, nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("last_used_at", _TIME),
        sa.Column("revoked_at", _TIME),
    )
    op.create_table(
        "audit",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        sa.Column("at", _TIME, nullable=False, index=True),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(100), nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("number", number, primary_key=True, autoincrement=True),
        sa.Column("event_key", sa.String(300), nullable=False),
        sa.Column("destination", sa.String(300), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("next_attempt_at", _TIME, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.UniqueConstraint("event_key", "destination", name="one_notification_per_event"),
    )
    op.create_index("outbox_due", "outbox", ["state", "next_attempt_at"])
    op.create_table(
        "uploads",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False, index=True),
        sa.Column("received_at", _TIME, nullable=False),
        sa.Column("ingested_at", _TIME),
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    raise NotImplementedError("decisions are never removed by a migration; restore a backup")
