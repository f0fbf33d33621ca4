"""Helpers for lines, times and JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

PACKAGE, OTHER_PACKAGE = "example.com/shop/cart", "example.com/shop/mail"
TEST, OTHER_TEST = "TestCheckoutUnderLoad", "TestSendReceipt"


def split_lines(text: str) -> list[str]:
    # splitlines() would also split at a stray form feed
    return text.removesuffix("\n").split("\n")


def join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def map_lines(text: str, change: Callable[[str], str]) -> str:
    return join_lines([change(line) for line in split_lines(text)])


def clock_times(rng: random.Random) -> Iterator[datetime]:
    now = datetime(2024, 5, 1, 12, 0, tzinfo=UTC) + timedelta(seconds=rng.randrange(36_000))
    while True:
        yield now
        # a report is printed at once, with an occasional pause
        pause = rng.randrange(200_000, 2_000_000) if rng.random() < 0.05 else rng.randrange(900)
        now += timedelta(microseconds=pause)


def iso_time(now: datetime, rng: random.Random, digits: int) -> str:
    fraction = f"{now.microsecond:06d}{rng.randrange(1000):03d}"[:digits]
    return f"{now:%Y-%m-%dT%H:%M:%S}.{fraction}Z"


def with_timestamps(text: str, rng: random.Random, prefix: Callable[[datetime], str]) -> str:
    clock = clock_times(rng)
    return map_lines(text, lambda line: prefix(next(clock)) + line)


def cut_in_two(line: str, rng: random.Random, chance: float) -> list[str]:
    if len(line) < 2 or rng.random() >= chance:
        return [line]
    column = rng.randrange(1, len(line))
    return [line[:column], line[column:]]


def compact_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def compact_go_json(value: object) -> str:
    # Go's encoder escapes `<`, `>` and `&`
    text = compact_json(value)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def json_string(line: str) -> str:
    return json.dumps(line, ensure_ascii=False)
