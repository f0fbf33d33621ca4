"""Puts notifications into the outbox in one transaction with the cursor that says how far was looked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import insert, select, update

from deadheat.triage.events import format_time, utc_now
from deadheat.triage.server_tables import DeliveryState
from deadheat.triage.tables import cursors, outbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.triage.store import DecisionStore


class QueuedMessage(NamedTuple):
    """A notification to one destination."""

    key: str
    destination: str
    body: dict[str, Any]


def enqueue_up_to(
    store: DecisionStore, cursor: str, known: int, position: int, messages: Sequence[QueuedMessage]
) -> bool:
    """Adds messages and moves a cursor, or neither if another process has moved it from `known`.

    A message whose key and destination are there is not added again.
    """
    now = format_time(utc_now())
    with store.database.writing() as connection:
        found = connection.execute(select(cursors.c.sequence).where(cursors.c.name == cursor)).scalar()
        if (found or 0) != known:
            return False
        for message in messages:
            same = (outbox.c.event_key == message.key) & (outbox.c.destination == message.destination)
            if connection.execute(select(outbox.c.number).where(same)).first() is not None:
                continue
            connection.execute(
                insert(outbox).values(
                    event_key=message.key, destination=message.destination, body=json.dumps(message.body),
                    state=DeliveryState.PENDING.value, attempts=0, created_at=now, next_attempt_at=now, error="",
                )
            )  # fmt: skip
        if found is None:
            connection.execute(insert(cursors).values(name=cursor, sequence=position))
        else:
            connection.execute(update(cursors).where(cursors.c.name == cursor).values(sequence=position))
    return True
