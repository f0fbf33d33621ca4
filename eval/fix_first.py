"""How often the commit that fixed a real race is the first that `explain` lists, with the history after it.

    python -m eval.fix_first --mirrors ~/src                   print the table
    python -m eval.fix_first --mirrors ~/src --hide --list     reports cut out of all messages; list what is not first

The races and clones are those of `eval.real_races`. A fix counts if it is the labelled commit, the merge that added it
to the main line, or a commit of the main line with the same subject or a squashed branch that lists this subject.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import deadheat
from deadheat.repo.clone import Clone
from deadheat.repo.dossier import build_dossier
from deadheat.repo.git.history import SideBranches
from deadheat.repo.git.messages import MessageStore, parse_commit
from eval.real_races import SAMPLE, find_clone, quoted_report, read_sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.repo.fixes.candidates import CandidateCommit
    from deadheat.repo.git.messages import CommitMessage
    from eval.real_races import RealRace

GRADES = ("first", "listed", "other first", "none listed", "not in this history")
_CERTAIN = 0.9


@dataclass(frozen=True, slots=True)
class FixResult:
    race: RealRace
    grade: str
    fixes: tuple[CandidateCommit, ...] = ()

    @property
    def is_certain_and_wrong(self) -> bool:
        return self.grade in ("listed", "other first") and self.fixes[0].score >= _CERTAIN


class UnquotedMessages(MessageStore):
    """Commit messages without the reports that they quote."""

    def _select_messages(self, where: str, *values: object) -> dict[int, CommitMessage]:
        found = super()._select_messages(where, *values)
        return {position: without_reports(message) for position, message in found.items()}


class UnquotedBranches(SideBranches):
    """Side branches with such messages."""

    def merged_commits(self, merge: str, paths: Sequence[str]) -> list[tuple[str, CommitMessage]]:
        return [(commit, without_reports(message)) for commit, message in super().merged_commits(merge, paths)]


def without_reports(message: CommitMessage) -> CommitMessage:
    text = message.text.encode()
    for sighting in reversed(deadheat.scan(text, uri="message", diagnose=False)):
        text = text[: sighting.span.offset] + text[sighting.span.end :]
    return message._replace(text=text.decode("utf-8", "replace"))


def hide_quotes(clone: Clone) -> None:
    clone.messages = UnquotedMessages(clone.git, clone.main)
    clone.side_branches = UnquotedBranches(clone.git, clone.main)


def fix_commits(clone: Clone, race: RealRace) -> set[str]:
    """The commits of the main line that contain the fix as their own change."""
    found = {race.commit}
    if clone.main.position_of(race.commit) is None:
        later = clone.git.output_lines("rev-list", "--ancestry-path", f"{race.commit}..{clone.main.tip}")
        positions = [position for commit in later if (position := clone.main.position_of(commit)) is not None]
        merge = clone.main.commits[min(positions)] if positions else ""
        # a merge of another repository's history brings the race together with its fix
        base = list(clone.git.output_lines("merge-base", race.commit, f"{merge}^1")) if merge else []
        found = {merge} if base else set()
    subject = parse_commit(clone.git.read_object(race.commit) or b"").subject
    bare_subject = re.sub(r"\s*\(#\d+\)$", "", subject)
    same = clone.main.database.execute(
        "SELECT id FROM words JOIN commits USING (pos) WHERE subject = ? OR subject LIKE ? OR message LIKE ?",
        (bare_subject, f"{bare_subject} (#%)", f"%* {bare_subject}%"),  # GitHub's message of a squashed branch
    )
    return found | {row[0] for row in same}


def find_fix(race: RealRace, repository: Path, *, hide: bool) -> FixResult | None:
    """None if the message has no such report."""
    with Clone(str(repository)) as clone:
        message = (clone.git.read_object(race.commit) or b"").partition(b"\n\n")[2]
        report = quoted_report(message, race.report)
        if report is None:
            return None
        clone.messages.message_at(0)
        wanted = fix_commits(clone, race)
        if hide:
            hide_quotes(clone)
        fixes = build_dossier(report, [clone]).fixed_by
    commits = [fix.commit for fix in fixes]
    if not wanted:
        return FixResult(race, "not in this history", fixes)
    if not commits:
        return FixResult(race, "none listed")
    if commits[0] in wanted:
        return FixResult(race, "first", fixes)
    return FixResult(race, "listed" if wanted & set(commits) else "other first", fixes)


def fix_table(results: Sequence[FixResult]) -> Iterator[str]:
    yield f"| races | {' | '.join(GRADES)} | another first with {_CERTAIN} or more |"
    yield f"|---|{'---|' * (len(GRADES) + 1)}"
    counts = Counter(result.grade for result in results)
    cells = [*(counts[grade] for grade in GRADES), sum(result.is_certain_and_wrong for result in results)]
    yield f"| {len(results)} | {' | '.join(map(str, cells))} |"


def list_others(results: Sequence[FixResult]) -> Iterator[str]:
    for result in results:
        if result.grade not in ("first", "not in this history"):
            yield f"{result.race.repo} {result.race.commit[:10]} #{result.race.report}: {result.grade}"
            for fix in result.fixes[:2]:
                yield f"    {fix.score} {fix.commit[:10]} {fix.subject}: {', '.join(fix.why)}"


def choose_races(races: Sequence[RealRace], per_repository: int, seed: int) -> list[RealRace]:
    """At most so many of each repository, by chance."""
    order = random.Random(seed)
    by_repo: dict[str, list[RealRace]] = {}
    for race in races:
        by_repo.setdefault(race.repo, []).append(race)
    return [race for each in by_repo.values() for race in order.sample(each, min(per_repository, len(each)))]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.fix_first", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of clones")
    parser.add_argument("--sample", type=Path, default=SAMPLE, help="races in the form of real_races.jsonl")
    parser.add_argument("--per-repository", type=int, default=6, metavar="N", help="at most N races of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only races whose repository or commit contains this text")
    parser.add_argument("--hide", action="store_true", help="cut quoted reports out of all messages")
    parser.add_argument("--list", action="store_true", help="list races whose fix is not first")
    args = parser.parse_args(arguments)
    results: list[FixResult] = []
    for race in choose_races(read_sample(args.sample), args.per_repository, args.seed):
        clone = find_clone(args.mirrors, race.repo)
        if clone is None or args.only not in f"{race.repo} {race.commit}":
            continue
        if result := find_fix(race, clone, hide=args.hide):
            results.append(result)
    print(*fix_table(results), sep="\n")
    if args.list:
        print("", *list_others(results), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
