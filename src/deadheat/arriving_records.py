"""Reads the reports of a stream whose records are still arriving, out of order within a limit.

Records are kept until no further record can change the reports in them. What is kept is bounded in time and in size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.records import (
    MAX_PAUSE,
    MIXED,
    UNORDERED,
    JoinedRecords,
    LogRecord,
    StreamReport,
    place_records,
    sort_key,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.records import Candidate

# besides its text, a record takes about this much
_RECORD_OVERHEAD = 64


class SettledReports(NamedTuple):
    """What is known of a stream while records arrive: reports that are complete, and the records to keep."""

    reports: list[StreamReport]
    kept: list[LogRecord]
    suspect_until: int | None  # a report that begins before may be mixed with one that is gone


def settle_records(
    records: Iterable[LogRecord], uri: str, watermark: int, suspect_until: int | None = None, force: bool = False
) -> SettledReports:
    """Read the records of one stream, of which all before the watermark have arrived.

    A report is settled if it ended long enough before the watermark. With `force` no records are kept, and a report
    that ends after the watermark is unordered, because some of its records may be missing.
    """
    ordered = sorted(records, key=sort_key)
    joined = JoinedRecords()
    complete: list[LogRecord] = []
    rest: list[LogRecord] = []
    for record in ordered:
        (complete if force or record.time is None or record.time <= watermark else rest).append(record)
    for placed in place_records(complete):
        joined.add_record(placed)
    candidates = joined.find_candidates(uri, opt_in=False)
    count = len(candidates) if force else _settled_count(joined, candidates, watermark)
    reports = []
    for candidate, verdict in [*zip(candidates, joined.judge_candidates(candidates), strict=True)][:count]:
        begins, ends = joined.times(candidate)
        if ends is not None and ends > watermark:
            verdict = UNORDERED
        elif suspect_until is not None and begins is not None and begins <= suspect_until:
            verdict = verdict or MIXED
        if (report := joined.to_report(candidate, verdict)) is not None:
            reports.append(report)
    suspects = [joined.times(one)[1] for one in candidates[:count] if one.is_suspect]
    limits = [suspect_until, *(None if time is None else time + MAX_PAUSE for time in suspects)]
    # no report that is still to come begins before
    latest = max((limit for limit in limits if limit is not None and limit > watermark - 3 * MAX_PAUSE), default=None)
    if force:
        return SettledReports(reports, [], latest)
    recent = (n for n, one in enumerate(joined.records) if (one.record.time or 0) > watermark - MAX_PAUSE)
    first_kept = next(recent, len(joined.records))
    if count < len(candidates):  # with the bar before it
        unsettled = candidates[count]
        first_kept = min(first_kept, max(0, joined.record_indexes(unsettled.start, unsettled.end).start - 1))
    return SettledReports(reports, [one.record for one in joined.records[first_kept:]] + rest, latest)


def _settled_count(joined: JoinedRecords, candidates: Sequence[Candidate], watermark: int) -> int:
    """How many candidates no further record can change."""
    ends = (joined.times(candidate)[1] for candidate in candidates)
    # a report may go on for MAX_PAUSE, and one that begins within MAX_PAUSE may be mixed with it
    unsettled = (n for n, end in enumerate(ends) if end is not None and end > watermark - 2 * MAX_PAUSE)
    count = next(unsettled, len(candidates))
    # the rest of a report that looks incomplete may still arrive, and then the one before is not mixed with it
    while count and any(
        later.is_suspect and joined.are_near(candidates[count - 1], later) for later in candidates[count:]
    ):
        count -= 1
    return count


def settle_within(
    records: Sequence[LogRecord],
    uri: str,
    watermark: int,
    delay: int,
    suspect_until: int | None = None,
    max_bytes: int = 1 << 62,
) -> SettledReports:
    """As `settle_records`, and keep at most `max_bytes` of records.

    No record arrives that is older than the newest one by more than the delay, which the watermark may not show yet.
    """
    newest = max((record.time for record in records if record.time is not None), default=watermark)
    watermark = max(watermark, newest - delay)
    settled = settle_records(records, uri, watermark, suspect_until)
    if sum(map(record_size, settled.kept)) <= max_bytes:
        return settled
    rest = settle_records(settled.kept, uri, watermark, settled.suspect_until, force=True)
    return rest._replace(reports=[*settled.reports, *rest.reports])


def record_size(record: LogRecord) -> int:
    """About how many bytes of state a record takes."""
    return len(record.text) + _RECORD_OVERHEAD
