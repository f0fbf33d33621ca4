"""What a document says about the origin of its report, and whether its claims hold in a clone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo.pinning import count_fitting_frames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Claim, Document, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.fixes.candidates import CandidateCommit
    from deadheat.repo.fixes.report_history import ReportHistory
    from deadheat.repo.pinning import Pin

# versions of these are not versions of the program
_TOOL_NAMES = ("go", "linux")
# versions in which the report may have occurred, most likely first
_VERSION_ROLES = ("found-in", "affects", "mentioned")
# "5.x"
_VERSION_WILDCARD = re.compile(r"\.[xX]\b")
# "30669", "pingcap/tidb#30669", "https://…/pingcap/tidb/issues/30669"; not a message id or test name
_ISSUE = re.compile(
    r"(?:[\w.:/-]{0,200}?(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/?(?:#|/(?:-/)?(?:issues|pull|merge_requests)/)"
    r"|[\w.:/-]{0,200}(?:#|/(?:issues|pull)/))?(?P<number>\d{1,9})$"
)
# an injection: "set @@tidb_index_join_batch_size = 1"
_STEP_KINDS = ("step", "injection")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# "1a2b3c4", "acme/outbox@1a2b3c4", at least seven digits of a commit id
_COMMIT_ID = re.compile(r"(?:.{1,200}@)?([0-9a-f]{7,64})$")
# "HEAD is now at 1a2b3c4 server: read once", "Checking out Revision 1a2b… (origin/PR-12)", "git checkout -qf 1a2b…",
# "git reset --hard 1a2b…", "Checking out 1a2b3c4d as detached HEAD", "Commit: 1a2b…"
_CHECKED_OUT = re.compile(
    rb"(?:HEAD is now at|[Cc]hecking out|[Cc]hecked out|git checkout|git reset|[Rr]evision|[Cc]ommit)\b"
    rb"[^\n0-9a-f]{0,9}(?:[^\n]{0,60}?[^\w\n])??([0-9a-f]{7,64})\b"
)
_COMPLETE_ID = re.compile(rb"(?<![0-9a-zA-Z])[0-9a-f]{40}(?![0-9a-zA-Z])")
_MAX_LOG_REVISIONS = 20
# the ids are near the beginning of a log
LOG_HEAD_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class DocumentHints:
    """What a document or the user says about a report. Always checked."""

    revisions: tuple[str, ...] = ()  # revisions and dates (YYYY-MM-DD)
    issues: tuple[str, ...] = ()  # "30669", or "pingcap/tidb#30669" if the tracker is known
    claims: tuple[Claim, ...] = ()  # to be checked: versions, suspects, fixes
    steps: tuple[Claim, ...] = ()  # steps to reproduce
    same_log: tuple[Report, ...] = ()  # all reports of the log, which one build has probably printed

    def merge_with(self, other: DocumentHints) -> DocumentHints:
        return DocumentHints(
            tuple(dict.fromkeys(self.revisions + other.revisions)),
            tuple(dict.fromkeys(self.issues + other.issues)),
            self.claims + other.claims,
            self.steps + other.steps,
            self.same_log + other.same_log,
        )


def hints_from_document(document: Document | None) -> DocumentHints:
    """The hints in a bug report."""
    if document is None:
        return DocumentHints()
    tracker = match["repository"] if (match := _ISSUE.match(document.id)) else None
    claims = tuple(_qualify_reference(claim, tracker) for claim in document.claims)
    revisions = [*_linked_commits(claims), *_claimed_versions(claims), *_date_written(document.written)]
    issues = [document.id] + [claim.value for claim in claims if claim.role == "duplicate-of"]
    names = [_issue_name(match) for issue in issues if (match := _ISSUE.match(issue))]
    return DocumentHints(
        tuple(dict.fromkeys(revisions)),
        tuple(dict.fromkeys(names)),
        tuple(claim for claim in claims if _is_checkable(claim)),
        tuple(claim for claim in claims if claim.kind in _STEP_KINDS),
    )


def revisions_in_log(text: bytes) -> tuple[str, ...]:
    """The commit ids that a log prints: those that it says it checked out, then all complete ones."""
    found = [*_CHECKED_OUT.findall(text), *_COMPLETE_ID.findall(text)]
    return tuple(islice(dict.fromkeys(name.decode() for name in found), _MAX_LOG_REVISIONS))


def _qualify_reference(claim: Claim, tracker: str | None) -> Claim:
    """A claim in which "#12" is an issue of the document's own tracker."""
    is_bare = claim.kind in ("reference", "suspect") and claim.value.startswith("#")
    return claim._replace(value=f"{tracker}{claim.value}") if tracker and is_bare else claim


def _issue_name(issue: re.Match[str]) -> str:
    return f"{issue['repository']}#{issue['number']}" if issue["repository"] else issue["number"]


def issue_numbers_of(clone: Clone, issues: Sequence[str]) -> tuple[str, ...]:
    """The numbers of the issues that are in the tracker of a clone. One whose tracker is not named is taken for one."""
    found = [match for issue in issues if (match := _ISSUE.match(issue))]
    return tuple(m["number"] for m in found if clone.has_tracker(m["repository"] or ""))


def is_program_version(claim: Claim) -> bool:
    """Whether the claim is a single version, and not of the compiler or kernel."""
    return dict(claim.details).get("of") not in _TOOL_NAMES and not _VERSION_WILDCARD.search(claim.value)


