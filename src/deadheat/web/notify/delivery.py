"""Sends the notifications of the outbox through Apprise, again and again until they arrive or are given up."""

from __future__ import annotations

import logging
import random
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from deadheat.errors import DeadheatError
from deadheat.printable import shorten, visible_text
from deadheat.triage.events import utc_now
from deadheat.web.notify.rules import NotificationRuleError
from deadheat.web.notify.texts import trial_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.triage.server_tables import Notification
    from deadheat.triage.store import DecisionStore
    from deadheat.web.notify.rules import Destination

_LOG = logging.getLogger("deadheat.web.notify")
_MAX_ERROR_LENGTH = 300
_FAULT_LEVELS = ("WARNING", "ERROR", "CRITICAL")
_SECRET_LENGTH = 4
# what of an address is no secret: its scheme
_ADDRESS_PARTS = re.compile(r"[^\w%.+~-]+")


@dataclass(frozen=True, slots=True)
class DeliveryPolicy:
    """When a notification is sent again. A killed process holds its notifications for the time of the lease."""

    first_pause: timedelta = timedelta(seconds=30)
    longest_pause: timedelta = timedelta(hours=6)
    max_attempts: int = 14  # about two days
    lease: timedelta = timedelta(minutes=5)
    send_seconds: float = 20.0
    claimed: int = 5  # at once, so that all can be sent within the lease

    def pause_after(self, attempts: int) -> timedelta:
        """Ever longer, and not the same for all that failed together."""
        pause: timedelta = min(self.first_pause * 2 ** min(attempts - 1, 30), self.longest_pause)
        return timedelta(seconds=pause.total_seconds() * random.uniform(0.5, 1.0))


class Deliverer:
    """Sends what is due. Several may, in any processes: each takes what no other has taken."""

    def __init__(
        self, store: DecisionStore, destinations: Sequence[Destination], policy: DeliveryPolicy | None = None
    ) -> None:
        self._store, self._policy = store, policy or DeliveryPolicy()
        self._destinations = {each.name: each for each in destinations}

    def deliver_due(self) -> int:
        """Sends what is due now; returns how many were taken."""
        claimed = self._store.outbox.claim(self._policy.claimed, self._policy.lease)
        for notification in claimed:
            self._deliver(notification)
        return len(claimed)

    def _deliver(self, notification: Notification) -> None:
        destination = self._destinations.get(notification.destination)
        if destination is None:
            error = "the configuration has no such destination any more"
        else:
            error = send(destination, notification.body, self._policy.send_seconds)
        if not error:
            self._store.outbox.mark_sent(notification.number)
            return
        is_last = destination is None or notification.attempts >= self._policy.max_attempts
        retry_at = None if is_last else utc_now() + self._policy.pause_after(notification.attempts)
        self._store.outbox.mark_failed(notification.number, error, retry_at)
        log = _LOG.error if is_last else _LOG.warning
        then = "given up" if is_last else "tried again later"
        log("notification %s to %s: %s; %s", notification.number, notification.destination, error, then)


def check_addresses(destinations: Sequence[Destination]) -> None:
    """Raises an error for an address that Apprise does not understand; it is not shown."""
    for destination in destinations:
        if _notifier(destination.url) is None:
            scheme = destination.url.partition(":")[0]
            shown = f"{scheme}://…" if scheme.isalnum() and len(scheme) < 20 else "the address"
            raise NotificationRuleError(
                f"{shown} is no address of Apprise", f"[[serve.notify]] {destination.name}",
                "https://appriseit.com lists them",
            )  # fmt: skip


def send(destination: Destination, body: dict[str, Any], seconds: float) -> str:
    """Sends a message; returns what went wrong, without what is secret in the address."""
    try:
        notifier = _notifier(destination.url)
        if notifier is None:
            return "the address is not understood"
        result = notifier.notify(body=body["body"], title=body["title"], body_format="text", timeout=seconds)
        if result:
            return ""
        lines = [entry.message for entry in result.logs() if entry.level in _FAULT_LEVELS]
        error = lines[-1] if lines else result.status.name.lower()
    except Exception as failure:  # noqa: BLE001, every service has a library of its own
        error = f"{type(failure).__name__}: {failure}"
    return shorten(visible_text(without_secrets(error, destination.url)), _MAX_ERROR_LENGTH)


def _notifier(url: str) -> Any:
    """The object that sends to an address; None if it is not understood."""
    import apprise  # slow to import

    quiet_apprise()
    asset = apprise.AppriseAsset(
        app_id="deadheat", app_desc="deadheat", app_url="", http_redirects=False, pgp_autogen=False, pem_autogen=False,
        async_mode=False, storage_mode="memory",
    )  # fmt: skip
    notifier = apprise.Apprise(asset=asset)
    return notifier if notifier.add(url) else None


def quiet_apprise() -> None:
    """Its log has addresses; what concerns us is in the results."""
    logger = logging.getLogger("apprise")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False


def without_secrets(text: str, url: str) -> str:
    """A text without any part of an address but its scheme."""
    rest = url.partition("://")[2]
    parts = {part for piece in (rest, unquote(rest)) for part in _ADDRESS_PARTS.split(piece)}
    for part in sorted(parts, key=len, reverse=True):
        if len(part) >= _SECRET_LENGTH:
            text = text.replace(part, "…")
    return text


def try_destinations(destinations: Sequence[Destination], public_url: str) -> Iterator[tuple[str, str]]:
    """Sends a test to each destination at once; its name, and what went wrong."""
    for destination in destinations:
        yield destination.name, send(destination, trial_message(public_url), DeliveryPolicy().send_seconds)


def require_apprise() -> None:
    """Raises an error if the extra `notify` is missing."""
    from importlib.util import find_spec

    if find_spec("apprise") is None:
        raise DeadheatError("apprise is not installed", do="pip install 'deadheat[notify]'")
