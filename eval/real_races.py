"""Accuracy of the diagnosis on races of real projects whose fix commits quote the report.

    python -m eval.real_races --mirrors ~/src          print the tables
    python -m eval.real_races --mirrors ~/src --wrong  also list races that are not exact

`real_races.jsonl` has the commits and their labels, made by reading them; all of them are used for training.
`--sample FILE` takes another set, in which a row may name a file with its report (`report_file`) and the commit whose
code it is from (`base`). The messages come from clones (`DIR/owner+name/repo`, `DIR/owner+name` or `DIR/name`).
Each race is diagnosed from its report alone and with the history that ends before the fix, by deadheat and by a
baseline of 25 lines.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import deadheat
from deadheat.diagnosis import diagnose
from deadheat.repo.clone import Clone, CommitSnapshot
from deadheat.repo.code_diagnosis import code_at_pin
from deadheat.repo.document_claims import DocumentHints
from deadheat.repo.dossier import build_dossier
from deadheat.repo.git import GitReader
from eval.baseline_rules import baseline_cause
from eval.cause_breakdowns import GRADES
from eval.causes import MODES, REPORT_ONLY, WITH_SOURCE, Truth, general_causes_of, grade_cause
from eval.reliability import Answer, reliability_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Report
    from deadheat.repo.code_diagnosis import PinnedCode
    from deadheat.repo.dossier import Dossier
    from deadheat.repo.variable import RaceVariable

SAMPLE = Path(__file__).with_name("real_races.jsonl")
VARIABLE_GRADES = ("right", "name only", "none", "wrong")
_MAX_COMMITS = 3000  # reports are rarely older than this when the race is fixed
# "Previous write at 0x00c0000f06c8 by goroutine 74:", "Previous read by goroutine 7:",
# "Previous write of size 8 at 0x7b1400000010 by thread T2:"
_SECOND_ACCESS = re.compile(rb"revious (?:atomic )?(?:write|read) (?:at|by|of)")


@dataclass(frozen=True, slots=True)
class RealRace:
    """A race labelled by hand; `report` is its number in the commit message."""

    repo: str
    commit: str
    report: int
    cause: str
    also: tuple[str, ...]
    variable: str | None
    remark: str
    set: int = 1  # set 1 was used to change rules
    base: str | None = None  # the commit whose code the report is from, if not the parent
    report_file: str | None = None  # instead of the message, relative to the sample
    variables: tuple[str, ...] = ()  # other names of the variable that are right too

    @property
    def truth(self) -> Truth:
        """The label without general forms of its cause, which have a grade of their own."""
        return Truth(self.cause, frozenset(self.also).difference(general_causes_of(self.cause)))


@dataclass(frozen=True, slots=True)
class RaceResult:
    """The findings for a race; none if its report was not found."""

    race: RealRace
    mode: str
    findings: tuple[Finding, ...] = ()
    dossier: Dossier | None = None
    baseline: tuple[tuple[str, float], ...] = ()
    detector: str = ""

    @property
    def grade(self) -> str:
        return grade_cause(self.findings[0].cause, self.race.truth) if self.findings else "not found"

    @property
    def variable_grade(self) -> str:
        """One of VARIABLE_GRADES: the variable found compared with the label."""
        found = self.dossier.variable if self.dossier else None
        if found is None:
            return "none"
        labels = [*(self.race.variable or "").split("|"), *self.race.variables]
        grades = {_grade_name(found, label) for label in labels}
        return next(grade for grade in ("right", "name only", "wrong") if grade in grades)


def _grade_name(found: RaceVariable, wanted: str) -> str:
    """Compare a variable with a label: `Cart.total`, `Cache::map_`, `conn->state`."""
    owner, _, name = wanted.replace("::", ".").replace("->", ".").rpartition(".")
    if _last_name(found.name) != name:
        return "wrong"
    return "right" if _last_name(owner) == _last_name(found.owner or owner) else "name only"


def _last_name(path: str) -> str:
    return path.replace("::", ".").replace("->", ".").rpartition(".")[2]


class CloneBeforeFix(GitReader):
    """A clone as it was at a commit, cut off after _MAX_COMMITS commits."""

    def __init__(self, repository: str, tip: str) -> None:
        super().__init__(repository)
        self.refs, self.all_refs, self.head_name, self.head_commit = {}, {}, "", tip
        line = list(self.output_lines("rev-list", "--first-parent", f"--max-count={_MAX_COMMITS}", tip))
        self.shallow = f"{line[-1]}\n" if line else ""
        (self._sandbox.path / "shallow").write_text(self.shallow)


def read_sample(path: Path = SAMPLE) -> list[RealRace]:
    known = {field.name for field in fields(RealRace)}
    races = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = {name: value for name, value in json.loads(line).items() if name in known}
        if row.get("report_file"):
            row["report_file"] = str(path.parent / row["report_file"])
        races.append(RealRace(**row | {"also": tuple(row["also"]), "variables": tuple(row.get("variables") or ())}))
    return races


def find_clone(mirrors: Path, repo: str) -> Path | None:
    """The folder with the clone of a repository."""
    folder_name = repo.replace("/", "+")
    candidates = (mirrors / folder_name / "repo", mirrors / folder_name, mirrors / repo.partition("/")[2])
    return next((path for path in candidates if path.is_dir()), None)


def diagnose_race(race: RealRace, repository: Path) -> Iterator[RaceResult]:
    """Diagnose a race from its report alone and with the history before its fix."""
    with GitReader(str(repository)) as git:
        message = Path(race.report_file).read_bytes() if race.report_file else _commit_message(git, race.commit)
        parent = race.base or next(git.output_lines("rev-parse", f"{race.commit}^"), "")
    report = quoted_report(message, race.report)
    if report is None:
        yield from (RaceResult(race, mode) for mode in MODES)
        return
    yield RaceResult(race, REPORT_ONLY, diagnose(report), None, baseline_cause(report, None), report.detector)
    with Clone(CloneBeforeFix(str(repository), parent)) as clone:
        dossier = build_dossier(report, [clone], DocumentHints((parent,)))
        baseline = baseline_cause(dossier.report, _code_of(dossier, clone))
    yield RaceResult(race, WITH_SOURCE, dossier.causes, dossier, baseline, report.detector)


def _code_of(dossier: Dossier, clone: Clone) -> PinnedCode | None:
    if dossier.pin is None:
        return None
    snapshot = CommitSnapshot(clone, clone.tree_at(dossier.pin.best_window.last))
    return code_at_pin(snapshot, dossier.pin.misfits, dossier.racing_lines, dossier.variable)


def _commit_message(git: GitReader, commit: str) -> bytes:
    return (git.read_object(commit) or b"").partition(b"\n\n")[2]


def quoted_report(message: bytes, number: int) -> Report | None:
    """The report with the given number, counted by second accesses, in a message."""
    places = [match.start() for match in _SECOND_ACCESS.finditer(message)]
    for sighting in deadheat.scan(message, uri="message", diagnose=False):
        if number <= len(places) and sighting.span.offset <= places[number - 1] < sighting.span.end:
            return sighting.report
    return None


def cause_table(results: Sequence[RaceResult]) -> Iterator[str]:
    yield f"| input | races | {' | '.join(GRADES)} | not found |"
    yield f"|---|{'---|' * (len(GRADES) + 2)}"
    for mode in MODES:
        counts = Counter(result.grade for result in results if result.mode == mode)
        cells = " | ".join(str(counts[result]) for result in (*GRADES, "not found"))
        yield f"| {mode} | {counts.total()} | {cells} |"


def answers_by_row(results: Sequence[RaceResult], title: str = "learnt") -> Iterator[tuple[str, list[Answer]]]:
    """The answers of the rules and of the baseline, by input and language. A report that is not found has none."""
    for mode in MODES:
        for language in ("Go", "C and C++"):
            of_row = [r for r in results if r.mode == mode and r.detector.startswith("go") == (language == "Go")]
            accepted = [frozenset((r.race.cause, *r.race.also)) for r in of_row]
            found = [tuple((f.cause, f.confidence) for f in r.findings) for r in of_row]
            for name, causes in (("deadheat", found), ("25 lines", [r.baseline for r in of_row])):
                rows = zip(of_row, causes, accepted, strict=True)
                yield (
                    f"{title}: {name}, {mode}, {language}",
                    [Answer(r.race.repo, r.detector, c, a) for r, c, a in rows],
                )


def variable_summary(results: Sequence[RaceResult]) -> str:
    known = [result for result in results if result.mode == WITH_SOURCE and result.race.variable]
    count = Counter(result.variable_grade for result in known)
    pinned_count = sum(bool(result.dossier and result.dossier.pin) for result in results)
    exact_count = sum(bool(result.dossier and result.dossier.pin and result.dossier.pin.is_exact) for result in results)
    grades = ", ".join(f"{name} {count[name]}" for name in VARIABLE_GRADES)
    return f"variable, of {len(known)}: {grades}; pinned {pinned_count}, with every frame {exact_count}"


def list_inexact(results: Sequence[RaceResult]) -> Iterator[str]:
    """Every race whose cause or variable is not exact, with its findings."""
    for result in results:
        with_source = result.mode == WITH_SOURCE
        if result.grade == "exact" and not (with_source and result.race.variable and result.variable_grade != "right"):
            continue
        causes = "; ".join(f"{f.cause} {f.confidence:.2f}" for f in result.findings[:3])
        row = f"{result.race.repo} {result.race.commit[:10]} #{result.race.report} | {result.mode} | "
        row += f"{result.race.cause} | {result.grade}: {causes}"
        yield row + (
            f" | {result.race.variable}: {result.variable_grade} {_describe_variable(result)}" if with_source else ""
        )


def _describe_variable(result: RaceResult) -> str:
    found = result.dossier.variable if result.dossier else None
    pin = result.dossier.pin if result.dossier else None
    fitting = f" ({pin.fitting_count}/{pin.frame_count})" if pin else " (no pin)"
    return (f"{found.owner or ''}.{found.name}" if found else "") + fitting


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.real_races", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of clones")
    parser.add_argument("--sample", type=Path, default=SAMPLE, help="races in the form of real_races.jsonl")
    parser.add_argument("--set", type=int, help="only races of this set")
    parser.add_argument("--only", default="", help="only races whose repository or commit contains this text")
    parser.add_argument("--wrong", action="store_true", help="list races that are not exact")
    args = parser.parse_args(arguments)
    results: list[RaceResult] = []
    for race in read_sample(args.sample):
        if args.only not in f"{race.repo} {race.commit}" or args.set not in (None, race.set):
            continue
        clone = find_clone(args.mirrors, race.repo)
        if clone is None:
            print(f"{race.repo}: no clone in {args.mirrors}", file=sys.stderr)
            continue
        results += diagnose_race(race, clone)
    # everything in the sample of the repository has been used for training
    title = "learnt" if args.sample == SAMPLE else args.sample.stem
    tables = "\n".join(cause_table(results)), "\n".join(reliability_table(answers_by_row(results, title)))
    print(*tables, variable_summary(results), sep="\n\n")
    if args.wrong:
        print("", *list_inexact(results), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
