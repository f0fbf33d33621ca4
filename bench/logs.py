"""Write large logs of known content for the benchmarks: the same bytes for the same arguments."""

from __future__ import annotations

import argparse
import random
from itertools import accumulate
from itertools import count as counting
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

SEED = 1
BLOCK = 256 * 1024
BLOCKS = 24

# Placeholders for day, minute and serial number, filled in each time that a block is written: no two copies
# are equal, and writing costs little more than a copy.
DAY, MINUTE, SERIAL = "\x01D", "\x01H:MM", "\x01SERIAL"

# --- names --------------------------------------------------------------------------------------

CONSONANTS, VOWELS = "kmrtvlnpszdfgb", "oiaeu"
SYLLABLES = tuple(first + second for first in CONSONANTS for second in VOWELS)
NOUNS = ("Cache", "Index", "Pool", "Router", "Ledger", "Session", "Broker", "Planner", "Cursor")
READS = ("lookup", "snapshot", "peek", "render", "Len", "String", "export", "current")
WRITES = ("Close", "reset", "evict", "update", "store", "rebuild", "apply", "refresh")
CALLS = ("run", "handle", "dispatch", "process", "serve", "execute", "drain", "visit", "walk")
PACKAGES = ("store", "session", "executor", "planner", "transport", "scheduler", "metrics")


def generated_name(number: int) -> str:
    """A distinct pronounceable name for each number, without digits: grouping takes digits for closure numbers."""
    letters = ""
    number += len(SYLLABLES)
    while number:
        number, digit = divmod(number, len(SYLLABLES))
        letters += SYLLABLES[digit]
    return letters.capitalize()


# --- reports ------------------------------------------------------------------------------------

Frame = tuple[str, str]


def _make_frame(rng: random.Random, package: str, symbol: str, file: str) -> Frame:
    place = f"/home/ci/go/src/{package}/{file}.go:{rng.randrange(20, 2900)} +{rng.randrange(4096):#x}"
    return f"{package}.{symbol}()", place


def _make_stack(rng: random.Random, name: str, top: str, depth: int) -> list[Frame]:
    module = f"example.com/{name.lower()}"
    frames = []
    for level in range(depth):
        package, noun = rng.choice(PACKAGES), rng.choice(NOUNS)
        method = top if level == 0 else rng.choice(CALLS)
        symbol = f"(*{name}{noun}).{method}"
        if level and rng.random() < 0.25:
            symbol += ".func1"
        frames.append(_make_frame(rng, f"{module}/{package}", symbol, noun.lower()))
    return frames


OPS = (("Write", "read"), ("Read", "write"), ("Write", "write"))
TEST_FRAMES: tuple[Frame, ...] = (
    ("testing.tRunner()", "/usr/local/go/src/testing/testing.go:1689 +0x21e"),
    ("testing.(*T).Run.gowrap1()", "/usr/local/go/src/testing/testing.go:1742 +0x44"),
)
RUN_FRAMES: tuple[Frame, ...] = (
    ("testing.(*T).Run()", "/usr/local/go/src/testing/testing.go:1742 +0x825"),
    ("main.main()", "_testmain.go:51 +0x2bd"),
)


def _format_frames(frames: Sequence[Frame]) -> str:
    return "".join(f"  {symbol}\n      {place}\n" for symbol, place in frames)


def report_template(number: int) -> str:
    """The report of one race with the placeholders `{address}`, `{first}` and `{second}`."""
    rng = random.Random(SEED * 1_000_003 + number)
    name = generated_name(number)
    ops = rng.choice(OPS)
    tops = [rng.choice(READS if op.lower() == "read" else WRITES) for op in ops]
    test = _make_frame(rng, f"example.com/{name.lower()}", f"Test{name}", "server_test")
    first = [*_make_stack(rng, name, tops[0], 5), test, *TEST_FRAMES]
    second = _make_stack(rng, name, tops[1], rng.randrange(6, 10))
    state = rng.choice(("running", "finished"))
    return _report_text(ops, first, second, state, _make_stack(rng, name, "Start", 2))


def _report_text(
    ops: tuple[str, str], first: Sequence[Frame], second: Sequence[Frame], state: str, created: Sequence[Frame]
) -> str:
    first_op, second_op = ops
    return (
        "==================\nWARNING: DATA RACE\n"
        f"{first_op} at {{address}} by goroutine {{first}}:\n{_format_frames(first)}\n"
        f"Previous {second_op} at {{address}} by goroutine {{second}}:\n{_format_frames(second)}\n"
        f"Goroutine {{first}} (running) created at:\n{_format_frames(RUN_FRAMES)}\n"
        f"Goroutine {{second}} ({state}) created at:\n"
        f"{_format_frames(created)}==================\n"
    )


