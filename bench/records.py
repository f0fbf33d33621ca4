"""`python -m bench.records`: reports scattered over the records of a log store, and how many come out whole."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from bench import logs

if TYPE_CHECKING:
    from collections.abc import Sequence

START = 1_767_225_600_000_000  # 2026-01-01, in microseconds


class ScatteredRecord(NamedTuple):
    """A line as a log store keeps it."""

    stream: str
    sequence: int  # of the line in its stream
    time: int  # microseconds since 1970
    line: str


def scatter_reports(
    count: int, streams: int, files: int, seed: int = 25, shuffle_seconds: float = 5.0, duplicated: float = 0.01
) -> list[list[ScatteredRecord]]:
    """Reports of several streams as the records of several files, in the order in which a store delivers them.

    The streams print at the same time, each with lines of its own between its reports.
    """
    rng = random.Random(seed)
    records: list[ScatteredRecord] = []
    for number in range(streams):
        lines = _stream_lines(rng, range(number, count, streams))
        time = START + rng.randrange(1_000_000)
        for sequence, line in enumerate(lines):
            time += rng.randrange(200, 40_000)
            records.append(ScatteredRecord(f"shop/cart-{number}", sequence, time, line))
    records += rng.sample(records, int(len(records) * duplicated))
    # a record arrives up to some seconds after it was written
    records.sort(key=lambda record: record.time + rng.randrange(max(1, int(shuffle_seconds * 1_000_000))))
    contents: list[list[ScatteredRecord]] = [[] for _ in range(files)]
    for record in records:
        contents[rng.randrange(files)].append(record)
    return contents


def _stream_lines(rng: random.Random, numbers: Sequence[int]) -> list[str]:
    lines = []
    for number in numbers:
        lines += [f"request {rng.randrange(1 << 30)} served" for _ in range(rng.randrange(0, 60))]
        lines += logs.generate_report(number).decode().splitlines()
    return lines
