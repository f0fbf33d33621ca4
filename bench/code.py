"""`python -m bench.code --repo DIR`: what a thousand reports cost that are held against one clone."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import deadheat
from bench.measure import Memory, processor
from bench.races import Made, made
from deadheat.repo.clone import Clone
from deadheat.repo.dossier import build_dossier

if TYPE_CHECKING:
    from deadheat.repo.pinning import Pin

LIMIT = 0.2  # seconds for each report, once the history of the clone is known


class Right(NamedTuple):
    """Of how many reports that is told which they were made from."""

    window: int
    variable: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.code", description=__doc__)
    parser.add_argument("--repo", required=True, metavar="DIR", help="a clone; it is only read")
    parser.add_argument("--reports", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="other reports")
    parser.add_argument("--only", choices=("plain", "spark"), help="one of the two ways")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as name:
        folder = Path(name)
        os.environ["DEADHEAT_CACHE"] = str(folder / "cache")
        began = time.monotonic()
        with Clone(args.repo) as clone:
            opened = time.monotonic() - began
            reports = list(made(clone, args.reports, args.seed))
        print(f"{len(reports)} reports; history of the clone read in {opened:.1f} s\n")
        print("| for each report | wall, s | median | 95 % | processor, s | memory, MB |")
        print("|---|---|---|---|---|---|", flush=True)
        if args.only != "spark":
            in_one_process(args.repo, reports)
        if args.only != "plain":
            for path in (folder / "cache").glob("[ae]*"):  # answers, exported names; not histories
                path.unlink()
            through_spark(args.repo, reports, folder)


def _row(what: str, each: list[float], used: float, memory: float) -> None:
    middle, high = statistics.median(each), sorted(each)[int(len(each) * 0.95)]
    spread = f"{middle:.3f} | {high:.3f}" if len(each) > 1 else "|"
    verdict = f"{statistics.fmean(each):.3f} (limit {LIMIT})"
    print(f"| {what} | {verdict} | {spread} | {used:.3f} | {memory:.0f} |", flush=True)


def in_one_process(where: str, reports: list[Made]) -> None:
    for what in ("never asked before", "asked before"):
        watch = Memory(every=0.5)
        watch.start()
        before, each, right = processor(), [], Right(0, 0)
        with Clone(where) as clone:
            for one in reports:
                (sighting,) = deadheat.scan(one.text, diagnose=False)
                began = time.monotonic()
                told = build_dossier(sighting.report, [clone])
                clone.finish_report()
                each.append(time.monotonic() - began)
                named = told.variable.name.split(".") if told.variable else []
                right = Right(
                    right.window + _holds(clone, told.pin, one.place), right.variable + (one.variable in named)
                )
            used = (processor() - before) / len(reports)
        watch.stop()
        _row(f"one process, {what}", each, used, watch.peak / 1024)
    print(f"\nwindow or tie right: {right.window}, variable: {right.variable}, of {len(reports)}\n")


def _holds(clone: Clone, pin: Pin | None, place: int) -> bool:
    """Is the commit that a report was made from in a window that it is given?"""
    windows = [pin.window, *pin.ties] if pin else []
    ends = [(clone.main.position_of(w.first), clone.main.position_of(w.last)) for w in windows]
    return any(a is not None and b is not None and a <= place <= b for a, b in ends)


def through_spark(where: str, reports: list[Made], folder: Path) -> None:
    from deadheat.lake.tables import Lake
    from deadheat.spark import session
    from deadheat.spark.ingest import ingest_files
    from deadheat.spark.repository_jobs import make_dossiers

    logs, root = folder / "logs", folder / "lake"
    logs.mkdir()
    for number, one in enumerate(reports):
        (logs / f"{number}.log").write_text(one.text)
    spark = session.start_session(small=True)
    ingest_files(lambda _: spark, Lake(str(root)), [str(logs)])
    for what in ("never asked before", "asked before"):
        watch = Memory(every=0.5)
        watch.start()
        before = processor()
        told = make_dossiers(lambda _: spark, Lake(str(root)), [where])
        watch.stop()
        count = len(told.dossiers)
        used = (processor() - before) / count
        _row(f"Spark, {count} races, {what}", [told.seconds / count], used, watch.peak / 1024)
        shutil.rmtree(root / "dossiers")
    spark.stop()


if __name__ == "__main__":
    main()