def _fill_template(text: str, rng: random.Random) -> bytes:
    first = rng.randrange(7, 90_000)
    return text.format(
        address=f"0x00c{rng.randrange(1 << 36) & ~7:09x}", first=first, second=first + rng.randrange(1, 5000)
    ).encode()


def generate_report(number: int) -> bytes:
    """The report of one race as one run would print it."""
    return _fill_template(report_template(number), random.Random(number))


# --- log lines ----------------------------------------------------------------------------------

EVENTS = (
    "request served",
    "cache refreshed",
    "lease renewed",
    "connection closed by peer",
    "retrying after backoff",
    "snapshot written",
    "slow query",
    "compaction finished",
)
SOURCES = ("server.go", "store.go", "lease.go", "raft.go", "router.go", "pool.go")
TOOLS = ("github.com/x/lint", "golang.org/x/tools", "example.com/shop/cart", "example.com/mail")


def _zap_line(rng: random.Random, second: float) -> str:
    place = f"server/{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return (
        f'{{"level":"info","ts":"2024-10-{DAY}T{MINUTE}:{second:09.6f}Z",'
        f'"caller":"{place}","msg":"{rng.choice(EVENTS)}","took":{rng.random():.6f},'
        f'"request":"{rng.randrange(1 << 48):012x}-{SERIAL}"}}'
    )


def _klog_line(rng: random.Random, second: float) -> str:
    head = f"{rng.choice('IIIWE')}10{DAY} {MINUTE}:{second:09.6f}"
    place = f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return f'{head} {rng.randrange(9999):>7} {place}] "{rng.choice(EVENTS)}" pod="api-{SERIAL}"'


def _tidb_line(rng: random.Random, second: float) -> str:
    head = f"[2024/10/{DAY} {MINUTE}:{second:06.3f} +08:00]"
    return (
        f"{head} [{rng.choice(('INFO', 'WARN'))}] [{rng.choice(SOURCES)}:{rng.randrange(900)}] "
        f'["{rng.choice(EVENTS)}"] [conn={rng.randrange(1 << 32)}] [took={rng.random():.3f}ms]'
    )


def _access_line(rng: random.Random, second: float) -> str:
    where = rng.choice(("/api/v1/cart", "/healthz", "/metrics", "/login", "/static/app.js"))
    status = rng.choice((200, 200, 200, 304, 404, 503))
    return (
        f"10.0.{rng.randrange(256)}.{rng.randrange(256)} - - "
        f"[{DAY}/Oct/2024:{MINUTE}:{int(second):02d} +0000] "
        f'"GET {where}?id={SERIAL} HTTP/1.1" {status} {rng.randrange(90_000)} "-" "curl/8.5"'
    )


def _slog_line(rng: random.Random, second: float) -> str:
    return (
        f"time=2024-10-{DAY}T{MINUTE}:{second:06.3f}Z level=INFO "
        f'msg="{rng.choice(EVENTS)}" id={SERIAL} shard={rng.randrange(64)}'
    )


def _syslog_line(rng: random.Random, second: float) -> str:
    return (
        f"Oct {DAY} {MINUTE}:{int(second):02d} node-{rng.randrange(9)} "
        f"kubelet[{rng.randrange(300, 30_000)}]: {rng.choice(EVENTS)} for volume pvc-{SERIAL}"
    )


def _ci_line(rng: random.Random, second: float) -> str:
    name = f"Test{rng.choice(NOUNS)}{rng.choice(('Basic', 'Empty', 'Large', 'Timeout'))}"
    text = rng.choice(
        (
            f"=== RUN   {name}",
            f"--- PASS: {name} ({rng.random():.2f}s)",
            f"ok  \t{rng.choice(TOOLS)}\t{rng.random() * 9:.3f}s",
            f"go: downloading {rng.choice(TOOLS)} v1.{rng.randrange(40)}.{rng.randrange(9)}",
            "##[group]Run make check",
        )
    )
    return f"2024-10-{DAY}T{MINUTE}:{second:09.6f}{rng.randrange(10)}Z {text}"


def _build_line(rng: random.Random, second: float) -> str:
    source = f"src/{rng.choice(NOUNS).lower()}_{SERIAL}.cc"
    return f"[{rng.randrange(1, 4000)}/4000] c++ -O2 -g -Iinclude -c {source} -o obj/{source}.o"


