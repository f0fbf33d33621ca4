"""How often a diagnosis is right, on the labelled corpus; writes tables of docs/explanation/diagnosis.md.

python -m eval.causes               the main set; writes the page
python -m eval.causes --part open   one part only; the page keeps what it has
python -m eval.causes --folds       from the report alone: how each claim does on each learnt part
python -m eval.causes --by-race     the same: the cause of a race from all its reports, and from one
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
from eval import by_race
from eval.code import source, sources_of
from eval.folds import table
from eval.items import VERSION, load
from eval.page import EXPLANATION, folded_block, replace_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deadheat.diagnosis.finding import Finding
    from eval.items import Part, Recording

TITLES = {
    "all": "Both halves",
    "open": "The open half",
    "aside": "The half set aside",
    **{name: store.TITLES[name] for name in HELD_OUT},
}
# what rules were made with, or have learnt from since
LEARNT = ("open", "aside", *HELD_OUT[:8])
ALONE, SOURCE = MODES = "the report alone", "with source"
_GENERAL = {rule.cause: rule.general_causes for rule in plugins.all_rules()}


class Truth(NamedTuple):
    """The cause of a race, and others that are as true of it."""

    cause: str
    also: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Case:
    """One report, what is true of it, and what diagnosis says."""

    race: str
    detector: str
    mode: str
    truth: Truth
    findings: tuple[Finding, ...]
    recording: str = ""

    @property
    def first(self) -> str:
        return self.findings[0].cause

    @property
    def grade(self) -> str:
        """`exact`, `as true`, `general` (the cause that the true one refines), `unknown`, `wrong`."""
        return grade(self.first, self.truth)


def grade(said: str, truth: Truth) -> str:
    if said == truth.cause:
        return "exact"
    if said in truth.also:
        return "as true"
    if said == UNKNOWN:
        return UNKNOWN
    return "general" if said in wider(truth.cause) else "wrong"


def wider(cause: str) -> Iterator[str]:
    """The causes that a cause refines."""
    for one in _GENERAL[cause]:
        yield one
        yield from wider(one)


def truth_of(told: dict[str, Any], variable: str) -> Truth | None:
    """The label of one variable of a program: one for all, or one each."""
    cause = _label(told.get("cause") or told.get("causes"), variable)
    also = _label(told.get("also") or [], variable) or []
    if not cause:
        return None
    first, *rest = [cause] if isinstance(cause, str) else cause
    more = [also] if isinstance(also, str) else also
    return Truth(first, frozenset([*rest, *more]))


def _label(told: Any, variable: str) -> Any:
    return told.get(variable) if isinstance(told, dict) else told


def cases(part: str = "all", *, plain: bool = False, modes: Sequence[str] = MODES) -> Iterator[Case]:
    """Every labelled report of a part of the corpus, diagnosed alone and with source."""
    for recording in _recordings(part):
        if plain and recording.kind != VERSION:
            continue
        program, _, name = recording.uri.partition("/")
        told = json.loads((recording.folder / "truth.json").read_text(encoding="utf-8"))
        sources = sources_of(recording.folder, name)
        for item in recording.items:
            variable = item.race.partition(" ")[2].partition(" (")[0]
            truth = truth_of(told, variable)
            if truth is None or item.sighting is None:
                continue
            report = item.sighting.report
            for mode in modes:
                code = source(sources, report) if mode == SOURCE else None
                findings = diagnose(report, code)
                if any(f.crashed for f in findings):
                    raise SystemExit(f"{recording.uri}: {findings[-1]}")
                race = f"{program} {variable}"
                yield Case(race, report.detector, mode, truth, findings, recording.uri)


def _recordings(part: str) -> Iterator[Recording]:
    parts: tuple[Part, ...] = ("open", "aside", *HELD_OUT)
    for one in parts:
        if part == one or (part == "all" and one not in HELD_OUT):
            yield from load(one, languages=("c", "rust"))


# -- figures ---------------------------------------------------------------------------------------


def shares(cases: Iterable[Case], key: Callable[[Case], str]) -> dict[str, float]:
    """What part of the races each key has; every race weighs the same, however many its reports."""
    by_race: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        by_race[case.race].append(key(case))
    total: dict[str, float] = defaultdict(float)
    for keys in by_race.values():
        for one in keys:
            total[one] += 1 / len(keys) / len(by_race)
    return total


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _overall(found: Sequence[Case]) -> Iterator[str]:
    yield "| input | detectors | races | exact | also true | general form | unknown | wrong |"
    yield "|---|---|---|---|---|---|---|---|"
    for mode in (ALONE, SOURCE):
        for name, detectors in (
            ("all that show both sides", None),
            ("Go", ("go", "go-fatal")),
            ("ThreadSanitizer", ("tsan",)),
            ("Helgrind", ("helgrind",)),
            ("DRD (one side only)", ("drd",)),
        ):
            some = [
                c for c in found if c.mode == mode and (c.detector in detectors if detectors else c.detector != "drd")
            ]
            if not some:
                continue
            part = shares(some, lambda c: c.grade)
            grades = ("exact", "as true", "general", UNKNOWN, "wrong")
            cells = " | ".join(_percent(part.get(g, 0.0)) for g in grades)
            yield f"| {mode} | {name} | {len({c.race for c in some})} | {cells} |"


def _confusion(found: Sequence[Case]) -> Iterator[str]:
    """The first findings for each cause that is not always found, in races."""
    some = [c for c in found if c.detector != "drd"]
    yield f"| cause | races | {' | '.join(MODES)} |\n|---|---|{'---|' * len(MODES)}"
    for cause in sorted({c.truth.cause for c in some}):
        mine = [c for c in some if c.truth.cause == cause]
        if any(c.first != cause for c in mine):
            races = len({c.race for c in mine})
            cells = [_first_findings([c for c in mine if c.mode == mode], races) for mode in MODES]
            if set(cells) != {f"{cause} {races:.1f}"}:
                yield f"| {cause} | {races} | {' | '.join(cells)} |"


def _first_findings(found: Sequence[Case], races: int) -> str:
    part = shares(found, lambda c: c.first)
    counts = {name: f"{share * races:.1f}" for name, share in sorted(part.items(), key=lambda item: -item[1])}
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count != "0.0")


def tables(found: Sequence[Case], part: str) -> str:
    races, reports = len({c.race for c in found}), len(found) // 2
    lines = [
        f"{TITLES[part]}: {races} labelled races in {reports} reports.\n",
        *_overall(found),
        "",
        folded_block("Causes that are not always found, with the causes named first", "\n".join(_confusion(found))),
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.causes", description=__doc__)
    parser.add_argument("--part", choices=TITLES, default="all", help="default: both halves")
    parser.add_argument("--plain", action="store_true", help="no variants of the programs")
    parser.add_argument("--wrong", action="store_true", help="list what is not exact, race by race")
    parser.add_argument("--dry", action="store_true", help="print, and leave the page as it is")
    parser.add_argument("--folds", action="store_true", help="each claim on each part by itself")
    parser.add_argument("--by-race", action="store_true", help="a race from all its reports")
    args = parser.parse_args()
    if args.by_race:
        every = [case for part in LEARNT for case in cases(part, modes=(ALONE,))]
        print("\n".join(by_race.table(every, (ALONE,), grade)))
        return 0
    if args.folds:
        print("\n".join(table({part: list(cases(part, modes=(ALONE,))) for part in LEARNT})))
        return 0
    found = list(cases(args.part, plain=args.plain))
    text = tables(found, args.part)
    print(text)
    if args.wrong:
        _list(found)
    if not args.dry and not args.plain and args.part == "all":
        replace_region(EXPLANATION / "diagnosis.md", "python -m eval.causes", text)
    return 0


def _list(found: Sequence[Case]) -> None:
    """Every race that is not diagnosed exactly, with what was said."""
    rows: dict[tuple[str, str, str, str, str], int] = defaultdict(int)
    for case in found:
        if case.grade != "exact":
            top = "; ".join(f"{f.cause} {f.confidence:.2f}" for f in case.findings[:3])
            rows[(case.mode, case.race, case.detector, case.truth.cause, f"{case.grade}: {top}")] += 1
    for key, count in sorted(rows.items()):
        print(count, *key, sep=" | ")


if __name__ == "__main__":
    sys.exit(main())
