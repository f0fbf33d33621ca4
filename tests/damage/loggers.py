"""Log lines between the lines of a report, and on the same line."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from tests.damage.lines import clock_times, compact_json, iso_time, join_lines, split_lines
from tests.damage.registry import LineMaker, damage

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from datetime import datetime

EVENTS = (
    "request served",
    "cache refreshed",
    "lease renewed",
    "connection closed by peer",
    "retrying after backoff",
    "snapshot written",
    "slow query",
)
SOURCES = ("cart.go", "mpp.go", "store.go", "lease.go", "server.go")


def _zap_console(rng: random.Random, now: datetime) -> str:
    place = f"cart/{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    level = rng.choice(("INFO", "WARN", "DEBUG"))
    fields = compact_json({"attempt": rng.randrange(9)})
    return f"{iso_time(now, rng, 3)}\t{level}\t{place}\t{rng.choice(EVENTS)}\t{fields}"


def _zap_json(rng: random.Random, now: datetime) -> str:
    place = f"cart/{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    record = {"level": "info", "ts": now.timestamp(), "caller": place, "msg": rng.choice(EVENTS)}
    return compact_json(record)


def _klog(rng: random.Random, now: datetime) -> str:
    level, place = rng.choice("IWE"), f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return f"{level}{now:%m%d %H:%M:%S.%f} {rng.randrange(9999):>7} {place}] {rng.choice(EVENTS)}"


def _logrus(rng: random.Random, now: datetime) -> str:
    event = rng.choice(EVENTS)
    return f'time="{now:%Y-%m-%dT%H:%M:%SZ}" level=warning msg="{event}" took={rng.randrange(99)}ms'


def _slog(rng: random.Random, now: datetime) -> str:
    return f'time={iso_time(now, rng, 3)} level=INFO msg="{rng.choice(EVENTS)}" id={rng.randrange(999)}'


def _std_log(rng: random.Random, now: datetime) -> str:
    place = f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    return f"{now:%Y/%m/%d %H:%M:%S} {place}: {rng.choice(EVENTS)}"


def _tidb(rng: random.Random, now: datetime) -> str:
    stamp = f"{now:%Y/%m/%d %H:%M:%S}.{now.microsecond // 1000:03d} +08:00"
    place = f"{rng.choice(SOURCES)}:{rng.randrange(20, 900)}"
    event = rng.choice(EVENTS)
    return f'[{stamp}] [WARN] [{place}] ["{event}"] [error="context canceled"] [task=1]'


def _go_test(rng: random.Random, now: datetime) -> str:
    name = f"Test{rng.choice(('Refund', 'Basket', 'Coupon', 'Voucher'))}"
    return rng.choice(
        (
            f"=== RUN   {name}",
            f"=== PAUSE {name}",
            f"--- FAIL: {name} ({rng.random():.2f}s)",
            f"    --- PASS: {name}/empty ({rng.random():.2f}s)",
            f"    cart_test.go:{rng.randrange(20, 300)}: total is {rng.randrange(90)}",
        )
    )


LOGGERS: tuple[LineMaker, ...] = (_zap_console, _zap_json, _klog, _logrus, _slog, _std_log, _tidb, _go_test)


def _insert_between(text: str, rng: random.Random, loggers: Sequence[LineMaker]) -> str:
    clock, lines = clock_times(rng), split_lines(text)
    gaps = [gap for gap in range(1, len(lines)) if rng.random() < 0.25]
    # at least one gap, so that the report is changed
    chosen = set(gaps or [len(lines) // 2])
    out: list[str] = []
    for number, line in enumerate(lines):
        if number in chosen:
            count = rng.randrange(1, 6)
            out.extend(rng.choice(loggers)(rng, next(clock)) for _ in range(count))
        out.append(line)
    return join_lines(out)


@damage("logger-lines")
def _logger_lines(text: str, rng: random.Random) -> str:
    return _insert_between(text, rng, LOGGERS)


@damage("logger-lines-one-style")
def _logger_lines_one_style(text: str, rng: random.Random) -> str:
    return _insert_between(text, rng, (rng.choice(LOGGERS),))


@damage("logger-lines-tidb")
def _logger_lines_tidb(text: str, rng: random.Random) -> str:
    return _insert_between(text, rng, (_tidb,))


def _some_lines(text: str, rng: random.Random, change: Callable[[str], str]) -> str:
    lines = split_lines(text)
    written = [i for i, line in enumerate(lines) if line.strip()]
    chosen = [i for i in written if rng.random() < 0.15] or written[:1]
    for i in chosen:
        lines[i] = change(lines[i])
    return join_lines(lines)


@damage("log-glued-to-end")
def _log_glued_to_end(text: str, rng: random.Random) -> str:
    clock = clock_times(rng)

    def glue(line: str) -> str:
        log = rng.choice(LOGGERS)(rng, next(clock))
        # not after a number such as `+0x45`, with which a date would merge
        while log[0] in string.hexdigits:
            log = rng.choice(LOGGERS)(rng, next(clock))
        return line + log

    return _some_lines(text, rng, glue)


UNFINISHED = (
    "connecting to 127.0.0.1:2379... ",
    "waiting for the leader...",
    "[shard 3/8] ",
    "12:00:01 [INFO] migrating schema: ",
    "progress: 45% ",
    '{"level":"info","msg":"tick"}',
    "2024/05/01 12:00:01 cart.go:31: total=",
)


@damage("log-glued-to-front")
def _log_glued_to_front(text: str, rng: random.Random) -> str:
    return _some_lines(text, rng, lambda line: rng.choice(UNFINISHED) + line)


@damage("carriage-return-progress")
def _carriage_return_progress(text: str, rng: random.Random) -> str:
    def overwrite(line: str) -> str:
        steps = sorted(rng.sample(range(1, 100), rng.randrange(1, 5)))
        return "".join(f"Downloading modules {step:>3}%\r" for step in steps) + line

    return _some_lines(text, rng, overwrite)
