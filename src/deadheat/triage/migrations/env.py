"""Alembic runs this module for each command: it migrates the connection that `database` hands over."""

from __future__ import annotations

from alembic import context

from deadheat.triage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
