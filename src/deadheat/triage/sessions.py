"""Sessions of browsers that have logged in with a token, and the secret that the processes of a server share."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from deadheat.triage.events import format_time, utc_now
from deadheat.triage.server_tables import AccessToken, secret_digest, token_from_row
from deadheat.triage.tables import sessions, shared_values, tokens

if TYPE_CHECKING:
    from datetime import timedelta

    from deadheat.triage.database import DecisionDatabase

_SECRET = "form-secret"


class SessionTable:
    """Sessions, of which only hashes are stored: who reads the database cannot use them."""

    def __init__(self, database: DecisionDatabase) -> None:
        self._database = database

    def create(self, token: AccessToken, lifetime: timedelta) -> str:
        """Begins a session of a token; returns its secret. Sessions that have expired are removed."""
        text, now = secrets.token_urlsafe(32), utc_now()
        end = now + lifetime if token.expires_at is None else min(now + lifetime, token.expires_at)
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.expires_at <= format_time(now)))
            connection.execute(
                insert(sessions).values(
                    digest=secret_digest(text), token=token.id, created_at=format_time(now), expires_at=format_time(end)
                )
            )
        return text

    def authenticate(self, text: str) -> AccessToken | None:
        """The token of a session; None if the session has ended, or its token was revoked or has expired."""
        now = utc_now()
        query = (
            select(tokens)
            .join(sessions, sessions.c.token == tokens.c.id)
            .where(sessions.c.digest == secret_digest(text), sessions.c.expires_at > format_time(now))
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        token = token_from_row(row) if row is not None else None
        return token if token is not None and token.is_valid(now) else None

    def end(self, text: str) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == secret_digest(text)))


def shared_secret(database: DecisionDatabase) -> bytes:
    """The secret of the forms, which is made by the first process that asks for it."""
    query = select(shared_values.c.value).where(shared_values.c.name == _SECRET)
    with database.reading() as connection:
        known = connection.execute(query).scalar()
    if known is None:
        with database.writing() as connection:
            known = connection.execute(query).scalar()
            if known is None:
                known = secrets.token_hex(32)
                connection.execute(insert(shared_values).values(name=_SECRET, value=known))
    return bytes.fromhex(known)