def _is_checkable(claim: Claim) -> bool:
    if claim.kind == "version":
        return is_program_version(claim) and claim.role != "mentioned"
    return claim.kind == "suspect" or (claim.kind == "reference" and claim.role == "fixed-by")


def _claimed_versions(claims: tuple[Claim, ...]) -> Iterator[str]:
    for role in _VERSION_ROLES:
        for claim in claims:
            if claim.kind != "version" or claim.role != role or not is_program_version(claim):
                continue
            # "grpc v1.12.0" is not a version of this repository
            if role != "mentioned" or "of" not in dict(claim.details):
                yield claim.value


def _linked_commits(claims: tuple[Claim, ...]) -> Iterator[str]:
    """The commits in links to source lines: the author looked at that version."""
    for claim in claims:
        ref = dict(claim.details).get("ref", "") if claim.kind == "source" else ""
        if _COMMIT_ID.match(ref):
            yield ref


def _date_written(written: str) -> Iterator[str]:
    """The date of a document: `2022-12-08T10:15:00Z`, `Thu, 8 Dec 2022 …`."""
    if match := _ISO_DATE.match(written):
        yield match[0]
        return
    try:
        yield parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return


class ClaimAnswer(NamedTuple):
    """A claim with the result of its check; `holds` is None if unknown."""

    claim: Claim
    holds: bool | None
    why: str
    commit: str | None = None


class ClaimChecker:
    def __init__(self, clone: Clone, pin: Pin, report: Report, history: ReportHistory) -> None:
        self._clone, self._pin, self._report, self._history = clone, pin, report, history

    def check_claims(
        self, claims: Sequence[Claim], fixes: Sequence[CandidateCommit], released: Sequence[str]
    ) -> list[ClaimAnswer]:
        """Check each distinct claim once."""
        unique = {(each.role if each.kind == "version" else each.kind, each.value): each for each in claims}
        return [self._check_claim(claim, fixes, released) for claim in unique.values()]

    def _check_claim(self, claim: Claim, fixes: Sequence[CandidateCommit], released: Sequence[str]) -> ClaimAnswer:
        if claim.kind in ("suspect", "reference"):
            position = self._main_line_position(claim)
            if position is None:
                return ClaimAnswer(claim, None, "no commit on the main line of this repository names this change")
            is_suspect = claim.kind == "suspect"
            return self._check_suspect(claim, position) if is_suspect else self._check_fix(claim, position, fixes)
        if claim.role == "fixed-in":
            return self._check_fixed_version(claim, fixes, released)
        return self._check_version(claim)

    def _check_version(self, claim: Claim) -> ClaimAnswer:
        commit = self._clone.resolve_revision(claim.value)
        if commit is None:
            return ClaimAnswer(claim, None, "the clone has no such tag, branch or commit")
        fits, frames = count_fitting_frames(self._clone, self._report, commit)
        reason = f"{fits} of {frames} frames fit there"
        if fits == self._pin.fitting_count:
            return ClaimAnswer(claim, True, reason, commit)
        return ClaimAnswer(claim, False, f"{reason}, {self._pin.fitting_count} in the window", commit)

    def _check_fixed_version(
        self, claim: Claim, fixes: Sequence[CandidateCommit], released: Sequence[str]
    ) -> ClaimAnswer:
        if not fixes or not fixes[0].is_convincing:
            return ClaimAnswer(claim, None, "no fix was found to check it against")
        fix = fixes[0].commit
        if {claim.value, f"v{claim.value}"} & set(released):
            return ClaimAnswer(claim, True, f"it contains {fix[:11]}", fix)
        if self._clone.resolve_revision(claim.value) is None:
            return ClaimAnswer(claim, None, "the clone has no such tag")
        return ClaimAnswer(claim, False, f"it does not contain the code of {fix[:11]}", fix)

    def _check_suspect(self, claim: Claim, position: int) -> ClaimAnswer:
        commit = self._clone.main.commits[position]
        if position > self._history.pin_position:
            return ClaimAnswer(claim, False, f"{commit[:11]} came after the window", commit)
        functions, files = self._history.changes_at(position)
        if functions:
            reason = f"{commit[:11]} came before and changes {', '.join(functions[:4])}"
            return ClaimAnswer(claim, True, reason, commit)
        reason = f"changes {', '.join(files[:3])}" if files else "changes no file of the report"
        return ClaimAnswer(claim, None, f"{commit[:11]} came before and {reason}", commit)

    def _check_fix(self, claim: Claim, position: int, fixes: Sequence[CandidateCommit]) -> ClaimAnswer:
        commit = self._clone.main.commits[position]
        if position <= self._history.pin_position:
            return ClaimAnswer(claim, False, f"{commit[:11]} is in the window or before it", commit)
        if fixes and fixes[0].commit == commit:
            return ClaimAnswer(claim, True, f"{commit[:11]} is the most likely fix", commit)
        changed, _ = self._history.changes_at(position)
        effect = f"changes {', '.join(changed[:4])}" if changed else "changes no function of the report"
        return ClaimAnswer(claim, bool(changed) or None, f"{commit[:11]} {effect}", commit)

    def _main_line_position(self, claim: Claim) -> int | None:
        """The main line position of the change or commit that a claim names."""
        if "#" in claim.value and _ISSUE.match(claim.value):
            numbers = issue_numbers_of(self._clone, [claim.value])
            return self._clone.messages.position_of_change(numbers[0]) if numbers else None
        reference = _COMMIT_ID.match(claim.value)
        commit = self._clone.resolve_revision(reference[1]) if reference else None
        return self._clone.main.position_of(commit) if commit else None
