"""Finds later commits that may have fixed a race, with reasons and a score."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from deadheat.repo import file_versions
from deadheat.repo.file_versions import normalize_line
from deadheat.repo.fixes.candidates import (
    MAX_NEAR_DISTANCE,
    MIN_CERTAIN_SCORE,
    CandidateCommit,
    combine_scores,
    is_distinctive,
    rank_candidates,
    score_distance,
    score_message,
)
from deadheat.repo.git.history import version_at
from deadheat.repo.pinning import line_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.repo.fixes.report_history import ReportHistory, TrackedFunction
    from deadheat.repo.git.messages import CommitMessage
    from deadheat.repo.variable import RaceVariable

    FunctionTexts = dict[TrackedFunction, tuple[bytes | None, bytes | None]]  # before and after a commit

# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTED_COMMIT = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
_REVERT_SUBJECT = re.compile(r"^revert\b", re.IGNORECASE)
# synchronization in Go, C, C++ and Rust
_SYNCHRONIZATION = re.compile(
    rb"\b(?:R?Lock|R?Unlock|atomic|Atomic\w*|Mutex|mutex|sync|Once|Wait|WaitGroup|Done|lock_guard"
    rb"|pthread_mutex_\w+|unique_lock|READ_ONCE|WRITE_ONCE|spin_lock\w*|Cancel|Clone|Copy|CopyN?|Close)\b|<-"
)
_MAX_INSPECTED = 80
_MAX_JOINED_MESSAGES = 3  # of a larger merge, the messages are about different things


def _changed_lines(before: bytes | None, after: bytes | None) -> tuple[set[bytes], set[bytes]]:
    """The lines that a change removes and adds, normalized; lines that it moves are neither."""
    old, new = (Counter(map(normalize_line, (text or b"").split(b"\n"))) for text in (before, after))
    return set(old - new), set(new - old)


class FixFinder:
    def __init__(self, history: ReportHistory) -> None:
        self._history, self._clone = history, history.clone
        self._quoting = self._clone.messages.commits_quoting(history.report)

    def find_fixes(
        self, variable: RaceVariable | None, issues: Sequence[str] = (), known_fix: CandidateCommit | None = None
    ) -> list[CandidateCommit]:
        """Later commits that may have fixed the race, most likely first.

        `known_fix`: the one because of which the pin is earlier than that of the report alone.
        """
        report_names = self._report_names(variable)
        found: list[tuple[CandidateCommit, CommitMessage]] = []
        reverted: set[str] = set()
        later = {position for position in self._history.changes if position >= self._history.window_start}
        messages = self._clone.messages.messages_after(-1, {*later, *self._quoting.same_report}, issues)
        for position, message in messages.items():
            if position <= self._history.pin_position and position not in self._history.changes:
                continue
            candidate = self._rate_message(position, message, report_names, issues)
            reverted.update(_REVERTED_COMMIT.findall(message.text))
            if candidate.points >= 1.0 and not _REVERT_SUBJECT.match(message.subject):
                found.append((candidate, message))
        found = [(c, message) for c, message in found if c.commit not in reverted]
        found.sort(key=lambda f: -f[0].points)
        self._preload_functions([c.position for c, _ in found[:_MAX_INSPECTED]])
        inspected = []
        for candidate, message in found[:_MAX_INSPECTED]:
            rated = list(self._rate_commits(candidate, message, variable, issues))
            if rated:
                inspected.append(max(rated, key=lambda each: each.points))
        relevant = [c for c in inspected if self._is_relevant(c)]
        if not any(c.is_convincing for c in relevant):
            # a doubtful candidate is better than none: shortly after the window, about an unspecified race
            near = [c for c in inspected if c.names_data_race and c.distance <= MAX_NEAR_DISTANCE]
            relevant += [c.limit_points() for c in near if c not in relevant]
        if known_fix:
            found_again = (c for c in relevant if c.commit == known_fix.commit and c.points >= known_fix.points)
            known_fix = next(found_again, known_fix)
            others = [c for c in relevant if c.commit != known_fix.commit and c.points <= known_fix.points]
            return [known_fix, *rank_candidates(others)][:5]
        return rank_candidates(relevant)[:5]

    def _rate_commits(
        self, candidate: CandidateCommit, message: CommitMessage, variable: RaceVariable | None, issues: Sequence[str]
    ) -> Iterator[CandidateCommit]:
        """The ratings of a commit and, if it is a merge, of each commit that it added to the main line."""
        history, position, names = self._history, candidate.position, self._report_names(variable)
        paths = {t: history.path_at(t, position) for t in history.functions}
        merged = self._merged_commits(candidate.commit, paths.values()) if message.parent_count > 1 else []
        for commit, inner in merged:
            with_inner = message._replace(
                subject=f"{message.subject}: {inner.subject}", text=f"{message.text}\n{inner.text}"
            )
            rated = self._rate_message(position, with_inner, names, issues)
            rated.subject = message.subject
            rated.add_reason(0.0, f"merges {commit[:11]}")
            texts = {t: history.texts_of_commit(t, commit, position) for t in paths}
            yield from self._rate_change(rated, texts, variable, f"{commit}^")
        if position:
            if 0 < len(merged) <= _MAX_JOINED_MESSAGES:
                text = "\n".join([message.text, *(inner.text for _, inner in merged)])
                candidate = self._rate_message(position, message._replace(text=text), names, issues)
                candidate.add_reason(0.0, f"merges {merged[0][0][:11]}")
            texts = {t: history.texts_around(t, path, position) for t, path in paths.items()}
            if candidate.mentions_race:
                self._rate_files(candidate, position, variable)
            yield from self._rate_change(candidate, texts, variable, self._clone.main.commits[position - 1])

    def _rate_change(
        self, candidate: CandidateCommit, texts: FunctionTexts, variable: RaceVariable | None, before: str
    ) -> Iterator[CandidateCommit]:
        """The candidate with what it changes; nothing if that cannot be the fix."""
        self._rate_texts(candidate, texts, variable)
        if not candidate.quotes_report:
            if candidate.position <= self._history.pin_position:
                adds_line = any(normalize_line(t.line) in _changed_lines(*texts[t])[1] for t in texts if t.is_racing)
                is_checked = adds_line or candidate.before_window
                if not self._is_relevant(candidate) or (candidate.before_window and self._was_undone(texts)):
                    return
                if is_checked and not self._history.fits_before(before, whole=adds_line):
                    return
            elif self._is_refuted(candidate):
                return
        combine_scores(candidate)
        yield candidate

    def _was_undone(self, texts: FunctionTexts) -> bool:
        """Whether the functions that an earlier commit changed are at the pin as they were before it."""
        history = self._history
        changed = [(target, before) for target, (before, after) in texts.items() if before != after]
        blobs = {target: history.blobs_around(target.path, history.pin_position)[1] for target, _ in changed}
        return bool(changed) and all(before == history.function_text(t, t.path, blobs[t]) for t, before in changed)

    def _merged_commits(self, merge: str, paths: Iterable[str]) -> list[tuple[str, CommitMessage]]:
        return self._clone.side_branches.merged_commits(merge, sorted(set(paths)))

    def _rate_message(
        self, position: int, message: CommitMessage, names: list[tuple[str, str]], issues: Sequence[str]
    ) -> CandidateCommit:
        commit = self._clone.main.commits[position]
        is_in_file = position in self._history.changes
        candidate = score_message(self._clone, commit, message, names, issues, in_file=is_in_file)
        if is_in_file:
            candidate.add_reason(*self._history.changes[position])
            candidate.in_file = True
        if position in self._quoting.same_report:
            candidate.quotes_report = True
            candidate.add_reason(4.0, "quotes this report")
        elif position in self._quoting.same_race:
            candidate.add_reason(2.0, "quotes a report of this race")
        score_distance(candidate, position, self._history.window_start, self._history.window_end)
        return candidate

    def _is_refuted(self, candidate: CandidateCommit) -> bool:
        """Whether the race must still be there after a later commit that does not say that it is about this one."""
        if candidate.names_issue or candidate.in_function:
            return False
        return self._history.has_all_sides and self._leaves_racing_functions(candidate.position)

    def _leaves_racing_functions(self, position: int) -> bool:
        """Whether the racing functions are still those of the pin after the commit at a position."""
        racing = [target for target in self._history.functions if target.is_racing]
        for target in racing:
            path = self._history.path_after(target, position)
            _, pinned = self._history.blobs_around(target.path, self._history.pin_position)
            _, after = self._history.blobs_around(path, position)
            text = self._history.function_text(target, path, after)
            if text is None or text != self._history.function_text(target, target.path, pinned):
                return False
        return bool(racing)

    def _is_relevant(self, candidate: CandidateCommit) -> bool:
        """Whether the commit mentions the race or changes functions of the report."""
        if candidate.closes_issue or candidate.quotes_report:
            return True
        if candidate.position <= self._history.pin_position:
            is_tied = candidate.in_function and (candidate.adds_synchronization or candidate.names_function)
            return candidate.mentions_race and (candidate.in_racing_function or candidate.on_variable or is_tied)
        is_about = candidate.in_function or (candidate.mentions_race and candidate.on_variable)
        return candidate.points >= 3.0 and (is_about or candidate.in_file)

    def _report_names(self, variable: RaceVariable | None) -> list[tuple[str, str]]:
        """Names that a message about this race may contain."""
        named_kinds = []
        for target in self._history.functions:
            if target.is_racing:
                owner = target.function.removesuffix(target.name).strip("(*).:")
                named_kinds += [(target.name, "function"), (owner, "type")]
        if variable:
            named_kinds += [(variable.name.rpartition(".")[2], "variable"), (variable.owner or "", "type")]
        named_kinds.append((self._history.report.test or "", "test"))
        named_kinds += [(t.name, "function") for t in self._history.functions if is_distinctive(t.name)]
        kinds: dict[str, str] = {}
        for name, kind in named_kinds:
            kinds.setdefault(name, kind)
        return [(name, kind) for name, kind in kinds.items() if len(name) > 2]

    def _preload_functions(self, positions: list[int]) -> None:
        """Reads all function texts that `_rate_changes` needs in one batch."""
        for target in self._history.functions:
            blobs: dict[str, list[str | None]] = {}
            for position in positions:
                path = self._history.path_at(target, position)
                old, new = self._history.blobs_around(path, position)
                if old != new:
                    blobs.setdefault(path, []).extend((old, new))
            for path, wanted in blobs.items():
                file_versions.function_texts(self._clone, wanted, path, target.function)

    def _rate_texts(self, candidate: CandidateCommit, texts: FunctionTexts, variable: RaceVariable | None) -> None:
        """Rates what a commit changes in the functions of the report."""
        changed = 0
        for target, (before, after) in texts.items():
            if before is None or before == after:
                continue
            changed += 1
            candidate.in_function = True
            candidate.in_racing_function = candidate.in_racing_function or target.is_racing
            points = 2.0 if target.is_racing else 1.0
            candidate.add_reason(points if changed < 3 else 0.2, f"changes {target.name}")
            removed, added = _changed_lines(before, after)
            if target.is_racing and normalize_line(target.line) in removed:
                candidate.on_variable = True
                candidate.add_reason(1.5, "changes a racing line")
            name = variable.name.rpartition(".")[2] if variable and target.is_racing else ""
            if name and any(line_claims.contains_name(name, row) for row in removed | added):
                candidate.on_variable = True
                candidate.add_reason(1.0, f"changes what is done with {name}")
            if any(map(_SYNCHRONIZATION.search, added)):
                candidate.adds_synchronization = True
                candidate.add_reason(0.8, "adds a lock, a join or a copy there")

    def _rate_files(self, candidate: CandidateCommit, position: int, variable: RaceVariable | None) -> None:
        """Rates what a commit changes around the racing functions: what they call, and uses of the variable."""
        history = self._history
        name = variable.name.rpartition(".")[2] if variable else ""
        for target in history.functions:
            path = history.path_at(target, position)
            old, new = history.blobs_around(path, position)
            if not target.is_racing or old == new or not old or not new:
                continue
            if is_distinctive(name):
                removed, added = _changed_lines(*map(self._clone.git.read_object, (old, new)))
                if any(line_claims.contains_name(name, row) for row in removed | added):
                    candidate.on_variable = True
                    candidate.add_reason(0.7, f"changes what is done with {name} in {path}")
            text = history.function_text(target, path, old) or b""
            for callee in self._clone.outlines.changed_functions(old, new) if path.endswith(".go") else ():
                if not line_claims.contains_name(callee.rpartition(".")[2], text.partition(b"\n")[2]):
                    continue
                before, after = (file_versions.function_text(self._clone, blob, path, callee) for blob in (old, new))
                if any(map(_SYNCHRONIZATION.search, _changed_lines(before, after)[1])):
                    candidate.in_function = candidate.in_racing_function = True
                    candidate.add_reason(1.5, f"adds a lock in {callee}, which {target.name} calls")

    def is_still_present(self, fixes: Sequence[CandidateCommit]) -> bool | None:
        """Whether both accesses are in the newest version; None if unknown."""
        if any(c.score >= MIN_CERTAIN_SCORE and c.is_convincing for c in fixes):
            return False
        racing = [t for t in self._history.functions if t.is_racing]
        if not racing:
            return None
        end = self._clone.main.last_position
        for target in racing:
            last = self._history.path_steps[target.path][-1]
            blob = version_at(self._clone.main.file_versions(last.path), end)
            if blob is None:
                return None if last.last is not None else False
            text = self._history.function_text(target, last.path, blob)
            if text is None:
                return None
            if normalize_line(target.line) not in map(normalize_line, text.split(b"\n")):
                _, pinned_blob = self._history.blobs_around(target.path, self._history.pin_position)
                before = self._history.function_text(target, target.path, pinned_blob) or b""
                has_new_guard = len(_SYNCHRONIZATION.findall(text)) > len(_SYNCHRONIZATION.findall(before))
                return False if has_new_guard else None
        return True
