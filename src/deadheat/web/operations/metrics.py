"""Counts of requests and uploads in memory that the processes of a server share, and the text that Prometheus reads.

What can be counted is known when the server starts: a number per route, kind of answer and interval of time. So the
counts are an array, of which each process maps its own file; a scrape adds them up.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# upper ends of the intervals of a histogram, in seconds
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STATUS_CLASSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
# intervals, the sum of times, kinds of answers
_ROW = len(BUCKETS) + 1 + 1 + len(STATUS_CLASSES)
_UNMATCHED = ("", "unmatched")
_UPLOAD_FIELDS = 3  # new documents, documents that were known, bytes of new ones


class Sample(NamedTuple):
    """A value of a metric with its labels."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""  # of the name of the metric, in a histogram


class Metric(NamedTuple):
    name: str
    kind: str  # counter, gauge or histogram
    help: str
    samples: Sequence[Sample]


class SharedCounts:
    """The counts of this process, and the sums over all processes of the server."""

    def __init__(self, routes: Iterable[tuple[str, str]], folder: Path | None = None) -> None:
        self._routes = [*routes, _UNMATCHED]
        self._rows = {route: number * _ROW for number, route in enumerate(self._routes)}
        self._uploads = len(self._routes) * _ROW
        self._size = (self._uploads + _UPLOAD_FIELDS) * 8
        self._folder = folder
        self._values = memoryview(self._map()).cast("d")

    def _map(self) -> mmap.mmap:
        if self._folder is None:
            return mmap.mmap(-1, self._size)
        path = self._folder / f"{os.getpid()}.counts"
        with path.open("w+b") as file:
            file.truncate(self._size)
            return mmap.mmap(file.fileno(), self._size)

    def count_request(self, route: tuple[str, str], status: int, seconds: float) -> None:
        row = self._rows.get(route, self._rows[_UNMATCHED])
        self._values[row + bisect_left(BUCKETS, seconds)] += 1
        self._values[row + len(BUCKETS) + 1] += seconds
        self._values[row + len(BUCKETS) + 2 + min(max(status // 100, 1), 5) - 1] += 1

    def count_upload(self, size: int, is_new: bool) -> None:
        self._values[self._uploads + (not is_new)] += 1
        self._values[self._uploads + 2] += size

    def _sums(self) -> list[float]:
        if self._folder is None:
            return [*self._values]
        total = [0.0] * len(self._values)
        for path in self._folder.glob("*.counts"):
            data = path.read_bytes()
            if len(data) == self._size:
                total = [a + b for a, b in zip(total, memoryview(data).cast("d"), strict=True)]
        return total

    def metrics(self) -> list[Metric]:
        sums = self._sums()
        counts: list[Sample] = []
        times: list[Sample] = []
        for (method, path), row in self._rows.items():
            labels = {"method": method, "route": path}
            values = sums[row : row + _ROW]
            intervals, seconds, statuses = values[: len(BUCKETS) + 1], values[len(BUCKETS) + 1], values[-5:]
            if not sum(statuses):
                continue
            counts += [
                Sample(count, {**labels, "status": status})
                for status, count in zip(STATUS_CLASSES, statuses, strict=True)
                if count
            ]
            total = 0.0
            for end, count in zip((*map(str, BUCKETS), "+Inf"), intervals, strict=True):
                total += count
                times.append(Sample(total, {**labels, "le": end}, "_bucket"))
            times += [Sample(seconds, labels, "_sum"), Sample(total, labels, "_count")]
        new, known, size = sums[self._uploads :]
        return [
            Metric("deadheat_http_requests_total", "counter", "Answered requests.", counts),
            Metric("deadheat_http_request_duration_seconds", "histogram", "Time until the end of an answer.", times),
            Metric(
                "deadheat_received_documents_total", "counter", "Received documents, by whether they are new.",
                [Sample(new, {"new": "true"}), Sample(known, {"new": "false"})],
            ),
            Metric("deadheat_received_bytes_total", "counter", "Bytes of new documents.", [Sample(size)]),
        ]  # fmt: skip


def format_metrics(metrics: Iterable[Metric]) -> str:
    """The text format of Prometheus."""
    lines: list[str] = []
    for metric in metrics:
        lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        for sample in metric.samples:
            labels = ",".join(f'{name}="{_label(value)}"' for name, value in sample.labels.items())
            number = repr(sample.value) if sample.value % 1 else str(int(sample.value))
            lines.append(f"{metric.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {number}")
    return "\n".join([*lines, ""])


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
