"""How many race fixes `deadheat mine` finds, and how often it retrieves a similar earlier fix.

    DEADHEAT_TIDB=~/src/tidb python -m eval.mining ~/src/nats-server ~/src/etcd

compares the result for pingcap/tidb with commits that were judged by hand (`tidb_fixes.jsonl`). In the other
clones, each fix that quotes a report is the query for a search in the fixes before it. Nothing is written.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat.repo import mining
from deadheat.repo.git import GitReader
from deadheat.repo.git.history import find_trunk
from deadheat.repo.mining import RaceFix, commit_changes, similar_fixes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.repo.mining.commit_changes import ListedCommit

SAMPLE = Path(__file__).with_name("tidb_fixes.jsonl")
FROM_LISTING = "listed"  # drawn from the detected fixes, not from the history
_BATCH = 512


@dataclass(frozen=True, slots=True)
class JudgedCommit:
    """A commit that was judged by hand."""

    commit: str
    drawn: str
    fix: bool


def read_sample(path: Path = SAMPLE) -> list[JudgedCommit]:
    return [JudgedCommit(**json.loads(line)) for line in path.read_text().splitlines()]


def mine_repository(repository: str, wanted: Sequence[str] | None = None) -> tuple[list[RaceFix], list[ListedCommit]]:
    """The fixes in a repository, or among some of its commits, and all its commits, newest first."""
    with GitReader(repository) as git:
        commits = commit_changes.list_commits(git, find_trunk(git)[1])
        chosen = commits if wanted is None else [c for c in commits if c.commit in set(wanted)]
        found = [
            entry
            for at in range(0, len(chosen), _BATCH)
            for entry in mining.detect_fixes(git, chosen[at : at + _BATCH])
        ]
        fixes = [entry for entry in found if isinstance(entry, RaceFix)]
        reverts = [entry for entry in found if not isinstance(entry, RaceFix)]
        return mining.resolve_fixes(fixes, reverts, mining.commits_in_merges(git, fixes)), commits


def detection_table(repository: str) -> str:
    """How many commits judged to be fixes are detected, and how many of the others."""
    judged = read_sample()
    listed = {fix.commit for fix in mine_repository(repository, [entry.commit for entry in judged])[0]}
    rows = ["| drawn from commits that | read | fixes | found | wrongly found |", "|---|--:|--:|--:|--:|"]
    total: Counter[str] = Counter()
    for drawn in dict.fromkeys(entry.drawn for entry in judged):
        selected = [entry for entry in judged if entry.drawn == drawn]
        fixes = [entry for entry in selected if entry.fix]
        found = sum(entry.commit in listed for entry in fixes)
        wrong = sum(entry.commit in listed for entry in selected if not entry.fix)
        rows.append(f"| {drawn} | {len(selected)} | {len(fixes)} | {found} | {wrong} |")
        if drawn != FROM_LISTING:
            total.update(fixes=len(fixes), hits=found)
    rows.append(f"\n{total['hits']} of {total['fixes']} are found.")
    return "\n".join(rows)


def count_retrieved(repository: str) -> Counter[str]:
    """Counts of fixes with a quoted report for which an earlier fix of the same strategy is among the first five."""
    fixes, commits = mine_repository(repository)
    position = {entry.commit: -at for at, entry in enumerate(commits)}
    contained = {commit for fix in fixes if fix.reports for commit in fix.brings}
    count: Counter[str] = Counter()
    for fix in fixes:
        if not fix.reports or fix.commit in contained:
            continue
        excluded = {fix.commit, *fix.brings}
        earlier_fixes = [f for f in fixes if position[f.commit] < position[fix.commit] and f.commit not in excluded]
        similar = similar_fixes.find_similar(similar_fixes.build_query(fix.reports[0].report), earlier_fixes)
        count["pairs"] += 1
        count["same"] += any(entry.fix.strategy == fix.strategy for entry in similar)
        newest = [f for f in earlier_fixes if not f.brings][: similar_fixes.MAX_SIMILAR]
        count["newest"] += any(entry.strategy == fix.strategy for entry in newest)
    return count


def main() -> int:
    if repository := os.environ.get("DEADHEAT_TIDB"):
        print(detection_table(repository), end="\n\n")
    elif not sys.argv[1:]:
        print(
            "usage: set DEADHEAT_TIDB to a clone of pingcap/tidb, or pass clones whose commit messages quote reports",
            file=sys.stderr,
        )
        return 2
    total: Counter[str] = Counter()
    for clone in sys.argv[1:]:
        total += (count := count_retrieved(clone))
        print(f"{clone}: {count['same']} of {count['pairs']}; the newest five: {count['newest']}")
    if total["pairs"]:
        print(f"in all {total['same']} of {total['pairs']}; the newest five: {total['newest']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
