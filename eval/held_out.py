"""Diagnosis results on held-out sets: the stored findings of the first run on each set.

python -m eval.held_out                       print the tables; --write updates docs/explanation/diagnosis.md
python -m eval.held_out --record heldout-09   diagnose a set and store the findings; only once for each set

Rules may be changed because of a set only after its findings are stored in `eval/held_out_results/`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from corpus.store import HELD_OUT
from deadheat.diagnosis.finding import UNKNOWN
from eval.cause_breakdowns import GRADES
from eval.causes import MODES, Truth, diagnosed_reports, grade_cause
from eval.page import EXPLANATION, replace_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from eval.causes import DiagnosedReport

Key = TypeVar("Key")
FOLDER = Path(__file__).with_name("held_out_results")
CLAIM_GRADES = tuple(grade for grade in GRADES if grade != UNKNOWN)
_COLUMNS = ("mode", "race", "detector", "cause", "also", "said", "sure", "reports")
_MIN_RACES = 3  # claims with fewer races and no error are not listed


class Outcome(NamedTuple):
    """The first finding for some reports of a race, and the race's label."""

    part: str
    mode: str
    race: str
    detector: str
    truth: Truth
    first_cause: str
    confidence: float
    reports: int

    @property
    def grade(self) -> str:
        return grade_cause(self.first_cause, self.truth)


# --- stored results -------------------------------------------------------------------------------


def result_path(part: str) -> Path:
    return FOLDER / f"{part}.tsv"


def count_outcomes(part: str, reports: Iterable[DiagnosedReport]) -> list[Outcome]:
    """One outcome for all reports that differ only in their recording."""
    counts = Counter(
        (r.mode, r.race, r.detector, r.truth, r.first_cause, round(r.findings[0].confidence, 2)) for r in reports
    )
    return [Outcome(part, *key, count) for key, count in sorted(counts.items(), key=lambda item: _columns(*item))]


def _columns(key: tuple[str, str, str, Truth, str, float], reports: int) -> tuple[str, ...]:
    mode, race, detector, truth, first_cause, confidence = key
    also = " ".join(sorted(truth.also))
    return mode, race, detector, truth.cause, also, first_cause, f"{confidence:.2f}", str(reports)


def format_outcomes(outcomes: Iterable[Outcome]) -> str:
    rows = [_COLUMNS, *(_columns(outcome[1:-1], outcome.reports) for outcome in outcomes)]
    return "".join("\t".join(row) + "\n" for row in rows)


def read_outcomes(part: str) -> Iterator[Outcome]:
    _, *rows = result_path(part).read_text(encoding="utf-8").splitlines()
    for row in rows:
        mode, race, detector, cause, also, first_cause, confidence, reports = row.split("\t")
        truth = Truth(cause, frozenset(also.split()))
        yield Outcome(part, mode, race, detector, truth, first_cause, float(confidence), int(reports))


def record_outcomes(part: str) -> int:
    """Diagnose a held-out set for the first time and store the findings."""
    path = result_path(part)
    if path.exists():
        print(f"{path}: this set has been recorded before", file=sys.stderr)
        return 2
    path.parent.mkdir(exist_ok=True)
    path.write_text(format_outcomes(count_outcomes(part, diagnosed_reports(part))), encoding="utf-8")
    return 0


# --- tables ---------------------------------------------------------------------------------------


def count_grades(outcomes: Sequence[Outcome], key: Callable[[Outcome], Key | None]) -> dict[Key, dict[str, float]]:
    """The number of races per key and grade; every race has the same weight in each mode."""
    reports: Counter[tuple[str, str, str]] = Counter()
    for outcome in outcomes:
        reports[outcome.part, outcome.mode, outcome.race] += outcome.reports
    counts: dict[Key, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for outcome in outcomes:
        if (group := key(outcome)) is not None:
            weight = outcome.reports / reports[outcome.part, outcome.mode, outcome.race]
            counts[group][outcome.grade] += weight
    return counts


def table_by_set(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One row per set: the shares of the grades in each mode."""
    grades = "exact / also true / general form / unknown / wrong"
    yield "| set | races | " + " | ".join(f"{mode}: {grades}, %" for mode in MODES) + " |"
    yield "|---|---|" + "---|" * len(MODES)
    counts = count_grades(outcomes, lambda o: (o.part, o.mode)) | count_grades(outcomes, lambda o: ("all", o.mode))
    for part in dict.fromkeys(part for part, _ in counts):
        modes = [counts[part, mode] for mode in MODES]
        cells = [" / ".join(f"{100 * one[grade] / sum(one.values()):.1f}" for grade in GRADES) for one in modes]
        yield f"| {part} | {sum(modes[0].values()):.0f} | {' | '.join(cells)} |"


def table_by_confidence(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One row per confidence, rounded down to a tenth, and mode."""
    yield "| confidence | input | races | exact | also true | general form | wrong |"
    yield "|---|---|---|---|---|---|---|"
    counts = count_grades(outcomes, lambda o: (_confidence_tenth(o), o.mode) if o.first_cause != UNKNOWN else None)
    for (tenth, mode), grades in sorted(counts.items(), reverse=True, key=lambda item: item[0]):
        races = sum(grades.values())
        cells = " | ".join(f"{100 * grades[grade] / races:.1f} %" for grade in CLAIM_GRADES)
        yield f"| 0.{tenth} | {mode} | {races:.1f} | {cells} |"


def _confidence_tenth(outcome: Outcome) -> int:
    return min(9, round(outcome.confidence * 100) // 10)


def table_by_claim(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One row per cause and confidence, most often wrong first."""
    yield "| input | first finding | confidence | language | races | exact | also true | general form | wrong |"
    yield "|---|---|---|---|---|---|---|---|---|"
    counts = count_grades(outcomes, _claim_of)
    for claim, grades in sorted(counts.items(), key=lambda item: (-item[1]["wrong"], item[0])):
        races = sum(grades.values())
        if races >= _MIN_RACES or grades["wrong"]:
            cells = " | ".join(f"{grades[grade]:.1f}" for grade in CLAIM_GRADES)
            yield f"| {' | '.join(claim)} | {races:.1f} | {cells} |"


def _claim_of(outcome: Outcome) -> tuple[str, ...] | None:
    if outcome.first_cause == UNKNOWN:
        return None
    language = "Go" if outcome.detector.startswith("go") else "C, C++"
    return outcome.mode, outcome.first_cause, f"{outcome.confidence:.2f}", language


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m eval.held_out", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", choices=HELD_OUT, help="diagnose this set and store the findings")
    parser.add_argument("--write", action="store_true", help="update docs/explanation/diagnosis.md")
    args = parser.parse_args(arguments)
    if args.record:
        return record_outcomes(args.record)
    parts = [part for part in HELD_OUT if result_path(part).exists()]
    outcomes = [outcome for part in parts for outcome in read_outcomes(part) if outcome.detector != "drd"]
    page = "\n".join([*table_by_set(outcomes), "", *table_by_confidence(outcomes)])
    print(page, "", *table_by_claim(outcomes), sep="\n")
    if args.write:
        replace_region(EXPLANATION / "diagnosis.md", "python -m eval.held_out --write", page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
