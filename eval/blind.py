"""How rules do on sets that they have not seen: from what was said when each was first looked at.

python -m eval.blind                     prints the tables; --write puts two into docs/explanation/diagnosis.md
python -m eval.blind --keep heldout-09   ask the rules about a set and keep what they say; once for each set
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeVar

from corpus.store import HELD_OUT
from deadheat.diagnosis.finding import UNKNOWN
from eval import kept
from eval.causes import MODES, cases
from eval.page import EXPLANATION, replace_region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eval.kept import Outcome

Key = TypeVar("Key")
GRADES = ("exact", "as true", "general", UNKNOWN, "wrong")
SAID = tuple(grade for grade in GRADES if grade != UNKNOWN)
_SEEN = 3  # a claim that was made in fewer races, and never wrong, tells nothing yet


def tallies(told: Sequence[Outcome], key: Callable[[Outcome], Key | None]) -> dict[Key, dict[str, float]]:
    """In how many races each claim had which grade; every race weighs the same in each mode."""
    reports: Counter[tuple[str, str, str]] = Counter()
    for one in told:
        reports[one.part, one.mode, one.race] += one.reports
    found: dict[Key, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in told:
        if (claim := key(one)) is not None:
            found[claim][one.grade] += one.reports / reports[one.part, one.mode, one.race]
    return found


def by_set(told: Sequence[Outcome]) -> Iterator[str]:
    """One row per set: the shares of the grades in each mode."""
    grades = "exact / also true / general form / unknown / wrong"
    yield "| set | races | " + " | ".join(f"{mode}: {grades}, %" for mode in MODES) + " |"
    yield "|---|---|" + "---|" * len(MODES)
    found = tallies(told, lambda one: (one.part, one.mode)) | tallies(told, lambda one: ("all", one.mode))
    for part in dict.fromkeys(part for part, _ in found):
        counts = [found[part, mode] for mode in MODES]
        cells = [" / ".join(f"{100 * one[grade] / sum(one.values()):.1f}" for grade in GRADES) for one in counts]
        yield f"| {part} | {sum(counts[0].values()):.0f} | {' | '.join(cells)} |"


def by_confidence(told: Sequence[Outcome]) -> Iterator[str]:
    """Of what is said with such a confidence, how much is right."""
    yield "| confidence | input | races | exact | also true | general form | wrong |"
    yield "|---|---|---|---|---|---|---|"
    found = tallies(told, lambda one: (_tenth(one), one.mode) if one.said != UNKNOWN else None)
    for (tenth, mode), count in sorted(found.items(), reverse=True, key=lambda item: item[0]):
        races = sum(count.values())
        yield f"| 0.{tenth} | {mode} | {races:.1f} | {_cells(count, SAID)} |"


def _tenth(one: Outcome) -> int:
    return min(9, round(one.sure * 100) // 10)


def by_claim(told: Sequence[Outcome]) -> Iterator[str]:
    """Each cause with each confidence, those that were wrong oftenest first."""
    yield "| input | first finding | confidence | language | races | exact | also true | general form | wrong |"
    yield "|---|---|---|---|---|---|---|---|---|"
    found = tallies(told, _claim)
    for claim, count in sorted(found.items(), key=lambda item: (-item[1]["wrong"], item[0])):
        races = sum(count.values())
        if races >= _SEEN or count["wrong"]:
            shown = " | ".join(f"{count[grade]:.1f}" for grade in SAID)
            yield f"| {' | '.join(claim)} | {races:.1f} | {shown} |"


def _claim(one: Outcome) -> tuple[str, ...] | None:
    if one.said == UNKNOWN:
        return None
    language = "Go" if one.detector.startswith("go") else "C, C++"
    return one.mode, one.said, f"{one.sure:.2f}", language


def _cells(count: dict[str, float], grades: Sequence[str]) -> str:
    races = sum(count.values())
    return " | ".join(f"{100 * count[grade] / races:.1f} %" for grade in grades)


def keep(part: str) -> int:
    """Asks the rules about a set that they have not seen; what was kept before is not touched."""
    path = kept.path_of(part)
    if path.exists():
        print(f"{path}: this set has been looked at before", file=sys.stderr)
        return 2
    path.parent.mkdir(exist_ok=True)
    path.write_text(kept.written(kept.outcomes(part, cases(part))), encoding="utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.blind", description=__doc__)
    parser.add_argument("--keep", choices=HELD_OUT, help="a set that rules have not learnt from")
    parser.add_argument("--write", action="store_true", help="write the page")
    args = parser.parse_args(arguments)
    if args.keep:
        return keep(args.keep)
    parts = [part for part in HELD_OUT if kept.path_of(part).exists()]
    told = [one for part in parts for one in kept.read(part) if one.detector != "drd"]
    shown = "\n".join([*by_set(told), "", *by_confidence(told)])
    print(shown, "", *by_claim(told), sep="\n")
    if args.write:
        replace_region(EXPLANATION / "diagnosis.md", "python -m eval.blind --write", shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
