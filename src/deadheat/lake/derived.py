"""Replaces the rows of a derived table outside of an ingest."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pyarrow as pa

from deadheat.lake import commits
from deadheat.lake.commits import Change, Intent
from deadheat.lake.lock import writing
from deadheat.lake.schema import TABLES

if TYPE_CHECKING:
    import pyarrow.compute as pc

    from deadheat.lake.tables import Lake


def replace(
    lake: Lake, name: str, rows: pa.Table, keep: pc.Expression | None = None, patience: float = 10.0
) -> None:
    """Replace all rows of a table, or those that `keep` is not true for.

    Creates the lake if needed. The change is atomic and takes the write lock.
    """
    with writing(lake.place, patience):
        lake.make(name)
        commits.recover(lake)
        old = lake.paths(name)
        if keep is not None:
            rows = pa.concat_tables([lake.rows(name, where=keep), rows])
        batch = f"{name}-{uuid.uuid4().hex[:12]}"
        content = rows.select(TABLES[name].names).cast(TABLES[name])
        added = commits.write(lake.place, name, batch, content)
        # every batch changes `files`, at least its state
        changes = {"files": Change(), name: Change(added, old)}
        commits.commit(lake, Intent(batch, lake.state, changes))
