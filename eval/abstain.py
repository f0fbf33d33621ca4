"""When should a diagnosis rather say `unknown`? Asked of each program with all others as its judges.

python -m eval.abstain               the parts that rules were made with
python -m eval.abstain --part open   one part only
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.finding import UNKNOWN
from eval.causes import LEARNT, MODES, cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eval.causes import Case

LINES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
# a claim that nobody else has made yet is worth what it says, as if so many races had shown it
_OWN = 2.0


class Claim(NamedTuple):
    """What is said first of one report, and how it was; `weight` is the report's part of its race."""

    program: str
    said: tuple[str, str, float]  # language, cause, confidence
    grade: str
    weight: float


def claims(found: Sequence[Case]) -> list[Claim]:
    reports = Counter(case.race for case in found)
    return [
        Claim(
            case.race.partition(" ")[0],
            (
                "Go" if case.detector.startswith("go") else "others",
                case.first,
                round(case.findings[0].confidence, 2),
            ),
            case.grade,
            1 / reports[case.race],
        )
        for case in found
    ]


def held_out(made: Sequence[Claim], line: float) -> dict[str, float]:
    """The share of each grade if a claim is withheld that others' programs support less than this."""
    total: dict[tuple[str, str, float], list[float]] = defaultdict(lambda: [0.0, 0.0])
    own: dict[tuple[object, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for claim in made:
        for sums in (total[claim.said], own[claim.said, claim.program]):
            sums[0] += claim.weight
            sums[1] += claim.weight * (claim.grade != "wrong")
    shares: dict[str, float] = defaultdict(float)
    races = sum(claim.weight for claim in made)
    for claim in made:
        asked, right = total[claim.said]
        mine, rightly = own[claim.said, claim.program]
        worth = (right - rightly + _OWN * claim.said[2]) / (asked - mine + _OWN)
        withheld = claim.said[1] == UNKNOWN or worth < line
        shares[UNKNOWN if withheld else claim.grade] += claim.weight / races
    return shares


def table(mode: str, found: Iterable[Case]) -> Iterator[str]:
    some = [case for case in found if case.mode == mode and case.detector != "drd"]
    yield f"\n{mode}: {len({case.race for case in some})} races\n"
    yield "| said if others bear it out in | exact | right or unknown | unknown |"
    yield "|---|---|---|---|"
    made = claims(some)
    for line in LINES:
        part = held_out(made, line)
        cells = (part["exact"], 1 - part["wrong"], part[UNKNOWN])
        shown = " | ".join(f"{100 * share:.1f} %" for share in cells)
        yield f"| {100 * line:.0f} % | {shown} |"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.abstain", description=__doc__)
    parser.add_argument("--part", choices=LEARNT, action="append", help="default: all of them")
    args = parser.parse_args()
    found = [case for part in args.part or LEARNT for case in cases(part)]
    for mode in MODES:
        print("\n".join(table(mode, found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
