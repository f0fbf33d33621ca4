"""`make bench`: measure speed and memory in one run on one machine and print ratios as a Markdown table."""

from __future__ import annotations

import argparse
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import logs
from bench.log_shapes import CI_SHAPES, SHAPES, write_shape
from bench.measure import CommandRun, best_output_seconds, best_processor_seconds, best_run, run_command
from deadheat.api import report_reader

DEADHEAT = [sys.executable, "-m", "deadheat"]
SCAN = [*DEADHEAT, "scan"]
MB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="MiB of sparse logs (default: 1024)")
    parser.add_argument("--dense", type=int, default=30_000, help="distinct reports (default: 30000)")
    parser.add_argument(
        "--peer", metavar="COMMAND",
        help="another parser, measured in the same run: it gets a file and prints reports and seconds",
    )  # fmt: skip
    parser.add_argument("--only", choices=("shapes",), help="run only this measurement")
    parser.add_argument("--every", type=int, default=0, help="bytes per report in the logs of `shapes`")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prog := "deadheat-bench-") as folder:
        print(f"# {prog.rstrip('-')}: {platform.python_implementation()} {platform.python_version()},"
              f" prefilter {report_reader().prefilter.name}\n")  # fmt: skip
        bench = Benchmark(Path(folder), args.peer)
        if args.only == "shapes":
            bench.measure_shapes(args.size, args.every)
            return
        bench.measure_start_up()
        bench.measure_sparse(args.size)
        bench.measure_shapes(args.size, args.every)
        bench.measure_dense(args.dense)
        bench.measure_repeated(args.dense * 10)
        bench.measure_clean(200)
        bench.measure_hostile_files()
        bench.measure_run(200)
        bench.measure_html()


