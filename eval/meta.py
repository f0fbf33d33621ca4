"""Whether an answer hangs on what things are called or how they are written, not on what they do.

python -m eval.meta                          every change, over the newest six sets
python -m eval.meta --part heldout-09 --change neutral --list

The programs of the corpus are changed in ways that leave their races what they are, and so are their
reports where names are meant; nothing is run again. An answer that changes hung on a name or a shape.
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
from eval.causes import grade, truth_of
from eval.code import Sources, source, sources_of
from eval.items import VERSION, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.model import Report
    from eval.causes import Truth
    from eval.items import Recording
    from eval.renaming import Files, Renamed

PARTS = HELD_OUT[-6:]
GRADES = ("exact", "as true", "general", "unknown", "wrong")

CHANGES: dict[str, Callable[[Files], Renamed]] = {
    "neutral": lambda files: renaming.renamed(files, renaming.neutral()),
    "misleading": lambda files: renaming.renamed(files, renaming.misleading()),
    **{name: rewriting.only(change) for name, change in rewriting.CHANGES.items()},
}


class Answer(NamedTuple):
    """What is said first of a report of a race before and after a change."""

    part: str
    race: str
    change: str
    truth: Truth
    before: str
    after: str


def answers(part: str, changes: Sequence[str]) -> Iterator[Answer]:
    """With source, for the reports that show both sides; one recording by each detector will do."""
    chosen = {_by(one): one for one in load(part) if one.kind == VERSION}
    for recording in chosen.values():
        program, _, name = recording.uri.partition("/")
        told = json.loads((recording.folder / "truth.json").read_text(encoding="utf-8"))
        files = sources_of(recording.folder, name).files
        changed = {change: CHANGES[change](files) for change in changes}
        for item in recording.items:
            variable = item.race.partition(" ")[2].partition(" (")[0]
            truth = truth_of(told, variable)
            report = item.sighting.report if item.sighting else None
            if truth is None or report is None or report.detector == "drd":
                continue
            before = _first(files, report)
            for change, new in changed.items():
                if new.files != files:
                    after = _first(new.files, new.report(report))
                    yield Answer(part, f"{program} {variable}", change, truth, before, after)


def _by(recording: Recording) -> tuple[str, str]:
    """The program and the detector; versions of Go are one."""
    program, _, name = recording.uri.partition("/")
    return program, "go" if name.startswith("go") else name


def _first(files: Files, report: Report) -> str:
    return diagnose(report, source(Sources(files), report))[0].cause


def table(found: Sequence[Answer]) -> Iterator[str]:
    """Every race weighs the same, however many its reports."""
    yield "| change | races | another cause | exact before | exact after | wrong before | wrong after |"
    yield "|---|---|---|---|---|---|---|"
    for change in dict.fromkeys(one.change for one in found):
        mine = [one for one in found if one.change == change]
        reports = Counter((one.part, one.race) for one in mine)
        total: dict[str, float] = defaultdict(float)
        for one in mine:
            share = 1 / reports[one.part, one.race]
            total["other"] += share * (one.before != one.after)
            total[f"before {grade(one.before, one.truth)}"] += share
            total[f"after {grade(one.after, one.truth)}"] += share
        keys = ("other", "before exact", "after exact", "before wrong", "after wrong")
        cells = " | ".join(f"{total[key]:.1f}" for key in keys)
        yield f"| {change} | {len(reports)} | {cells} |"


def listed(found: Sequence[Answer]) -> Iterator[str]:
    """Every race with another answer than before, those that became wrong first."""
    rows = Counter(one for one in found if one.before != one.after)
    for one, reports in sorted(rows.items(), key=lambda row: (_rank(row[0]), row[0][:3])):
        said = f"{one.before} ({_graded(one, one.before)}) -> {one.after} ({_graded(one, one.after)})"
        yield f"{one.change} | {one.part} | {one.race} | {one.truth.cause} | {said} | {reports}"


def _graded(one: Answer, said: str) -> str:
    return grade(said, one.truth)


def _rank(one: Answer) -> tuple[str, int]:
    return one.change, -GRADES.index(_graded(one, one.after))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.meta", description=__doc__)
    parser.add_argument("--part", choices=HELD_OUT, action="append", help="default: the newest six")
    parser.add_argument("--change", choices=CHANGES, action="append", help="default: all")
    parser.add_argument("--list", action="store_true", help="every race with another answer")
    args = parser.parse_args(arguments)
    changes = args.change or list(CHANGES)
    found = [one for part in args.part or PARTS for one in answers(part, changes)]
    found.sort(key=lambda one: changes.index(one.change))
    print("\n".join(table(found)))
    if args.list:
        print("\n".join(listed(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
