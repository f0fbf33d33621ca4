"""Decides which commits fixed a race, by which strategy and why, and which fixes were reverted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from deadheat.diagnosis import diagnose
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.printable import format_json
from deadheat.repo.mining import commit_changes, message_classifier
from deadheat.repo.mining import synchronization_changes as did
from deadheat.repo.mining.message_classifier import MessageWeight
from deadheat.repo.mining.synchronization_changes import SynchronizationChanges
from deadheat.serialization import sighting_from_wire, sighting_to_wire

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from deadheat.model import Sighting
    from deadheat.repo.git import GitReader
    from deadheat.repo.git.messages import CommitMessage
    from deadheat.repo.mining.commit_changes import ChangedFile, ListedCommit
    from deadheat.repo.mining.message_classifier import MessageFacts

    FixRow = dict[str, Any]

_MAX_TEXT_LENGTH = 4_000
# phrases in messages: "concurrent map read and map write", "close of closed channel"
_CAUSE_PHRASES = {
    "concurrent-map": r"concurrent map",
    "loop-variable-captured": r"loop var|range var|iteration var",
    "waitgroup-add-in-goroutine": r"wait ?group",
    "lazy-initialisation": r"lazy|initiali[sz]",
    "close-vs-send": r"send on closed|closed? channel",
    "timer-after-stop": r"\btimer\b",
    "test-changes-global": r"global (?:config|var)|failpoint",
    "worker-outlives-owner": r"\bleak|outliv",
    "check-then-act": r"double.?check|check.then",
}
# "Close", "stop", "TearDownSuite", "(*Domain).Shutdown"
_TEARDOWN_FUNCTION = re.compile(
    r"(?:^|\.)(?:\w{0,20}(?:[cC]lose|[sS]top|[sS]hutdown|[tT]ear[dD]own|[cC]ancel|[rR]eset))\w{0,12}$"
)


def likely_causes(
    text: str, changes: SynchronizationChanges, reports: Iterable[Sighting], tests_only: bool
) -> tuple[str, ...]:
    """Most likely first."""
    causes = [finding.cause for sighting in reports for finding in diagnose(sighting.report) if not finding.crashed]
    text = text[:_MAX_TEXT_LENGTH]
    causes += [cause for cause, phrase in _CAUSE_PHRASES.items() if re.search(phrase, text, re.IGNORECASE)]
    strategy = changes.strategies[0] if changes.strategies else ""
    is_reordered = strategy in (did.JOINED_BEFORE_TEARDOWN, did.ORDER_CHANGED)
    for cause, is_likely in (
        ("loop-variable-captured", changes.loop_copies),
        ("teardown-vs-worker", is_reordered and any(map(is_teardown_function, changes.functions))),
        ("test-leaves-resource-open", strategy == did.JOINED_BEFORE_TEARDOWN and tests_only),
        ("missing-lock", strategy == did.LOCK_ADDED),
        ("mixed-atomic", strategy == did.MADE_ATOMIC),
    ):
        causes += [cause] if is_likely else []
    return tuple(dict.fromkeys(cause for cause in causes if cause != UNKNOWN))[:5]


def is_teardown_function(function: str) -> bool:
    return _TEARDOWN_FUNCTION.search(function) is not None


# "go.mod", "Cargo.lock", "DEPS.bzl": files that list dependency versions
_DEPENDENCY_FILE = re.compile(
    r"(?:^|/)(?:go\.(?:mod|sum)|Cargo\.(?:toml|lock)|DEPS\.bzl|glide\.\w{4}|Gopkg\.\w{4})$|(?:^|/)_?vendor/"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,80}")
# text that a quoted report contains
_REPORT_TEXT = re.compile(r"data[ -]race|concurrent map|previous (?:write|read)|race condition|Helgrind", re.IGNORECASE)
# changed lines; a larger commit is not analysed further
_MAX_CHANGED_LINES = 10_000
# size limits of changes whose message does not clearly mention a race
_MAX_SYMPTOM_LINES, _MAX_SMALL_LINES, _MIN_LOCK_POINTS = 60, 12, 4
_MAX_LINES_BY_WEIGHT = {
    MessageWeight.NOTHING: 0,
    MessageWeight.SYMPTOM: 2 * _MAX_SYMPTOM_LINES,
    MessageWeight.HINT: 2 * _MAX_SYMPTOM_LINES,
    MessageWeight.REMEDY: 400,
    MessageWeight.UNSAFE: 400,
    MessageWeight.RACE_IN_BODY: 600,
}
_STRATEGY_TEXTS = {
    did.LOCK_ADDED: "adds a lock",
    did.MADE_ATOMIC: "makes accesses atomic",
    did.COPY_MADE: "makes a copy",
    did.ORDER_CHANGED: "changes the order of operations",
    did.JOINED_BEFORE_TEARDOWN: "waits for a task to end",
    did.SHARING_REMOVED: "removes shared state",
}


@dataclass(frozen=True, slots=True)
class RaceFix:
    commit: str
    subject: str
    time: int
    strategy: str
    strategies: tuple[str, ...]  # the main one first
    why: tuple[str, ...]
    files: tuple[str, ...]
    functions: tuple[str, ...]
    types: tuple[str, ...]
    variables: tuple[str, ...]
    issues: tuple[str, ...]
    pull: str | None
    is_merge: bool
    causes: tuple[str, ...] = ()  # likely causes of the race
    reports: tuple[Sighting, ...] = ()  # quoted in the message
    reverted_by: str | None = None
    brings: tuple[str, ...] = ()  # of a merge: the fixes that it contains


@dataclass(frozen=True, slots=True)
class RevertCommit:
    commit: str
    reverted_commits: tuple[str, ...]  # ids or prefixes of ids
    reverted_pulls: tuple[str, ...]
    subject: str


def detect_fixes(
    git: GitReader, commits: Collection[ListedCommit], race_issues: Mapping[str, Collection[str]] | None = None
) -> Iterator[RaceFix | RevertCommit]:
    """The fixes and reverts among commits.

    `race_issues` maps the numbers of issues about races to the file names in their reports: the same number may be
    another issue in another tracker.
    """
    race_issues = race_issues or {}
    candidates = []
    for listed, message in commit_changes.read_messages(git, commits):
        facts = message_classifier.classify_message(message.subject, message.text)
        if facts.is_revert:
            yield RevertCommit(listed.commit, facts.reverted_commits, facts.reverted_pulls, message.subject)
        elif not facts.is_branch_merge and (facts.weight or race_issues.keys() & set(facts.issues)):
            text = message.text[: message_classifier.MAX_MESSAGE_LENGTH]
            candidates.append((listed, message._replace(text=text), facts))
    changed = commit_changes.changed_files(git, [listed for listed, _, _ in candidates])
    for listed, message, facts in candidates:
        files = changed[listed.commit]
        if 0 < len(files) <= commit_changes.MAX_FILES:
            names = {file.path.rpartition("/")[2] for file in files}
            linked_issues = [number for number in facts.issues if names & set(race_issues.get(number, ()))]
            if fix := _judge_commit(git, listed, message, facts, files, linked_issues):
                yield fix


def _judge_commit(
    git: GitReader,
    listed: ListedCommit,
    message: CommitMessage,
    facts: MessageFacts,
    files: list[ChangedFile],
    linked_issues: list[str],
) -> RaceFix | None:
    changes = SynchronizationChanges()
    for path, old, new in commit_changes.read_versions(git, files):
        did.add_file_changes(changes, path, old, new)
        if changes.line_count > _MAX_CHANGED_LINES:
            break
    did.add_overall_points(changes)
    from deadheat.api import scan_text

    reports = scan_text(message.text, "message", diagnose=False) if _REPORT_TEXT.search(message.text) else []
    why = _fix_reasons(facts, changes, [file.path for file in files], bool(reports), linked_issues)
    if not why:
        return None
    tests_only = bool(changes.files) and all(map(did.is_test_path, changes.files))
    strategies = changes.strategies or [did.OTHER_STRATEGY if changes.files else did.DEPENDENCY_UPDATED]
    main_strategy = did.TEST_ONLY if tests_only else strategies[0]
    if tests_only and facts.is_upgrade and any(_DEPENDENCY_FILE.search(file.path) for file in files):
        main_strategy = did.DEPENDENCY_UPDATED
    identifiers = set(_IDENTIFIER.findall(message.text))
    return RaceFix(
        listed.commit,
        message.subject,
        message.time,
        main_strategy,
        tuple(strategies),
        tuple(why),
        tuple(changes.files or [f.path for f in files][:20]),
        tuple(did.top_names(changes.functions, identifiers)),
        tuple(did.top_names(changes.types, identifiers)),
        tuple(did.top_names(changes.variables, identifiers)),
        facts.issues,
        facts.pull,
        message.parent_count > 1,
        likely_causes(message.text, changes, reports, tests_only),
        tuple(reports),
    )


def _fix_reasons(
    facts: MessageFacts, changes: SynchronizationChanges, paths: list[str], has_quotes: bool, linked_issues: list[str]
) -> list[str]:
    """Why a commit is considered a race fix; empty if it is not."""
    why = [facts.why] if facts.why else []
    if has_quotes:
        why.append("its message quotes a report")
    why += [f"it closes #{number}, which is about a race" for number in linked_issues]
    if not changes.line_count:
        is_upgrade = facts.weight == MessageWeight.RACE_IN_SUBJECT and any(map(_DEPENDENCY_FILE.search, paths))
        return [*why, "it changes the version of a dependency"] if is_upgrade else []
    why += [f"it {_STRATEGY_TEXTS[strategy]}" for strategy in changes.strategies[:1]]
    return why if has_quotes or linked_issues or _is_fix(facts, changes) else []


def _is_fix(facts: MessageFacts, changes: SynchronizationChanges) -> bool:
    """The weaker the message, the clearer the change must be."""
    is_fix = facts.is_fix or not facts.is_feature
    if facts.weight == MessageWeight.RACE_IN_SUBJECT:
        return is_fix or bool(changes.synchronization_points)
    is_mostly_new = changes.new_product_lines * 2 > changes.size
    if (is_mostly_new and changes.size > _MAX_SMALL_LINES) or changes.size > _MAX_LINES_BY_WEIGHT[facts.weight]:
        return False
    if facts.weight == MessageWeight.RACE_IN_BODY:
        return is_fix and bool(changes.strategies)
    if facts.weight == MessageWeight.REMEDY:
        return not facts.is_refactoring and changes.synchronization_points > 0
    if not facts.is_fix or facts.is_refactoring:
        return False
    if facts.weight == MessageWeight.UNSAFE:
        return bool(changes.strategies) or changes.size <= _MAX_SMALL_LINES
    if facts.weight == MessageWeight.HINT:
        return changes.synchronization_points > 0
    return _is_small_guard(facts, changes)


def _is_small_guard(facts: MessageFacts, changes: SynchronizationChanges) -> bool:
    """Whether the change only adds a lock, an atomic variable or a copy of a loop variable."""
    if changes.new_product_lines * 3 > changes.size:
        return False
    locks, atomic_conversions = changes.points[did.LOCK_ADDED], changes.atomic_conversions if facts.is_flaky else 0
    if changes.size > _MAX_SYMPTOM_LINES:
        return locks >= 2 * _MIN_LOCK_POINTS
    return locks >= _MIN_LOCK_POINTS or atomic_conversions > 0 or changes.loop_copies > 0


# 'Revert "executor: fix data race (#30701)" (#30800)', possibly truncated
_QUOTED_SUBJECT = re.compile(r"\brevert\b[^\"]{0,20}\"(.{8,400}?)(?:\(#\d{1,9}\))?\W*$", re.IGNORECASE)
# 'Revert "Revert "executor: fix data race""', 'Reapply "executor: fix data race"': applied again
_REAPPLY_SUBJECT = re.compile(r"\brevert\W{1,4}revert\b|^reapply\b", re.IGNORECASE)
_OUTER_REVERT = re.compile(r"^(?:revert\W{1,4}(?=revert)|reapply\b)", re.IGNORECASE)
_PULL_SUFFIX = re.compile(r"(?<!\s)\s*\(#\d{1,9}\)\s*$")
_MIN_ID_LENGTH = 7


def resolve_fixes(
    fixes: Iterable[RaceFix], reverts: Iterable[RevertCommit], merged_commits: Mapping[str, frozenset[str]]
) -> list[RaceFix]:
    """The fixes, newest first, each with the commit that reverted it and, of a merge, the fixes that it contains."""
    found = list(fixes)
    listed = {fix.commit for fix in found}
    reverted_by = _reverted_fixes(found, list(reverts))
    resolved = []
    for fix in found:
        merged_fixes = merged_commits.get(fix.commit, frozenset()) & listed - {fix.commit}
        resolved.append(replace(fix, reverted_by=reverted_by.get(fix.commit), brings=tuple(sorted(merged_fixes))))
    return sorted(resolved, key=lambda fix: (-fix.time, fix.commit))


def _reverted_fixes(fixes: list[RaceFix], reverts: list[RevertCommit]) -> dict[str, str]:
    """The reverted fixes, each with the commit that reverted it; a revert may itself be reverted."""
    undone = {name for revert in reverts for name in _commits_named_in(revert, [r.commit for r in reverts])}
    reapplied = {_reverted_subject(revert.subject) for revert in reverts if _REAPPLY_SUBJECT.search(revert.subject)}
    by_pull = {fix.pull: fix.commit for fix in fixes if fix.pull}
    by_subject = {_strip_subject(fix.subject): fix.commit for fix in fixes}
    reverted_by: dict[str, str] = {}
    for revert in reverts:
        is_reapplied = _REAPPLY_SUBJECT.search(revert.subject) or _reverted_subject(revert.subject) in reapplied
        if revert.commit in undone or is_reapplied:
            continue
        names = _commits_named_in(revert, [fix.commit for fix in fixes])
        names += [by_pull[pull] for pull in revert.reverted_pulls if pull in by_pull]
        if (match := _QUOTED_SUBJECT.search(revert.subject)) and (subject := _strip_subject(match[1])) in by_subject:
            names.append(by_subject[subject])
        reverted_by |= dict.fromkeys(names, revert.commit)
    return reverted_by


def _reverted_subject(subject: str) -> str:
    """The subject that was reverted or reapplied; the subject itself if none is quoted."""
    match = _QUOTED_SUBJECT.search(_OUTER_REVERT.sub("", subject)) if _REAPPLY_SUBJECT.search(subject) else None
    match = match or _QUOTED_SUBJECT.search(subject)
    return _strip_subject(match[1]) if match else subject


def _commits_named_in(revert: RevertCommit, commits: list[str]) -> list[str]:
    names = tuple(name for name in revert.reverted_commits if len(name) >= _MIN_ID_LENGTH)
    return [commit for commit in commits if commit.startswith(names)]


def _strip_subject(subject: str) -> str:
    return _PULL_SUFFIX.sub("", subject).strip(" \"'")


def commits_in_merges(git: GitReader, fixes: Iterable[RaceFix]) -> dict[str, frozenset[str]]:
    """The commits that each merge among the fixes added to the main line."""
    return {
        fix.commit: frozenset(git.output_lines("rev-list", fix.commit, f"^{fix.commit}^1"))
        for fix in fixes
        if fix.is_merge
    }


_LIST_FIELDS = ("strategies", "why", "files", "functions", "types", "variables", "issues", "causes", "brings")
_SCALAR_FIELDS = ("commit", "subject", "strategy", "pull", "is_merge", "reverted_by")
# years 1 and 9999: a commit may have any time, a table column cannot
_MIN_TIME, _MAX_TIME = -62_135_596_800, 253_402_300_799


def fix_to_row(fix: RaceFix) -> FixRow:
    from deadheat.api import diagnose_sighting

    row: FixRow = {name: getattr(fix, name) for name in _SCALAR_FIELDS}
    row |= {name: list(getattr(fix, name)) for name in _LIST_FIELDS}
    row["fixed_at"] = datetime.fromtimestamp(max(_MIN_TIME, min(fix.time, _MAX_TIME)), UTC)
    row["reports"] = []
    for sighting in fix.reports:
        text = format_json(sighting_to_wire(diagnose_sighting(sighting)))
        fingerprint, title = sighting.verdict.fingerprint, sighting.verdict.title
        row["reports"].append({"fingerprint": fingerprint, "title": title, "report": text})
    return row


def fix_from_row(row: Mapping[str, Any]) -> RaceFix:
    fields: FixRow = {name: row[name] for name in _SCALAR_FIELDS}
    fields |= {name: tuple(row[name]) for name in _LIST_FIELDS}
    fields["time"] = int(row["fixed_at"].timestamp())
    fields["reports"] = tuple(sighting_from_wire(json.loads(quoted["report"])) for quoted in row["reports"])
    return RaceFix(**fields)
