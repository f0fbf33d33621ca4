"""What the server keeps beside the decisions: tokens, the audit log, notifications to send, and uploads."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select, update

from deadheat.errors import DeadheatError
from deadheat.triage.events import InvalidDecisionError, check_name, format_time, parse_time, utc_now
from deadheat.triage.tables import audit, cursors, outbox, tokens, uploads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Row

    from deadheat.triage.database import DecisionDatabase

# also found by programs that look for secrets in text
TOKEN_PREFIX = "deadheat_"
# the time of use is written at most once in this interval
_USE_INTERVAL = timedelta(minutes=1)


class Role(StrEnum):
    """What a token allows; each role includes those before it."""

    READER = "reader"
    TRIAGER = "triager"
    ADMIN = "admin"


class AccessTokenError(DeadheatError):
    """There is no such token."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token without its text, of which only the hash is stored."""

    id: str
    name: str
    role: Role
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    expires_at: datetime | None

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class TokenTable:
    """The tokens that the server accepts."""

    def __init__(self, database: DecisionDatabase) -> None:
        self._database = database

    def create(self, name: str, role: Role, expires_at: datetime | None = None) -> tuple[AccessToken, str]:
        """Makes a token; returns it with its text, which is shown once and not stored."""
        check_name("name", name)
        text = TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = AccessToken(secrets.token_hex(8), name, Role(role), utc_now(), None, None, expires_at)
        with self._database.writing() as connection:
            connection.execute(
                insert(tokens).values(
                    id=token.id, name=name, role=token.role.value, digest=secret_digest(text),
                    created_at=format_time(token.created_at),
                    expires_at=format_time(expires_at) if expires_at else None,
                )
            )  # fmt: skip
        return token, text

    def all(self) -> list[AccessToken]:
        """Every token, the oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(select(tokens).order_by(tokens.c.created_at, tokens.c.id)).all()
        return [token_from_row(row) for row in rows]

    def authenticate(self, text: str) -> AccessToken | None:
        """The token with this text; None if there is none, or it was revoked or has expired."""
        # the lookup compares hashes of 256 random bits: its time tells nothing about a token
        query = select(tokens).where(tokens.c.digest == secret_digest(text))
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        token, now = token_from_row(row), utc_now()
        if not token.is_valid(now):
            return None
        if token.last_used_at is None or now - token.last_used_at > _USE_INTERVAL:
            with self._database.writing() as connection:
                used = update(tokens).where(tokens.c.id == token.id).values(last_used_at=format_time(now))
                connection.execute(used)
        return token

    def revoke(self, name: str) -> AccessToken:
        """Revokes the token with this id or the beginning of it, or the only one with this name."""
        with self._database.writing() as connection:
            rows = connection.execute(select(tokens).where(tokens.c.revoked_at.is_(None))).all()
            found = [row for row in rows if name in (row.id, row.name)]
            found = found or [row for row in rows if len(name) >= 4 and row.id.startswith(name)]
            if len(found) != 1:
                what = f"matches {len(found)} tokens" if found else "no such token is valid"
                raise AccessTokenError(what, name, "`deadheat token list` lists their ids")
            now = utc_now()
            revoked = update(tokens).where(tokens.c.id == found[0].id).values(revoked_at=format_time(now))
            connection.execute(revoked)
            row = connection.execute(select(tokens).where(tokens.c.id == found[0].id)).one()
        return token_from_row(row)


def secret_digest(text: str) -> str:
    """What is stored of a secret with 256 random bits: a slow hash would add nothing."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def token_from_row(row: Row[Any]) -> AccessToken:
    times = [parse_time(text) if text else None for text in (row.last_used_at, row.revoked_at, row.expires_at)]
    return AccessToken(row.id, row.name, Role(row.role), parse_time(row.created_at), *times)


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what, and from where."""

    number: int
    at: datetime
    actor: str
    action: str
    address: str
    details: dict[str, Any]


class AuditLog:
    """What was done through the server; entries are only added."""

    def __init__(self, database: DecisionDatabase) -> None:
        self._database = database

    def add(self, actor: str, action: str, address: str = "", details: Mapping[str, Any] | None = None) -> None:
        with self._database.writing() as connection:
            connection.execute(
                insert(audit).values(
                    at=format_time(utc_now()), actor=_storable(actor), action=action, address=_storable(address),
                    details=json.dumps(dict(details or {})),
                )
            )  # fmt: skip

    def latest(self, limit: int = 100, before: int | None = None) -> list[AuditEntry]:
        """The latest entries, the newest first; with `before` those with a smaller number."""
        query = select(audit).order_by(audit.c.number.desc()).limit(limit)
        if before is not None:
            query = query.where(audit.c.number < before)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [
            AuditEntry(row.number, parse_time(row.at), row.actor, row.action, row.address, json.loads(row.details))
            for row in rows
        ]


def _storable(text: str) -> str:
    """Text that any database stores: NUL and lone surrogates are escaped."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")