LINE_MAKERS = (_zap_line, _klog_line, _tidb_line, _access_line, _slog_line, _syslog_line, _ci_line, _build_line)


def _run_of_lines(rng: random.Random, second: float) -> str:
    # consecutive lines of one kind, as from one writer
    maker = rng.choice(LINE_MAKERS)
    lines = (maker(rng, second + i / 1000) for i in range(rng.randrange(1, 12)))
    return "".join(f"{line}\n" for line in lines)


def _make_block(rng: random.Random, extras: Sequence[str]) -> bytes:
    pieces, size = [], 0
    while size < BLOCK:
        piece = _run_of_lines(rng, size / BLOCK * 59)
        if extras and rng.random() < 0.4:
            piece += rng.choice(extras)
        pieces.append(piece)
        size += len(piece)
    return "".join(pieces).encode()


def _endless_log(rng: random.Random, extras: Sequence[str] = ()) -> Iterator[bytes]:
    """An endless log in blocks of whole lines with increasing times."""
    blocks = [_make_block(rng, extras) for _ in range(BLOCKS)]
    for number in counting():
        hour, minute = divmod(number % 1440, 60)
        yield (
            rng.choice(blocks)
            .replace(DAY.encode(), b"%02d" % (number // 1440 % 28 + 1))
            .replace(MINUTE.encode(), b"%02d:%02d" % (hour, minute))
            .replace(SERIAL.encode(), b"%08x" % rng.randrange(1 << 32))
        )


class _LogWriter:
    """Writes portions of an endless log in whole lines."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self._stream = stream
        self._block = b""
        self._at = 0

    def write(self, out: BinaryIO, size: int) -> int:
        """Write at most `size` bytes, short of it by less than one line; return the number."""
        written = 0
        while written < size:
            if self._at == len(self._block):
                self._block, self._at = next(self._stream), 0
            end = self._portion_end(size - written)
            if end <= self._at:
                break
            out.write(memoryview(self._block)[self._at : end])
            written += end - self._at
            self._at = end
        return written

    def _portion_end(self, limit: int) -> int:
        if len(self._block) - self._at <= limit:
            return len(self._block)
        return self._block.rfind(b"\n", self._at, self._at + limit) + 1


# --- near misses: text about races that is no report ---------------------------------------------

PROSE = (
    "The detector prints WARNING: DATA RACE and the exit status is 66, see the handbook.\n",
    "# TODO: the DATA RACE in the planner is gone, remove the skip (seen last by goroutine 7)\n",
    'We saw "Write at 0x00c0000a1238 by goroutine 7:" twice last night, but no stack with it.\n',
    "the value is read by goroutine 7 and written by goroutine 12, both under the lock\n",
    "> Previous read at 0x00c0000a1238 by goroutine 6: what does the address tell me?\n",
    "A second reader says: 'Goroutine 7 (running) created at:' is where to look first.\n",
    "concurrent map writes are not allowed; guard the map with a mutex or use sync.Map\n",
    "If you see `fatal error: concurrent map writes` in production, page the owner.\n",
    "Possible data race? No: both sides hold the lock, the reviewer agreed.\n",
    "BUG: KCSAN: data-race in the subject line is what the kernel's robot mails about.\n",
    "Found 1 data race(s)\n",
    "    testing.go:1446: race detected during execution of test\n",
    "--- FAIL: TestLedgerTimeout (0.31s)\n    testing.go:1093: race detected during execution of"
    " test\nFAIL\nFAIL\texample.com/shop/cart\t0.412s\n",
    "exit status 66\n",
    "4f2a91c planner: fix DATA RACE in the cursor (#18526)\n",
    "c81d7e0 ci: fail the build when WARNING: DATA RACE is printed\n",
    "77e01ab store: data race between Close and refresh, second attempt\n",
)
COMMANDS = (
    '+ grep -c "WARNING: DATA RACE" /var/log/ci/unit.log\n0\n',
    "$ rg -n 'DATA RACE|by goroutine [0-9]+' logs/ | sort | uniq -c\n",
    "+ awk '/WARNING: DATA RACE/,/^==================$/' unit.log > races.txt\n",
    "+ sed -n '/Previous write at/p' unit.log\n",
    "+ GORACE='halt_on_error=1 log_path=/tmp/race' go test -race ./...\n",
    "if grep -q 'WARNING: ThreadSanitizer: data race' out.txt; then exit 1; fi\n",
)
SOURCE = (
    'func hasRace(out string) bool {\n\treturn strings.Contains(out, "WARNING: DATA RACE")\n}\n',
    "var header = regexp.MustCompile(`^(Read|Write) at (0x[0-9a-f]+) by goroutine (\\d+):$`)\n",
    'const want = "==================\\nWARNING: DATA RACE\\nRead at "\n',
    'if strings.HasPrefix(line, "Previous write at ") || strings.HasPrefix(line, "Goroutine ") {\n',
    'RACE = re.compile(r"WARNING: DATA RACE\\n(?:Read|Write) at 0x[0-9a-f]+ by goroutine")\n'
    "for block in RACE.finditer(text):\n    yield block.start()\n",
    'assert "WARNING: DATA RACE" not in result.stderr, result.stderr\n',
    '  out->Append("WARNING: DATA RACE\\n");\n'
    '  out->AppendF("%s at %p by goroutine %d:\\n", op_name(op), addr, gid);\n'
    '  out->AppendF("Goroutine %d (%s) created at:\\n", gid, alive ? "running" : "finished");\n',
    '  Emit("WARNING: ThreadSanitizer: %s (pid=%d)\\n", kind, pid);\n'
    '  Emit("  %s of size %d at %p by %s:\\n", op_name(op), size, addr, who);\n',
)
CONFIG = (
    "    - name: race\n      run: |\n        go test -race ./... 2>&1 | tee race.log\n"
    "        ! grep -q 'WARNING: DATA RACE' race.log\n",
    'failure_patterns:\n  - "WARNING: DATA RACE"\n  - "fatal error: concurrent map writes"\n  - "panic: "\n',
    '{"alert":"race","expr":"count_over_time({app=\\"api\\"} |= \\"WARNING: DATA RACE\\" [5m]) > 0"}\n',
)
DUMPS = (
    "panic: runtime error: index out of range [3] with length 3\n\n"
    "goroutine 1 [running]:\nmain.pick(...)\n\t/home/ci/go/src/app/main.go:31\n"
    "main.main()\n\t/home/ci/go/src/app/main.go:12 +0x1d\nexit status 2\n",
    "fatal error: all goroutines are asleep - deadlock!\n\n"
    "goroutine 1 [chan receive]:\nmain.main()\n\t/home/ci/go/src/app/main.go:17 +0x5c\n\n"
    "goroutine 18 [select (no cases)]:\nmain.wait()\n\t/home/ci/go/src/app/wait.go:9 +0x17\n"
    "created by main.main in goroutine 1\n\t/home/ci/go/src/app/main.go:14 +0x4a\nexit status 2\n",
    "goroutine profile: total 2\n1 @ 0x43a1d6 0x44c2b2 0x6f1c3d 0x471901\n"
    "#\t0x6f1c3c\tmain.worker+0x3c\t/home/ci/go/src/app/worker.go:40\n",
    "open config.yaml: no such file or directory\nexample.com/shop/config.Load\n"
    "\t/home/ci/go/src/example.com/shop/config/load.go:44\nmain.main\n"
    "\t/home/ci/go/src/example.com/shop/main.go:20\nruntime.goexit\n"
    "\t/usr/local/go/src/runtime/asm_amd64.s:1371\n",
    'Exception in thread "pool-3-thread-7" java.lang.IllegalStateException: queue is closed\n'
    "\tat com.example.shop.Queue.put(Queue.java:88)\n"
    "\tat com.example.shop.Worker.run(Worker.java:41)\n"
    "\tat java.base/java.lang.Thread.run(Thread.java:1583)\n",
    "Traceback (most recent call last):\n"
    '  File "/srv/app/worker.py", line 41, in run\n    self.queue.put(item)\n'
    '  File "/srv/app/queue.py", line 88, in put\n    raise Closed\nqueue.Closed\n',
)
BARS = (
    "==================\nall checks have passed\n==================\n",
    "==================\n\n==================\n",
    "============================= test session starts ==============================\n"
    "collected 214 items\n\ntests/test_race.py::test_finds_data_race PASSED            [ 12%]\n"
    "============================= 214 passed in 12.31s =============================\n",
    "==================\nWARNING: LOW DISK SPACE\nWrite at your own risk\n==================\n",
    "==4711== Memcheck, a memory error detector\n==4711== All heap blocks were freed\n",
    "==================\nbenchmark by goroutine count\n  1: 120 ns/op\n  8: 31 ns/op\n==================\n",
)
NEAR_MISSES = (*PROSE, *COMMANDS, *SOURCE, *CONFIG, *DUMPS, *BARS)

# --- the logs -----------------------------------------------------------------------------------


def write_sparse(path: str | Path, size: int, every: int = 600_000, races: int | None = None, first: int = 0) -> int:
    """Mixed logs with one report per `every` bytes: of `races` races, or distinct, numbered from `first`."""
    rng = random.Random(SEED)
    filler = _LogWriter(_endless_log(rng))
    portions = size // every
    with open(path, "wb") as out:
        for number in range(portions):
            text = (
                generate_report(first + number)
                if races is None
                else _fill_template(report_template(number % races), rng)
            )
            filler.write(out, rng.randrange(max(1, every - len(text))))
            out.write(text)
            filler.write(out, (number + 1) * every - out.tell())
        filler.write(out, size - out.tell())
    return portions


def write_dense(path: str | Path, count: int) -> int:
    """Only distinct reports."""
    with open(path, "wb") as out:
        for number in range(count):
            out.write(generate_report(number))
    return count


def write_code_base(path: str | Path, count: int, places: int = 3000) -> int:
    """Distinct reports of one code base: some frames are on every second stack, most are rare."""
    rng = random.Random(SEED)
    names = [generated_name(number) for number in range(places // 75)]
    known = [_make_stack(rng, rng.choice(names), rng.choice(CALLS), 1)[0] for _ in range(places)]
    weights = [*accumulate(1 / (rank + 3) for rank in range(places))]

    def stack(depth: int) -> list[Frame]:
        return rng.choices(known, cum_weights=weights, k=depth)

    with open(path, "wb") as out:
        for _ in range(count):
            first, second = [*stack(6), *TEST_FRAMES], stack(rng.randrange(6, 10))
            text = _report_text(rng.choice(OPS), first, second, "running", stack(2))
            out.write(_fill_template(text, rng))
    return count


def write_repeated(path: str | Path, count: int, distinct: int = 20) -> int:
    """Reports of some races with other addresses and goroutines each time and the same frames."""
    rng = random.Random(SEED)
    templates = [report_template(number) for number in range(distinct)]
    with open(path, "wb") as out:
        for _ in range(count):
            out.write(_fill_template(rng.choice(templates), rng))
    return count


def write_clean(path: str | Path, size: int) -> int:
    """Logs without a race and with many near misses."""
    filler = _LogWriter(_endless_log(random.Random(SEED), NEAR_MISSES))
    with open(path, "wb") as out:
        filler.write(out, size)
    return 0


ANCHORS = (
    b"WARNING: DATA RACE",
    b"by goroutine 7:",
    b"Previous write at 0x00c0000a1238 by goroutine 6:",
    b"Goroutine 7 (running) created at:",
    b"==================",
    b"fatal error: concurrent map writes",
    b"WARNING: ThreadSanitizer: data race",
)


def write_long_line(path: str | Path, size: int) -> int:
    """A single long line, like minified code, with some phrases of detectors."""
    rng = random.Random(SEED)
    chunks = [rng.randbytes(rng.randrange(2_000, 40_000)).hex().encode() for _ in range(64)]
    with open(path, "wb") as out:
        left = size
        while left:
            piece = rng.choice(chunks) + b'","' + rng.choice(ANCHORS) + b'","'
            left -= out.write(piece[:left])
    return 0


# --- command line -------------------------------------------------------------------------------

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _parse_size(text: str) -> int:
    unit = UNITS.get(text[-1:].upper(), 1)
    return int(text[:-1] if unit > 1 else text) * unit


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.logs", description=__doc__)
    parser.add_argument("kind", choices=("sparse", "dense", "repeated", "clean", "long_line"))
    parser.add_argument("path")
    parser.add_argument("--size", type=_parse_size, default=64 << 20, help="in bytes, or 10K, 10M, 1G")
    parser.add_argument("--count", type=int, default=10_000, help="of reports (dense, repeated)")
    parser.add_argument("--every", type=_parse_size, default=600_000, help="bytes per report (sparse)")
    parser.add_argument("--distinct", type=int, default=20, help="races (repeated)")
    return parser.parse_args()


def main() -> None:
    args = _parse_arguments()
    kinds: dict[str, Callable[[], int]] = {
        "sparse": lambda: write_sparse(args.path, args.size, args.every),
        "dense": lambda: write_dense(args.path, args.count),
        "repeated": lambda: write_repeated(args.path, args.count, args.distinct),
        "clean": lambda: write_clean(args.path, args.size),
        "long_line": lambda: write_long_line(args.path, args.size),
    }
    print(kinds[args.kind]())


if __name__ == "__main__":
    main()
