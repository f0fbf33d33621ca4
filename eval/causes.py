"""Accuracy of the diagnosis on the labelled corpus.

python -m eval.causes               the main set, which the weights are trained on
python -m eval.causes --part open   one part only; the page is not changed
python -m eval.causes --by-race     from the report alone: the cause of a race from one or all of its reports
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus import store
from corpus.store import HELD_OUT
from deadheat import plugins
from deadheat.diagnosis import diagnose
from deadheat.diagnosis.finding import UNKNOWN
from eval import cause_breakdowns
from eval.cause_breakdowns import GRADES
from eval.labelled_reports import VERSION_ONLY, load_recordings
from eval.page import folded_block
from eval.program_source import load_source, pinned_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.diagnosis.finding import Finding
    from eval.labelled_reports import Part, Recording

TITLES = {
    "all": "Both halves",
    "open": "The open half",
    "aside": "The half set aside",
    **{name: store.TITLES[name] for name in HELD_OUT},
}
ALL_SETS = ("open", "aside", *HELD_OUT)
REPORT_ONLY, WITH_SOURCE = MODES = "the report alone", "with source"
_GENERAL_CAUSES = {name: definition.general_causes for name, definition in plugins.causes_by_name().items()}


class Truth(NamedTuple):
    """The label of a race: its cause, and other causes that are also true."""

    cause: str
    also: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DiagnosedReport:
    """One report with its label and its findings."""

    race: str
    detector: str
    mode: str
    truth: Truth
    findings: tuple[Finding, ...]
    recording: str = ""

    @property
    def first_cause(self) -> str:
        return self.findings[0].cause

    @property
    def grade(self) -> str:
        """One of GRADES. `general`: the true cause is a special form of the cause found."""
        return grade_cause(self.first_cause, self.truth)


def grade_cause(cause: str, truth: Truth) -> str:
    if cause == truth.cause:
        return "exact"
    if cause in truth.also:
        return "as true"
    if cause == UNKNOWN:
        return UNKNOWN
    return "general" if cause in general_causes_of(truth.cause) else "wrong"


def general_causes_of(cause: str) -> Iterator[str]:
    """The causes of which a cause is a special form."""
    for one in _GENERAL_CAUSES.get(cause, ()):
        yield one
        yield from general_causes_of(one)


def truth_of_variable(program_truth: dict[str, Any], variable: str) -> Truth | None:
    """The label of a variable. A program has one label for all variables or one for each."""
    cause = _variable_entry(program_truth.get("cause") or program_truth.get("causes"), variable)
    also = _variable_entry(program_truth.get("also") or [], variable) or []
    if not cause:
        return None
    first, *rest = [cause] if isinstance(cause, str) else cause
    more = [also] if isinstance(also, str) else also
    return Truth(first, frozenset([*rest, *more]))


def _variable_entry(entry: Any, variable: str) -> Any:
    return entry.get(variable) if isinstance(entry, dict) else entry


def diagnosed_reports(
    part: str = "all", *, no_variants: bool = False, modes: Sequence[str] = MODES
) -> Iterator[DiagnosedReport]:
    """Every labelled report of a part of the corpus, diagnosed without and with source."""
    for recording in _recordings_of_part(part):
        if no_variants and recording.kind != VERSION_ONLY:
            continue
        program, _, name = recording.uri.partition("/")
        program_truth = json.loads((recording.folder / "truth.json").read_text(encoding="utf-8"))
        sources = load_source(recording.folder, name)
        for item in recording.items:
            variable = item.race.partition(" ")[2].partition(" (")[0]
            truth = truth_of_variable(program_truth, variable)
            if truth is None or item.sighting is None:
                continue
            report = item.sighting.report
            for mode in modes:
                code = pinned_code(sources, report) if mode == WITH_SOURCE else None
                findings = diagnose(report, code)
                if any(f.crashed for f in findings):
                    raise SystemExit(f"{recording.uri}: {findings[-1]}")
                race = f"{program} {variable}"
                yield DiagnosedReport(race, report.detector, mode, truth, findings, recording.uri)


def _recordings_of_part(part: str) -> Iterator[Recording]:
    parts: tuple[Part, ...] = ("open", "aside", *HELD_OUT)
    for one in parts:
        if part == one or (part == "all" and one not in HELD_OUT):
            yield from load_recordings(one, languages=("c", "rust"))


# --- tables ---------------------------------------------------------------------------------------


def race_shares(reports: Iterable[DiagnosedReport], key: Callable[[DiagnosedReport], str]) -> dict[str, float]:
    """The share of the races per key. Every race has the same weight."""
    by_race: dict[str, list[str]] = defaultdict(list)
    for report in reports:
        by_race[report.race].append(key(report))
    total: dict[str, float] = defaultdict(float)
    for keys in by_race.values():
        for one in keys:
            total[one] += 1 / len(keys) / len(by_race)
    return total


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _overall_table(reports: Sequence[DiagnosedReport]) -> Iterator[str]:
    yield "| input | detectors | races | exact | also true | general form | unknown | wrong |"
    yield "|---|---|---|---|---|---|---|---|"
    for mode in (REPORT_ONLY, WITH_SOURCE):
        for name, detectors in (
            ("all that show both sides", None),
            ("Go", ("go", "go-fatal")),
            ("ThreadSanitizer", ("tsan",)),
            ("Helgrind", ("helgrind",)),
            ("DRD (one side only)", ("drd",)),
        ):
            selected = [
                c for c in reports if c.mode == mode and (c.detector in detectors if detectors else c.detector != "drd")
            ]
            if not selected:
                continue
            part = race_shares(selected, lambda c: c.grade)
            cells = " | ".join(_format_percent(part.get(g, 0.0)) for g in GRADES)
            yield f"| {mode} | {name} | {len({c.race for c in selected})} | {cells} |"


def _confusion_table(reports: Sequence[DiagnosedReport]) -> Iterator[str]:
    """The first findings for each cause that is not always found, as numbers of races."""
    selected = [c for c in reports if c.detector != "drd"]
    yield f"| cause | races | {' | '.join(MODES)} |\n|---|---|{'---|' * len(MODES)}"
    for cause in sorted({c.truth.cause for c in selected}):
        of_cause = [c for c in selected if c.truth.cause == cause]
        if any(c.first_cause != cause for c in of_cause):
            races = len({c.race for c in of_cause})
            cells = [_first_findings([c for c in of_cause if c.mode == mode], races) for mode in MODES]
            if set(cells) != {f"{cause} {races:.1f}"}:
                yield f"| {cause} | {races} | {' | '.join(cells)} |"


def _first_findings(reports: Sequence[DiagnosedReport], races: int) -> str:
    part = race_shares(reports, lambda c: c.first_cause)
    counts = {name: f"{share * races:.1f}" for name, share in sorted(part.items(), key=lambda item: -item[1])}
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count != "0.0")


def format_tables(reports: Sequence[DiagnosedReport], part: str) -> str:
    races, report_count = len({c.race for c in reports}), len(reports) // 2
    lines = [
        f"{TITLES[part]}: {races} labelled races in {report_count} reports.\n",
        *_overall_table(reports),
        "",
        folded_block(
            "Causes that are not always found, with the causes named first", "\n".join(_confusion_table(reports))
        ),
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.causes", description=__doc__)
    parser.add_argument(
        "--part", choices=TITLES, default="all", help="half of the main set, or held-out set (default: both halves)"
    )
    parser.add_argument("--no-variants", action="store_true", help="only recordings of unchanged programs")
    parser.add_argument("--wrong", action="store_true", help="list the findings that are not exact, by race")
    parser.add_argument("--by-race", action="store_true", help="the cause of a race from one or all of its reports")
    args = parser.parse_args()
    if args.by_race:
        diagnosed = [report for part in ALL_SETS for report in diagnosed_reports(part, modes=(REPORT_ONLY,))]
        print("\n".join(cause_breakdowns.table_by_race(diagnosed, (REPORT_ONLY,), grade_cause)))
        return 0
    reports = list(diagnosed_reports(args.part, no_variants=args.no_variants))
    text = format_tables(reports, args.part)
    print(text)
    if args.wrong:
        _print_inexact(reports)
    return 0


def _print_inexact(reports: Sequence[DiagnosedReport]) -> None:
    """Print every race that is not diagnosed exactly, with its findings."""
    rows: dict[tuple[str, str, str, str, str], int] = defaultdict(int)
    for report in reports:
        if report.grade != "exact":
            top = "; ".join(f"{f.cause} {f.confidence:.2f}" for f in report.findings[:3])
            rows[(report.mode, report.race, report.detector, report.truth.cause, f"{report.grade}: {top}")] += 1
    for key, count in sorted(rows.items()):
        print(count, *key, sep=" | ")


if __name__ == "__main__":
    sys.exit(main())
