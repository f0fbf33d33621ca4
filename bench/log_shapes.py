"""Write large logs in the shapes that CI systems and services print: the same bytes for the same arguments.

A CI log of a Go repository has 1 to 50 MB and no report or a handful; logs of CI have a report per megabyte here, which
is dense for CI. Services are started with the race detector for canaries only; their logs have a report per 20 MB.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import TYPE_CHECKING, NamedTuple

from bench import logs
from bench.logs import CALLS, DAY, EVENTS, MINUTE, NOUNS, PACKAGES, READS, SEED, SERIAL, WRITES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCK = 256 * 1024
BLOCKS = 24
CI_EVERY, PRODUCTION_EVERY = 1_000_000, 20_000_000
RACED = "    testing.go:1465: race detected during execution of test"
VERBS = ("Returns", "Rejects", "Retries", "Keeps", "Drops", "Merges", "Closes", "Orders")


class _Clock:
    """The time of the lines of a block, which advances with the position in the block."""

    def __init__(self) -> None:
        self.second = 0.0

    def next(self) -> float:
        self.second = min(self.second + 0.0002, 59.99)
        return self.second


# --- text of test runs ----------------------------------------------------------------------------


def _test_name(rng: random.Random) -> str:
    name = f"Test{rng.choice(NOUNS)}{rng.choice(VERBS)}{logs.generated_name(rng.randrange(4000))}"
    return f"{name}/{rng.choice(READS)}_{rng.choice(CALLS)}_{rng.randrange(40)}" if rng.random() < 0.4 else name


def _log_line(rng: random.Random) -> str:
    place = f"{rng.choice(PACKAGES)}_test.go:{rng.randrange(20, 900)}"
    return f"    {place}: {rng.choice(EVENTS)}: {rng.choice(WRITES)} {rng.randrange(1 << 32):08x} of node-{SERIAL}"


def _seconds(rng: random.Random) -> str:
    return f"{rng.random() ** 6 * 9:.2f}s"


def _package(rng: random.Random) -> str:
    return f"example.com/shop/{rng.choice(PACKAGES)}/{logs.generated_name(rng.randrange(300)).lower()}"


def _verbose_tests(rng: random.Random) -> list[str]:
    """Some tests of a package with `go test -v`, one after the other."""
    lines = []
    for _ in range(rng.randrange(1, 9)):
        name = _test_name(rng)
        lines += [f"=== RUN   {name}", *(_log_line(rng) for _ in range(rng.randrange(4)))]
        lines.append(f"{'    ' if '/' in name else ''}--- PASS: {name} ({_seconds(rng)})")
    if rng.random() < 0.2:
        lines += ["PASS", f"ok  \t{_package(rng)}\t{_seconds(rng)}"]
    return lines


def _parallel_tests(rng: random.Random) -> list[str]:
    """Tests that run at the same time: their lines are interleaved."""
    names = [_test_name(rng) for _ in range(rng.randrange(2, 9))]
    lines = [line for name in names for line in (f"=== RUN   {name}", f"=== PAUSE {name}")]
    for _ in range(rng.randrange(4, 20)):
        lines += [f"=== CONT  {rng.choice(names)}", *(_log_line(rng) for _ in range(rng.randrange(3)))]
    lines += [f"--- PASS: {name} ({_seconds(rng)})" for name in names]
    if rng.random() < 0.2:
        lines += ["PASS", f"ok  \t{_package(rng)}\t{_seconds(rng)}"]
    return lines


def _package_results(rng: random.Random) -> list[str]:
    """`go test` without `-v`: results of packages, and the log of tests that write to standard output."""
    lines = []
    for _ in range(rng.randrange(1, 6)):
        lines.append(rng.choice((f"ok  \t{_package(rng)}\t{_seconds(rng)}", f"?   \t{_package(rng)}\t[no test files]")))
    second = rng.random() * 59
    return [*lines, *(logs._klog_line(rng, second) for _ in range(rng.randrange(12)))]


def _ctest_results(rng: random.Random) -> list[str]:
    """Results of a C++ test runner."""
    suite, lines = f"{rng.choice(NOUNS)}Test", []
    for _ in range(rng.randrange(1, 9)):
        name = f"{suite}.{rng.choice(VERBS)}{logs.generated_name(rng.randrange(4000))}"
        lines += [f"[ RUN      ] {name}", *(f"{rng.choice(EVENTS)} {SERIAL}" for _ in range(rng.randrange(3)))]
        lines.append(f"[       OK ] {name} ({rng.randrange(90)} ms)")
    if rng.random() < 0.5:
        number = rng.randrange(1, 900)
        lines.append(
            f"{number}/900 Test #{number}: {suite.lower()} ...................   Passed    {rng.random():.2f} sec"
        )
    return lines


# --- reports with the lines around them -----------------------------------------------------------


def _go_report(rng: random.Random, number: int) -> list[str]:
    return logs._fill_template(logs.report_template(number), rng).decode().splitlines()


def _go_test_failure(rng: random.Random, number: int, verbose: bool = True) -> list[str]:
    """A report of a test, and how the test and its package end."""
    name = f"Test{logs.generated_name(number)}"
    end = [RACED, f"--- FAIL: {name} ({_seconds(rng)})"]
    package = f"example.com/{logs.generated_name(number).lower()}"
    closing = ["FAIL", "exit status 66", f"FAIL\t{package}\t{_seconds(rng)}"]
    start = [f"=== RUN   {name}"] if verbose else []
    return [*start, *_go_report(rng, number), *(end if verbose else end[::-1]), *closing]


def _go_plain_failure(rng: random.Random, number: int) -> list[str]:
    return _go_test_failure(rng, number, verbose=False)


def _go_parallel_failure(rng: random.Random, number: int) -> list[str]:
    name, others = f"Test{logs.generated_name(number)}", [_test_name(rng) for _ in range(3)]
    lines = [line for test in (name, *others) for line in (f"=== RUN   {test}", f"=== PAUSE {test}")]
    lines += [f"=== CONT  {others[0]}", _log_line(rng), f"=== CONT  {name}", *_go_report(rng, number)]
    lines += [f"=== CONT  {others[1]}", _log_line(rng), f"=== NAME  {name}"]
    lines += [RACED, f"--- FAIL: {name} ({_seconds(rng)})"]
    return [*lines, *(f"--- PASS: {test} ({_seconds(rng)})" for test in others), "FAIL", "exit status 66"]


def _native_frames(rng: random.Random, name: str, depth: int) -> list[tuple[str, str, int]]:
    symbols = [f"shop::{name}{rng.choice(NOUNS)}::{rng.choice(CALLS)}(int)" for _ in range(depth)]
    return [(symbol, f"{rng.choice(NOUNS).lower()}.cc", rng.randrange(20, 900)) for symbol in symbols]


def _tsan_stack(rng: random.Random, name: str, depth: int, build: str) -> list[str]:
    return [
        f"    #{level} {symbol} /src/shop/{file}:{line}:{rng.randrange(3, 60)} (shop+{rng.randrange(1 << 24):#x})"
        f" (BuildId: {build})"
        for level, (symbol, file, line) in enumerate(_native_frames(rng, name, depth))
    ] + [""]


def _tsan_report(rng: random.Random, number: int) -> list[str]:
    fixed = random.Random(SEED * 1_000_003 + number)
    name, build = logs.generated_name(number), f"{fixed.randrange(1 << 160):040x}"
    address, pid, thread = (
        rng.randrange(0x7B0400000000, 0x7B8000000000),
        rng.randrange(300, 90_000),
        rng.randrange(1, 9),
    )
    first = _tsan_stack(fixed, name, 5, build)
    return [
        "==================",
        f"WARNING: ThreadSanitizer: data race (pid={pid})",
        f"  Write of size 8 at {address:#014x} by thread T{thread}:",
        *first,
        f"  Previous read of size 8 at {address:#014x} by main thread:",
        *_tsan_stack(fixed, name, 7, build),
        f"  Location is heap block of size 64 at {address - 8:#014x} allocated by main thread:",
        f"    #0 operator new(unsigned long) <null> (shop+0xd3386) (BuildId: {build})",
        *(line.replace("#0", "#1") for line in _tsan_stack(fixed, name, 1, build)),
        f"  Thread T{thread} (tid={pid + thread}, running) created by main thread at:",
        f"    #0 pthread_create <null> (shop+0x5461d) (BuildId: {build})",
        *(line.replace("#0", "#1") for line in _tsan_stack(fixed, name, 1, build)),
        f"SUMMARY: ThreadSanitizer: data race {first[0].split()[2]} in {first[0].split()[1]}",
        "==================",
    ]


def _valgrind_stack(rng: random.Random, name: str, depth: int) -> list[str]:
    return [
        f"   {'at' if level == 0 else 'by'} 0x{rng.randrange(1 << 20, 1 << 24):X}: {symbol} ({file}:{line})"
        for level, (symbol, file, line) in enumerate(_native_frames(rng, name, depth))
    ]


def _helgrind_report(rng: random.Random, number: int) -> list[str]:
    fixed = random.Random(SEED * 1_000_003 + number)
    name, address, pid = logs.generated_name(number), rng.randrange(0x4D00000, 0x5D00000), rng.randrange(300, 90_000)
    wrapper = "   by 0x484C5D7: pthread_create_WRK (hg_intercepts.c:445)"
    texts = [
        "---Thread-Announcement------------------------------------------",
        *("", "Thread #3 was created", "   at 0x4BA6B3F: clone (clone.S:76)", wrapper),
        *(line.replace("at ", "by ", 1) for line in _valgrind_stack(fixed, name, 2)),
        *("", "----------------------------------------------------------------", ""),
        f"Possible data race during read of size 4 at 0x{address:X} by thread #1",
        *("Locks held: none", *_valgrind_stack(fixed, name, 5), ""),
        "This conflicts with a previous write of size 4 by thread #3",
        *("Locks held: none", *_valgrind_stack(fixed, name, 6)),
        f" Address 0x{address:x} is 12 bytes inside a block of size 40 alloc'd",
        *(*_valgrind_stack(fixed, name, 2), " Block was alloc'd by thread #1", ""),
    ]
    return [f"=={pid}== {text}" for text in texts]


# --- what each shape puts in front of or around a line --------------------------------------------


def _print_bare(rng: random.Random, second: float, text: str) -> str:
    return text


def _print_github(rng: random.Random, second: float, text: str) -> str:
    return f"2024-10-{DAY}T{MINUTE}:{second:010.7f}Z {text}"


def _print_jenkins(rng: random.Random, second: float, text: str) -> str:
    return f"[2024-10-{DAY}T{MINUTE}:{second:06.3f}Z] {text}"


def _print_syslog(rng: random.Random, second: float, text: str) -> str:
    return f"Oct {DAY} {MINUTE}:{int(second):02d} node-3 api[4711]: {text}"


def _test_events(lines: list[str], package: str) -> Iterator[dict[str, str]]:
    """The lines of `go test -v` as `go test -json` prints them."""
    test = ""
    actions = {"=== RUN ": "run", "=== PAUS": "pause", "=== CONT": "cont", "--- PASS": "pass", "--- FAIL": "fail"}
    for line in lines:
        action = actions.get(line.strip()[:8])
        if action or line.startswith("=== NAME"):
            test = line.split()[2]
        names = {"Package": package, **({"Test": test} if test else {})}
        if action in ("run", "cont", "pause"):
            yield {"Action": action, **names}
        yield {"Action": "output", **names, "Output": f"{line}\n"}
        if action in ("pass", "fail"):
            yield {"Action": action, **names}
        if line.startswith(("ok ", "FAIL\t")):
            test = ""
            yield {"Action": "pass" if line.startswith("ok ") else "fail", "Package": package}


# --- services ---------------------------------------------------------------------------------------


def _service_lines(make: Callable[[random.Random, float], str]) -> Callable[[random.Random], list[str]]:
    return lambda rng: [make(rng, 7.25) for _ in range(rng.randrange(1, 12))]


def _kubelet_lines(rng: random.Random) -> list[str]:
    return [f"{rng.choice(EVENTS)} for volume pvc-{SERIAL} of {rng.choice(NOUNS)}" for _ in range(rng.randrange(1, 12))]


class LogShape(NamedTuple):
    """How the lines of a log look."""

    make_lines: Callable[[random.Random], list[str]]
    make_report: Callable[[random.Random, int], list[str]]
    print_line: Callable[[random.Random, float, str], str] = _print_bare
    every: int = CI_EVERY
    is_json: bool = False


SHAPES = {
    "go-verbose": LogShape(_verbose_tests, _go_test_failure),
    "go-json": LogShape(_verbose_tests, _go_test_failure, is_json=True),
    "go-plain": LogShape(_package_results, _go_plain_failure),
    "go-parallel": LogShape(_parallel_tests, _go_parallel_failure),
    "go-github": LogShape(_verbose_tests, _go_test_failure, _print_github),
    "go-jenkins": LogShape(_parallel_tests, _go_parallel_failure, _print_jenkins),
    "tsan": LogShape(_ctest_results, _tsan_report),
    "tsan-github": LogShape(_ctest_results, _tsan_report, _print_github),
    "helgrind": LogShape(_ctest_results, _helgrind_report),
    "klog": LogShape(_service_lines(logs._klog_line), _go_report, every=PRODUCTION_EVERY),
    "zap": LogShape(_service_lines(logs._zap_line), _go_report, every=PRODUCTION_EVERY),
    "syslog": LogShape(_kubelet_lines, _go_report, _print_syslog, every=PRODUCTION_EVERY),
}
CI_SHAPES = tuple(name for name, shape in SHAPES.items() if shape.every == CI_EVERY)
PRODUCTION_SHAPES = tuple(name for name, shape in SHAPES.items() if shape.every == PRODUCTION_EVERY)


def _print_lines(shape: LogShape, rng: random.Random, clock: _Clock, lines: list[str]) -> str:
    if shape.is_json:
        events = _test_events(lines, _package(rng))
        lines = [
            json.dumps(
                {"Time": f"2024-10-{DAY}T{MINUTE}:{clock.next():012.9f}Z", **event}, separators=(",", ":")
            ).replace("\\u0001", "\x01")
            for event in events
        ]
        return "".join(f"{line}\n" for line in lines)
    return "".join(f"{shape.print_line(rng, clock.next(), line)}\n" for line in lines)


def _make_block(shape: LogShape, rng: random.Random) -> tuple[bytes, bytes, float]:
    """The two halves of a block, and the second at which the first one ends."""
    clock, halves, middle = _Clock(), [], 0.0
    for _ in range(2):
        pieces, size = [], 0
        while size < BLOCK // 2:
            pieces.append(_print_lines(shape, rng, clock, shape.make_lines(rng)))
            size += len(pieces[-1])
        middle = middle or clock.second
        halves.append("".join(pieces).encode())
    return halves[0], halves[1], middle


def write_shape(path: str | Path, name: str, size: int, every: int = 0, races: int | None = 100, first: int = 0) -> int:
    """Write a log of about `size` bytes; return the number of reports.

    They are reports of `races` races, or distinct ones that are numbered from `first`.
    """
    shape = SHAPES[name]
    rng = random.Random(SEED)
    every = every or shape.every
    blocks = [_make_block(shape, rng) for _ in range(BLOCKS)]
    written = reports = minutes = 0
    with open(path, "wb") as out:
        while written < size:
            before, after, second = rng.choice(blocks)
            report = b""
            if written >= (reports + 0.5) * every:
                number = first + reports if races is None else reports % races
                clock = _Clock()
                clock.second = second
                report = _print_lines(shape, rng, clock, shape.make_report(rng, number)).encode()
                reports += 1
            day, minute = divmod(minutes, 1440)
            text = (before + report + after).replace(DAY.encode(), b"%02d" % (day % 28 + 1))
            text = text.replace(MINUTE.encode(), b"%02d:%02d" % divmod(minute, 60))
            written += out.write(text.replace(SERIAL.encode(), b"%08x" % rng.randrange(1 << 32)))
            minutes += 1
    return reports


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.log_shapes", description=__doc__)
    parser.add_argument("shape", choices=tuple(SHAPES))
    parser.add_argument("path")
    parser.add_argument("--size", type=logs._parse_size, default=64 << 20, help="in bytes, or 10K, 10M, 1G")
    parser.add_argument("--every", type=logs._parse_size, default=0, help="bytes per report")
    parser.add_argument("--distinct", action="store_true", help="no race occurs twice")
    args = parser.parse_args()
    print(write_shape(args.path, args.shape, args.size, args.every, None if args.distinct else 100))


if __name__ == "__main__":
    main()
