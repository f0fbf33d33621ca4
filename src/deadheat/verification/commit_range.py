"""The commits among which `bisect` searches, and what is suspected of them before the first trial.

The range is a part of the first-parent line of its newest commit: a merged side branch counts as its merge. One end is
known to show the race: the oldest commit when the fix is sought, the newest one when the origin is.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.repo.git.messages import parse_commit
from deadheat.verification.bisection import Change, Suspects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.repo.clone import Clone
    from deadheat.repo.dossier import Dossier
    from deadheat.repo.fixes.candidates import CandidateCommit

MAX_COMMITS = 20_000
_COMMITS_WITHOUT_PIN = 200
# of the prior probability: the most that suspects get together; that the race is not fixed, by what the code at the end
# of the main line shows
_MAX_SUSPECTED = 0.8
_NOT_FIXED = {True: 0.5, None: 0.2, False: 0.05}


@dataclass(frozen=True)
class CommitRange:
    """Commits, oldest first. Answers are indices as in `bisection.py`."""

    change: Change
    commits: tuple[str, ...]
    line: str  # "the first parents of 1a2b3c4d5e6f"
    begins_at_root: bool
    prior: tuple[float, ...]  # of each answer
    suspicions: dict[int, float]  # scores of the dossier by answer
    notes: tuple[str, ...] = ()

    @property
    def racing(self) -> int:
        """The index of the commit that is known to show the race."""
        return 0 if self.change is Change.FIXED else len(self.commits) - 1

    @property
    def racing_commit(self) -> str:
        return self.commits[self.racing]

    @cached_property
    def suspects(self) -> Suspects:
        """The suspicions of the dossier."""
        return Suspects(self.change, len(self.commits), self.prior, (self.racing,))

    @cached_property
    def impartial_suspects(self) -> Suspects:
        """All answers are equal."""
        count = len(self.commits)
        return Suspects(self.change, count, (1.0,) * (count + (self.change is Change.FIXED)), (self.racing,))

    def is_outside(self, answer: int) -> bool:
        """Whether an answer says that no commit of the range did it."""
        if self.change is Change.FIXED:
            return answer == len(self.commits)
        return answer == 0 and not self.begins_at_root


def subject_of(clone: Clone, commit: str) -> str:
    content = clone.git.read_object(commit)
    return parse_commit(content).subject if content else ""


def fitting_commits(clone: Clone, first: str, last: str) -> list[str]:
    """Some commits of a window that fits a report: the last one, then with growing distances, and the first one."""
    line = _first_parents(clone, last)
    end = line.index(first) if first in line else 0
    distances = [0, *(1 << power for power in range(end.bit_length()) if 1 << power < end), end]
    return [line[distance] for distance in dict.fromkeys(distances)]


def find_commit_range(
    clone: Clone, dossier: Dossier, change: Change, racing: str, other_end: str | None = None
) -> CommitRange:
    """The range between the commit that shows the race and the other end, or one that is found."""
    if change is Change.FIXED:
        return _range_of_fix(clone, dossier, racing, other_end)
    return _range_of_origin(clone, dossier, racing, other_end)


def _range_of_fix(clone: Clone, dossier: Dossier, racing: str, newest: str | None) -> CommitRange:
    tip = newest or _tip_behind(clone, racing)
    line = _first_parents(clone, tip)[::-1]
    start = _first_descendant(clone, line, racing)
    commits, notes = line[start:], []
    if commits[0] != racing:
        notes.append(f"{racing[:12]} is on a side branch; {commits[0][:12]} is the first commit of the line with it")
    if len(commits) > MAX_COMMITS:
        commits = commits[:MAX_COMMITS]
        notes.append(f"the range was cut to {MAX_COMMITS:,} commits; --to sets its end")
    if len(commits) < 2:
        raise DeadheatError("no commit comes after the one that shows the race", racing[:12], "give a later --to")
    return _with_prior(clone, Change.FIXED, commits, dossier.fixed_by, notes, dossier.still_present)


def _range_of_origin(clone: Clone, dossier: Dossier, racing: str, oldest: str | None) -> CommitRange:
    line = _first_parents(clone, racing)
    notes = []
    if oldest is not None:
        if oldest not in line:
            what = f"{oldest[:12]} is not among the first parents of {racing[:12]}"
            raise DeadheatError(what, "--from", "give a commit of the main line")
        end = line.index(oldest)
    else:
        end = min(len(line) - 1, _oldest_to_try(dossier, line))
    if end >= MAX_COMMITS:
        end = MAX_COMMITS - 1
        notes.append(f"the range was cut to {MAX_COMMITS:,} commits")
    if end < 1:
        raise DeadheatError("no commit comes before the one that shows the race", racing[:12], "give an older --from")
    return _with_prior(clone, Change.INTRODUCED, line[: end + 1][::-1], dossier.introduced_by, notes)


def _oldest_to_try(dossier: Dossier, line: Sequence[str]) -> int:
    """The commit before the functions of the report appeared, and before the oldest suspect."""
    pin = dossier.pin
    first = [pin.window.first, pin.best_window.first] if pin else []
    known = {commit: position for position, commit in enumerate(line)}
    found = [known[each] for each in (*first, *(c.commit for c in dossier.introduced_by)) if each in known]
    return max(found) + 1 if found else _COMMITS_WITHOUT_PIN


def _with_prior(
    clone: Clone,
    change: Change,
    commits: Sequence[str],
    candidates: Sequence[CandidateCommit],
    notes: Sequence[str],
    still_present: bool | None = None,
) -> CommitRange:
    suspicions = _suspicions(clone, commits, candidates)
    total = sum(score**2 for score in suspicions.values())
    suspected = _MAX_SUSPECTED * max(suspicions.values(), default=0.0)
    prior = [(1 - suspected) / len(commits)] * len(commits)
    for answer, score in suspicions.items():
        prior[answer] += suspected * score**2 / total
    if change is Change.FIXED:
        share = _NOT_FIXED[still_present]
        prior = [*(weight * (1 - share) for weight in prior), share]
    roots = clone.git.read_object(commits[0]) or b""
    begins_at_root = b"\nparent " not in roots.partition(b"\n\n")[0] and commits[0] not in clone.git.shallow
    line = f"the first parents of {commits[-1][:12]}"
    return CommitRange(change, tuple(commits), line, begins_at_root, tuple(prior), suspicions, tuple(notes))


def _suspicions(clone: Clone, commits: Sequence[str], candidates: Sequence[CandidateCommit]) -> dict[int, float]:
    """The score of each suspect; that of a commit on a side branch is that of its merge."""
    index = {commit: number for number, commit in enumerate(commits)}
    found: dict[int, float] = {}
    for candidate in candidates:
        answer = index.get(candidate.commit)
        if answer is None and 0 <= candidate.position <= clone.main.last_position:
            answer = index.get(clone.main.commits[candidate.position])
        if answer is not None and candidate.score > 0:
            found[answer] = max(candidate.score, found.get(answer, 0.0))
    return found


def _first_parents(clone: Clone, commit: str) -> list[str]:
    """A commit and its first parents, newest first."""
    return [*clone.git.output_lines("rev-list", "--first-parent", commit)]


def _contains(clone: Clone, descendant: str, commit: str) -> bool:
    return next(iter(clone.git.output_lines("rev-list", "--max-count=1", commit, f"^{descendant}")), None) is None


def _first_descendant(clone: Clone, line: Sequence[str], commit: str) -> int:
    """The index of the first commit of a line, oldest first, that contains a commit."""
    if commit in line:
        return line.index(commit)
    if not line or not _contains(clone, line[-1], commit):
        end = line[-1][:12] if line else "the end"
        raise DeadheatError(f"{end} does not contain {commit[:12]}", "--to", "give a commit that comes after it")
    return bisect_left(range(len(line)), True, key=lambda number: _contains(clone, line[number], commit))


def _tip_behind(clone: Clone, commit: str) -> str:
    """The newest commit of a line that contains a commit: HEAD, the main line, else a branch."""
    for tip in dict.fromkeys(_tips(clone)):
        if _contains(clone, tip, commit):
            return tip
    raise DeadheatError(
        f"no branch of the clone contains {commit[:12]}", clone.git.clone_path, "give the end with --to"
    )


def _tips(clone: Clone) -> Iterator[str]:
    if head := clone.resolve_revision("HEAD"):
        yield head
    if clone.main.tip:
        yield clone.main.tip
    yield from (commit for ref, commit in clone.git.refs.items() if ref.startswith(("refs/heads/", "refs/remotes/")))
