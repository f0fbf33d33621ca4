"""Who introduced a race and who should look at it: commits, CODEOWNERS and OWNERS files, authors."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from deadheat.codeowners import match_codeowners, owners_by_rule
from deadheat.repo import file_versions
from deadheat.repo.fixes.candidates import CandidateCommit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.codeowners import OwnerRule
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import ClaimAnswer
    from deadheat.repo.fixes.report_history import ReportHistory, TrackedFunction


class OriginFinder:
    def __init__(self, history: ReportHistory) -> None:
        self._history, self._clone = history, history.clone

    def introducing_commits(self, suspects: Iterable[ClaimAnswer] = ()) -> list[CandidateCommit]:
        """Commits that added the racing lines and the `go` statements: suspects of the document first, then newest."""
        by_position: dict[int, CandidateCommit] = {}
        for target, position in self._history.introducing_positions.items():
            if position is None:
                continue
            if position not in by_position:
                commit = self._clone.main.commits[position]
                message = self._clone.messages.message_at(position)
                by_position[position] = CandidateCommit(commit, message.subject, message.time)
            what = "a racing line" if target.is_racing else "the go statement"
            line_text = file_versions.normalize_line(target.line).decode("utf-8", "replace")[:80]
            by_position[position].add_reason(1.5, f"added {what}: {line_text}")
        ranked = [by_position[position] for position in sorted(by_position, reverse=True)]
        if ranked:
            ranked[0].add_reason(1.0, "the last part of the race to be added")
        return self._put_suspects_first(suspects, ranked)

    def _put_suspects_first(
        self, suspects: Iterable[ClaimAnswer], candidates: list[CandidateCommit]
    ) -> list[CandidateCommit]:
        """The commits, with those that the document suspects first."""
        known = {c.commit: c for c in candidates}
        suspected: dict[str, CandidateCommit] = {}
        for answer in suspects:
            commit = answer.commit or ""
            position = self._clone.main.position_of(commit)
            if position is None or position > self._history.pin_position or not self._history.changes_at(position)[1]:
                continue
            message = self._clone.messages.message_at(position)
            suspected[commit] = known.get(commit) or CandidateCommit(commit, message.subject, message.time)
            suspected[commit].add_reason(2.5, f"the document says that {answer.claim.value} introduced it")
            suspected[commit].add_reason(1.0, answer.why)
        return [*suspected.values(), *(c for c in candidates if c.commit not in suspected)]

    def line_authors(self) -> list[tuple[str, str]]:
        """The authors of the racing lines."""
        reasons: dict[str, str] = {}
        for target in self._racing_functions():
            position = self._history.introducing_positions.get(target)
            if position is not None:
                self._add_author(reasons, position, f"wrote the racing line in {target.name}")
        return list(reasons.items())

    def function_authors(self) -> list[tuple[str, str]]:
        """The last authors of the racing functions."""
        reasons: dict[str, str] = {}
        for target in self._racing_functions():
            for recent in self._recent_positions(target):
                self._add_author(reasons, recent, f"worked on {target.name}")
        return list(reasons.items())

    def _racing_functions(self) -> list[TrackedFunction]:
        return [target for target in self._history.functions if target.is_racing]

    def _add_author(self, reasons: dict[str, str], position: int, why: str) -> None:
        commit = self._clone.main.commits[position]
        reasons.setdefault(self._clone.messages.message_at(position).author, f"{why} ({commit[:11]})")

    def _recent_positions(self, target: TrackedFunction) -> list[int]:
        """The last positions before the pin at which a function changed."""
        versions = [v for v in self._clone.main.file_versions(target.path) if v.pos <= self._history.pin_position][-40:]
        known = file_versions.function_texts(self._clone, [v.blob for v in versions], target.path, target.function)
        texts = [(v.pos, known.get(v.blob)) for v in versions]
        changed = [b[0] for a, b in pairwise(texts) if a[1] != b[1]]
        return changed[::-1][:3]


_CODEOWNERS_PATHS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
# "  - zimulala", "- alice", below "approvers:" in an OWNERS file
_LIST_ITEM = re.compile(r"\s*-\s+([\w.@/-]{1,80})\s*(?:#.*)?$")
_HEADING = re.compile(r"\s*(approvers|reviewers|emeritus_approvers|labels|options|filters)\s*:")
_MAX_OWNERS = 10


class CodeOwner(NamedTuple):
    who: str
    why: str


def find_owners(clone: Clone, commit: str, paths: Sequence[str], origins: OriginFinder) -> list[CodeOwner]:
    """Whom to ask: the authors of the racing lines, the owners of the files, the authors of the racing functions."""
    owners: list[tuple[str, str]] = []
    for path in paths:
        owners += [*_owners_in_codeowners(clone, commit, path), *_owners_in_owners_files(clone, commit, path)]
    found: dict[str, str] = {}
    for who, why in [*origins.line_authors(), *owners, *origins.function_authors()]:
        found.setdefault(who, why)
    return [CodeOwner(who, why) for who, why in found.items()][:_MAX_OWNERS]


def put_configured_owners_first(
    owners: Iterable[CodeOwner], rules: Sequence[OwnerRule], paths: Iterable[str]
) -> list[CodeOwner]:
    """The owners, with those whom the rules of the user name for these paths first."""
    found: dict[str, str] = {}
    for path in paths:
        who, pattern = owners_by_rule(rules, path)
        for name in who:
            found.setdefault(name, f"owner of {pattern} in the configuration")
    configured = [CodeOwner(name, why) for name, why in found.items()]
    return [*configured, *(owner for owner in owners if owner.who not in found)][:_MAX_OWNERS]


def _owners_in_codeowners(clone: Clone, commit: str, path: str) -> list[tuple[str, str]]:
    for name in _CODEOWNERS_PATHS:
        content = clone.read_source(commit, name)
        if content is None:
            continue
        who, rule = match_codeowners(content.decode("utf-8", "replace"), path)
        return [(w, f"{name}: {rule}") for w in who]
    return []


def _owners_in_owners_files(clone: Clone, commit: str, path: str) -> list[tuple[str, str]]:
    """The approvers of the nearest OWNERS file above a path."""
    parts = path.split("/")[:-1]
    for depth in range(len(parts), -1, -1):
        name = "/".join([*parts[:depth], "OWNERS"])
        content = clone.read_source(commit, name)
        if content is not None and (who := parse_approvers(content.decode("utf-8", "replace"))):
            return [(w, f"approver in {name}") for w in who]
    return []


def parse_approvers(text: str) -> list[str]:
    found, heading = [], ""
    for line in text.splitlines():
        if match := _HEADING.match(line):
            heading = match[1]
        elif heading == "approvers" and (match := _LIST_ITEM.match(line)):
            found.append(match[1])
    return found
