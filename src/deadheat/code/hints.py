"""What a document says of its own origin, as candidates to be checked against a clone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Claim, Document

# of what a version may be said that is no version of the program
_TOOLS = ("go", "linux")
# those in which the report may have been seen, likeliest first
_ROLES = ("found-in", "affects", "mentioned")
# "5.x" stands for many
_MANY = re.compile(r"\.[xX]\b")
# "30669", "pingcap/tidb#30669", "https://…/issues/30669"; no message id, no name of a test
_NUMBER = re.compile(r"(?:[\w.:/-]{0,200}(?:#|/(?:issues|pull)/))?(\d{1,9})$")
# "set @@tidb_index_join_batch_size = 1" is a step, too
_STEPS = ("step", "injection")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# "1a2b3c4", "acme/outbox@1a2b3c4", at least seven digits of a commit's id
_HASH = re.compile(r"(?:.{1,200}@)?([0-9a-f]{7,64})$")


@dataclass(frozen=True, slots=True)
class Hints:
    """What a document, or whoever asks, says of a report; checked, never taken on trust."""

    candidates: tuple[str, ...] = ()  # revisions and dates (YYYY-MM-DD)
    issues: tuple[str, ...] = ()  # the numbers that it has in the tracker
    claims: tuple[Claim, ...] = ()  # what is to be answered: versions, suspects, fixes
    steps: tuple[Claim, ...] = ()  # how its author makes it happen

    def before(self, other: Hints) -> Hints:
        """These hints, and behind them the others."""
        return Hints(
            tuple(dict.fromkeys(self.candidates + other.candidates)),
            tuple(dict.fromkeys(self.issues + other.issues)),
            self.claims + other.claims,
            self.steps + other.steps,
        )


def told(document: Document | None) -> Hints:
    """What a bug report names."""
    if document is None:
        return Hints()
    claims = document.claims
    candidates = [*_commits(claims), *_versions(claims), *_day(document.written)]
    issues = [document.id] + [c.value for c in claims if c.role == "duplicate-of"]
    numbers = [match[1] for issue in issues if (match := _NUMBER.match(issue))]
    return Hints(
        tuple(dict.fromkeys(candidates)),
        tuple(dict.fromkeys(numbers)),
        tuple(c for c in claims if _is_answerable(c)),
        tuple(c for c in claims if c.kind in _STEPS),
    )


def number(value: str) -> str | None:
    """The number of an issue or change, as messages have it behind a `#`."""
    match = _NUMBER.match(value) if "#" in value else None
    return match[1] if match else None


def commit(value: str) -> str | None:
    """The id of a commit, or the beginning of one."""
    match = _HASH.match(value)
    return match[1] if match else None


def is_of_the_program(claim: Claim) -> bool:
    """Is it a single version, and not one of the compiler or the kernel?"""
    return dict(claim.details).get("of") not in _TOOLS and not _MANY.search(claim.value)


def _is_answerable(claim: Claim) -> bool:
    if claim.kind == "version":
        return is_of_the_program(claim) and claim.role != "mentioned"
    return claim.kind == "suspect" or (claim.kind == "reference" and claim.role == "fixed-by")


def _versions(claims: tuple[Claim, ...]) -> Iterator[str]:
    for role in _ROLES:
        for claim in claims:
            if claim.kind != "version" or claim.role != role or not is_of_the_program(claim):
                continue
            # "grpc v1.12.0" is worth nothing to a repository that has a v1.12.0 of its own
            if role != "mentioned" or "of" not in dict(claim.details):
                yield claim.value


def _commits(claims: tuple[Claim, ...]) -> Iterator[str]:
    """The commits that links to source lead to: who links to a line has that version before them."""
    for claim in claims:
        ref = dict(claim.details).get("ref", "") if claim.kind == "source" else ""
        if commit(ref):
            yield ref


def _day(written: str) -> Iterator[str]:
    """The day on which a document was written: `2022-12-08T10:15:00Z`, `Thu, 8 Dec 2022 …`."""
    if match := _DAY.match(written):
        yield match[0]
        return
    try:
        yield parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return
