"""How well `deadheat mine` finds fixes of races, and how often a past fix shows the way.

    DEADHEAT_TIDB=~/src/tidb python -m eval.mining ~/src/nats-server ~/src/etcd

judges the commits of a clone of pingcap/tidb that were read by hand (`tidb_fixes.jsonl`). In the clones
that are named besides, each fix that quotes a report is looked for with the fix itself and all later
commits hidden. Without Spark; nothing is written.
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
LISTED = "listed"  # drawn from what was listed, not from the history
_BATCH = 512


@dataclass(frozen=True, slots=True)
class Judged:
    """A commit that was judged by hand."""

    commit: str
    drawn: str
    fix: bool


def sample(path: Path = SAMPLE) -> list[Judged]:
    return [Judged(**json.loads(line)) for line in path.read_text().splitlines()]


def mined(where: str, wanted: Sequence[str] | None = None) -> tuple[list[RaceFix], list[ListedCommit]]:
    """The fixes of a repository (or those among some of its commits), and its commits, newest first."""
    with GitReader(where) as git:
        commits = commit_changes.list_commits(git, find_trunk(git)[1])
        chosen = commits if wanted is None else [c for c in commits if c.commit in set(wanted)]
        found = [
            one for at in range(0, len(chosen), _BATCH) for one in mining.detect_fixes(git, chosen[at : at + _BATCH])
        ]
        fixes = [one for one in found if isinstance(one, RaceFix)]
        reverts = [one for one in found if not isinstance(one, RaceFix)]
        return mining.resolve_fixes(fixes, reverts, mining.commits_in_merges(git, fixes)), commits


def found(where: str) -> str:
    """How many of the commits that are fixes by hand are found, and how many of the others."""
    read = sample()
    listed = {fix.commit for fix in mined(where, [one.commit for one in read])[0]}
    rows = ["| drawn from commits that | read | fixes | found | wrongly found |", "|---|--:|--:|--:|--:|"]
    total: Counter[str] = Counter()
    for drawn in dict.fromkeys(one.drawn for one in read):
        some = [one for one in read if one.drawn == drawn]
        right = [one for one in some if one.fix]
        hits = sum(one.commit in listed for one in right)
        wrong = sum(one.commit in listed for one in some if not one.fix)
        rows.append(f"| {drawn} | {len(some)} | {len(right)} | {hits} | {wrong} |")
        if drawn != LISTED:
            total.update(fixes=len(right), hits=hits)
    rows.append(f"\n{total['hits']} of {total['fixes']} are found.")
    return "\n".join(rows)


def retrieved(where: str) -> Counter[str]:
    """For fixes that quote a report: is a fix of the same strategy among the first five before it?"""
    fixes, commits = mined(where)
    place = {one.commit: -at for at, one in enumerate(commits)}
    inner = {commit for fix in fixes if fix.reports for commit in fix.brings}
    count: Counter[str] = Counter()
    for fix in fixes:
        if not fix.reports or fix.commit in inner:
            continue
        hidden = {fix.commit, *fix.brings}
        past = [f for f in fixes if place[f.commit] < place[fix.commit] and f.commit not in hidden]
        shown = similar_fixes.find_similar(similar_fixes.build_query(fix.reports[0].report), past)
        count["pairs"] += 1
        count["same"] += any(one.fix.strategy == fix.strategy for one in shown)
        newest = [f for f in past if not f.brings][: similar_fixes.MAX_SIMILAR]
        count["newest"] += any(one.strategy == fix.strategy for one in newest)
    return count


def main() -> int:
    if where := os.environ.get("DEADHEAT_TIDB"):
        print(found(where), end="\n\n")
    elif not sys.argv[1:]:
        print("set DEADHEAT_TIDB, or name clones whose messages quote reports", file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    for clone in sys.argv[1:]:
        total += (count := retrieved(clone))
        print(f"{clone}: {count['same']} of {count['pairs']}; the newest five: {count['newest']}")
    if total["pairs"]:
        print(f"in all {total['same']} of {total['pairs']}; the newest five: {total['newest']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
