"""The options of `deadheat serve` about intake, ingest, notifications and logs, and what a process makes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat.codeowners import OwnerRule
from deadheat.web.intake.folder import IntakeFolder
from deadheat.web.notify import delivery
from deadheat.web.notify.rules import destinations_of, read_rules

if TYPE_CHECKING:
    from deadheat.web.notify.rules import Destination
    from deadheat.web.services import Services

DEFAULT_MAX_UPLOAD, DEFAULT_FREE_SPACE = 1 << 30, 1 << 30


@dataclass(frozen=True, slots=True)
class OperationSettings:
    """Every process of a server gets them, as JSON."""

    intake: str = ""  # folder of received documents; empty to receive none
    max_upload: int = DEFAULT_MAX_UPLOAD
    free_space: int = DEFAULT_FREE_SPACE  # what received documents leave free on the disk
    public_url: str = ""  # the address by which people reach the server
    notify: list[dict[str, Any]] = field(default_factory=list)  # rules, as in deadheat.toml
    notify_folder: str = "."  # that names of files in rules are relative to
    owners: list[tuple[str, list[str]]] = field(default_factory=list)  # as in deadheat.toml
    log_format: str = "text"
    state_folder: str = ""  # what the processes of the server share

    def destinations(self) -> list[Destination]:
        """The destinations of notifications, checked."""
        if not self.notify:
            return []
        found = destinations_of(read_rules(self.notify, Path(self.notify_folder)))
        delivery.require_apprise()
        delivery.check_addresses(found)
        return found

    def intake_folder(self) -> IntakeFolder | None:
        return IntakeFolder(Path(self.intake).absolute(), self.max_upload, self.free_space) if self.intake else None

    def apply(self, services: Services) -> None:
        """Give the services of a process what the options ask for."""
        if self.state_folder:
            services.background.state_folder = Path(self.state_folder)
        services.intake = self.intake_folder()
        destinations = self.destinations()
        if destinations and services.store is not None:
            rules = [OwnerRule(pattern, tuple(owners)) for pattern, owners in self.owners]
            services.background.use_notifications(services.store, destinations, self.public_url, rules)
