"""How often a diagnosis is right on races of real programs, whose fixes quote the report.

    python -m eval.real --mirrors ~/src          both tables
    python -m eval.real --mirrors ~/src --wrong  and every race that is not told exactly

`real_races.jsonl` names the commits and what was found by reading them; their text comes out of clones
(`DIR/owner+name/repo`, `DIR/owner+name` or `DIR/name`). Each race is asked for twice: from its report
alone, and with the history that ends before the fix. Of the fix only the message's report is read.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import deadheat
from deadheat.diagnosis import diagnose
from deadheat.repo.clone import Clone
from deadheat.repo.document_claims import DocumentHints
from deadheat.repo.dossier import build_dossier
from deadheat.repo.git import GitReader
from eval.blind import GRADES
from eval.causes import ALONE, MODES, SOURCE, Truth, grade, wider

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Report
    from deadheat.repo.dossier import Dossier

SAMPLE = Path(__file__).with_name("real_races.jsonl")
NAMES = ("right", "name only", "none", "wrong")  # what can be said of a variable
_DEPTH = 3000  # commits; a report is seldom older than that when it is mended
# "Previous write at 0x00c0000f06c8 by goroutine 74:", "Previous read by goroutine 7:",
# "Previous write of size 8 at 0x7b1400000010 by thread T2:"
_SECOND = re.compile(rb"revious (?:atomic )?(?:write|read) (?:at|by|of)")


@dataclass(frozen=True, slots=True)
class Race:
    """A race that was read by hand; `report` counts those in the message of the commit."""

    repo: str
    commit: str
    report: int
    cause: str
    also: tuple[str, ...]
    variable: str | None
    remark: str
    set: int = 1  # the first was learnt from

    @property
    def truth(self) -> Truth:
        """A wider form of the cause is counted as such, whatever was written down."""
        return Truth(self.cause, frozenset(self.also).difference(wider(self.cause)))


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a race; no findings: its report was not found."""

    race: Race
    mode: str
    findings: tuple[Finding, ...] = ()
    dossier: Dossier | None = None

    @property
    def grade(self) -> str:
        return grade(self.findings[0].cause, self.race.truth) if self.findings else "not found"

    @property
    def named(self) -> str:
        """The variable that is named, and how that compares with the true one."""
        found = self.dossier.variable if self.dossier else None
        if found is None:
            return "none"
        for wanted in (self.race.variable or "").split("|"):
            owner, _, name = wanted.rpartition(".")
            if found.name.rpartition(".")[2] == name:
                return "right" if owner == (found.owner or owner) else "name only"
        return "wrong"


class Before(GitReader):
    """A clone as it was at a commit: nothing that came later, and no more past than is needed."""

    def __init__(self, where: str, tip: str) -> None:
        super().__init__(where)
        self.refs, self.head_name, self.head_commit = {}, "", tip
        line = list(self.output_lines("rev-list", "--first-parent", f"--max-count={_DEPTH}", tip))
        self.shallow = f"{line[-1]}\n" if line else ""
        (self._sandbox.path / "shallow").write_text(self.shallow)


def sample(path: Path = SAMPLE) -> list[Race]:
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Race(**row | {"also": tuple(row["also"])}) for row in rows]


def clone_of(mirrors: Path, repo: str) -> Path | None:
    """Where the clone of a repository lies."""
    plain = repo.replace("/", "+")
    places = (mirrors / plain / "repo", mirrors / plain, mirrors / repo.partition("/")[2])
    return next((place for place in places if place.is_dir()), None)


def asked(race: Race, where: Path) -> Iterator[Told]:
    """What is said of a race from its report, and with the history before its fix."""
    with GitReader(str(where)) as git:
        message = _message(git, race.commit)
        parent = next(git.output_lines("rev-parse", f"{race.commit}^"), "")
    report = reported(message, race.report)
    if report is None:
        yield from (Told(race, mode) for mode in MODES)
        return
    yield Told(race, ALONE, diagnose(report))
    with Clone(Before(str(where), parent)) as clone:
        told = build_dossier(report, [clone], DocumentHints((parent,)))
    yield Told(race, SOURCE, told.causes, told)


def _message(git: GitReader, commit: str) -> bytes:
    return (git.read_object(commit) or b"").partition(b"\n\n")[2]


def reported(message: bytes, number: int) -> Report | None:
    """The report whose second access is the one of that number in a message."""
    places = [match.start() for match in _SECOND.finditer(message)]
    for sighting in deadheat.scan(message, uri="message", diagnose=False):
        if sighting.span.offset <= places[number - 1] < sighting.span.end:
            return sighting.report
    return None


def table(told: Sequence[Told]) -> Iterator[str]:
    yield f"| what is read | races | {' | '.join(GRADES)} | not found |"
    yield f"|---|{'---|' * (len(GRADES) + 2)}"
    for mode in MODES:
        some = Counter(one.grade for one in told if one.mode == mode)
        cells = " | ".join(str(some[one]) for one in (*GRADES, "not found"))
        yield f"| {mode} | {some.total()} | {cells} |"


def variables(told: Sequence[Told]) -> str:
    known = [one for one in told if one.mode == SOURCE and one.race.variable]
    count = Counter(one.named for one in known)
    pinned = sum(bool(one.dossier and one.dossier.pin) for one in told)
    exact = sum(bool(one.dossier and one.dossier.pin and one.dossier.pin.is_exact) for one in told)
    shown = ", ".join(f"{name} {count[name]}" for name in NAMES)
    return f"variable, of {len(known)}: {shown}; pinned {pinned}, with every frame {exact}"


def listed(told: Sequence[Told]) -> Iterator[str]:
    """Every race that is not told exactly, or whose variable is not, with what was said."""
    for one in told:
        source = one.mode == SOURCE
        if one.grade == "exact" and not (source and one.race.variable and one.named != "right"):
            continue
        said = "; ".join(f"{f.cause} {f.confidence:.2f}" for f in one.findings[:3])
        row = f"{one.race.repo} {one.race.commit[:10]} #{one.race.report} | {one.mode} | "
        row += f"{one.race.cause} | {one.grade}: {said}"
        yield row + (f" | {one.race.variable}: {one.named} {_variable(one)}" if source else "")


def _variable(one: Told) -> str:
    found = one.dossier.variable if one.dossier else None
    where = one.dossier.pin if one.dossier else None
    fits = f" ({where.fitting_count}/{where.frame_count})" if where else " (no pin)"
    return (f"{found.owner or ''}.{found.name}" if found else "") + fits


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.real", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="a folder of clones")
    parser.add_argument("--set", type=int, help="one of the sets in which they were labelled")
    parser.add_argument("--only", default="", help="races whose repository or commit has this")
    parser.add_argument("--wrong", action="store_true", help="list what is not told exactly")
    args = parser.parse_args(arguments)
    told: list[Told] = []
    for race in sample():
        if args.only not in f"{race.repo} {race.commit}" or args.set not in (None, race.set):
            continue
        where = clone_of(args.mirrors, race.repo)
        if where is None:
            print(f"{race.repo}: no clone in {args.mirrors}", file=sys.stderr)
            continue
        told += asked(race, where)
    print("\n".join(table(told)), variables(told), sep="\n\n")
    if args.wrong:
        print("", *listed(told), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
