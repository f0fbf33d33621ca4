"""`python -m bench.dossiers --repo DIR`: time and memory for the dossiers of a thousand reports of one clone."""

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
from bench.generated_reports import GeneratedReport, generate_reports
from bench.measure import MemoryMonitor, processor_total
from deadheat.repo.clone import Clone
from deadheat.repo.dossier import build_dossier

if TYPE_CHECKING:
    from deadheat.repo.pinning import Pin

LIMIT = 0.2  # seconds per report after the history of the clone has been read


class CorrectCounts(NamedTuple):
    """For how many reports the commit window and the variable are right."""

    window: int
    variable: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.dossiers", description=__doc__)
    parser.add_argument("--repo", required=True, metavar="DIR", help="a clone; it is not changed")
    parser.add_argument("--reports", type=int, default=1000, metavar="N", help="number of reports (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the generated reports (default: 1)")
    parser.add_argument("--only", choices=("process", "spark"), help="run only one of the two measurements")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as name:
        folder = Path(name)
        os.environ["DEADHEAT_CACHE"] = str(folder / "cache")
        began = time.monotonic()
        with Clone(args.repo) as clone:
            opened = time.monotonic() - began
            reports = list(generate_reports(clone, args.reports, args.seed))
        print(f"{len(reports)} reports; history of the clone read in {opened:.1f} s\n")
        print("| for each report | wall, s | median | 95 % | processor, s | memory, MB |")
        print("|---|---|---|---|---|---|", flush=True)
        if args.only != "spark":
            measure_in_process(args.repo, reports)
        if args.only != "process":
            for path in (folder / "cache").glob("[ae]*"):  # dossiers and exported names, not histories
                path.unlink()
            measure_with_spark(args.repo, reports, folder)


def _print_row(what: str, seconds: list[float], processor_time: float, memory: float) -> None:
    median, percentile = statistics.median(seconds), sorted(seconds)[int(len(seconds) * 0.95)]
    spread = f"{median:.3f} | {percentile:.3f}" if len(seconds) > 1 else "|"
    verdict = f"{statistics.fmean(seconds):.3f} (limit {LIMIT})"
    print(f"| {what} | {verdict} | {spread} | {processor_time:.3f} | {memory:.0f} |", flush=True)


def measure_in_process(repository: str, reports: list[GeneratedReport]) -> None:
    for what in ("empty cache", "filled cache"):
        watch = MemoryMonitor(interval=0.5)
        watch.start()
        before, seconds, correct = processor_total(), [], CorrectCounts(0, 0)
        with Clone(repository) as clone:
            for generated in reports:
                (sighting,) = deadheat.scan(generated.text, diagnose=False)
                began = time.monotonic()
                dossier = build_dossier(sighting.report, [clone])
                clone.finish_report()
                seconds.append(time.monotonic() - began)
                named = dossier.variable.name.split(".") if dossier.variable else []
                correct = CorrectCounts(
                    correct.window + _window_contains(clone, dossier.pin, generated.position),
                    correct.variable + (generated.variable in named),
                )
            processor_time = (processor_total() - before) / len(reports)
        watch.stop()
        _print_row(f"one process, {what}", seconds, processor_time, watch.peak / 1024)
    print(f"\nwindow or tie right: {correct.window}, variable: {correct.variable}, of {len(reports)}\n")


def _window_contains(clone: Clone, pin: Pin | None, position: int) -> bool:
    """Whether the commit of a report is in its window or in a tie."""
    windows = [pin.window, *pin.ties] if pin else []
    ends = [(clone.main.position_of(w.first), clone.main.position_of(w.last)) for w in windows]
    return any(a is not None and b is not None and a <= position <= b for a, b in ends)


def measure_with_spark(repository: str, reports: list[GeneratedReport], folder: Path) -> None:
    from deadheat.lake.tables import Lake
    from deadheat.spark import session
    from deadheat.spark.ingest import ingest_files
    from deadheat.spark.repository_jobs import make_dossiers

    logs, root = folder / "logs", folder / "lake"
    logs.mkdir()
    for number, report in enumerate(reports):
        (logs / f"{number}.log").write_text(report.text)
    spark = session.start_session(small=True)
    ingest_files(lambda _: spark, Lake(str(root)), [str(logs)])
    for what in ("empty cache", "filled cache"):
        watch = MemoryMonitor(interval=0.5)
        watch.start()
        before = processor_total()
        job = make_dossiers(lambda _: spark, Lake(str(root)), [repository])
        watch.stop()
        count = len(job.dossiers)
        processor_time = (processor_total() - before) / count
        _print_row(f"Spark, {count} races, {what}", [job.seconds / count], processor_time, watch.peak / 1024)
        shutil.rmtree(root / "dossiers")
    spark.stop()


if __name__ == "__main__":
    main()