class Benchmark:
    def __init__(self, folder: Path, peer: str | None = None) -> None:
        self._folder = folder
        self._peer = PeerCommand(peer) if peer else None
        self._peer_rate = 0.0  # distinct reports per second
        print("| what | seconds | rate | against |\n|---|---|---|---|")

    def _print_row(self, what: str, seconds: float, rate: str = "", against: str = "") -> None:
        print(f"| {what} | {seconds:.2f} | {rate} | {against} |", flush=True)

    def measure_start_up(self) -> None:
        small = self._folder / "small.log"
        small.write_bytes(logs.generate_report(1))
        done = best_run([*SCAN, str(small)], times=5)
        self._print_row("`scan` of one report", done.seconds, "", "limit 0.25 s")

    def measure_sparse(self, size: int) -> None:
        path = self._folder / "sparse.log"
        count = logs.write_sparse(path, size * MB)
        half_size = self._folder / "half.log"
        logs.write_sparse(half_size, size * MB // 2)
        _fill_page_cache(path)
        ripgrep = self._measure_ripgrep(path)
        for output_format in ("jsonl", "text", "brief"):
            done = best_run(_scan_command(output_format, path))
            ratio = f"{done.seconds / ripgrep:.1f} x ripgrep" if ripgrep else "no ripgrep here"
            what, rate = f"sparse {size} MiB, {count} reports, {output_format}", f"{size / done.seconds:.0f} MiB/s"
            self._print_row(what, done.seconds, rate, f"{ratio} (limit 4)")
        small = best_run(_scan_command("jsonl", half_size)).seconds
        full = best_run(_scan_command("jsonl", path)).seconds
        self._print_row(f"the same, {size // 2} MiB", small, "", f"{full / small:.2f} x for double the size")
        peak = run_command(_scan_command("jsonl", path)).peak_mb
        self._print_row("the same, memory of all processes", 0, f"{peak:.0f} MB", "limit 200 MB")

    def measure_shapes(self, size: int, every: int) -> None:
        """Processor seconds for logs of CI systems and services, compared with ripgrep in the same run."""
        for name in SHAPES:
            path = self._folder / f"{name}.log"
            count = write_shape(path, name, size * MB, every)
            _fill_page_cache(path)
            formats = ("jsonl", "text", "brief")
            commands = [_scan_command(output_format, path) for output_format in formats]
            *scans, ripgrep = best_processor_seconds([*commands, _ripgrep_command(path) or ["true"]])
            for output_format, seconds in zip(formats, scans, strict=True):
                ratio = f"{seconds / ripgrep:.1f} x ripgrep's {ripgrep:.2f} s" if shutil.which("rg") else "no ripgrep"
                limit = 3 if name in CI_SHAPES else 2
                what = f"{name}, {size} MiB, {count} reports, {output_format}, processor"
                self._print_row(what, seconds, f"{size / seconds:.0f} MiB/s", f"{ratio} (limit {limit})")
            path.unlink()

    def _measure_ripgrep(self, path: Path) -> float | None:
        command = _ripgrep_command(path)
        if command is None:
            return None
        done = best_run(command, times=5)
        self._print_row(f"ripgrep, the same {command.count('-e')} literals", done.seconds)
        return done.seconds

    def measure_dense(self, count: int) -> None:
        path = self._folder / "dense.log"
        kinds = {"distinct reports of one code base": logs.write_code_base, "distinct reports": logs.write_dense}
        for what, write in kinds.items():
            write(path, count)
            if self._peer:
                self._peer_row(self._peer, path, count, what)
            done = best_run([sys.executable, "-m", "bench.parse_only", str(path)], times=3)
            self._rate_row(f"{count} {what}, every frame parsed, nothing printed", done, count, 13_000)
            self._scan_rows(path, count, what, 13_000)

    def _peer_row(self, peer: PeerCommand, path: Path, count: int, which: str) -> None:
        seconds = peer.best_seconds(path, count)
        self._peer_rate = count / seconds
        self._print_row(f"{count} {which}, the peer", seconds, f"{self._peer_rate:,.0f} /s")

    def measure_repeated(self, count: int) -> None:
        path = self._folder / "repeated.log"
        logs.write_repeated(path, count)
        self._scan_rows(path, count, "repeated reports", 130_000)

    def _scan_rows(self, path: Path, count: int, what: str, limit: int) -> None:
        for output_format in ("brief", "text", "jsonl"):
            done = best_run(_scan_command(output_format, path), times=3)
            self._rate_row(f"{count} {what}, {output_format}", done, count, limit)

    def _rate_row(self, what: str, done: CommandRun, count: int, limit: int) -> None:
        rate, against = count / done.seconds, f"goal {limit:,} /s"
        if self._peer_rate:
            against += f", {rate / self._peer_rate:.2f} x the peer"
        self._print_row(what, done.seconds, f"{rate:,.0f} /s", against)

    def measure_clean(self, size: int) -> None:
        path = self._folder / "clean.log"
        logs.write_clean(path, size * MB)
        done: CommandRun = run_command(_scan_command("jsonl", path), memory=False)
        rate = f"{size / done.seconds:.0f} MiB/s"
        self._print_row(f"clean {size} MiB with near misses", done.seconds, rate, f"{done.lines} false reports")

    def measure_hostile_files(self) -> None:
        """Ten logs beside files that try to hang a reader or exhaust its memory."""
        from tests.hostile_inputs import HOSTILE_INPUTS

        folder = self._folder / "hostile"
        folder.mkdir()
        for number in range(10):
            logs.write_dense(folder / f"{number}.log", 100)
        alone = best_run(_scan_command("brief", folder))
        for name, hostile in HOSTILE_INPUTS.items():
            (folder / name).write_bytes(hostile.build())
        done = run_command(_scan_command("brief", folder))
        what, more = f"ten logs beside {len(HOSTILE_INPUTS)} hostile files", done.seconds - alone.seconds
        self._print_row(
            what, done.seconds, f"{done.peak_mb:.0f} MB", f"{more:.1f} s more than alone (limits 10 s, 300 MB)"
        )

    def measure_run(self, size: int) -> None:
        """Throughput of a command's output through `deadheat run` and through `cat`."""
        path = self._folder / "passing.log"
        line = b"=== RUN   TestCheckout/with_a_coupon  ok, 12 rows in 3 ms, nothing to see here\n"
        path.write_bytes(line * (size * MB // len(line)))
        size_in_bytes = path.stat().st_size
        cat_seconds = best_output_seconds(["sh", "-c", f"cat {shlex.quote(str(path))} | cat"], size_in_bytes)
        start_seconds = best_run([*DEADHEAT, "run", "--", "true"]).seconds
        run_seconds = best_output_seconds([*DEADHEAT, "run", "--", "cat", str(path)], size_in_bytes) - start_seconds
        self._print_row(f"`cat` of {size} MiB through `cat`", cat_seconds, f"{size / cat_seconds:.0f} MiB/s")
        rate, ratio = f"{size / run_seconds:.0f} MiB/s", f"{cat_seconds / run_seconds:.2f} x cat (limit 0.5)"
        self._print_row("the same through `deadheat run`, without its start", run_seconds, rate, ratio)
        self._print_row("start and end of `deadheat run`", start_seconds, "", "added to the command's time")
        done = best_run([*DEADHEAT, "run", "--", "cat", str(path)])
        self._print_row("`deadheat run` until its output is closed", done.seconds)

    def measure_html(self) -> None:
        """Loading time of the HTML report in a browser that has just been started."""
        from tests import browser
        from tests.test_browser import COUNT, write_report

        if browser.chromium_path() is None:
            self._print_row("no Chromium to load the HTML report", 0)
            return
        report = write_report(self._folder / "races.html")
        seconds = []
        for _ in range(3):
            page = browser.Page()
            page.open(report)
            seconds.append(page.run("performance.now()") / 1000)
            page.close()
        what = f"HTML report of {COUNT} races, {report.stat().st_size / MB:.0f} MiB, in Chromium"
        self._print_row(what, min(seconds), "", "limit 1 s")


class PeerCommand:
    """A command that gets a file and prints the number of reports in it and the seconds that it took."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)

    def best_seconds(self, path: Path, count: int, times: int = 3) -> float:
        measured = []
        for _ in range(times):
            done = subprocess.run([*self._command, str(path)], stdout=subprocess.PIPE, text=True, check=True)
            reports, seconds = done.stdout.split()
            if int(reports) != count:
                sys.exit(f"bench: the peer found {reports} of {count} reports")
            measured.append(float(seconds))
        return min(measured)


def _ripgrep_command(path: Path) -> list[str] | None:
    program = shutil.which("rg")
    if program is None:
        return None
    # without literals that cannot be passed on a command line
    literals = [lit for lit in report_reader().prefilter.literals if lit.isascii() and b"\x1b" not in lit]
    wanted = [word for literal in literals for word in ("-e", literal.decode())]
    return [program, "--no-config", "-c", "-F", *wanted, str(path)]


def _scan_command(output_format: str, path: Path) -> list[str]:
    options = ["--brief"] if output_format == "brief" else ["--format", output_format]
    return [*SCAN, *options, str(path)]


def _fill_page_cache(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


if __name__ == "__main__":
    main()
