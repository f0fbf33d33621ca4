"""`make bench`: speed and memory as ratios, in one run on one machine; prints a Markdown table."""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from bench import logs
from bench.measure import Run, best, passed, run
from bench.peer import Peer
from deadheat.api import report_reader

DEADHEAT = [sys.executable, "-m", "deadheat"]
PYTHON = [*DEADHEAT, "scan"]
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="MiB of sparse logs (default: 1024)")
    parser.add_argument("--dense", type=int, default=30_000, help="distinct reports (default: 30000)")
    parser.add_argument(
        "--peer", metavar="COMMAND",
        help="another reader, measured in the same run: given a file, it prints reports and seconds",
    )  # fmt: skip
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prog := "deadheat-bench-") as folder:
        print(f"# {prog.rstrip('-')}: {platform.python_implementation()} {platform.python_version()},"
              f" sifter {report_reader().prefilter.name}\n")  # fmt: skip
        bench = Bench(Path(folder), args.peer)
        bench.start_up()
        bench.sparse(args.size)
        bench.dense(args.dense)
        bench.repeated(args.dense * 10)
        bench.clean(200)
        bench.passing(200)
        bench.page()


class Bench:
    def __init__(self, folder: Path, peer: str | None = None) -> None:
        self._folder = folder
        self._peer = Peer(peer) if peer else None
        self._read = 0.0  # how many distinct reports a second the peer reads
        print("| what | seconds | rate | against |\n|---|---|---|---|")

    def _row(self, what: str, seconds: float, rate: str = "", against: str = "") -> None:
        print(f"| {what} | {seconds:.2f} | {rate} | {against} |", flush=True)

    def start_up(self) -> None:
        small = self._folder / "small.log"
        small.write_bytes(logs.report(1))
        done = best([*PYTHON, str(small)], times=5)
        self._row("`scan` of one report", done.seconds, "", "limit 0.25 s")

    def sparse(self, size: int) -> None:
        path = self._folder / "sparse.log"
        count = logs.sparse(path, size * MB)
        half = self._folder / "half.log"
        logs.sparse(half, size * MB // 2)
        _warm(path)
        ripgrep = self._ripgrep(path)
        for form in ("jsonl", "text", "brief"):
            done = best(_scan(form, path))
            ratio = f"{done.seconds / ripgrep:.1f} x ripgrep" if ripgrep else "no ripgrep here"
            self._row(f"sparse {size} MiB, {count} reports, {form}", done.seconds,
                      f"{size / done.seconds:.0f} MiB/s", f"{ratio} (limit 4)")  # fmt: skip
        small = best(_scan("jsonl", half)).seconds
        whole = best(_scan("jsonl", path)).seconds
        self._row(f"the same, {size // 2} MiB", small, "", f"{whole / small:.2f} x for twice the size")
        peak = run(_scan("jsonl", path)).peak_mb
        self._row("the same, memory of all processes", 0, f"{peak:.0f} MB", "limit 200 MB")

    def _ripgrep(self, path: Path) -> float | None:
        program = shutil.which("rg")
        if program is None:
            return None
        # without those that have bytes which no command line can carry
        literals = [lit for lit in report_reader().prefilter.literals if lit.isascii() and b"\x1b" not in lit]
        wanted = [word for literal in literals for word in ("-e", literal.decode())]
        done = best([program, "--no-config", "-c", "-F", *wanted, str(path)], times=5)
        self._row(f"ripgrep, the same {len(literals)} literals", done.seconds)
        return done.seconds

    def dense(self, count: int) -> None:
        path = self._folder / "dense.log"
        for what, write in (("distinct reports of one code base", logs.code_base), ("distinct reports", logs.dense)):
            write(path, count)
            if self._peer:
                self._other(self._peer, path, count, what)
            done = best([sys.executable, "-m", "bench.reading", str(path)], times=3)
            self._told(f"{count} {what}, every frame read, nothing printed", done, count, 13_000)
            self._reports(path, count, what, 13_000)

    def _other(self, peer: Peer, path: Path, count: int, which: str) -> None:
        seconds = peer.seconds(path, count)
        self._read = count / seconds
        self._row(f"{count} {which}, the peer", seconds, f"{self._read:,.0f} /s")

    def repeated(self, count: int) -> None:
        path = self._folder / "repeated.log"
        logs.repeated(path, count)
        self._reports(path, count, "repeated reports", 130_000)

    def _reports(self, path: Path, count: int, what: str, limit: int) -> None:
        for form in ("brief", "text", "jsonl"):
            self._told(f"{count} {what}, {form}", best(_scan(form, path), times=3), count, limit)

    def _told(self, what: str, done: Run, count: int, limit: int) -> None:
        rate, against = count / done.seconds, f"goal {limit:,} /s"
        if self._read:
            against += f", {rate / self._read:.2f} x the peer"
        self._row(what, done.seconds, f"{rate:,.0f} /s", against)

    def clean(self, size: int) -> None:
        path = self._folder / "clean.log"
        logs.clean(path, size * MB)
        done: Run = run(_scan("jsonl", path), memory=False)
        self._row(f"clean {size} MiB with near misses", done.seconds,
                  f"{size / done.seconds:.0f} MiB/s", f"{done.lines} false reports")  # fmt: skip

    def passing(self, size: int) -> None:
        """What a command prints, through `deadheat run` and through `cat`."""
        path = self._folder / "passing.log"
        line = b"=== RUN   TestCheckout/with_a_coupon  ok, 12 rows in 3 ms, nothing to see here\n"
        path.write_bytes(line * (size * MB // len(line)))
        whole = path.stat().st_size
        cat = passed(["sh", "-c", f"cat {path} | cat"], whole)
        start = best([*DEADHEAT, "run", "--", "true"]).seconds
        through = passed([*DEADHEAT, "run", "--", "cat", str(path)], whole) - start
        self._row(f"`cat` of {size} MiB through `cat`", cat, f"{size / cat:.0f} MiB/s")
        self._row("the same through `deadheat run`, once it runs", through,
                  f"{size / through:.0f} MiB/s", f"{cat / through:.2f} x cat (limit 0.5)")  # fmt: skip
        self._row("its start, and its end", start, "", "on top of the command's own")
        done = best([*DEADHEAT, "run", "--", "cat", str(path)])
        self._row("all of it, until its output is closed", done.seconds)

    def page(self) -> None:
        """The HTML report, in a browser that has just been started."""
        from tests import browser  # where it is driven for the tests
        from tests.test_browser import COUNT, written

        if browser.path() is None:
            self._row("no Chromium to load the HTML report", 0)
            return
        report = written(self._folder / "races.html")
        took = []
        for _ in range(3):
            page = browser.Page()
            page.open(report)
            took.append(page.run("performance.now()") / 1000)
            page.close()
        what = f"HTML report of {COUNT} races, {report.stat().st_size / MB:.0f} MiB, in Chromium"
        self._row(what, min(took), "", "limit 1 s")


def _scan(form: str, path: Path) -> list[str]:
    options = ["--brief"] if form == "brief" else ["--format", form]
    return [*PYTHON, *options, str(path)]


def _warm(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


if __name__ == "__main__":
    main()
