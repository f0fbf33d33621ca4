"""Logins of browsers, values that processes share, and tokens that expire."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_TIME = sa.String(27)


def upgrade() -> None:
    op.add_column("tokens", sa.Column("expires_at", _TIME))
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("token", sa.String(16), nullable=False, index=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
    )
    op.create_table(
        "shared_values",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def downgrade() -> None:
    raise NotImplementedError("decisions are never removed by a migration; restore a backup")