class DeliveryState(StrEnum):
    """Where a notification is."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"  # given up


@dataclass(frozen=True, slots=True)
class Notification:
    """A message to one destination about one event."""

    number: int
    event_key: str
    destination: str
    body: dict[str, Any]
    state: DeliveryState
    attempts: int
    created_at: datetime
    next_attempt_at: datetime
    error: str


class NotificationOutbox:
    """Notifications to send, each at least once, and enqueued once per event and destination."""

    def __init__(self, database: DecisionDatabase) -> None:
        self._database = database

    def enqueue(self, event_key: str, destination: str, body: Mapping[str, Any]) -> bool:
        """Adds a notification; False if there is one for this event and destination, sent or not."""
        now = format_time(utc_now())
        same = select(outbox.c.number).where(outbox.c.event_key == event_key, outbox.c.destination == destination)
        with self._database.writing() as connection:
            if connection.execute(same).first() is not None:
                return False
            connection.execute(
                insert(outbox).values(
                    event_key=event_key, destination=destination, body=json.dumps(dict(body)),
                    state=DeliveryState.PENDING.value, attempts=0, created_at=now, next_attempt_at=now, error="",
                )
            )  # fmt: skip
        return True

    def enqueue_up_to(
        self, cursor: str, known: int, position: int, messages: Iterable[tuple[str, str, Mapping[str, Any]]]
    ) -> bool:
        """Adds notifications and moves a cursor in one transaction.

        Does neither if another process has moved the cursor from `known`. A notification is the key of an event, a
        destination and a body; it is not added again if there is one for this event and destination.
        """
        now = format_time(utc_now())
        with self._database.writing() as connection:
            found = connection.execute(select(cursors.c.sequence).where(cursors.c.name == cursor)).scalar()
            if (found or 0) != known:
                return False
            for key, destination, body in messages:
                same = (outbox.c.event_key == key) & (outbox.c.destination == destination)
                if connection.execute(select(outbox.c.number).where(same)).first() is None:
                    connection.execute(
                        insert(outbox).values(
                            event_key=key, destination=destination, body=json.dumps(dict(body)),
                            state=DeliveryState.PENDING.value, attempts=0, created_at=now, next_attempt_at=now,
                            error="",
                        )
                    )  # fmt: skip
            if found is None:
                connection.execute(insert(cursors).values(name=cursor, sequence=position))
            else:
                connection.execute(update(cursors).where(cursors.c.name == cursor).values(sequence=position))
        return True

    def claim(self, limit: int = 10, lease: timedelta = timedelta(minutes=5)) -> list[Notification]:
        """Takes due notifications for sending, the oldest first. Without an answer they are due again after `lease`."""
        now = utc_now()
        due = (
            select(outbox.c.number)
            .where(outbox.c.state == DeliveryState.PENDING.value, outbox.c.next_attempt_at <= format_time(now))
            .order_by(outbox.c.number)
            .limit(limit)
        )
        with self._database.writing() as connection:
            numbers = connection.execute(due).scalars().all()
            taken = update(outbox).where(outbox.c.number.in_(numbers))
            taken = taken.values(attempts=outbox.c.attempts + 1, next_attempt_at=format_time(now + lease))
            connection.execute(taken)
            rows = connection.execute(
                select(outbox).where(outbox.c.number.in_(numbers)).order_by(outbox.c.number)
            ).all()
        return [_notification_from_row(row) for row in rows]

    def mark_sent(self, number: int) -> None:
        self._set_state(number, state=DeliveryState.SENT.value, error="")

    def mark_failed(self, number: int, error: str, retry_at: datetime | None) -> None:
        """Notes why a notification could not be sent, and when to try again; None gives up."""
        if retry_at is None:
            self._set_state(number, state=DeliveryState.FAILED.value, error=_storable(error))
        else:
            self._set_state(number, next_attempt_at=format_time(retry_at), error=_storable(error))

    def _set_state(self, number: int, **values: str) -> None:
        with self._database.writing() as connection:
            connection.execute(update(outbox).where(outbox.c.number == number).values(**values))

    def latest(self, state: DeliveryState | None = None, limit: int = 100) -> list[Notification]:
        """The latest notifications, the newest first."""
        query = select(outbox).order_by(outbox.c.number.desc()).limit(limit)
        if state is not None:
            query = query.where(outbox.c.state == state.value)
        with self._database.reading() as connection:
            return [_notification_from_row(row) for row in connection.execute(query)]

    def counts(self) -> dict[DeliveryState, int]:
        """The number of notifications in each state."""
        query = select(outbox.c.state, func.count()).group_by(outbox.c.state)
        with self._database.reading() as connection:
            found = {DeliveryState(state): int(count) for state, count in connection.execute(query)}
        return {state: found.get(state, 0) for state in DeliveryState}


def _notification_from_row(row: Row[Any]) -> Notification:
    return Notification(
        row.number, row.event_key, row.destination, json.loads(row.body), DeliveryState(row.state), row.attempts,
        parse_time(row.created_at), parse_time(row.next_attempt_at), row.error,
    )  # fmt: skip


class UploadState(StrEnum):
    RECEIVED = "received"
    INGESTED = "ingested"


@dataclass(frozen=True, slots=True)
class Upload:
    """A document that was received over HTTP."""

    digest: str
    name: str
    size: int
    actor: str
    state: UploadState
    received_at: datetime
    ingested_at: datetime | None


class UploadTable:
    """Documents that were received, each content once."""

    def __init__(self, database: DecisionDatabase) -> None:
        self._database = database

    def add(self, digest: str, name: str, size: int, actor: str) -> tuple[Upload, bool]:
        """Registers a document by the digest of its content; with whether it is new."""
        if len(digest) != 64 or not digest.isalnum():
            raise InvalidDecisionError("is not a SHA-256 digest", digest[:80])
        with self._database.writing() as connection:
            same = select(uploads).where(uploads.c.digest == digest)
            if (row := connection.execute(same).first()) is not None:
                return _upload_from_row(row), False
            connection.execute(
                insert(uploads).values(
                    digest=digest, name=_storable(name), size=size, actor=_storable(actor),
                    state=UploadState.RECEIVED.value, received_at=format_time(utc_now()),
                )
            )  # fmt: skip
            return _upload_from_row(connection.execute(same).one()), True

    def get(self, digest: str) -> Upload | None:
        with self._database.reading() as connection:
            row = connection.execute(select(uploads).where(uploads.c.digest == digest)).first()
        return _upload_from_row(row) if row else None

    def mark_ingested(self, digest: str) -> None:
        values = {"state": UploadState.INGESTED.value, "ingested_at": format_time(utc_now())}
        waiting = (uploads.c.digest == digest) & (uploads.c.state == UploadState.RECEIVED.value)
        with self._database.writing() as connection:
            connection.execute(update(uploads).where(waiting).values(**values))

    def counts(self) -> dict[UploadState, int]:
        """The number of documents in each state."""
        query = select(uploads.c.state, func.count()).group_by(uploads.c.state)
        with self._database.reading() as connection:
            found = {UploadState(state): int(count) for state, count in connection.execute(query)}
        return {state: found.get(state, 0) for state in UploadState}

    def all(self, state: UploadState | None = None, limit: int = 1000) -> list[Upload]:
        """Uploads, the oldest first."""
        query = select(uploads).order_by(uploads.c.received_at, uploads.c.digest).limit(limit)
        if state is not None:
            query = query.where(uploads.c.state == state.value)
        with self._database.reading() as connection:
            return [_upload_from_row(row) for row in connection.execute(query)]


def _upload_from_row(row: Row[Any]) -> Upload:
    ingested = parse_time(row.ingested_at) if row.ingested_at else None
    return Upload(
        row.digest, row.name, row.size, row.actor, UploadState(row.state), parse_time(row.received_at), ingested
    )
