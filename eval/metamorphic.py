"""Metamorphic test of the diagnosis: does a finding depend on names or notation?

python -m eval.metamorphic                                              every change, on the newest six sets
python -m eval.metamorphic --part heldout-09 --change neutral --list    one change, with a list of changed findings

Corpus programs are renamed or rewritten without changing their races, and names in their reports are
replaced accordingly. Nothing is run again. The finding must stay the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from corpus.store import HELD_OUT
from deadheat.diagnosis import diagnose
from eval import renaming, rewriting
from eval.cause_breakdowns import GRADES
from eval.causes import grade_cause, truth_of_variable
from eval.labelled_reports import VERSION_ONLY, load_recordings
from eval.program_source import ProgramSource, load_source, pinned_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.model import Report
    from eval.causes import Truth
    from eval.labelled_reports import Recording
    from eval.renaming import Files, RenamedProgram

DEFAULT_SETS = HELD_OUT[-6:]

CHANGES: dict[str, Callable[[Files], RenamedProgram]] = {
    "neutral": lambda files: renaming.rename_program(files, renaming.neutral_names()),
    "misleading": lambda files: renaming.rename_program(files, renaming.misleading_names()),
    **{name: rewriting.rewrite_files(change) for name, change in rewriting.CHANGES.items()},
}


class FindingChange(NamedTuple):
    """The first cause found for a report before and after a change of the program."""

    part: str
    race: str
    change: str
    truth: Truth
    before: str
    after: str


def compare_findings(part: str, changes: Sequence[str]) -> Iterator[FindingChange]:
    """Diagnose one recording per program and detector with source, without DRD, before and after each change."""
    chosen = {_program_and_detector(one): one for one in load_recordings(part) if one.kind == VERSION_ONLY}
    for recording in chosen.values():
        program, _, name = recording.uri.partition("/")
        program_truth = json.loads((recording.folder / "truth.json").read_text(encoding="utf-8"))
        files = load_source(recording.folder, name).files
        changed = {change: CHANGES[change](files) for change in changes}
        for item in recording.items:
            variable = item.race.partition(" ")[2].partition(" (")[0]
            truth = truth_of_variable(program_truth, variable)
            report = item.sighting.report if item.sighting else None
            if truth is None or report is None or report.detector == "drd":
                continue
            before = _first_cause(files, report)
            for change, new in changed.items():
                if new.files != files:
                    after = _first_cause(new.files, new.rename_report(report))
                    yield FindingChange(part, f"{program} {variable}", change, truth, before, after)


def _program_and_detector(recording: Recording) -> tuple[str, str]:
    """The program and the detector. All versions of Go count as one detector."""
    program, _, name = recording.uri.partition("/")
    return program, "go" if name.startswith("go") else name


def _first_cause(files: Files, report: Report) -> str:
    return diagnose(report, pinned_code(ProgramSource(files), report))[0].cause


def change_table(changes: Sequence[FindingChange]) -> Iterator[str]:
    """One row per change. Every race has the same weight."""
    yield "| change | races | other cause | exact before | exact after | wrong before | wrong after |"
    yield "|---|---|---|---|---|---|---|"
    for change in dict.fromkeys(finding.change for finding in changes):
        of_change = [finding for finding in changes if finding.change == change]
        reports = Counter((finding.part, finding.race) for finding in of_change)
        total: dict[str, float] = defaultdict(float)
        for finding in of_change:
            share = 1 / reports[finding.part, finding.race]
            total["other"] += share * (finding.before != finding.after)
            total[f"before {grade_cause(finding.before, finding.truth)}"] += share
            total[f"after {grade_cause(finding.after, finding.truth)}"] += share
        keys = ("other", "before exact", "after exact", "before wrong", "after wrong")
        cells = " | ".join(f"{total[key]:.1f}" for key in keys)
        yield f"| {change} | {len(reports)} | {cells} |"


def list_changes(changes: Sequence[FindingChange]) -> Iterator[str]:
    """Every race with another cause than before; worst grades first."""
    rows = Counter(finding for finding in changes if finding.before != finding.after)
    for finding, reports in sorted(rows.items(), key=lambda row: (_sort_key(row[0]), row[0][:3])):
        before, after = (f"{cause} ({grade_cause(cause, finding.truth)})" for cause in (finding.before, finding.after))
        labels = f"{finding.change} | {finding.part} | {finding.race} | {finding.truth.cause}"
        yield f"{labels} | {before} -> {after} | {reports}"


def _sort_key(change: FindingChange) -> tuple[str, int]:
    return change.change, -GRADES.index(grade_cause(change.after, change.truth))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.metamorphic", description=__doc__)
    parser.add_argument("--part", choices=HELD_OUT, action="append", help="set to use (default: the newest six)")
    parser.add_argument("--change", choices=CHANGES, action="append", help="change to apply (default: all)")
    parser.add_argument("--list", action="store_true", help="list every race with another cause")
    args = parser.parse_args(arguments)
    changes = args.change or list(CHANGES)
    findings = [finding for part in args.part or DEFAULT_SETS for finding in compare_findings(part, changes)]
    findings.sort(key=lambda finding: changes.index(finding.change))
    print("\n".join(change_table(findings)))
    if args.list:
        print("\n".join(list_changes(findings)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
