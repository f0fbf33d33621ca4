"""`python -m bench.code --repo DIR`: what a thousand reports cost that are held against one clone."""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import deadheat
from bench.races import Made, made
from deadheat.code.clone import Clone
from deadheat.code.dossier import dossier

if TYPE_CHECKING:
    from deadheat.code.dossier import Dossier

LIMIT = 0.2  # seconds for each report


class Spent(NamedTuple):
    """What a round has cost, git's own work included."""

    each: list[float]  # wall seconds
    processor: float

    def row(self, what: str) -> None:
        count, ordered = len(self.each), sorted(self.each)
        mean, high = statistics.fmean(self.each), ordered[int(count * 0.95)]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"| {what} | {mean:.3f} | {statistics.median(self.each):.3f} | {high:.3f}"
            f" | {self.processor / count:.3f} | {memory} MB |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.code", description=__doc__)
    parser.add_argument("--repo", required=True, metavar="DIR", help="a clone; it is only read")
    parser.add_argument("--reports", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other reports")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as folder:
        os.environ["DEADHEAT_CACHE"] = str(Path(folder) / "cache")
        began = time.monotonic()
        with Clone(args.repo) as clone:
            opened = time.monotonic() - began
            reports = list(made(clone, args.reports, args.seed))
        print(f"{len(reports)} reports, history of the clone read in {opened:.1f} s\n")
        print("| in one process | mean, s | median | 95 % | processor, mean | memory |")
        print("|---|---|---|---|---|---|", flush=True)
        in_one_process(args.repo, reports)


def in_one_process(where: str, reports: list[Made]) -> None:
    for what in ("never seen before", "again, in a new process's place"):
        spent, told = _round(where, reports)
        spent.row(what)
    right = sum(_holds(where, one, d) for one, d in zip(reports, told, strict=True))
    named = sum(
        bool(d.variable) and one.variable in d.variable.name.split(".")
        for one, d in zip(reports, told, strict=True)
        if d.variable
    )
    print(f"\nthe true commit is in the window or a tie of {right}, the variable right in {named}")


def _round(where: str, reports: list[Made]) -> tuple[Spent, list[Dossier]]:
    each, told = [], []
    before = _processor()
    with Clone(where) as clone:
        for one in reports:
            (sighting,) = deadheat.scan(one.text)
            began = time.monotonic()
            told.append(dossier(sighting.report, [clone]))
            each.append(time.monotonic() - began)
    return Spent(each, _processor() - before), told


def _processor() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def _holds(where: str, one: Made, told: Dossier) -> bool:
    """Is the commit that a report was made from in a window that it is given?"""
    with Clone(where) as clone:
        commit = clone.main.commits[one.place]
        windows = [told.pin.window, *told.pin.ties] if told.pin else []
        ends = [(clone.main.position(w.first), clone.main.position(w.last)) for w in windows]
        place = clone.main.position(commit) or 0
        return any(a is not None and b is not None and a <= place <= b for a, b in ends)


if __name__ == "__main__":
    main()
