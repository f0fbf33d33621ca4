"""What a document says about the origin of its report, to be checked against a clone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Claim, Document

# versions of these are not versions of the program
_TOOLS = ("go", "linux")
# versions in which the report may have occurred, most likely first
_ROLES = ("found-in", "affects", "mentioned")
# "5.x"
_MANY = re.compile(r"\.[xX]\b")
# "30669", "pingcap/tidb#30669", "https://…/issues/30669"; not a message id or test name
_NUMBER = re.compile(r"(?:[\w.:/-]{0,200}(?:#|/(?:issues|pull)/))?(\d{1,9})$")
# an injection: "set @@tidb_index_join_batch_size = 1"
_STEPS = ("step", "injection")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# "1a2b3c4", "acme/outbox@1a2b3c4", at least seven digits of a commit id
_HASH = re.compile(r"(?:.{1,200}@)?([0-9a-f]{7,64})$")


@dataclass(frozen=True, slots=True)
class Hints:
    """What a document or the user says about a report. Always checked."""

    candidates: tuple[str, ...] = ()  # revisions and dates (YYYY-MM-DD)
    issues: tuple[str, ...] = ()  # issue numbers in the tracker
    claims: tuple[Claim, ...] = ()  # to be checked: versions, suspects, fixes
    steps: tuple[Claim, ...] = ()  # steps to reproduce

    def before(self, other: Hints) -> Hints:
        """These hints followed by the others."""
        return Hints(
            tuple(dict.fromkeys(self.candidates + other.candidates)),
            tuple(dict.fromkeys(self.issues + other.issues)),
            self.claims + other.claims,
            self.steps + other.steps,
        )


def told(document: Document | None) -> Hints:
    """The hints in a bug report."""
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
    """The number of an issue or change, as messages write it after `#`."""
    match = _NUMBER.match(value) if "#" in value else None
    return match[1] if match else None


def commit(value: str) -> str | None:
    """The full or abbreviated commit id in a value."""
    match = _HASH.match(value)
    return match[1] if match else None


def is_of_the_program(claim: Claim) -> bool:
    """Whether the claim is a single version, and not of the compiler or kernel."""
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
            # "grpc v1.12.0" is not a version of this repository
            if role != "mentioned" or "of" not in dict(claim.details):
                yield claim.value


def _commits(claims: tuple[Claim, ...]) -> Iterator[str]:
    """The commits in links to source lines: the author looked at that version."""
    for claim in claims:
        ref = dict(claim.details).get("ref", "") if claim.kind == "source" else ""
        if commit(ref):
            yield ref


def _day(written: str) -> Iterator[str]:
    """The date of a document: `2022-12-08T10:15:00Z`, `Thu, 8 Dec 2022 …`."""
    if match := _DAY.match(written):
        yield match[0]
        return
    try:
        yield parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return
